// Package fakellm is a stand-in for the providers of models: it speaks the wire
// protocols that tau speaks, as a server, and needs neither network nor key.
//
// [New] returns a [Server], which is an [http.Handler] for httptest; the
// program in serve listens with it. What it answers is said in the newest user
// message by a directive such as "BENCH:tools n=3 parallel=3" (see directive.go
// for all); without one it says a fixed sentence. It keeps no conversation: all
// it knows is in the request, so that sessions in parallel do not disturb each
// other.
//
// With [Options.Strict] it checks each request as a strict vendor would, and
// refuses it in that vendor's form: unknown and missing members, roles and
// their order, calls and results that do not pair, forms of ids, signatures of
// thoughts that are not its own, empty texts. Its thoughts and calls are signed
// so that this can be told.
//
// The paths are those of the vendors:
//
//	POST /v1/messages                                  Anthropic
//	POST /v1/chat/completions                          Chat Completions; Mistral below /mistral
//	POST /v1/responses                                 Responses
//	POST /v1beta/models/{model}:streamGenerateContent  Google; Vertex by its longer path
//	POST /model/{model}/converse-stream                Bedrock
//	GET  /v1/models                                    names of models
package fakellm

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Options configure a server.
type Options struct {
	Strict bool
	// Seed changes the generated content; equal seeds give equal content.
	Seed uint64
	// Log, if not nil, sees each request after it was answered.
	Log func(Entry)
}

// Entry is what happened to one request.
type Entry struct {
	API       string
	Path      string
	Body      []byte
	Directive string // "" for none
	Refused   string // why the request was refused, "" if it was not
	Deltas    int    // of the answer
	Input     int    // estimated tokens
	Cached    int    // tokens of the longest beginning that came before
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	opts Options

	mu     sync.Mutex
	tries  map[string]int      // of directives that fail a number of times
	prompt map[uint64]struct{} // hashes of all beginnings that have come
}

// New returns a server.
func New(opts Options) *Server {
	return &Server{opts: opts, tries: map[string]int{}, prompt: map[uint64]struct{}{}}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"id":"fake-1","object":"model"},{"id":"fake-think-1","object":"model"}]}`)
		return
	}
	proto := protocolOf(r.URL.Path)
	if proto == nil {
		http.Error(w, `{"error":{"message":"no such path"}}`, http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	e := Entry{API: proto.api, Path: r.URL.Path, Body: body}
	defer func() {
		if s.opts.Log != nil {
			s.opts.Log(e)
		}
	}()
	p, problem := proto.parse(body)
	if p != nil && p.model == "" {
		p.model = modelIn(r.URL.Path)
	}
	if problem == "" && s.opts.Strict {
		problem = p.check(proto)
	}
	if problem != "" && (s.opts.Strict || p == nil) {
		e.Refused = problem
		proto.refuse(w, &failure{status: 400, message: problem})
		return
	}
	e.Input, e.Cached = s.count(p)
	d := p.directive()
	e.Directive = d.name
	a := &answer{w: w, r: r, proto: proto, plan: s.plan(p, d), prompt: p, input: e.Input, cached: e.Cached}
	a.play()
	e.Deltas = a.sent
}

// count estimates the tokens of the prompt, and those of its longest beginning
// that has come before, as a cache of prompts would.
func (s *Server) count(p *prompt) (input, cached int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	broken := false
	for _, part := range p.parts {
		input += part.tokens
		if _, seen := s.prompt[part.hash]; seen && !broken {
			cached += part.tokens
		} else {
			broken = true
		}
		s.prompt[part.hash] = struct{}{}
	}
	if d := p.directive(); d.number("in", 0) > 0 {
		input = d.number("in", 0)
		cached = min(cached, input)
	}
	return input, cached
}

// protocol is one wire protocol.
type protocol struct {
	api    string
	parse  func(body []byte) (*prompt, string) // a problem, if not ""
	wire   func(a *answer) wire
	refuse func(w http.ResponseWriter, f *failure)
}

// failure is an error of the provider.
type failure struct {
	status     int
	message    string
	overflow   bool
	retryAfter string
}

func protocolOf(path string) *protocol {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return &protocol{"anthropic-messages", parseAnthropic, newAnthropicWire, refuseAnthropic}
	case strings.Contains(path, "/mistral/"):
		return &protocol{"mistral-conversations", parseMistral, newChatWire, refuseMistral}
	case strings.HasSuffix(path, "/chat/completions"):
		return &protocol{"openai-completions", parseChat, newChatWire, refuseOpenAI}
	case strings.HasSuffix(path, "/responses"):
		return &protocol{"openai-responses", parseResponses, newResponsesWire, refuseOpenAI}
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return &protocol{"google-generative-ai", parseGoogle, newGoogleWire, refuseGoogle}
	case strings.HasSuffix(path, "/converse-stream"):
		return &protocol{"bedrock-converse-stream", parseBedrock, newBedrockWire, refuseBedrock}
	}
	return nil
}

// modelIn is the model that a path names.
func modelIn(path string) string {
	for _, before := range []string{"/models/", "/model/"} {
		if _, rest, ok := strings.Cut(path, before); ok {
			return rest[:max(0, strings.LastIndexAny(rest, ":/"))]
		}
	}
	return ""
}

type obj = map[string]any

func refuse(w http.ResponseWriter, f *failure, body obj) {
	w.Header().Set("Content-Type", "application/json")
	if f.retryAfter != "" {
		w.Header().Set("Retry-After", f.retryAfter)
	}
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
