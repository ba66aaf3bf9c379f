package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"tau/ai"
)

// PublishedModels is where [Refresh] looks unless it is told otherwise: the
// open database of models that many agents share.
const PublishedModels = "https://models.dev/api.json"

// RefreshOptions configure [Refresh].
type RefreshOptions struct {
	// Store is the file that is written, [Options.Store] of the catalogue.
	Store string
	// Source is an address, or a file, in the form of models.dev's api.json; ""
	// means [PublishedModels].
	Source string
	Client *http.Client // nil means http.DefaultClient's transport
}

// Refreshed is what a refresh has changed.
type Refreshed struct {
	Same    bool // the source has not changed since the last time
	New     []string
	Changed int
}

// Refresh brings the built-in models up to date from a public source, and
// stores the result for catalogues that are opened with the same store. Models
// of the user's own are not touched. Whatever fails, the models that are known
// stay as they are. The error is a sentence for the user.
func Refresh(ctx context.Context, o RefreshOptions) (Refreshed, error) {
	if o.Source == "" {
		o.Source = PublishedModels
	}
	var before storeHead
	if h, _, err := readHead(o.Store); err == nil && h.Source == o.Source && h.Base == packedBase() {
		before = h
	}
	data, etag, err := o.fetch(ctx, before.ETag)
	if err != nil {
		return Refreshed{}, err
	}
	if data == nil {
		return Refreshed{Same: true}, nil
	}
	builtin := packed().lines()
	fresh, err := Merge(builtin, data)
	if err != nil {
		return Refreshed{}, fmt.Errorf("what %s sent is not a list of models, so that those that tau knows stay as they are (%w)", o.Source, err)
	}
	if err := whole(builtin, fresh); err != nil {
		return Refreshed{}, fmt.Errorf("what %s sent cannot be used (%w); the models that tau knows stay as they are", o.Source, err)
	}
	if err := writeStore(o.Store, storeHead{Source: o.Source, ETag: etag, Fetched: time.Now().UTC()}, fresh); err != nil {
		return Refreshed{}, fmt.Errorf("the new models could not be stored: %w", err)
	}
	return difference(builtin, fresh), nil
}

// fetch returns nil data if the source says that it is as etag names it.
func (o *RefreshOptions) fetch(ctx context.Context, etag string) (data []byte, newTag string, err error) {
	if !strings.HasPrefix(o.Source, "https://") && !strings.HasPrefix(o.Source, "http://") {
		if data, err = os.ReadFile(o.Source); err != nil {
			return nil, "", fmt.Errorf("the list of models could not be read: %w", err)
		}
		return data, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Source, nil)
	if err != nil {
		return nil, "", fmt.Errorf("the address %s cannot be used: %w", o.Source, err)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{}
	}
	resp, err := client.Do(req)
	if err != nil {
		var request *url.Error // whose words repeat the address
		if errors.As(err, &request) {
			err = request.Err
		}
		return nil, "", fmt.Errorf("%s cannot be reached; the models that tau knows stay as they are (%w)", o.Source, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && etag != "":
		return nil, etag, nil
	case resp.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("%s answered %s; the models that tau knows stay as they are", o.Source, resp.Status)
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxStore+1))
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%s broke off; the models that tau knows stay as they are (%w)", o.Source, err)
	case len(data) > maxStore:
		return nil, "", fmt.Errorf("%s sent more than %d MB; the models that tau knows stay as they are", o.Source, maxStore>>20)
	}
	return data, resp.Header.Get("ETag"), nil
}

// whole checks that every line is a model and that none has been lost.
func whole(builtin, fresh []byte) error {
	before, now := bytes.Count(builtin, []byte("\n")), 0
	for line := range bytes.Lines(fresh) {
		m := &ai.Model{}
		if err := json.Unmarshal(line, m); err != nil {
			return err
		}
		if m.Provider == "" || m.ID == "" || m.API == "" || m.ContextWindow <= 0 || m.MaxTokens < 0 || m.Cost.Input < 0 || m.Cost.Output < 0 {
			return fmt.Errorf("the description of %s makes no sense", m.Ref())
		}
		now++
	}
	if now < before {
		return errors.New("there are fewer models than before")
	}
	return nil
}

func difference(builtin, fresh []byte) (d Refreshed) {
	was := map[string]string{}
	each(builtin, func(ref, text string) { was[ref] = text })
	each(fresh, func(ref, text string) {
		before, known := was[ref]
		switch {
		case !known:
			d.New = append(d.New, ref)
		case before != text:
			d.Changed++
		}
	})
	return d
}

// each calls visit with every model and what of it a refresh may change.
func each(lines []byte, visit func(ref, text string)) {
	for line := range bytes.Lines(lines) {
		var m ai.Model
		if json.Unmarshal(line, &m) == nil {
			visit(m.Ref(), fmt.Sprintf("%d %d %v %v", m.ContextWindow, m.MaxTokens, m.Cost.Rates, m.Cost.Tiers))
		}
	}
}
