package interactive

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCalm(t *testing.T) {
	for script, want := range map[string]string{
		"piece@0 piece@500 piece@1100 piece@5000":                "1100:1",
		"start@0 piece@900 piece@1000 piece@1100 end@1200":       "1000:1 1200:all",
		"piece@1000 key@1100 piece@1110 piece@2000 piece@2200":   "1000:1 1110:all 2200:1",
		"piece@1000 tool@1200 piece@1300 piece@2000 end@2100":    "1000:1 1200:all",
		"tool@0 tool@2000 end@9000":                              "",
		"piece@1000 piece@1100 end@1100 end@1200":                "1000:1 1100:all",
		"piece@1000 key@1001 key@1500 piece@2000 piece@2500":     "1000:1 2000:all 2500:1",
		"start@0 piece@10 end@20 start@30 piece@40 piece@1029.9": "",
	} {
		var got []string
		var now time.Duration
		note := func(what string) { got = append(got, fmt.Sprintf("%d:%s", now.Milliseconds(), what)) }
		c := calm{limit: func(n int) int { note(fmt.Sprint(n)); return 8 }, reset: func(int) { note("all") }, may: func() bool { return true }}
		begin := time.Now()
		c.busy(begin)
		for _, step := range strings.Fields(script) {
			kind, at, _ := strings.Cut(step, "@")
			var err error
			if now, err = time.ParseDuration(at + "ms"); err != nil {
				t.Fatal(err)
			}
			if kind == "key" {
				c.busy(begin.Add(now))
			} else {
				c.event(kind == "piece", begin.Add(now))
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: got %q, want %q", script, g, want)
		}
	}
}
