package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Crash is an entry of crashes.json.
type Crash struct {
	Time    time.Time `json:"timestamp"`
	Version string    `json:"version"`
	Message string    `json:"message"`
	Stack   string    `json:"stack"`
	Shown   bool      `json:"shown,omitempty"` // at a later start
}

// What crashes.json keeps.
const (
	crashesKept = 5
	crashesAge  = 7 * 24 * time.Hour
	stackKept   = 16 << 10
)

// CrashPath is the file that crashes are written to.
func (a *App) CrashPath() string { return filepath.Join(a.AgentDir, "crashes.json") }

func (a *App) crashes() []Crash {
	var all []Crash
	b, err := os.ReadFile(a.CrashPath())
	if err != nil || json.Unmarshal(b, &all) != nil {
		return nil // a broken report is not worth a report
	}
	var out []Crash
	for _, c := range all {
		if time.Since(c.Time) < crashesAge {
			out = append(out, c)
		}
	}
	return out
}

func (a *App) writeCrashes(all []Crash) error {
	if over := len(all) - crashesKept; over > 0 {
		all = all[over:]
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.AgentDir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(a.CrashPath(), append(b, '\n'), 0o600)
}

// RecordCrash keeps what a panic said.
func (a *App) RecordCrash(v any, stack []byte) error {
	c := Crash{Time: time.Now(), Version: a.Version, Message: fmt.Sprint(v), Stack: string(stack[:min(len(stack), stackKept)])}
	return a.writeCrashes(append(a.crashes(), c))
}

// LastCrash returns a crash that the user has not been told of, once.
func (a *App) LastCrash() (Crash, bool) {
	all := a.crashes()
	if len(all) == 0 || all[len(all)-1].Shown {
		return Crash{}, false
	}
	for i := range all {
		all[i].Shown = true
	}
	_ = a.writeCrashes(all) // it is told again then
	return all[len(all)-1], true
}
