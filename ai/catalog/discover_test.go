package catalog

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func brief(s *LocalServer) string {
	if s == nil {
		return "nothing"
	}
	var parts []string
	for _, m := range s.Models {
		parts = append(parts, fmt.Sprintf("%s/%s %d %v thinks=%v", m.Provider, m.ID, m.ContextWindow, m.Input, m.Reasoning))
	}
	return strings.Join(parts, ", ")
}

func TestProbes(t *testing.T) {
	answers := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer, ok := answers[strings.TrimSpace(r.URL.Path+" "+string(body))]
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, answer)
	}))
	defer srv.Close()
	l := &looker{ctx: t.Context(), client: srv.Client()}
	for _, tt := range []struct {
		name    string
		probe   func(string) *LocalServer
		answers map[string]string
		want    string
	}{
		{"ollama", l.ollama, map[string]string{
			"/api/tags":                      `{"models":[{"name":"qwen3:8b"},{"name":"embed"},{"name":"old"}]}`,
			`/api/show {"model":"qwen3:8b"}`: `{"capabilities":["completion","tools","thinking","vision"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
			`/api/show {"model":"embed"}`:    `{"capabilities":["embedding"]}`,
		}, "ollama/qwen3:8b 40960 [text image] thinks=true, ollama/old 32768 [text] thinks=false"},
		{"llama.cpp", l.llamaCpp, map[string]string{
			"/v1/models": `{"data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":8192},"modalities":{"vision":true}}`,
		}, "llama.cpp/m.gguf 8192 [text image] thinks=false"},
		{"llama.cpp without props", l.llamaCpp, map[string]string{"/v1/models": `{"data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`}, "llama.cpp/m.gguf 131072 [text] thinks=false"},
		{"other server at its port", l.llamaCpp, map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"me"}]}`}, "nothing"},
		{"web page", l.llamaCpp, map[string]string{"/v1/models": `<!doctype html>`}, "nothing"},
		{"LM Studio", l.lmStudio, map[string]string{"/api/v0/models": `{"data":[{"id":"a","type":"vlm","max_context_length":32768,"loaded_context_length":4096},{"id":"e","type":"embeddings"},{"id":"b","type":"llm","max_context_length":1000}]}`},
			"lmstudio/a 4096 [text image] thinks=false, lmstudio/b 1000 [text] thinks=false"},
		{"vLLM", l.vllm, map[string]string{"/v1/models": `{"data":[{"id":"org/m","owned_by":"vllm","max_model_len":65536}]}`}, "vllm/org/m 65536 [text] thinks=false"},
	} {
		clear(answers)
		for path, answer := range tt.answers {
			answers[path] = answer
		}
		if got := brief(tt.probe(srv.URL)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestOllamaAddress(t *testing.T) {
	for host, want := range map[string]string{
		"": "http://127.0.0.1:11434", "0.0.0.0": "http://127.0.0.1:11434", "box:99": "http://box:99", "https://x.test": "https://x.test:443", ":5000": "http://127.0.0.1:5000", "[::]:7": "http://127.0.0.1:7", "%": "http://127.0.0.1:11434",
	} {
		if got := ollamaAddress(host); got != want {
			t.Errorf("%s: %s", host, got)
		}
	}
}

func TestDiscoverAndOffer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"models":[{"name":"tiny"}]}`)
	}))
	defer srv.Close()
	env := func(name string) string {
		return map[string]string{"OLLAMA_HOST": srv.URL, "LLAMA_BASE_URL": "http://127.0.0.1:1"}[name]
	}
	found := Discover(t.Context(), env)
	if len(found) == 0 || found[0].Provider != "ollama" || brief(&found[0]) != "ollama/tiny 32768 [text] thinks=false" {
		t.Fatalf("%+v", found)
	}
	found = found[:1] // others may run on this machine
	c, _ := Open(Options{Getenv: env})
	if _, _, err := c.Find("ollama/tiny"); err == nil {
		t.Error("found before it was offered")
	}
	c.Offer(found)
	c.Offer(found)
	m, _, err := c.Find("ollama/tiny")
	if err != nil || m.BaseURL != srv.URL+"/v1" || len(c.List("ollama tiny")) != 1 || c.Provider("ollama").Name != "Ollama" {
		t.Errorf("%+v %v", m, err)
	}
	// What the user configured stays.
	path := filepath.Join(t.TempDir(), "models.json")
	os.WriteFile(path, []byte(`{"providers":{"mine":{"baseUrl":"`+strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)+`/v1","api":"openai-completions","models":[{"id":"x"}]}}}`), 0o600)
	if c, err = Open(Options{Path: path, Getenv: env}); err != nil {
		t.Fatal(err)
	}
	c.Offer(found)
	if len(c.List("ollama/")) != 0 {
		t.Error("offered twice")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found := Discover(ctx, env); len(found) != 0 {
		t.Error(found)
	}
}
