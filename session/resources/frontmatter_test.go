package resources

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFrontmatter(t *testing.T) {
	for _, tt := range []struct{ text, head, body, err string }{
		{text: "no head\r\nat all\r\n", head: `{}`, body: "no head\nat all\n"},
		{text: "---\n---\nbody", head: `{}`, body: "body"},
		{text: "---\na: 1\nb: yes\nc: 2024-01-02\nd: 2024-01-02T03:04:05Z\ne: [2020-01-01]\n---\n\n body \n", head: `{"a":1,"b":"yes","c":"2024-01-02","d":"2024-01-02T03:04:05Z","e":["2020-01-01"]}`, body: "body"},
		{text: "---\nx: &x {y: 1}\nz: *x\n---\n", head: `{"x":{"y":1},"z":{"y":1}}`},
		{text: "---\nnot closed\n", head: `{}`, body: "---\nnot closed\n"},
		{text: "---\na: [\n---\n", err: "not valid YAML"},
		{text: "---\n- a\n- b\n---\n", err: "names and values"},
		{text: "---\nonly words\n---\n", err: "names and values"},
	} {
		head, body, err := Frontmatter(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		got, _ := json.Marshal(head)
		if err != nil || string(got) != tt.head || body != tt.body {
			t.Errorf("%q: %s, %q, %v", tt.text, got, body, err)
		}
	}
}
