package sides

import (
	"bytes"
	"testing"
)

func TestList(t *testing.T) {
	l := List{Opening: `"(begin)"`}
	if l.Last() != "" || len(l.Pieces("p")) != 0 {
		t.Error("an empty list has sides")
	}
	for _, add := range []struct{ role, parts string }{{"model", "1"}, {"model", "2,3"}, {"user", ""}, {"user", "4"}, {"model", "5"}} {
		l.Add(add.role, []byte(add.parts))
	}
	got := string(bytes.Join(l.Pieces("p"), nil))
	want := `{"role":"user","p":["(begin)"]},{"role":"model","p":[1,2,3]},{"role":"user","p":[4]},{"role":"model","p":[5]}`
	if got != want || l.Last() != "model" {
		t.Errorf("%s", got)
	}
	if parts, err := Encode([]string{"<a>", "b"}); err != nil || string(parts) != `"<a>","b"` {
		t.Errorf("%s %v", parts, err)
	}
}
