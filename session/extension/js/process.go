package js

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

type spawnParams struct {
	Command string             `json:"command"`
	Args    []string           `json:"args"`
	CWD     string             `json:"cwd"`
	Env     *map[string]string `json:"env"`   // all of it; that of the program if null
	Stdin   string             `json:"stdin"` // pipe, ignore or inherit
	Input   string             `json:"input"` // base 64
	Timeout int64              `json:"timeout"`
	Max     int64              `json:"maxBuffer"`
	// Detached leaves the process running when the extension ends.
	Detached bool `json:"detached"`
	// Terminal gives the process the terminal of the program.
	Terminal bool `json:"terminal"`
}

// process is one that an extension has started and hears of.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

func (s *system) command(ctx context.Context, p spawnParams) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Command, p.Args...)
	cmd.Dir = s.m.env.CWD
	if p.CWD != "" {
		cmd.Dir = p.CWD
	}
	if p.Env != nil {
		cmd.Env = []string{}
		for k, v := range *p.Env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	group(cmd)
	return cmd
}

func (s *system) processes(method string) call {
	switch method {
	case "sys.spawnSync":
		return takes(s.spawnSync)
	case "sys.spawn":
		return takes(func(_ context.Context, p spawnParams) (any, error) { return s.spawn(p) })
	case "sys.write": // {id, data, end}: standard input
		return takes(func(_ context.Context, p struct {
			ID   int    `json:"id"`
			Data string `json:"data"`
			End  bool   `json:"end"`
		}) (any, error) {
			s.mu.Lock()
			proc := s.procs[p.ID]
			s.mu.Unlock()
			if proc == nil || proc.stdin == nil {
				return nil, nil
			}
			data, err := base64.StdEncoding.DecodeString(p.Data)
			if err != nil {
				return nil, err
			}
			if len(data) > 0 {
				if _, err := proc.stdin.Write(data); err != nil {
					return nil, err
				}
			}
			if p.End {
				_ = proc.stdin.Close() // the process may be gone
			}
			return nil, nil
		})
	case "sys.kill": // {id, signal}
		return takes(func(_ context.Context, p struct {
			ID     int    `json:"id"`
			Signal string `json:"signal"`
		}) (any, error) {
			s.mu.Lock()
			proc := s.procs[p.ID]
			s.mu.Unlock()
			if proc == nil || proc.cmd.Process == nil {
				return false, nil
			}
			return true, signalGroup(proc.cmd.Process, p.Signal)
		})
	case "sys.signal": // {pid, signal}: any process, or a group if pid is negative
		return takes(func(_ context.Context, p struct {
			PID    int    `json:"pid"`
			Signal string `json:"signal"` // empty: none is sent
		}) (any, error) {
			return nil, signalProcess(p.PID, p.Signal)
		})
	}
	return nil
}

type syncResult struct {
	Status *int   `json:"status"`
	Signal string `json:"signal,omitempty"`
	Stdout string `json:"stdout"` // base 64
	Stderr string `json:"stderr"`
	Error  string `json:"error,omitempty"`
	Code   string `json:"code,omitempty"`
	PID    int    `json:"pid"`
}

func (s *system) spawnSync(ctx context.Context, p spawnParams) (any, error) {
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(p.Timeout)*time.Millisecond)
		defer cancel()
	}
	cmd := s.command(ctx, p)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if p.Input != "" {
		data, err := base64.StdEncoding.DecodeString(p.Input)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = bytes.NewReader(data)
	}
	if p.Terminal {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr, cmd.Cancel = nil, nil
	}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	out := syncResult{Stdout: base64.StdEncoding.EncodeToString(stdout.Bytes()), Stderr: base64.StdEncoding.EncodeToString(stderr.Bytes())}
	if cmd.Process != nil {
		out.PID = cmd.Process.Pid
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		out.Signal, out.Error, out.Code = "SIGTERM", "spawnSync "+p.Command+" ETIMEDOUT", "ETIMEDOUT"
	case err == nil || errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay):
		if code := cmd.ProcessState.ExitCode(); code >= 0 {
			out.Status = &code
		} else {
			out.Signal = "SIGTERM"
		}
	default:
		out.Error, out.Code = fmt.Sprintf("spawnSync %s: %v", p.Command, err), startCode(err)
	}
	return out, nil
}

func startCode(err error) string {
	if errors.Is(err, exec.ErrNotFound) || errorCode(err) == "ENOENT" {
		return "ENOENT"
	}
	return errorCode(err)
}

func (s *system) spawn(p spawnParams) (any, error) {
	cmd := s.command(context.Background(), p)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	proc := &process{cmd: cmd}
	if p.Stdin == "pipe" {
		if proc.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return map[string]any{"error": fmt.Sprintf("spawn %s: %v", p.Command, err), "code": startCode(err)}, nil
	}
	id := s.open(func() {
		if !p.Detached {
			_ = signalGroup(cmd.Process, "SIGKILL") // it may have ended
		}
	})
	s.mu.Lock()
	s.procs[id] = proc
	s.mu.Unlock()
	go func() {
		var wg sync.WaitGroup
		for name, r := range map[string]io.Reader{"stdout": stdout, "stderr": stderr} {
			wg.Go(func() { s.pipe(id, name, r) })
		}
		over := make(chan struct{})
		go func() { wg.Wait(); close(over) }()
		state, _ := cmd.Process.Wait()
		exit := map[string]any{"code": nil, "signal": nil}
		if state != nil {
			if code := state.ExitCode(); code >= 0 {
				exit["code"] = code
			} else {
				exit["signal"] = signalName(state)
			}
		}
		s.m.send(id, "exit", exit)
		select {
		case <-over:
		case <-time.After(2 * time.Second): // something it started has its output
		}
		s.m.send(id, "close", exit)
		s.mu.Lock()
		delete(s.procs, id)
		delete(s.handles, id)
		s.mu.Unlock()
	}()
	return map[string]any{"id": id, "pid": cmd.Process.Pid}, nil
}

// pipe tells of output as it comes.
func (s *system) pipe(id int, name string, r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			s.m.send(id, name, base64.StdEncoding.EncodeToString(buf[:n]))
		}
		if err != nil {
			return
		}
	}
}
