package rpc

import (
	"fmt"
	"slices"

	"tau/ai"
)

func setModel(c *conn, cmd command) (any, error) {
	var a struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	m := c.app.Model(a.Provider, a.ModelID)
	if m == nil {
		return nil, fmt.Errorf("model not found: %s/%s", a.Provider, a.ModelID)
	}
	if err := c.app.Ready(m); err != nil {
		return nil, err
	}
	c.session.SetModel(m)
	return m, nil
}

type cycled struct {
	Model         *ai.Model        `json:"model"`
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
	IsScoped      bool             `json:"isScoped"`
}

// cycleModel takes the next of the models chosen for that, or of all. It is
// null if there is no other.
func cycleModel(c *conn, _ command) (any, error) {
	models, scoped := c.app.Scope()
	if len(models) < 2 {
		return null{}, nil
	}
	now := c.session.Model()
	at := slices.IndexFunc(models, func(m *ai.Model) bool { return m.Ref() == now.Ref() })
	next := models[(at+1)%len(models)]
	c.session.SelectModel(next, "cycle")
	return cycled{next, c.session.Thinking(), scoped}, nil
}

type modelList struct {
	Models []*ai.Model `json:"models"`
}

func getModels(c *conn, _ command) (any, error) { return modelList{some(c.app.Available())}, nil }

func setThinking(c *conn, cmd command) (any, error) {
	var a struct {
		Level ai.ThinkingLevel `json:"level"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	if !a.Level.Valid() {
		return nil, fmt.Errorf("set_thinking_level: %q is no level; there are %v", a.Level, ai.ThinkingLevels())
	}
	c.session.SetThinking(a.Level)
	return nil, nil
}

type level struct {
	Level ai.ThinkingLevel `json:"level"`
}

// cycleThinking takes the next level of the model. It is null if there is only
// one.
func cycleThinking(c *conn, _ command) (any, error) {
	all := levels(c.session.Model())
	if len(all) < 2 {
		return null{}, nil
	}
	next := all[(slices.Index(all, c.session.Thinking())+1)%len(all)]
	return level{c.session.SetThinking(next)}, nil
}

type levelList struct {
	Levels []ai.ThinkingLevel `json:"levels"`
}

func getLevels(c *conn, _ command) (any, error) { return levelList{levels(c.session.Model())}, nil }

func levels(m *ai.Model) []ai.ThinkingLevel {
	return slices.DeleteFunc(ai.ThinkingLevels(), func(l ai.ThinkingLevel) bool { return !m.Thinks(l) })
}
