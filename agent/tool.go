package agent

import (
	"context"
	"encoding/json"

	"tau/ai"
	"tau/ai/openjson"
)

// ExecutionMode says whether a tool may run beside others of its batch.
type ExecutionMode string

// The execution modes. One sequential tool makes its whole batch sequential.
const (
	Parallel   ExecutionMode = "parallel"
	Sequential ExecutionMode = "sequential"
)

// Tool is something a model can call. It never writes to the terminal.
type Tool struct {
	Name        string
	Label       string // for people; Name if empty
	Description string // for the model
	// Parameters is the JSON Schema of the arguments, an object. It is part of
	// the prompt: its bytes must not change within a session.
	Parameters json.RawMessage
	// Snippet is the tool's line in the system prompt's list of tools, and
	// Guidelines are its bullets in the rules.
	Snippet    string
	Guidelines []string
	// Rest are further members of the tool's declaration, which are stored with
	// the conversation.
	Rest openjson.Fields
	// Mode is Parallel if empty.
	Mode ExecutionMode
	// Prepare may mend arguments before they are checked against Parameters.
	// An error becomes the call's result.
	Prepare func(args json.RawMessage) (json.RawMessage, error)
	// Execute runs one call. Cancellation is ctx. It may send any number of
	// partial results to update, from any goroutine, until it returns; later
	// ones are dropped. An error becomes an error result with its text, next
	// to whatever content the result has.
	Execute func(ctx context.Context, call Call, update func(Result)) (Result, error)
}

// Def returns the tool as it is declared to a model.
func (t *Tool) Def() ai.ToolDef {
	return ai.ToolDef{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Rest: t.Rest}
}

// Call is one execution of a tool.
type Call struct {
	ID   string
	Name string
	// Args is the prepared, validated and coerced JSON object.
	Args json.RawMessage
}

// Result is what a tool gives back.
type Result struct {
	Content           []ai.Block
	Details           json.RawMessage // for display, stored, never sent to a model
	StructuredContent json.RawMessage
	Usage             *ai.Usage // of models that the tool itself called
	IsError           bool
	// Terminate asks that the model is not called again after this batch. It
	// holds only if every result of the batch asks so.
	Terminate bool
}

// TextResult returns a result of one text block.
func TextResult(text string) Result { return Result{Content: ai.TextBlocks(text)} }
