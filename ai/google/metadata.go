package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"tau/ai"
)

// metadata gives the tokens of a machine in Google's cloud.
type metadata struct{ opts ai.Options }

func metadataHost(opts *ai.Options) string {
	return firstSet(opts.Getenv("GCE_METADATA_HOST"), "169.254.169.254")
}

// Token asks the metadata server.
func (m *metadata) Token() (*oauth2.Token, error) {
	body, err := askMetadata(context.Background(), &m.opts, "instance/service-accounts/default/token")
	if err != nil {
		return nil, err
	}
	var t struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := json.Unmarshal(body, &t); err != nil || t.AccessToken == "" {
		return nil, errors.New("the metadata server gave no token")
	}
	return &oauth2.Token{AccessToken: t.AccessToken, Expiry: time.Now().Add(time.Duration(t.ExpiresIn) * time.Second)}, nil
}

func metadataProject(ctx context.Context, opts *ai.Options) string {
	body, err := askMetadata(ctx, opts, "project/project-id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}

// askMetadata reads a value. Outside the cloud nothing answers at the address,
// and the wait for it must be short; no proxy reaches it.
func askMetadata(ctx context.Context, opts *ai.Options, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metadataHost(opts)+"/computeMetadata/v1/"+path, nil)
	if err != nil {
		return nil, fmt.Errorf("metadata server: %w", err)
	}
	req.Header.Set("Metadata-Flavor", "Google")
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, fmt.Errorf("metadata server: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metadata server: %s", resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 1<<20))
}
