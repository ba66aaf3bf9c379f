package vendorcheck

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tau/ai"
	"tau/ai/anthropic"
	"tau/ai/bedrock"
	"tau/ai/catalog"
	"tau/ai/google"
	"tau/ai/mistral"
	"tau/ai/openai"
	"tau/ai/responses"
)

// vendor is a protocol and what its vendor publishes.
type vendor struct {
	api    string
	stream ai.StreamFunc
	models []string // of the catalogue, "provider/id"
	load   func() (check, error)
}

// check returns what is wrong with a request.
type check func(doc any) []string

// checked makes a shape's check of what loads it.
func checked(load func() (*shape, error)) func() (check, error) {
	return func() (check, error) {
		s, err := load()
		if err != nil {
			return nil, err
		}
		return func(doc any) []string { return s.check("", doc) }, nil
	}
}

func vendors() []vendor {
	return []vendor{
		{anthropic.API, anthropic.Stream, []string{"anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-6"}, checked(func() (*shape, error) {
			return stainlessShape(anthropicSDK, map[string]string{"anthropic": ".", "shared": "shared", "constant": "shared/constant"}, "anthropic", "MessageNewParams")
		})},
		{anthropic.API, anthropic.Stream, []string{"anthropic/claude-opus-5-5", "anthropic/claude-fable-5-2"}, checked(func() (*shape, error) {
			return stainlessShape(anthropicSDK, map[string]string{"anthropic": ".", "shared": "shared", "constant": "shared/constant"}, "anthropic", "BetaMessageNewParams")
		})},
		{openai.CompletionsAPI, openai.Completions, []string{"openai/gpt-6.2-sol"}, checked(func() (*shape, error) {
			return stainlessShape(openAISDK, map[string]string{"openai": ".", "shared": "shared", "responses": "responses", "constant": "shared/constant"}, "openai", "ChatCompletionNewParams")
		})},
		{responses.API, responses.Stream, []string{"openai/gpt-6.2-sol", "openai/gpt-4o"}, checked(responsesShape)},
		{responses.AzureAPI, responses.Azure, []string{"azure/gpt-5", "azure/gpt-4o"}, checked(responsesShape)},
		{mistral.API, mistral.Stream, []string{"mistral/devstral-medium-latest", "mistral/magistral-medium-latest", "mistral/mistral-medium-latest"}, mistralSchema},
		{google.API, google.Stream, []string{"google/gemini-4-argon", "google/gemini-2.5-pro"}, checked(googleShape)},
		{google.VertexAPI, google.Vertex, []string{"google-vertex/gemini-2.5-pro"}, checked(googleShape)},
		{bedrock.API, bedrock.Stream, []string{"amazon-bedrock/us.anthropic.claude-opus-5-5", "amazon-bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "amazon-bedrock/us.amazon.nova-2-lite-v1:0", "amazon-bedrock/openai.gpt-oss-120b"}, checked(func() (*shape, error) {
			dir, err := fetch(bedrockSDK)
			if err != nil {
				return nil, err
			}
			shapes, err := smithyShapes(dir)
			if err != nil {
				return nil, err
			}
			s := shapes["ConverseStreamRequest"]
			if s == nil {
				return nil, errors.New("no schema of ConverseStreamRequest")
			}
			delete(s.fields, "modelId") // it is in the path
			return s, nil
		})},
	}
}

func responsesShape() (*shape, error) {
	return stainlessShape(openAISDK, map[string]string{"shared": "shared", "responses": "responses", "constant": "shared/constant"}, "responses", "ResponseNewParams")
}

// mistralSchema is the part of Mistral's OpenAPI document that a client of
// chat can use. The vendor has no Go SDK to read.
func mistralSchema() (check, error) {
	f, err := os.Open(filepath.Join("testdata", "mistral-chat.schema.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mistral.json", doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile("mistral.json")
	if err != nil {
		return nil, err
	}
	return func(doc any) []string {
		if err := schema.Validate(doc); err != nil {
			return []string{err.Error()}
		}
		return nil
	}, nil
}

// stainlessShape is the shape of a request's parameters. Whether to stream is
// decided by the method in these SDKs and no member of them.
func stainlessShape(module string, packages map[string]string, pkg, name string) (*shape, error) {
	dir, err := fetch(module)
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for p, folder := range packages {
		folders[p] = filepath.Join(dir, folder)
	}
	src, err := readSource(folders)
	if err != nil {
		return nil, err
	}
	s := src.shape(pkg, name)
	if s.kind != object || len(s.fields) < 5 {
		return nil, errors.New("no parameters " + name)
	}
	s.fields["stream"] = &field{&shape{name: "stream", kind: boolean}, true}
	return s, nil
}

// googleShape is the shape of a generateContent request. The SDK has no type
// for the whole; the members are those of the REST reference.
func googleShape() (*shape, error) {
	dir, err := fetch(googleSDK)
	if err != nil {
		return nil, err
	}
	src, err := readSource(map[string]string{"genai": dir})
	if err != nil {
		return nil, err
	}
	content := src.shape("genai", "Content")
	return &shape{name: "GenerateContentRequest", kind: object, fields: map[string]*field{
		"contents":          {&shape{name: "contents", kind: list, item: content}, true},
		"systemInstruction": {content, false},
		"tools":             {&shape{name: "tools", kind: list, item: src.shape("genai", "Tool")}, false},
		"generationConfig":  {src.shape("genai", "GenerationConfig"), false},
	}}, nil
}

// body is the request that a protocol writes.
func body(t *testing.T, v vendor, m *ai.Model, req ai.Request, opts ai.Options) []byte {
	t.Helper()
	var sent []byte
	opts.APIKey = "key-123456"
	opts.Env = map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "mine", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"}
	opts.OnPayload = func(b []byte) []byte { sent = b; return nil }
	opts.Client = &http.Client{Transport: refuse{}}
	for range v.stream(context.Background(), m, req, opts) {
	}
	if sent == nil {
		t.Fatal("nothing was sent")
	}
	return sent
}

type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network here")
}

// requests are the kinds of requests that must be right.
func requests(m *ai.Model) map[string]func() (ai.Request, ai.Options) {
	say := func(text string) ai.Message { return &ai.UserMessage{Content: ai.TextBlocks(text)} }
	picture := &ai.Image{Data: "iVBORw0KGgo=", MimeType: "image/png"}
	tools := []ai.ToolDef{{Name: "read", Description: "Read a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`), Strict: true}, {Name: "now"}}
	temperature := 0.5
	signature := map[string]string{responses.API: `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAA"}`, openai.CompletionsAPI: ""}
	sig, ok := signature[m.API]
	if !ok {
		sig = "c2lnbmF0dXJl"
	}
	loop := []ai.Message{
		say("look"),
		&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "hm", Signature: sig}, &ai.Text{Text: "I look."},
			&ai.ToolCall{ID: "call_1", Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)}, &ai.ToolCall{ID: "call_2", Name: "now"}}},
		&ai.ToolResultMessage{ToolCallID: "call_1", ToolName: "read", Content: []ai.Block{&ai.Text{Text: "data"}, picture}},
		&ai.ToolResultMessage{ToolCallID: "call_2", ToolName: "now", Content: ai.TextBlocks("no"), IsError: true},
	}
	return map[string]func() (ai.Request, ai.Options){
		"plain": func() (ai.Request, ai.Options) {
			return ai.Request{System: "be brief", Messages: []ai.Message{say("hi")}}, ai.Options{Thinking: m.ClampThinking(ai.ThinkingOff), Temperature: &temperature, MaxTokens: 4000}
		},
		"tools": func() (ai.Request, ai.Options) {
			return ai.Request{System: "be brief", Messages: loop, Tools: tools}, ai.Options{Thinking: m.ClampThinking(ai.ThinkingOff)}
		},
		"images": func() (ai.Request, ai.Options) {
			return ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "see"}, picture}}}}, ai.Options{Thinking: m.ClampThinking(ai.ThinkingOff)}
		},
		"thinking": func() (ai.Request, ai.Options) {
			return ai.Request{System: "be brief", Messages: loop, Tools: tools}, ai.Options{Thinking: m.ClampThinking(ai.ThinkingHigh)}
		},
		"midway": func() (ai.Request, ai.Options) {
			text := func(s string) *string { return &s }
			first := &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd, ThinkingLevel: m.ClampThinking(ai.ThinkingHigh), Content: ai.TextBlocks("hello")}
			msgs := []ai.Message{
				&ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: text("be brief")}}, ToolsAdded: tools[:1]}, say("hi"), first,
				&ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: text("be long")}}, ToolsAdded: tools[1:]}, say("and now?"),
			}
			return ai.Request{System: "be long", Messages: msgs, Tools: tools}, ai.Options{SessionID: "s", Thinking: m.ClampThinking(ai.ThinkingLow)}
		},
		"grammar": func() (ai.Request, ai.Options) {
			patch := ai.ToolDef{Name: "patch", Description: "Patch", Parameters: tools[0].Parameters, Grammar: &ai.Grammar{Syntax: "lark", Definition: "start: /.+/", Argument: "path"}}
			return ai.Request{System: "be brief", Messages: []ai.Message{
				say("hi"), &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: []ai.Block{
					&ai.Text{Text: "I patch."}, &ai.ToolCall{ID: "call_1", Name: "patch", Arguments: json.RawMessage(`{"path":"+a"}`)}}},
				&ai.ToolResultMessage{ToolCallID: "call_1", ToolName: "patch", Content: ai.TextBlocks("done")},
			}, Tools: []ai.ToolDef{patch}}, ai.Options{Cache: ai.CacheNone, Thinking: m.ClampThinking(ai.ThinkingOff)}
		},
		"cache": func() (ai.Request, ai.Options) {
			return ai.Request{System: "be brief", Messages: loop, Tools: tools}, ai.Options{Cache: ai.CacheLong, SessionID: "0190f0a0-session", Thinking: m.ClampThinking(ai.ThinkingLow)}
		},
	}
}

func TestRequests(t *testing.T) {
	models, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vendors() {
		t.Run(v.api, func(t *testing.T) {
			check, err := v.load()
			if err != nil {
				t.Skip("the SDK cannot be had: ", err)
			}
			for _, ref := range v.models {
				m, _, err := models.Find(ref)
				if err != nil {
					t.Fatal(err)
				}
				if v.api == openai.CompletionsAPI { // the vendor's own catalogue offers the newer protocol
					changed := *m
					changed.API, changed.Compat = v.api, json.RawMessage(`{"supportsMidConvoSystemMessages":true,"supportsOpenAIGrammarTools":true}`)
					m = &changed
				}
				if m.API != v.api {
					t.Fatalf("%s is of %s", ref, m.API)
				}
				for name, make := range requests(m) {
					req, opts := make()
					data := body(t, v, m, req, opts)
					var doc any
					if err := json.Unmarshal(data, &doc); err != nil {
						t.Fatal(err)
					}
					for _, wrong := range check(doc) {
						t.Errorf("%s %s: %s", ref, name, wrong)
					}
				}
			}
			// The check can fail.
			if len(check(map[string]any{"zzz": 1.0})) == 0 {
				t.Error("an unknown member was not noticed")
			}
		})
	}
}

// TestAzureAddress holds the parts of an Azure request that are not its body:
// the versioned API lies under /openai/v1 and takes a key as api-key, a token
// of Entra ID as a bearer token. (Azure's REST reference, data plane, v1.)
func TestAzureAddress(t *testing.T) {
	m := &ai.Model{ID: "gpt-5", API: responses.AzureAPI, Provider: "azure", ContextWindow: 1000, MaxTokens: 100}
	for _, tt := range []struct {
		key, version        string
		url, header, absent string
	}{
		{"key-123456", "", "https://mine.openai.azure.com/openai/v1/responses", "Api-Key", "Authorization"},
		{"eyJhbGciOiJ9.e30.c2ln", "2025-04-01-preview", "https://mine.openai.azure.com/openai/responses?api-version=2025-04-01-preview", "Authorization", "Api-Key"},
	} {
		var sent *http.Request
		opts := ai.Options{APIKey: tt.key, Client: &http.Client{Transport: record{&sent}}, Env: map[string]string{
			"AZURE_OPENAI_BASE_URL": "", "AZURE_OPENAI_RESOURCE_NAME": "mine", "AZURE_OPENAI_API_VERSION": tt.version,
		}}
		for range responses.Azure(t.Context(), m, ai.Request{}, opts) {
		}
		if sent == nil || sent.URL.String() != tt.url || sent.Header.Get(tt.header) == "" || sent.Header.Get(tt.absent) != "" || sent.Method != http.MethodPost {
			t.Errorf("%s: %+v", tt.key, sent)
		}
	}
}

type record struct{ sent **http.Request }

func (r record) RoundTrip(req *http.Request) (*http.Response, error) {
	*r.sent = req
	return nil, errors.New("no network here")
}
