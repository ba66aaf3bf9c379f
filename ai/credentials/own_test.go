package credentials

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A sign-in that is not tau's renews once, whoever asks, and makes its own key.
func TestOwnSignIn(t *testing.T) {
	r := resolver(t, `{"box":{"type":"oauth","access":"old","refresh":"r","expires":1,"region":"eu","env":{"X":"y"}}}`, nil)
	var renewed atomic.Int32
	own := &Own{
		Renew: func(_ context.Context, e Entry) (Entry, error) {
			renewed.Add(1)
			e.Access, e.Refresh, e.Expires = "new", "", time.Now().Add(time.Hour).UnixMilli()
			return e, nil
		},
		Key: func(_ context.Context, e Entry) (string, error) { return string(e.Rest["region"]) + e.Access, nil },
	}
	r.Flow = func(string) *Flow { return &Flow{Own: own} }
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if auth, err := r.Resolve(t.Context(), "box"); err != nil || auth.Key != `"eu"new` || auth.Env["X"] != "y" {
				t.Errorf("%+v %v", auth, err)
			}
		})
	}
	wg.Wait()
	if n := renewed.Load(); n != 1 {
		t.Errorf("renewed %d times", n)
	}
	if e, _, err := r.Store.Get("box"); err != nil || e.Refresh != "r" || e.Env["X"] != "y" {
		t.Errorf("stored %+v %v", e, err)
	}
	own.Key = func(context.Context, Entry) (string, error) { return "", errors.New("not now") }
	if _, err := r.Resolve(t.Context(), "box"); err == nil || !strings.Contains(err.Error(), "not now") {
		t.Errorf("a key that cannot be had: %v", err)
	}
	if !r.Has("box") || r.Has("other") {
		t.Error("who has signed in is not who is said to have")
	}
	if _, err := r.Resolve(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "/login") {
		t.Errorf("without a sign-in: %v", err)
	}
}
