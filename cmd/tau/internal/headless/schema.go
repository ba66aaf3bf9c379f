package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"tau/agent/schema"
	"tau/ai"
)

// Schema is a JSON Schema that an answer has to fit.
type Schema struct {
	text     string
	compiled *schema.Schema
}

// ReadSchema takes a schema as it is, if it begins like an object, or the name
// of a file with one.
func ReadSchema(arg string) (*Schema, error) {
	raw := []byte(strings.TrimSpace(arg))
	if !bytes.HasPrefix(raw, []byte("{")) {
		b, err := os.ReadFile(arg)
		if err != nil {
			return nil, fmt.Errorf("--json-schema: %w", err)
		}
		raw = bytes.TrimSpace(b)
	}
	if !json.Valid(raw) {
		return nil, errors.New("--json-schema: this is not JSON")
	}
	compiled, err := schema.Compile(raw)
	if err != nil {
		return nil, fmt.Errorf("--json-schema: this is no JSON Schema: %w", err)
	}
	return &Schema{text: string(raw), compiled: compiled}, nil
}

// ask adds to a prompt what form the answer has to have.
func (s *Schema) ask(prompt []ai.Block) []ai.Block {
	return append(prompt[:len(prompt):len(prompt)], &ai.Text{
		Text: "\n\nWhen you are done, your last message has to be one JSON value and nothing else: no words around it, no code fence. It has to fit this JSON Schema:\n" + s.text,
	})
}

// again is the prompt after an answer that did not fit.
func (s *Schema) again(why error) []ai.Block {
	return ai.TextBlocks("Your last message is not what was asked for:\n" + why.Error() + "\nRepeat it as one JSON value that fits the schema, and nothing else.")
}

// check returns the JSON of an answer, or what is wrong with it.
func (s *Schema) check(answer string) (string, error) {
	raw := unfenced(answer)
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	if err := s.compiled.Check(value); err != nil {
		return "", err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(raw)); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	return line.String(), nil
}

// unfenced takes the code fence away that many models cannot do without.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 6 {
		return s
	}
	_, body, ok := strings.Cut(s, "\n")
	if !ok {
		return s
	}
	return strings.TrimSpace(strings.TrimSuffix(body, "```"))
}
