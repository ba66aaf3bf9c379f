// Package headless answers without a screen.
package headless

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"tau/ai"
	"tau/session"
)

// maxStdin bounds what is read from a pipe; no model could take more.
const maxStdin = 64 << 20

// Prompts puts together what is asked: piped text, files and the first message
// make one prompt, further messages one each.
func Prompts(stdin io.Reader, files, messages []string) ([][]ai.Block, error) {
	var text strings.Builder
	var images []ai.Block
	if stdin != nil {
		b, err := io.ReadAll(io.LimitReader(stdin, maxStdin+1))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxStdin {
			return nil, fmt.Errorf("standard input has more than %d MiB", maxStdin>>20)
		}
		text.WriteString(strings.TrimSpace(string(bytes.ToValidUTF8(b, []byte("\ufffd")))))
	}
	for _, name := range files {
		body, image, err := attach(name)
		if err != nil {
			return nil, err
		}
		text.WriteString(body)
		if image != nil {
			images = append(images, image)
		}
	}
	var rest []string
	if len(messages) > 0 {
		text.WriteString(messages[0])
		rest = messages[1:]
	}
	var out [][]ai.Block
	if text.Len() > 0 || len(images) > 0 {
		out = append(out, append(ai.TextBlocks(text.String()), images...))
	}
	for _, m := range rest {
		if strings.TrimSpace(m) != "" {
			out = append(out, ai.TextBlocks(m))
		}
	}
	return out, nil
}

// attach reads a file named with @: text goes into the prompt, images beside
// it.
func attach(name string) (string, ai.Block, error) {
	path := name
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", nil, fmt.Errorf("@%s: %w", name, err)
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", nil, fmt.Errorf("@%s: %w", name, errors.Unwrap(err))
	}
	if !st.Mode().IsRegular() {
		return "", nil, fmt.Errorf("@%s is not a file", name)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("@%s: %w", name, errors.Unwrap(err))
	}
	if len(b) == 0 {
		return "", nil, nil
	}
	switch kind := http.DetectContentType(b); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return fmt.Sprintf("<file name=%q></file>\n", path), &ai.Image{Data: base64.StdEncoding.EncodeToString(b), MimeType: kind}, nil
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "", nil, fmt.Errorf("@%s is neither text nor an image", name)
	}
	return fmt.Sprintf("<file name=%q>\n%s\n</file>\n", path, b), nil, nil
}

// Print sends the prompts one after another and writes the text of the last
// answer. It returns the program's exit status.
func Print(s *session.Session, prompts [][]ai.Block, out, errs io.Writer) int {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)
	cancel := s.Subscribe(func(ev session.Event) {
		switch ev.Type {
		case session.RetryStart:
			fmt.Fprintf(errs, "tau: %s; trying again in %v (%d of %d)\n", ev.Retry.Reason, ev.Retry.Delay.Round(time.Second/10), ev.Retry.Attempt, ev.Retry.Max)
		case session.SaveFailed:
			fmt.Fprintf(errs, "tau: the session is not saved: %v\n", ev.Err)
		}
	})
	defer cancel()
	for _, p := range prompts {
		if _, err := s.Send(p, session.Steer); err != nil {
			fmt.Fprintln(errs, "tau:", err)
			return 1
		}
		done := make(chan struct{})
		go func() {
			_ = s.Wait(context.Background())
			close(done)
		}()
		select {
		case <-done:
		case sig := <-stop:
			s.Abort()
			select {
			case <-done:
			case <-stop:
			case <-time.After(3 * time.Second):
			}
			return 128 + int(sig.(syscall.Signal))
		}
		if status := report(s.Last(), errs); status != 0 {
			// What there is of the answer is still worth printing.
			write(s.Last(), out)
			return status
		}
	}
	if !write(s.Last(), out) {
		return 1
	}
	return 0
}

// report says on errs what was wrong with an answer.
func report(m *ai.AssistantMessage, errs io.Writer) int {
	switch {
	case m == nil:
		fmt.Fprintln(errs, "tau: there was no answer")
	case m.StopReason == ai.StopError:
		fmt.Fprintln(errs, "tau:", m.ErrorMessage)
	case m.StopReason == ai.StopAborted:
		fmt.Fprintln(errs, "tau: aborted")
	case m.StopReason == ai.StopLength:
		fmt.Fprintln(errs, "tau: the answer was cut at the model's output limit")
	default:
		return 0
	}
	return 1
}

// write prints the text blocks. It is false if nobody reads any more.
func write(m *ai.AssistantMessage, out io.Writer) bool {
	if m == nil {
		return true
	}
	text := strings.TrimRight(ai.ContentText(m.Content), "\n")
	if text == "" {
		return true
	}
	_, err := io.WriteString(out, text+"\n")
	return err == nil
}
