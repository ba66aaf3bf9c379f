package acp

import (
	"encoding/json"
	"slices"

	"tau/ai"
)

// The modes.
const (
	modeAuto = "auto"
	modeAsk  = "ask"
)

func modes() []mode {
	return []mode{
		{modeAuto, "Auto", "Works without asking"},
		{modeAsk, "Ask", "Asks before it runs a command or changes a file"},
	}
}

// The ids of config options.
const (
	optionMode     = "mode"
	optionModel    = "model"
	optionThinking = "thinking"
)

func (c *conversation) mode() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking {
		return modeAsk
	}
	return modeAuto
}

// options are what the client can let the user choose.
func (c *conversation) options() []configOption {
	var modeChoices, modelChoices, levels []choice
	for _, m := range modes() {
		modeChoices = append(modeChoices, choice{m.ID, m.Name, m.Description})
	}
	model := c.session.Model()
	for _, m := range c.models() {
		modelChoices = append(modelChoices, choice{m.Ref(), m.Name, m.Provider})
	}
	for _, l := range ai.ThinkingLevels() {
		if model.Thinks(l) {
			levels = append(levels, choice{Value: string(l), Name: string(l)})
		}
	}
	return []configOption{
		{optionMode, "Mode", "", "mode", "select", c.mode(), modeChoices},
		{optionModel, "Model", "", "model", "select", model.Ref(), modelChoices},
		{optionThinking, "Thinking", "How much the model thinks before it answers", "thought_level", "select", string(c.session.Thinking()), levels},
	}
}

// models are those that can be used, the current one included.
func (c *conversation) models() []*ai.Model {
	all := c.app.Scoped()
	now := c.session.Model()
	if !slices.ContainsFunc(all, func(m *ai.Model) bool { return m.Ref() == now.Ref() }) {
		all = append([]*ai.Model{now}, all...)
	}
	return all
}

// result is what a client is told of a session that was opened.
func (c *conversation) result() sessionResult {
	r := sessionResult{
		Modes:         &modeState{CurrentModeID: c.mode(), AvailableModes: modes()},
		Models:        &modelState{CurrentModelID: c.session.Model().Ref()},
		ConfigOptions: c.options(),
	}
	for _, m := range c.models() {
		r.Models.AvailableModels = append(r.Models.AvailableModels, modelInfo{m.Ref(), m.Name, m.Provider})
	}
	return r
}

func (c *conversation) changeMode(id string) error {
	if id != modeAuto && id != modeAsk {
		return failure(codeParams, "there is no mode %q", id)
	}
	c.mu.Lock()
	changed := c.asking != (id == modeAsk)
	c.asking = id == modeAsk
	c.mu.Unlock()
	if changed {
		c.updates.send(modeUpdate{"current_mode_update", id})
	}
	return nil
}

func (c *conversation) changeModel(ref string) error {
	for _, m := range c.models() {
		if m.Ref() == ref {
			if m.Ref() != c.session.Model().Ref() {
				c.session.SetModel(m)
			}
			return nil
		}
	}
	return failure(codeParams, "there is no model %q to choose", ref)
}

func (s *server) setMode(params json.RawMessage) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.find(p.SessionID)
	if err != nil {
		return nil, err
	}
	return nil, c.changeMode(p.ModeID)
}

func (s *server) setModel(params json.RawMessage) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
		ModelID   string `json:"modelId"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.find(p.SessionID)
	if err != nil {
		return nil, err
	}
	return nil, c.changeModel(p.ModelID)
}

func (s *server) setOption(params json.RawMessage) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
		Value     string `json:"value"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.find(p.SessionID)
	if err != nil {
		return nil, err
	}
	switch p.ConfigID {
	case optionMode:
		err = c.changeMode(p.Value)
	case optionModel:
		err = c.changeModel(p.Value)
	case optionThinking:
		l := ai.ThinkingLevel(p.Value)
		if !c.session.Model().Thinks(l) {
			return nil, failure(codeParams, "the model does not have the level %q", p.Value)
		}
		c.session.SetThinking(l)
	default:
		err = failure(codeParams, "there is no option %q", p.ConfigID)
	}
	if err != nil {
		return nil, err
	}
	return struct {
		ConfigOptions []configOption `json:"configOptions"`
	}{c.options()}, nil
}
