package catalog

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newer is data in which a model of deepseek costs something else, and there is
// a new one.
func newer(t *testing.T) string {
	m := packed().models("deepseek")[0]
	return fmt.Sprintf(`{"deepseek":{"models":{%q:{"name":"x","tool_call":true,"cost":{"input":77,"output":88},"limit":{"context":1234,"output":56}},
		"deepseek-next":{"name":"Next","tool_call":true,"modalities":{"input":["text"]},"cost":{"input":1,"output":2},"limit":{"context":999,"output":11}}}}}`, m.ID)
}

func withStore(t *testing.T, store string) *Catalog {
	t.Helper()
	c, err := Open(Options{Store: store, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRefresh(t *testing.T) {
	asked, tags := 0, []string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		tags = append(tags, r.Header.Get("If-None-Match"))
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"one"`)
		fmt.Fprint(w, newer(t))
	}))
	defer srv.Close()
	store := filepath.Join(t.TempDir(), "agent", "models-store.jsonl")
	all := len(withStore(t, store).List(""))
	d, err := Refresh(t.Context(), RefreshOptions{Store: store, Source: srv.URL})
	if err != nil || d.Same || len(d.New) != 1 || d.New[0] != "deepseek/deepseek-next" || d.Changed != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	c := withStore(t, store)
	id := packed().models("deepseek")[0].ID
	if m, ok := c.Model("deepseek", id); !ok || m.Cost.Input != 77 || m.ContextWindow != 1234 || m.API == "" {
		t.Errorf("%+v", m)
	}
	if _, ok := c.Model("deepseek", "deepseek-next"); !ok || len(c.List("")) != all+1 {
		t.Errorf("%d models, were %d", len(c.List("")), all)
	}
	if d, err = Refresh(t.Context(), RefreshOptions{Store: store, Source: srv.URL}); err != nil || !d.Same || asked != 2 || tags[1] != `"one"` {
		t.Errorf("%+v %v, asked %d times, %q", d, err, asked, tags)
	}
}

// Whatever goes wrong, the models that are known stay, and one sentence says
// so.
func TestRefreshFails(t *testing.T) {
	reply := func(status int, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	dir := t.TempDir()
	for _, tt := range []struct{ name, source, says string }{
		{"offline", gone.URL, "cannot be reached"},
		{"server error", reply(500, "oops"), "500 Internal Server Error"},
		{"moved", reply(200, "<html>"), "not a list of models"},
		{"nonsense", reply(200, `{"deepseek":{"models":{"m":{"tool_call":true,"limit":{"context":"much"}}}}}`), "not a list of models"},
		{"a list", reply(200, `[]`), "not a list of models"},
		{"no file", filepath.Join(dir, "none.json"), "could not be read"},
	} {
		store := filepath.Join(dir, "models-store.jsonl")
		_, err := Refresh(t.Context(), RefreshOptions{Store: store, Source: tt.source})
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := os.Stat(store); err == nil {
			t.Errorf("%s: a store was written", tt.name)
		}
	}
}

// A store that is damaged, cut, or made for another version of the program is
// as good as none.
func TestDamagedStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "models-store.jsonl")
	source := filepath.Join(t.TempDir(), "api.json")
	os.WriteFile(source, []byte(newer(t)), 0o600)
	if _, err := Refresh(t.Context(), RefreshOptions{Store: store, Source: source}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	all := len(withStore(t, "").List(""))
	for name, data := range map[string]string{
		"empty": "", "garbage": "\x00\x01\n", "another version": strings.Replace(string(good), `"version":1`, `"version":9`, 1),
		"another program": strings.Replace(string(good), packedBase(), "0000", 1),
		"cut":             string(good[:len(good)/2]), "a line broken": strings.ReplaceAll(string(good), `"provider":"deepseek"`, `"provider":"deepsink"`),
		"negative": strings.Replace(string(good), `"offset":0`, `"offset":-5`, 1),
	} {
		os.WriteFile(store, []byte(data), 0o600)
		c := withStore(t, store)
		if n := len(c.List("")); n != all && n != all+1 {
			t.Errorf("%s: %d models, want %d", name, n, all)
		}
		if name == "cut" && (len(c.Warnings()) == 0 || !strings.Contains(c.Warnings()[0], "tau models refresh")) {
			t.Errorf("%s: %q", name, c.Warnings())
		}
	}
}
