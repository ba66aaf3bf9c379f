package mcp

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
)

// everything is the version of the public test server that the tests were
// written for.
const everything = "@modelcontextprotocol/server-everything@2026.8.31"

// The public test server, over both transports. It is fetched with npm, which
// takes its time: TAU_NPM=1 asks for it.
func TestServerEverything(t *testing.T) {
	if os.Getenv("TAU_NPM") == "" {
		t.Skip("TAU_NPM is not set: the public test server is not fetched")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not there")
	}
	dir := t.TempDir()
	cmd := exec.Command(npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", dir, everything)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm cannot be reached: %v: %s", err, out)
	}
	js := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	service := exec.Command("node", js, "streamableHttp")
	service.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	until(t, "the service listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	h := newHub(t,
		Server{Name: "stdio", Command: "node", Args: []string{js, "stdio"}, Exposure: Direct, Timeout: 30 * time.Second},
		Server{Name: "http", URL: "http://" + address + "/mcp", Exposure: Direct, Timeout: 30 * time.Second},
	)
	b := h.Toolbox(nil, nil)
	h.WaitConnected(t.Context())
	for _, s := range []string{"stdio", "http"} {
		tool := func(name string) *agent.Tool { return find(t, b, "mcp__"+s+"__"+name) }
		for _, tt := range []struct{ tool, args, want string }{
			{"echo", `{"message":"hé"}`, "Echo: hé"},
			{"get_sum", `{"a":2,"b":40}`, "42"},
			{"get_structured_content", `{"location":"New York"}`, "temperature"},
			{"get_resource_links", `{"count":2}`, "demo://resource"},
			{"get_resource_reference", `{"resourceType":"Text","resourceId":1}`, "demo://resource"},
			{"get_roots_list", `{}`, "file://"},
		} {
			got, r, err := call(t, tool(tt.tool), tt.args)
			if err != nil || r.IsError || !strings.Contains(got, tt.want) {
				t.Errorf("%s %s: %q %v", s, tt.tool, got, err)
			}
		}
		_, r, err := call(t, tool("get_tiny_image"), `{}`)
		pictures := 0
		for _, part := range r.Content {
			if _, ok := part.(*ai.Image); ok {
				pictures++
			}
		}
		if err != nil || pictures != 1 {
			t.Errorf("%s: %d pictures: %v", s, pictures, err)
		}
		shown := make(chan string, 100)
		r, err = tool("trigger_long_running_operation").Execute(t.Context(), agent.Call{Args: []byte(`{"duration":1,"steps":4}`)}, func(r agent.Result) {
			shown <- ai.ContentText(r.Content)
		})
		if err != nil || r.IsError || len(shown) == 0 || !strings.HasSuffix(<-shown, "of 4") {
			t.Errorf("%s: progress: %d, %v", s, len(shown), err)
		}
		if got, _, err := call(t, find(t, b, "list_mcp_resources"), `{"server":"`+s+`"}`); err != nil || !strings.Contains(got, "demo://resource") {
			t.Errorf("%s: resources: %.200q %v", s, got, err)
		}
		if got, _, err := call(t, find(t, b, "list_mcp_resource_templates"), `{"server":"`+s+`"}`); err != nil || !strings.Contains(got, "demo://resource/dynamic") {
			t.Errorf("%s: templates: %.200q %v", s, got, err)
		}
		if got, _, err := call(t, find(t, b, "read_mcp_resource"), `{"server":"`+s+`","uri":"demo://resource/dynamic/text/1"}`); err != nil || got == "" {
			t.Errorf("%s: a resource: %q %v", s, got, err)
		}
	}
}

// The server that the SDK is tested with for conformance.
func TestConformanceServer(t *testing.T) {
	if os.Getenv("TAU_NPM") == "" {
		t.Skip("TAU_NPM is not set: the conformance server is not built")
	}
	bin := filepath.Join(t.TempDir(), "server")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server").CombinedOutput(); err != nil {
		t.Skipf("it cannot be built: %s", out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	service := exec.Command(bin, "-http", address)
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	until(t, "the service listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	h := newHub(t, Server{Name: "c", URL: "http://" + address, Exposure: Direct, Timeout: 10 * time.Second})
	b := h.Toolbox(nil, nil)
	h.WaitConnected(t.Context())
	if st := h.Status()[0]; st.State != Connected {
		t.Fatalf("%s %s", st.State, st.Err)
	}
	for _, tt := range []struct {
		tool, want string
		bad        bool
	}{
		{"test_simple_text", "simple text", false}, {"test_image_content", "", false}, {"test_audio_content", "audio", false},
		{"test_embedded_resource", "", false}, {"test_multiple_content_types", "", false}, {"test_error_handling", "error", true}, {"test_tool_with_progress", "", false},
	} {
		got, r, err := call(t, find(t, b, "mcp__c__"+tt.tool), `{}`)
		if err != nil || r.IsError != tt.bad || !strings.Contains(got, tt.want) || len(r.Content) == 0 {
			t.Errorf("%s: %q %v", tt.tool, got, err)
		}
	}
	if got, _, err := call(t, find(t, b, "read_mcp_resource"), `{"server":"c","uri":"test://static-text"}`); err != nil || got == "" {
		t.Errorf("%q %v", got, err)
	}
}
