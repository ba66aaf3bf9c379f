package input

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/key"
)

// play feeds reads with pauses between them, running the timer that a program
// would run, and returns all events.
func play(o Options, reads [][]byte, pauses []time.Duration) []Event {
	p := New(o)
	var out []Event
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	arm := func() {
		timer.Stop()
		if d := p.Wait(); d > 0 {
			timer.Reset(d)
		}
	}
	for i, r := range reads {
		out = append(out, p.Feed(r)...)
		arm()
		next := time.After(pauses[i])
		for waiting := true; waiting; {
			select {
			case <-timer.C:
				out = append(out, p.Timeout()...)
				arm()
			case <-next:
				waiting = false
			}
		}
	}
	return out
}

// C-15, C-16, C-18, C-19, C-20: the records of the data file.
func TestCatalogue(t *testing.T) {
	data, err := os.ReadFile("testdata/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID    string
		Reads []struct {
			Hex        string
			ThenWaitMs int
		}
		Events []struct {
			Text, Key, Paste *string
			PasteOneOf       []string
			Mouse            bool
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			var want []string
			oneOf := map[int][]string{}
			for _, e := range c.Events {
				switch {
				case e.Text != nil:
					for _, r := range *e.Text {
						want = append(want, "text "+string(r))
					}
				case e.Key != nil:
					want = append(want, "key "+*e.Key)
				case e.Paste != nil:
					want = append(want, "paste "+*e.Paste)
				case e.PasteOneOf != nil:
					oneOf[len(want)] = e.PasteOneOf
					want = append(want, "")
				case e.Mouse:
					want = append(want, "mouse")
				}
			}
			var reads [][]byte
			var pauses []time.Duration
			for _, r := range c.Reads {
				b, err := hex.DecodeString(r.Hex)
				if err != nil {
					t.Fatal(err)
				}
				reads = append(reads, b)
				pause := 3 * time.Millisecond
				if r.ThenWaitMs > 0 {
					pause = time.Duration(r.ThenWaitMs) * time.Millisecond
				}
				pauses = append(pauses, pause)
			}
			var got []string
			for _, ev := range play(Options{}, reads, pauses) {
				switch ev := ev.(type) {
				case key.Event:
					switch {
					case ev.Action == key.Release:
					case ev.Text != "":
						got = append(got, "text "+ev.Text)
					default:
						got = append(got, "key "+string(ev.ID))
					}
				case Paste:
					if opts := oneOf[len(got)]; slices.Contains(opts, ev.Text) {
						want[len(got)] = "paste " + ev.Text
					}
					got = append(got, "paste "+ev.Text)
				case Mouse:
					got = append(got, "mouse")
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", c.ID, got, want)
			}
		})
	}
}

func TestEscapeTimeouts(t *testing.T) {
	env := func(kv ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(kv); i += 2 {
				if kv[i] == k {
					return kv[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		name  string
		opt   Options
		pause time.Duration
		want  []string
	}{
		{"local, in time", FromEnv(env()), 5 * time.Millisecond, []string{"up"}},
		{"local, late", FromEnv(env()), 20 * time.Millisecond, []string{"escape", "[", "shift+a"}},
		{"ssh, in time", FromEnv(env("SSH_TTY", "/dev/pts/1")), 90 * time.Millisecond, []string{"up"}},
		{"ssh, late", FromEnv(env("SSH_CONNECTION", "x")), 110 * time.Millisecond, []string{"escape", "[", "shift+a"}},
		{"set, in time", FromEnv(env("TAU_TUI_ESC_TIMEOUT", "400", "SSH_TTY", "x")), 390 * time.Millisecond, []string{"up"}},
		{"set to nonsense", FromEnv(env("TAU_TUI_ESC_TIMEOUT", "soon")), 20 * time.Millisecond, []string{"escape", "[", "shift+a"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			for _, ev := range play(c.opt, [][]byte{{0x1b}, []byte("[A")}, []time.Duration{c.pause, time.Second}) {
				got = append(got, string(ev.(key.Event).ID))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		})
	}
}

// show writes an event as the tables of the tests do.
func show(ev Event) string {
	switch ev := ev.(type) {
	case key.Event:
		s := string(ev.ID)
		switch ev.Action {
		case key.Repeat:
			s += "*"
		case key.Release:
			s += "^"
		}
		return s
	case Paste:
		return "paste:" + ev.Text
	case Mouse:
		return fmt.Sprintf("mouse:%d,%d,%d,%d", ev.Action, ev.Button, ev.X, ev.Y)
	case Unknown:
		return "unknown:" + ev.Raw
	}
	return fmt.Sprintf("%T%v", ev, ev)
}

func showAll(evs []Event) []string {
	out := []string{}
	for _, ev := range evs {
		out = append(out, show(ev))
	}
	return out
}
