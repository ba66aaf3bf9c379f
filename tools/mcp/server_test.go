package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tau/agent"
	"tau/ai"
)

// The test binary is also the servers that run as programs.
func TestMain(m *testing.M) {
	if kind := os.Getenv("MCP_TEST_SERVER"); kind != "" {
		serve(kind)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type text struct {
	Text string `json:"text"`
}

// testServer has a few tools of all sorts.
func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{Instructions: "Says things back."})
	say := func(result string) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: result}}}, nil, nil
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Say a text back"}, func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult, any, error) {
		return say("echo: " + in.Text)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "flood", Description: "Say very much"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return say("BEGIN\n" + strings.Repeat("all work and no play\n", 10_000) + "END")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "paint", Description: "Make a picture"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}, &sdk.ImageContent{MIMEType: "image/x", Data: []byte("x")}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail", Description: "Go wrong"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("it went wrong")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "die", Description: "End the server"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		fmt.Fprintln(os.Stderr, "fatal: asked to die")
		os.Exit(7)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "sleep", Description: "Take long"}, func(ctx context.Context, req *sdk.CallToolRequest, in text) (*sdk.CallToolResult, any, error) {
		for i := range 20 {
			if token := req.Params.GetProgressToken(); token != nil && in.Text == "progress" {
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i), Total: 20, Message: "still here"})
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		return say("slept")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow", Description: "Get one more tool"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown", Description: "New"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return say("grown up")
		})
		return say("ok")
	})
	s.AddResource(&sdk.Resource{Name: "greeting", URI: "test://hello", MIMEType: "text/plain"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://hello", Text: "hello from the resource"}}}, nil
	})
	return s
}

// serve is a server that runs as a program, well or badly.
func serve(kind string) {
	switch kind {
	case "good":
		_ = testServer().Run(context.Background(), &sdk.StdioTransport{})
	case "chatty": // prints what is no message, and far too much on stderr
		fmt.Println("Server listening on stdio!")
		fmt.Println(strings.Repeat("-", 200_000))
		go func() {
			line := strings.Repeat("noise ", 200) + "\x1b[31m\n"
			for range 20_000 {
				if _, err := io.WriteString(os.Stderr, line); err != nil {
					return
				}
			}
		}()
		_ = testServer().Run(context.Background(), &sdk.StdioTransport{})
	case "dead":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "mute": // reads, never answers, ignores every request to end
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("sleep", "300")
		_ = child.Start()
		if path := os.Getenv("PIDS"); path != "" {
			_ = os.WriteFile(path, fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	case "endless": // one line that never ends
		for {
			if _, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	case "garbage":
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println(`{"this is": not JSON`)
		}
	case "changing": // says all the time that its tools have changed
		s := testServer()
		go func() {
			for i := range 3000 {
				sdk.AddTool(s, &sdk.Tool{Name: fmt.Sprintf("extra%d", i%5)}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
					return nil, nil, nil
				})
			}
		}()
		_ = s.Run(context.Background(), &sdk.StdioTransport{})
	case "old": // ends at what it does not know, as those of the first version
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			switch line := in.Text(); {
			case strings.Contains(line, `"server/discover"`):
				fmt.Fprintln(os.Stderr, "unknown method")
				os.Exit(1)
			case strings.Contains(line, `"initialize"`):
				fmt.Println(`{"jsonrpc":"2.0","id":` + id(line) + `,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"0"}}}`)
			case strings.Contains(line, `"tools/list"`):
				fmt.Println(`{"jsonrpc":"2.0","id":` + id(line) + `,"result":{"tools":[{"name":"do.it","description":"Old","inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}}]}}`)
			case strings.Contains(line, `"tools/call"`):
				fmt.Println(`{"jsonrpc":"2.0","id":` + id(line) + `,"result":{"content":[{"type":"text","text":"done the old way"}]}}`)
			}
		}
	}
}

// id cuts the id out of a request.
func id(line string) string {
	_, rest, _ := strings.Cut(line, `"id":`)
	end := strings.IndexAny(rest, ",}")
	return rest[:end]
}

// local is a server of the test binary.
func local(name, kind string, x Exposure) Server {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Server{Name: name, Command: exe, Env: map[string]string{"MCP_TEST_SERVER": kind}, Exposure: x, Timeout: 20 * time.Second}
}

// newHub starts a hub that ends with the test.
func newHub(t *testing.T, servers ...Server) *Hub {
	t.Helper()
	dir := t.TempDir()
	h := Start(Options{Servers: servers, CWD: dir, LogPath: dir + "/mcp.log", AuthPath: dir + "/mcp-auth.json", Version: "test"})
	t.Cleanup(h.Close)
	return h
}

func find(t *testing.T, b *Toolbox, name string) *agent.Tool {
	t.Helper()
	var have []string
	for _, tool := range b.Tools() {
		if tool.Name == name {
			return tool
		}
		have = append(have, tool.Name)
	}
	t.Fatalf("there is no tool %s, only %v", name, have)
	return nil
}

func call(t *testing.T, tool *agent.Tool, args string) (string, agent.Result, error) {
	t.Helper()
	r, err := tool.Execute(t.Context(), agent.Call{ID: "1", Name: tool.Name, Args: []byte(args)}, func(agent.Result) {})
	return ai.ContentText(r.Content), r, err
}

// until waits for what other processes and goroutines do.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not come to be that " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
