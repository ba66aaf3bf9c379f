package js

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // extensions may need it for what others have chosen
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // as above
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	gohash "hash"
	"io"
	"net/http"
	"os"
	goruntime "runtime"
	"strings"

	"github.com/google/uuid"

	"tau/session/resources"
)

type bytesParams struct {
	Data      string `json:"data"` // base 64
	Key       string `json:"key"`
	Algorithm string `json:"algorithm"`
	Size      int    `json:"size"`
}

func (s *system) others(method string) call {
	switch method {
	case "sys.uuid":
		return takes(func(_ context.Context, p struct{ Version int }) (any, error) {
			if p.Version == 7 {
				id, err := uuid.NewV7()
				return text(id.String()), err
			}
			return text(uuid.NewString()), nil
		})
	case "sys.random":
		return takes(func(_ context.Context, p bytesParams) (any, error) {
			if p.Size < 0 || p.Size > 1<<20 {
				return nil, errors.New("the number of random bytes is out of range")
			}
			b := make([]byte, p.Size)
			_, err := rand.Read(b)
			return text(base64.StdEncoding.EncodeToString(b)), err
		})
	case "sys.hash":
		return takes(hashOf)
	case "sys.unzip":
		return takes(func(_ context.Context, p bytesParams) (any, error) {
			data, err := base64.StdEncoding.DecodeString(p.Data)
			if err != nil {
				return nil, err
			}
			var r io.Reader
			if p.Algorithm == "gzip" {
				r, err = gzip.NewReader(bytes.NewReader(data))
			} else {
				r, err = zlib.NewReader(bytes.NewReader(data))
			}
			if err != nil {
				return nil, err
			}
			out, err := io.ReadAll(io.LimitReader(r, maxRead))
			return text(base64.StdEncoding.EncodeToString(out)), err
		})
	case "sys.os":
		return takes(func(_ context.Context, _ struct{}) (any, error) {
			home, _ := os.UserHomeDir()
			host, _ := os.Hostname()
			user := os.Getenv("USER")
			if user == "" {
				user = os.Getenv("USERNAME")
			}
			return map[string]any{"home": home, "tmp": os.TempDir(), "host": host, "user": user, "cpus": goruntime.NumCPU(), "uid": os.Getuid(), "gid": os.Getgid()}, nil
		})
	case "sys.fetch":
		return takes(s.fetch)
	case "sys.env":
		return takes(func(context.Context, struct{}) (any, error) { return environ(), nil })
	case "sys.frontmatter":
		return takes(func(_ context.Context, p struct{ Text string }) (any, error) {
			head, body, err := resources.Frontmatter(p.Text)
			if err != nil {
				return nil, err
			}
			return map[string]any{"frontmatter": head, "body": body}, nil
		})
	case "sys.output":
		return takes(func(_ context.Context, p struct{ Stream, Text string }) (any, error) {
			if f := s.m.env.Output; f != nil {
				f(p.Stream, p.Text)
			}
			return nil, nil
		})
	}
	return s.texts(method)
}

func hashOf(_ context.Context, p bytesParams) (any, error) {
	var make func() gohash.Hash
	switch strings.ToLower(p.Algorithm) {
	case "md5":
		make = md5.New
	case "sha1":
		make = sha1.New
	case "sha256":
		make = sha256.New
	case "sha384":
		make = sha512.New384
	case "sha512":
		make = sha512.New
	default:
		return nil, fmt.Errorf("the hash %q is not known", p.Algorithm)
	}
	data, err := base64.StdEncoding.DecodeString(p.Data)
	if err != nil {
		return nil, err
	}
	h := make()
	if p.Key != "" {
		key, err := base64.StdEncoding.DecodeString(p.Key)
		if err != nil {
			return nil, err
		}
		h = hmac.New(make, key)
	}
	h.Write(data)
	return text(base64.StdEncoding.EncodeToString(h.Sum(nil))), nil
}

type fetchParams struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`   // base 64
	Manual  bool              `json:"manual"` // redirects are not followed
}

// fetch makes a request and returns its head; the body comes as events of the
// handle.
func (s *system) fetch(ctx context.Context, p fetchParams) (any, error) {
	body, err := base64.StdEncoding.DecodeString(p.Body)
	if err != nil {
		return nil, err
	}
	// The body outlives the call.
	all, cancel := context.WithCancel(s.m.ctx)
	stop := context.AfterFunc(ctx, cancel)
	req, err := http.NewRequestWithContext(all, p.Method, p.URL, bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, err
	}
	for k, v := range p.Headers {
		req.Header.Set(k, v)
	}
	client := &http.Client{}
	if p.Manual {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	stop()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("fetch failed: %w", err)
	}
	headers := map[string]string{}
	for k := range resp.Header {
		headers[strings.ToLower(k)] = strings.Join(resp.Header.Values(k), ", ")
	}
	id := s.open(cancel)
	go func() {
		defer s.end(id)
		defer resp.Body.Close() //nolint:errcheck // it was only read
		buf := make([]byte, 32<<10)
		for {
			n, err := resp.Body.Read(buf)
			if n > 0 {
				s.m.send(id, "data", base64.StdEncoding.EncodeToString(buf[:n]))
			}
			if err != nil {
				why := ""
				if err != io.EOF {
					why = err.Error()
				}
				s.m.send(id, "end", why)
				return
			}
		}
	}()
	return map[string]any{"id": id, "status": resp.StatusCode, "statusText": http.StatusText(resp.StatusCode), "headers": headers, "url": resp.Request.URL.String()}, nil
}
