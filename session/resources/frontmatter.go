package resources

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a skill or template.
const maxFile = 1 << 20

// readMarkdown reads a file with an optional head between lines of "---". The
// body of a file with a head is trimmed, that of one without is as it stands.
func readMarkdown(path string, head any) (body string, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("it is not a regular file")
	}
	if st.Size() > maxFile {
		return "", fmt.Errorf("it has %d bytes, the limit is %d", st.Size(), maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return parseMarkdown(b, head)
}

// Frontmatter splits a text into its head between lines of "---", which is YAML,
// and the rest. Dates in it stay as they are written. The head is empty if there
// is none.
func Frontmatter(text string) (head map[string]any, body string, err error) {
	var n yaml.Node
	if body, err = parseMarkdown([]byte(text), &n); err != nil {
		return nil, "", err
	}
	head = map[string]any{}
	if n.Kind == 0 {
		return head, body, nil
	}
	keepDates(&n)
	if err := n.Decode(&head); err != nil {
		return nil, "", fmt.Errorf("its head is not a list of names and values: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return head, body, nil
}

func keepDates(n *yaml.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		keepDates(c)
	}
}

func parseMarkdown(b []byte, head any) (body string, err error) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text, nil
	}
	yml, body, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return text, nil
	}
	// The closing line may have blanks after its dashes, and nothing else.
	line, body, _ := strings.Cut(body, "\n")
	if strings.TrimSpace(line) != "" {
		return text, nil
	}
	if err := yaml.Unmarshal([]byte(yml), head); err != nil {
		return "", fmt.Errorf("its head is not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return strings.TrimSpace(body), nil
}
