package resources

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Agent is the description of a sub-agent: a Markdown file whose head says what
// it is for and whose body is added to its system prompt.
type Agent struct {
	Name        string
	Description string
	Tools       []string // that it may use; nil is those there are by default
	Model       string   // a name or pattern; that of the caller if empty
	Thinking    string
	Prompt      string
	Source      Source
}

type agentHead struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Tools       words  `yaml:"tools"`
	Model       string `yaml:"model"`
	Thinking    string `yaml:"thinking"`
}

// words is a list, or a text with commas between its parts.
type words []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if n.Kind == yaml.ScalarNode {
		if err := n.Decode(&text); err != nil {
			return err
		}
		for _, part := range strings.Split(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*w = append(*w, part)
			}
		}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// Agents reads the agent files of a folder. One without a description is none.
func Agents(dir string, scope Scope) (agents []Agent, problems []Problem) {
	for _, path := range filesIn(dir, ".md") {
		var h agentHead
		body, err := readMarkdown(path, &h)
		switch {
		case err != nil:
			problems = append(problems, Problem{path, "the agent is not loaded: " + err.Error()})
			continue
		case strings.TrimSpace(h.Description) == "":
			problems = append(problems, Problem{path, "the agent is not loaded: its head has no description"})
			continue
		}
		a := ParsedAgent(h.Name, h.Description, h.Tools, h.Model, h.Thinking, body)
		if a.Name == "" {
			a.Name = strings.TrimSuffix(filepath.Base(path), ".md")
		}
		a.Source = Source{Path: path, Source: "auto", Scope: scope, Origin: TopLevel, BaseDir: dir}
		agents = append(agents, a)
	}
	return agents, problems
}

// ParsedAgent returns an agent with the white space of its texts tidied.
func ParsedAgent(name, description string, tools []string, model, thinking, prompt string) Agent {
	return Agent{
		Name: strings.TrimSpace(name), Description: strings.Join(strings.Fields(description), " "), Tools: tools,
		Model: strings.TrimSpace(model), Thinking: strings.TrimSpace(thinking), Prompt: strings.TrimSpace(prompt),
	}
}
