package ai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxWords bounds what of a provider's answer is shown.
const maxWords = 1000

// HTTPFailure is the failure of a request to address that was answered with
// an error status. body may be cut.
func HTTPFailure(address string, status int, header http.Header, body []byte) *Failure {
	words, detail := ErrorWords(body)
	f := &Failure{Status: status, RetryAfter: RetryAfter(header, time.Now()), Class: Classify(status, words+" "+detail)}
	if f.RetryAfter == 0 {
		f.RetryAfter = retryInfo(body)
	}
	host := hostOf(address)
	said := strconv.Itoa(status)
	if text := http.StatusText(status); text != "" {
		said += " " + text
	}
	if isHTML(body) {
		title := htmlTitle(body)
		f.Message = fmt.Sprintf("%s answered %s with a web page%s instead of an API reply.", host, said, title)
		if f.Class != FailRetry {
			f.Message += " Check the provider's base URL (" + baseOf(address) + ") and any proxy in between."
		}
		return f
	}
	if status >= 300 && status < 400 {
		f.Class = FailFatal
		f.Message = fmt.Sprintf("%s answered %s to %s. Check the provider's base URL.", host, said, cleanLine(header.Get("Location")))
		return f
	}
	f.Message = fmt.Sprintf("%s answered %s", host, said)
	if words != "" {
		f.Message += ": " + strings.TrimRight(words, ". ")
	}
	if !strings.HasSuffix(f.Message, "!") && !strings.HasSuffix(f.Message, "?") {
		f.Message += "."
	}
	f.Message += advice(f, words == "")
	return f
}

// StreamFailure is the failure of an answer that had begun: an error object of
// the provider, or words of the protocol's own. status is 0 unless the
// provider named one. detail (the provider's type and code) counts for the
// class but is not shown.
func StreamFailure(status int, words, detail string) *Failure {
	words = cleanLine(words)
	if words == "" {
		words = cleanLine(detail)
	}
	if words == "" {
		words = "the provider reported an error without words"
	}
	f := &Failure{Status: status, Class: Classify(status, words+" "+detail), Message: words}
	return f
}

func advice(f *Failure, silent bool) string {
	switch {
	case f.Class == FailAuth:
		return " Check the provider's API key, or sign in again."
	case f.Class == FailQuota:
		return " Check plan and billing at the provider, or choose another model."
	case f.Status == http.StatusNotFound && silent:
		return " Check the provider's base URL and the model's name."
	case f.Status == http.StatusNotFound:
		return " Check the model's name."
	}
	return ""
}

// ErrorWords takes the readable message out of an error body and, as detail,
// the type and code beside it. Providers nest them in several ways; a body of
// another form is returned as it is, on one line and bounded.
func ErrorWords(body []byte) (words, detail string) {
	body = bytes.TrimSpace(body)
	if isHTML(body) {
		return "", ""
	}
	var list []json.RawMessage
	if len(body) > 0 && body[0] == '[' && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var obj map[string]json.RawMessage
	if json.Unmarshal(body, &obj) != nil {
		return cleanLine(string(body)), ""
	}
	if inner, ok := obj["error"]; ok && string(inner) != "null" {
		var text string
		if json.Unmarshal(inner, &text) == nil {
			if more := fieldText(obj, "error_description"); more != "" { // the form of OAuth
				return cleanLine(more), cleanLine(text)
			}
			return cleanLine(text), fieldText(obj, "code", "type", "status")
		}
		var nested map[string]json.RawMessage
		if json.Unmarshal(inner, &nested) == nil {
			detail = fieldText(obj, "code") + " " + fieldText(nested, "type", "code", "status")
			words = fieldText(nested, "message", "detail", "msg")
			// A router wraps the words of the provider behind it.
			var meta map[string]json.RawMessage
			if json.Unmarshal(nested["metadata"], &meta) == nil {
				if raw := fieldText(meta, "raw"); raw != "" {
					inner, more := ErrorWords([]byte(raw))
					words += " (" + inner + ")"
					detail += " " + more
				}
			}
			return cleanLine(words), cleanLine(detail)
		}
	}
	words = fieldText(obj, "message", "detail", "error_description", "msg", "errorMessage")
	detail = fieldText(obj, "type", "code", "status", "__type")
	if words == "" {
		words = string(body)
	}
	return cleanLine(words), cleanLine(detail)
}

// fieldText joins the scalar members of obj with the given names.
func fieldText(obj map[string]json.RawMessage, names ...string) string {
	var parts []string
	for _, name := range names {
		raw := obj[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// RetryAfter reads how long a server wants the client to wait: the header
// retry-after-ms, or retry-after as seconds or a date. What cannot be read is
// 0, which means no wish.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if d, ok := number(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := header.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// retryInfo reads the delay that Google puts into the details of an error, as
// a google.rpc.RetryInfo.
func retryInfo(body []byte) time.Duration {
	if !bytes.Contains(body, []byte(`"retryDelay"`)) {
		return 0
	}
	var doc struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	body = bytes.TrimSpace(body)
	body = bytes.TrimSuffix(bytes.TrimPrefix(body, []byte("[")), []byte("]"))
	if json.Unmarshal(body, &doc) != nil {
		return 0
	}
	for _, d := range doc.Error.Details {
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil && delay > 0 {
			return delay
		}
	}
	return 0
}

func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(math.MaxInt64/2))), true
}

func isHTML(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 512)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) || bytes.HasPrefix(head, []byte("<head"))
}

func htmlTitle(body []byte) string {
	lower := bytes.ToLower(body)
	from := bytes.Index(lower, []byte("<title>"))
	if from < 0 || len(lower) != len(body) {
		return ""
	}
	from += len("<title>")
	to := bytes.IndexByte(body[from:], '<')
	if to < 0 {
		return ""
	}
	title := cleanLine(string(body[from : from+to]))
	if title == "" {
		return ""
	}
	return ` ("` + title + `")`
}

// cleanLine makes text from outside one bounded line without control
// characters.
func cleanLine(s string) string {
	if len(s) > 4*maxWords {
		s = s[:4*maxWords]
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(s) > maxWords {
		cut := maxWords
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "the provider"
}

// baseOf is the address without a query or user, either of which may be
// secret.
func baseOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "unreadable"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
