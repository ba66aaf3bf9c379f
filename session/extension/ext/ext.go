// Package ext is for extensions that are Go programs.
//
//	func main() {
//		e := ext.New()
//		e.On("tool_call", func(c *ext.Context, event json.RawMessage) (any, error) {
//			if strings.Contains(string(event), "rm -rf") {
//				return map[string]any{"block": true, "reason": "not here"}, nil
//			}
//			return nil, nil
//		})
//		e.Command("hello", "Say hello", func(c *ext.Context, args string) error {
//			return c.Notify("hello "+args, "info")
//		})
//		e.Run()
//	}
//
// The names and shapes are those of docs/extensions.md. Handlers run on a
// goroutine of their own each. Standard output belongs to the protocol; write to
// standard error.
package ext

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"tau/session/extension/jsonrpc"
)

// Extension is the program.
type Extension struct {
	conn     *jsonrpc.Conn
	info     Info
	events   []string
	handlers []Handler
	tools    []Tool
	commands []command
	flags    []map[string]any
	channels map[string]func(*Context, json.RawMessage)
	suggest  func(c *Context, t Typing) (*Suggestions, error)
	triggers []string
}

// Info is what the program is told at the start.
type Info struct {
	CWD      string `json:"cwd"`
	AgentDir string `json:"agentDir"`
	Version  string `json:"version"`
	Mode     string `json:"mode"` // tui, rpc, json or print
}

// Handler answers an event. What it returns is the event's result; nil is none.
type Handler func(c *Context, event json.RawMessage) (any, error)

// Tool is something the model can call.
type Tool struct {
	Name        string   `json:"name"`
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description"`
	Snippet     string   `json:"promptSnippet,omitempty"`
	Guidelines  []string `json:"promptGuidelines,omitempty"`
	// Parameters is the JSON Schema of an object; anything that encodes to it.
	Parameters any `json:"parameters"`
	// Execute runs a call. An error becomes the result of the call.
	Execute func(c *Context, params json.RawMessage) (Result, error) `json:"-"`
}

// Result is what a tool gives back.
type Result struct {
	Content   []Block `json:"content"`
	Details   any     `json:"details,omitempty"`
	IsError   bool    `json:"isError,omitempty"`
	Terminate bool    `json:"terminate,omitempty"`
}

// Block is a text, or a picture in base 64.
type Block struct {
	Type     string `json:"type"` // text or image
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

// Text returns a result of one text.
func Text(s string) Result { return Result{Content: []Block{{Type: "text", Text: s}}} }

type command struct {
	Name        string                              `json:"name"`
	Description string                              `json:"description"`
	Completes   bool                                `json:"completes,omitempty"`
	Run         func(c *Context, args string) error `json:"-"`

	complete func(c *Context, typed string) ([]Item, error)
}

// New returns an extension without anything.
func New() *Extension {
	return &Extension{channels: map[string]func(*Context, json.RawMessage){}}
}

// On has a handler called for an event.
func (e *Extension) On(event string, h Handler) {
	e.events, e.handlers = append(e.events, event), append(e.handlers, h)
}

// Tool registers a tool.
func (e *Extension) Tool(t Tool) { e.tools = append(e.tools, t) }

// Command registers what the user can type as /name.
func (e *Extension) Command(name, description string, run func(c *Context, args string) error) {
	e.commands = append(e.commands, command{Name: name, Description: description, Run: run})
}

// Flag registers a flag of the command line; typ is boolean or string.
func (e *Extension) Flag(name, typ, description string) {
	e.flags = append(e.flags, map[string]any{"name": name, "type": typ, "description": description})
}

// Listen has f called for events of other extensions.
func (e *Extension) Listen(channel string, f func(c *Context, data json.RawMessage)) {
	e.channels[channel] = f
}

// Run serves until the program that started this one ends. It does not return
// before that; the exit status is 0.
func (e *Extension) Run() {
	if err := e.Serve(os.Stdin, os.Stdout); err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Serve is Run over other streams.
func (e *Extension) Serve(in io.Reader, out io.Writer) error {
	e.conn = jsonrpc.New(in, out, jsonrpc.Options{Serve: e.serve, Grace: time.Second})
	return e.conn.Run()
}

func (e *Extension) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	c := &Context{ctx: ctx, ext: e}
	switch method {
	case "initialize":
		if err := json.Unmarshal(params, &e.info); err != nil {
			return nil, err
		}
		var channels []string
		for name := range e.channels {
			channels = append(channels, name)
		}
		has := map[string]any{"events": e.events, "tools": e.tools, "commands": e.commands, "flags": e.flags, "channels": channels}
		if e.suggest != nil {
			has["autocomplete"] = map[string]any{"triggerCharacters": e.triggers}
		}
		return has, nil
	case "event":
		var p struct {
			Handler int             `json:"handler"`
			Payload json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		if p.Handler < 1 || p.Handler > len(e.handlers) {
			return nil, fmt.Errorf("there is no handler %d", p.Handler)
		}
		result, err := e.handlers[p.Handler-1](c, p.Payload)
		if err != nil {
			return nil, err
		}
		answer := map[string]any{}
		if result != nil {
			answer["result"] = result
		}
		if c.payload != nil {
			answer["payload"] = c.payload
		}
		return answer, nil
	case "tool":
		var p struct {
			Tool   string          `json:"tool"`
			Params json.RawMessage `json:"params"`
			Update string          `json:"update"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		c.update = p.Update
		for _, t := range e.tools {
			if t.Name == p.Tool {
				return t.Execute(c, p.Params)
			}
		}
		return nil, fmt.Errorf("there is no tool %s", p.Tool)
	case "command":
		var p struct{ Name, Args string }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		for _, cmd := range e.commands {
			if cmd.Name == p.Name {
				return nil, cmd.Run(c, p.Args)
			}
		}
		return nil, fmt.Errorf("there is no command %s", p.Name)
	case "complete", "suggest":
		return e.completion(c, method, params)
	case "bus":
		var p struct {
			Channel string          `json:"channel"`
			Data    json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		if f := e.channels[p.Channel]; f != nil {
			f(c, p.Data)
		}
		return nil, nil
	case "shutdown":
		return nil, nil
	}
	return nil, jsonrpc.ErrNoMethod
}

// Context is one call of the extension.
type Context struct {
	ctx     context.Context
	ext     *Extension
	payload any
	update  string
}

// Context ends when the call is cancelled.
func (c *Context) Context() context.Context { return c.ctx }

// Info is what the program was told at the start.
func (c *Context) Info() Info { return c.ext.info }

// Change gives an event that may be changed in place, such as tool_call, another
// payload. It has to have all members.
func (c *Context) Change(payload any) { c.payload = payload }

// Call asks the host. result may be nil.
func (c *Context) Call(method string, params, result any) error {
	raw, err := c.ext.conn.Call(c.ctx, method, params)
	if err != nil || result == nil || len(raw) == 0 {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Update shows a partial result of a tool.
func (c *Context) Update(r Result) error {
	return c.Call("update", map[string]any{"call": c.update, "data": r}, nil)
}

// Notify shows the user a message; kind is info, warning or error.
func (c *Context) Notify(message, kind string) error {
	return c.Call("ui.notify", map[string]any{"message": message, "kind": kind}, nil)
}

// Select has the user choose; ok is false if they did not.
func (c *Context) Select(title string, options ...string) (value string, ok bool, err error) {
	var v *string
	if err := c.Call("ui.select", map[string]any{"title": title, "options": options}, &v); err != nil || v == nil {
		return "", false, err
	}
	return *v, true, nil
}

// Confirm asks a question to be answered with yes or no.
func (c *Context) Confirm(title, message string) (yes bool, err error) {
	err = c.Call("ui.confirm", map[string]any{"title": title, "message": message}, &yes)
	return yes, err
}

// AppendEntry stores state with the conversation; models never see it.
func (c *Context) AppendEntry(customType string, data any) error {
	return c.Call("appendEntry", map[string]any{"customType": customType, "data": data}, nil)
}

// SendUserMessage sends a message as if the user had typed it; deliverAs is steer
// or followUp, or empty if the agent is idle.
func (c *Context) SendUserMessage(text, deliverAs string) error {
	return c.Call("sendUserMessage", map[string]any{"content": text, "options": map[string]any{"deliverAs": deliverAs}}, nil)
}
