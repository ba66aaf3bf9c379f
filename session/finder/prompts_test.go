package finder

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tau/session/library"
)

func TestPrompts(t *testing.T) {
	lib := library.Library{Base: t.TempDir(), Flat: true}
	put := func(name, text string, age time.Duration) {
		path := filepath.Join(lib.Base, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	head := `{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n"
	user := func(text string) string {
		return `{"type":"message","id":"x","parentId":null,"timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	put("old.jsonl", head+user("first")+user("both")+"broken\n", time.Hour)
	put("new.jsonl", head+user("both")+
		`{"type":"message","id":"y","parentId":"x","timestamp":"t","message":{"role":"bashExecution","command":"make","output":"","exitCode":0,"cancelled":false,"truncated":false,"excludeFromContext":true}}`+"\n"+
		user("last"), 0)
	got, err := Prompts(context.Background(), lib, "", 10)
	if want := []string{"last", "!!make", "both", "first"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if got, _ := Prompts(context.Background(), lib, "", 2); len(got) != 2 {
		t.Errorf("%q", got)
	}
}
