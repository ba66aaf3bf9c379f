package acp

import "encoding/json"

// The objects of the protocol, as far as they are used here. Their meaning is
// in its schema (v1).

const protocolVersion = 1

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type initializeResult struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities capabilities   `json:"agentCapabilities"`
	AgentInfo         implementation `json:"agentInfo"`
	AuthMethods       []authMethod   `json:"authMethods"`
}

type capabilities struct {
	LoadSession         bool `json:"loadSession"`
	McpCapabilities     mcp  `json:"mcpCapabilities"`
	PromptCapabilities  says `json:"promptCapabilities"`
	SessionCapabilities can  `json:"sessionCapabilities"`
}

type mcp struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

type says struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

type can struct {
	List   struct{} `json:"list"`
	Resume struct{} `json:"resume"`
	Close  struct{} `json:"close"`
}

type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// sessionParams is the beginning of most requests.
type sessionParams struct {
	SessionID  string            `json:"sessionId"`
	CWD        string            `json:"cwd"`
	McpServers []json.RawMessage `json:"mcpServers"`
}

type sessionResult struct {
	SessionID     string         `json:"sessionId,omitempty"` // of session/new
	Modes         *modeState     `json:"modes,omitempty"`
	Models        *modelState    `json:"models,omitempty"`
	ConfigOptions []configOption `json:"configOptions,omitempty"`
}

type modeState struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []mode `json:"availableModes"`
}

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// modelState is how clients knew of models before there were config options.
type modelState struct {
	CurrentModelID  string      `json:"currentModelId"`
	AvailableModels []modelInfo `json:"availableModels"`
}

type modelInfo struct {
	ModelID     string `json:"modelId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type configOption struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	Category     string   `json:"category,omitempty"` // mode, model, thought_level
	Type         string   `json:"type"`               // select
	CurrentValue string   `json:"currentValue"`
	Options      []choice `json:"options"`
}

type choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type sessionInfo struct {
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

type sessionList struct {
	Sessions   []sessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

// content is a block of what is said.
type content struct {
	Type     string    `json:"type"` // text, image, audio, resource_link, resource
	Text     string    `json:"text"`
	Data     string    `json:"data,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// MarshalJSON leaves the text out where there can be none.
func (c content) MarshalJSON() ([]byte, error) {
	if c.Type == "text" {
		return json.Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{c.Type, c.Text})
	}
	return json.Marshal(struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		MimeType string `json:"mimeType"`
	}{c.Type, c.Data, c.MimeType})
}

type resource struct {
	URI      string `json:"uri"`
	MimeType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     string `json:"blob,omitempty"`
}

type notification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// chunk is a piece of what somebody says or thinks.
type chunk struct {
	Update  string  `json:"sessionUpdate"`
	Content content `json:"content"`
}

// toolCall is a new call or, with the other name, a change of one.
type toolCall struct {
	Update     string          `json:"sessionUpdate,omitempty"`
	ToolCallID string          `json:"toolCallId"`
	Title      string          `json:"title,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Status     string          `json:"status,omitempty"`
	Content    []toolContent   `json:"content,omitempty"`
	Locations  []location      `json:"locations,omitempty"`
	RawInput   json.RawMessage `json:"rawInput,omitempty"`
	RawOutput  json.RawMessage `json:"rawOutput,omitempty"`
}

// toolContent is what a call shows: content, or a change of a file.
type toolContent struct {
	Type    string   `json:"type"` // content, diff
	Content *content `json:"content,omitempty"`
	Path    string   `json:"path,omitempty"`
	OldText *string  `json:"oldText,omitempty"` // nil for a new file
	NewText *string  `json:"newText,omitempty"`
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1
}

type plan struct {
	Update  string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium, low
	Status   string `json:"status"`   // pending, in_progress, completed
}

type commandsUpdate struct {
	Update   string           `json:"sessionUpdate"`
	Commands []commandOffered `json:"availableCommands"`
}

type commandOffered struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

type modeUpdate struct {
	Update        string `json:"sessionUpdate"`
	CurrentModeID string `json:"currentModeId"`
}

type optionsUpdate struct {
	Update        string         `json:"sessionUpdate"`
	ConfigOptions []configOption `json:"configOptions"`
}

type infoUpdate struct {
	Update string `json:"sessionUpdate"`
	Title  string `json:"title"`
}

type usageUpdate struct {
	Update string `json:"sessionUpdate"`
	Used   int64  `json:"used"`
	Size   int64  `json:"size"`
	Cost   *cost  `json:"cost,omitempty"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

type promptResult struct {
	StopReason string     `json:"stopReason"`
	Usage      *turnUsage `json:"usage,omitempty"`
}

type turnUsage struct {
	InputTokens       int64 `json:"inputTokens"`
	OutputTokens      int64 `json:"outputTokens"`
	CachedReadTokens  int64 `json:"cachedReadTokens"`
	CachedWriteTokens int64 `json:"cachedWriteTokens"`
	TotalTokens       int64 `json:"totalTokens"`
}

type permissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  toolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

type permissionResult struct {
	Outcome struct {
		Outcome  string `json:"outcome"` // selected, cancelled
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}
