package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"modernc.org/quickjs"
)

func str(args []any, i int) string {
	if i < len(args) {
		if s, ok := args[i].(string); ok {
			return s
		}
	}
	return ""
}

func num(args []any, i int) int {
	if i < len(args) {
		switch n := args[i].(type) {
		case int:
			return n
		case int64:
			return int(n)
		case int32:
			return int(n)
		case float64:
			return int(n)
		}
	}
	return 0
}

// serve answers a method: those of the system here, the others by the host.
func (m *machine) serve(ctx context.Context, method, params string) (string, error) {
	var out any
	var err error
	if f := m.sys.find(method); f != nil {
		out, err = f(ctx, json.RawMessage(params))
	} else {
		out, err = m.host.Serve(ctx, method, json.RawMessage(params))
	}
	if err != nil {
		return "", err
	}
	if out == nil {
		return "", nil
	}
	if s, ok := out.(text); ok {
		return string(s), nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("%s: encode the answer: %w", method, err)
	}
	return string(b), nil
}

// hostCall is __host(method, params): it answers at once.
func (m *machine) hostCall(args []any) (any, error) {
	out, err := m.serve(m.ctx, str(args, 0), str(args, 1))
	if err != nil {
		return nil, err
	}
	return out, nil
}

// hostAsync is __hostAsync(id, method, params): the answer comes with
// __settleHost(id, ok, text).
func (m *machine) hostAsync(args []any) (any, error) {
	id, method, params := num(args, 0), str(args, 1), str(args, 2)
	ctx, cancel := context.WithCancel(m.ctx)
	m.aborts[id] = cancel
	go func() {
		out, err := m.serve(ctx, method, params)
		m.post(func() {
			delete(m.aborts, id)
			cancel()
			if err != nil {
				_ = m.call(m.settle, id, false, errorText(err))
				return
			}
			_ = m.call(m.settle, id, true, out)
		})
	}()
	return nil, nil
}

func (m *machine) cancelHost(args []any) (any, error) {
	if cancel := m.aborts[num(args, 0)]; cancel != nil {
		cancel()
	}
	return nil, nil
}

// settled is __settle(id, ok, text): the answer to a call.
func (m *machine) settled(args []any) (any, error) {
	id := num(args, 0)
	ok, _ := args[1].(bool)
	if ok {
		var raw json.RawMessage
		if s := str(args, 2); s != "" {
			raw = json.RawMessage(s)
		}
		m.answer(id, raw, nil)
		return nil, nil
	}
	m.answer(id, nil, errors.New(m.mapText(str(args, 2))))
	return nil, nil
}

func (m *machine) timer(args []any) (any, error) {
	id, ms := num(args, 0), num(args, 1)
	m.timers[id] = time.AfterFunc(time.Duration(max(ms, 0))*time.Millisecond, func() {
		m.post(func() {
			if m.timers[id] == nil {
				return
			}
			delete(m.timers, id)
			if err := m.call(m.fire, id); err != nil {
				m.problem("timer", err)
			}
		})
	})
	return nil, nil
}

func (m *machine) clear(args []any) (any, error) {
	id := num(args, 0)
	if t := m.timers[id]; t != nil {
		t.Stop()
		delete(m.timers, id)
	}
	return nil, nil
}

// module is __compiled(name): the function of a module of the runtime, or
// undefined.
func (m *machine) module(name string) quickjs.Value {
	v, err := m.code(moduleName(name))
	if err != nil {
		m.problem("import "+name, m.explain(err))
		return quickjs.UndefinedValue
	}
	return v
}

// code runs the code of a file of the runtime, which for all but core is a
// function.
func (m *machine) code(name string) (quickjs.Value, error) {
	code, err := m.modules.code(name)
	if err != nil {
		return quickjs.UndefinedValue, err
	}
	return m.vm.EvalBytecodeValue(code)
}

// send tells the extension of something that happened to a handle of the system.
func (m *machine) send(handle int, event string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		return
	}
	m.post(func() {
		if err := m.call(m.emit, handle, event, string(b)); err != nil {
			m.problem(event, err)
		}
	})
}
