package credentials

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"
)

// browser signs in by a browser. The code comes to a loopback address; where
// that cannot be, because the browser is on another machine or the port is
// taken, the user pastes it.
func (f *Flow) browser(ctx context.Context, guide Guide) (Entry, error) {
	state, verifier := randomText(), oauth2.GenerateVerifier()
	path := f.RedirectPath
	if path == "" {
		path = "/callback"
	}
	got := make(chan callback, 2) // room for both sources, so that neither is stuck
	port := f.RedirectPort
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		port = listener.Addr().(*net.TCPAddr).Port
		server := &http.Server{Handler: &receiver{path: path, state: state, got: got}, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(listener) }() // ends with Close
		defer func() {
			// The browser is still being told that it may be closed.
			ending, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer stop()
			if server.Shutdown(ending) != nil {
				server.Close()
			}
		}()
	} else if port == 0 {
		return Entry{}, fmt.Errorf("listen for the answer of the browser: %w", err)
	}
	redirect := "http://localhost:" + strconv.Itoa(port) + path
	challenge := oauth2.S256ChallengeFromVerifier(verifier)
	config := f.config(redirect)
	if f.address != nil {
		guide.Browse(f.address(redirect, state, challenge))
	} else {
		params := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
		for name, value := range f.Params {
			params = append(params, oauth2.SetAuthURLParam(name, value))
		}
		guide.Browse(config.AuthCodeURL(state, params...))
	}
	pasting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for {
			text, err := guide.Paste(pasting)
			if err != nil {
				return // the browser may still answer
			}
			c := pasted(text, state)
			if c.code != "" || c.err != nil {
				got <- c
				return
			}
		}
	}()
	var c callback
	select {
	case c = <-got:
	case <-ctx.Done():
		return Entry{}, ctx.Err()
	}
	if c.err != nil {
		return Entry{}, c.err
	}
	if f.exchange != nil {
		return f.exchange(ctx, clientOf(ctx), c.code, verifier)
	}
	token, err := config.Exchange(ctx, c.code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Entry{}, tokenError("sign in", err)
	}
	return entryOf(token), nil
}

// callback is what the provider sent back.
type callback struct {
	code string
	err  error
}

var errForeignState = errors.New("the answer belongs to another sign-in (its state differs)")

// callbackOf reads the parameters of the redirect. strict asks for a state.
func callbackOf(q url.Values, state string, strict bool) callback {
	if got := q.Get("state"); (strict || got != "") && subtle.ConstantTimeCompare([]byte(got), []byte(state)) != 1 {
		return callback{err: errForeignState}
	}
	if reason := q.Get("error"); reason != "" {
		if more := q.Get("error_description"); more != "" {
			reason = more
		}
		return callback{err: fmt.Errorf("the provider refused the sign-in: %s", cleaned(reason))}
	}
	return callback{code: q.Get("code")}
}

// pasted reads what a user pasted: the whole address, its query, "code#state"
// or the code alone.
func pasted(text, state string) callback {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		return callbackOf(u.Query(), state, false)
	}
	if strings.Contains(text, "code=") {
		if q, err := url.ParseQuery(strings.TrimPrefix(text, "?")); err == nil {
			return callbackOf(q, state, false)
		}
	}
	code, given, ok := strings.Cut(text, "#")
	if ok && given != state {
		return callback{err: errForeignState}
	}
	return callback{code: code}
}

// receiver is the loopback server. It answers one path, and takes only what
// has the state of this sign-in: any page in the browser can send requests
// here.
type receiver struct {
	path, state string
	got         chan<- callback
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path != r.path {
		http.NotFound(w, req)
		return
	}
	c := callbackOf(req.URL.Query(), r.state, true)
	if errors.Is(c.err, errForeignState) || c.err == nil && c.code == "" {
		http.Error(w, "This is not the answer that was waited for.", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if c.err != nil {
		fmt.Fprint(w, "<!doctype html><title>Not signed in</title><p>The sign-in was refused. The terminal says why.")
	} else {
		fmt.Fprint(w, "<!doctype html><title>Signed in</title><p>Signed in. This page can be closed.")
	}
	select {
	case r.got <- c:
	default: // the page was loaded again
	}
}

func randomText() string {
	b := make([]byte, 24)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// cleaned makes text from outside one bounded line without control characters.
func cleaned(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	const limit = 300
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return s
}
