package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"tau/ai"
)

// LocalServer is a server of models on the user's machine.
type LocalServer struct {
	Provider string // "ollama", "llama.cpp", "lmstudio" or "vllm"
	Name     string // for people
	BaseURL  string // of its Chat Completions
	Models   []*ai.Model
}

// localLimit bounds the search. Where nothing listens the answer is there at
// once.
const localLimit = 2 * time.Second

// Discover looks for servers of models at their default ports: Ollama, llama.cpp,
// LM Studio, vLLM. It asks all at once, sends no keys and stays on this machine,
// unless OLLAMA_HOST or LLAMA_BASE_URL name another. It returns what had
// answered after two seconds, in a fixed order. getenv may be nil.
func Discover(ctx context.Context, getenv func(string) string) []LocalServer {
	if getenv == nil {
		getenv = os.Getenv
	}
	ctx, cancel := context.WithTimeout(ctx, localLimit)
	defer cancel()
	// No proxy reaches this machine.
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: time.Second}).DialContext}
	l := &looker{ctx: ctx, client: &http.Client{Transport: transport, CheckRedirect: stay}}
	llama := []string{"http://127.0.0.1:8080", "http://127.0.0.1:9931"}
	if base := getenv("LLAMA_BASE_URL"); base != "" {
		llama = []string{base}
	}
	probes := []func() *LocalServer{func() *LocalServer { return l.ollama(ollamaAddress(getenv("OLLAMA_HOST"))) }}
	for _, base := range llama {
		probes = append(probes, func() *LocalServer { return l.llamaCpp(base) })
	}
	probes = append(probes,
		func() *LocalServer { return l.lmStudio("http://127.0.0.1:1234") },
		func() *LocalServer { return l.vllm("http://127.0.0.1:8000") },
	)
	found := make([]*LocalServer, len(probes))
	var wg sync.WaitGroup
	for i, probe := range probes {
		wg.Go(func() { found[i] = probe() })
	}
	wg.Wait()
	var out []LocalServer
	seen := map[string]bool{}
	for _, s := range found {
		if s != nil && len(s.Models) > 0 && !seen[s.Provider] {
			seen[s.Provider] = true
			out = append(out, *s)
		}
	}
	return out
}

// Offer adds servers that were found to the catalogue, or replaces what an
// earlier search had found. A provider that the user has configured, by name
// or by address, stays as it is.
func (c *Catalog) Offer(servers []LocalServer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range servers {
		if c.user.provider(s.Provider) != nil || c.configured(s.BaseURL) {
			continue
		}
		if !slices.Contains(c.order, s.Provider) {
			c.order = append(c.order[:len(c.order):len(c.order)], s.Provider) // others may be reading it
		}
		if c.local == nil {
			c.local = make(map[string]LocalServer)
		}
		c.local[s.Provider] = s
		c.loaded[s.Provider] = s.Models
	}
}

// configured reports whether the user's file has a provider at this address.
func (c *Catalog) configured(base string) bool {
	at := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return address
		}
		host := u.Hostname()
		if host == "localhost" || host == "::1" {
			host = "127.0.0.1"
		}
		return host + ":" + u.Port()
	}
	for _, p := range c.user.providers {
		if p.BaseURL != "" && at(p.BaseURL) == at(base) {
			return true
		}
	}
	return false
}

// ollamaAddress reads OLLAMA_HOST, which may lack scheme and port, and may be
// the address that a server listens at.
func ollamaAddress(host string) string {
	if host == "" {
		return "http://127.0.0.1:11434"
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return "http://127.0.0.1:11434"
	}
	name, port := u.Hostname(), u.Port()
	if name == "0.0.0.0" || name == "::" || name == "" {
		name = "127.0.0.1"
	}
	if port == "" {
		port = "11434"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return u.Scheme + "://" + net.JoinHostPort(name, port)
}

// stay follows no redirect: the search is for this machine.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

type looker struct {
	ctx    context.Context
	client *http.Client
}

// ask reads a JSON document.
func (l *looker) ask(method, address, body string, into any) error {
	req, err := http.NewRequestWithContext(l.ctx, method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return fmt.Errorf("local server: %w", err)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return fmt.Errorf("local server: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New("local server: " + resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(into); err != nil {
		return fmt.Errorf("local server: %w", err)
	}
	return nil
}

// localModel is a model of a local server: free, and of the protocol that all
// of them speak.
func localModel(provider, base, id string, window int64) *ai.Model {
	const unknown = 32_768
	if window <= 0 {
		window = unknown
	}
	return &ai.Model{
		ID: id, Name: id, API: "openai-completions", Provider: provider, BaseURL: base, Input: []string{"text"},
		ContextWindow: window, MaxTokens: min(window/2, 32_768),
	}
}

func (l *looker) ollama(base string) *LocalServer {
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if l.ask(http.MethodGet, base+"/api/tags", "", &tags) != nil {
		return nil
	}
	s := &LocalServer{Provider: "ollama", Name: "Ollama", BaseURL: base + "/v1"}
	const most, atOnce = 100, 8
	list := tags.Models[:min(len(tags.Models), most)]
	models := make([]*ai.Model, len(list))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, m := range list {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			models[i] = l.ollamaModel(s, base, m.Name)
		})
	}
	wg.Wait()
	for _, m := range models {
		if m != nil {
			s.Models = append(s.Models, m)
		}
	}
	return s
}

// ollamaModel asks what a model can do. One that cannot chat is left out.
func (l *looker) ollamaModel(s *LocalServer, base, name string) *ai.Model {
	var show struct {
		Capabilities []string                   `json:"capabilities"`
		Info         map[string]json.RawMessage `json:"model_info"`
	}
	body, err := json.Marshal(map[string]string{"model": name})
	if err != nil || l.ask(http.MethodPost, base+"/api/show", string(body), &show) != nil {
		return localModel(s.Provider, s.BaseURL, name, 0)
	}
	if len(show.Capabilities) > 0 && !slices.Contains(show.Capabilities, "completion") {
		return nil
	}
	var window int64
	for key, value := range show.Info {
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(value, &window) != nil {
			window = 0
		}
	}
	m := localModel(s.Provider, s.BaseURL, name, window)
	m.Reasoning = slices.Contains(show.Capabilities, "thinking")
	if slices.Contains(show.Capabilities, "vision") {
		m.Input = append(m.Input, "image")
	}
	return m
}

// openAIList is what GET /v1/models gives, with what servers add to it.
type openAIList struct {
	Data []struct {
		ID          string `json:"id"`
		OwnedBy     string `json:"owned_by"`
		MaxModelLen int64  `json:"max_model_len"` // vLLM
		Meta        struct {
			Window int64 `json:"n_ctx_train"` // llama.cpp
		} `json:"meta"`
	} `json:"data"`
}

func (l *looker) llamaCpp(base string) *LocalServer {
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	var list openAIList
	if l.ask(http.MethodGet, base+"/v1/models", "", &list) != nil || len(list.Data) == 0 || list.Data[0].OwnedBy != "llamacpp" {
		return nil // something else listens there
	}
	var props struct {
		Settings struct {
			Window int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	_ = l.ask(http.MethodGet, base+"/props", "", &props) // may be switched off
	s := &LocalServer{Provider: "llama.cpp", Name: "llama.cpp", BaseURL: base + "/v1"}
	for _, d := range list.Data {
		window := props.Settings.Window
		if window == 0 {
			window = d.Meta.Window
		}
		m := localModel(s.Provider, s.BaseURL, d.ID, window)
		if props.Modalities.Vision {
			m.Input = append(m.Input, "image")
		}
		s.Models = append(s.Models, m)
	}
	return s
}

func (l *looker) lmStudio(base string) *LocalServer {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Type   string `json:"type"`
			Window int64  `json:"max_context_length"`
			Loaded int64  `json:"loaded_context_length"`
		} `json:"data"`
	}
	if l.ask(http.MethodGet, base+"/api/v0/models", "", &list) != nil {
		return nil
	}
	s := &LocalServer{Provider: "lmstudio", Name: "LM Studio", BaseURL: base + "/v1"}
	for _, d := range list.Data {
		if d.Type == "embeddings" {
			continue
		}
		window := d.Window
		if d.Loaded > 0 {
			window = d.Loaded
		}
		m := localModel(s.Provider, s.BaseURL, d.ID, window)
		if d.Type == "vlm" {
			m.Input = append(m.Input, "image")
		}
		s.Models = append(s.Models, m)
	}
	return s
}

func (l *looker) vllm(base string) *LocalServer {
	var list openAIList
	if l.ask(http.MethodGet, base+"/v1/models", "", &list) != nil || len(list.Data) == 0 || list.Data[0].OwnedBy != "vllm" {
		return nil
	}
	s := &LocalServer{Provider: "vllm", Name: "vLLM", BaseURL: base + "/v1"}
	for _, d := range list.Data {
		s.Models = append(s.Models, localModel(s.Provider, s.BaseURL, d.ID, d.MaxModelLen))
	}
	return s
}
