package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google/externalaccount"
	"golang.org/x/oauth2/jwt"

	"tau/ai"
	"tau/ai/internal/httpstream"
)

// Application default credentials are looked for where Google's own programs
// look: the file that GOOGLE_APPLICATION_CREDENTIALS names, the file that
// "gcloud auth application-default login" writes, the metadata server of a
// machine in the cloud.

const (
	cloudScope = "https://www.googleapis.com/auth/cloud-platform"
	tokenURL   = "https://oauth2.googleapis.com/token"
	loginHint  = `Run "gcloud auth application-default login", set GOOGLE_APPLICATION_CREDENTIALS to a key file, or set GOOGLE_CLOUD_API_KEY.`
)

// access is what proves to Vertex who asks.
type access struct {
	token        string
	project      string // of the credentials, may be empty
	quotaProject string // to be billed, may be empty
}

// source gives tokens until it is dropped.
type source struct {
	tokens                oauth2.TokenSource
	project, quotaProject string
}

// sources keeps the token of each set of credentials until it expires.
var sources = sync.OnceValue(func() *sourceCache { return &sourceCache{byKey: make(map[string]*source)} })

type sourceCache struct {
	mu    sync.Mutex
	byKey map[string]*source
}

// signIn returns a token for the credentials of the machine.
func signIn(ctx context.Context, opts *ai.Options) (access, *ai.Failure) {
	data, path, err := credentialFile(opts)
	if err != nil {
		return access{}, &ai.Failure{Class: ai.FailAuth, Message: err.Error() + ". " + loginHint}
	}
	key := string(data)
	if data == nil {
		key = "metadata " + metadataHost(opts)
	}
	cache := sources()
	cache.mu.Lock()
	src := cache.byKey[key]
	cache.mu.Unlock()
	if src == nil {
		if src, err = openSource(opts, data); err != nil {
			if path != "" {
				err = fmt.Errorf("%s: %w", path, err)
			}
			return access{}, &ai.Failure{Class: ai.FailAuth, Message: err.Error() + ". " + loginHint}
		}
		cache.mu.Lock()
		cache.byKey[key] = src
		cache.mu.Unlock()
	}
	token, err := fetch(ctx, src.tokens)
	if err != nil {
		return access{}, tokenFailure(ctx, err, data == nil)
	}
	if src.project == "" && data == nil {
		src = &source{project: metadataProject(ctx, opts)}
	}
	return access{token: token.AccessToken, project: src.project, quotaProject: src.quotaProject}, nil
}

// fetch asks for a token and gives up when ctx ends. The request itself goes
// on until its own limit, so that its token is there for the next try.
func fetch(ctx context.Context, tokens oauth2.TokenSource) (*oauth2.Token, error) {
	type result struct {
		token *oauth2.Token
		err   error
	}
	done := make(chan result, 1)
	go func() {
		token, err := tokens.Token()
		done <- result{token, err}
	}()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func tokenFailure(ctx context.Context, err error, metadata bool) *ai.Failure {
	if ctx.Err() != nil {
		return ai.TransportFailure(ctx, tokenURL, ctx.Err())
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		status := 0
		if refused.Response != nil {
			status = refused.Response.StatusCode
		}
		said, _ := ai.ErrorWords([]byte(firstSet(string(refused.Body), refused.ErrorCode)))
		if status >= 500 || status == 429 {
			return &ai.Failure{Class: ai.FailRetry, Status: status, Message: "Google's token service failed: " + said + "."}
		}
		return &ai.Failure{Class: ai.FailAuth, Status: status, Message: "the Google credentials were refused (" + said + "). " + loginHint}
	}
	if metadata {
		return &ai.Failure{Class: ai.FailAuth, Message: "no Google credentials: neither a file nor a metadata server was found. " + loginHint}
	}
	f := ai.TransportFailure(ctx, tokenURL, err)
	if f.Class == ai.FailFatal {
		f.Class = ai.FailAuth
	}
	return f
}

// credentialFile reads the user's file. No file at all is no error.
func credentialFile(opts *ai.Options) (data []byte, path string, err error) {
	if path = opts.Getenv("GOOGLE_APPLICATION_CREDENTIALS"); path != "" {
		data, err = os.ReadFile(path)
		if err != nil {
			return nil, path, fmt.Errorf("the file in GOOGLE_APPLICATION_CREDENTIALS cannot be read: %w", err)
		}
		return data, path, nil
	}
	dir := opts.Getenv("CLOUDSDK_CONFIG")
	if dir == "" && runtime.GOOS == "windows" {
		dir = filepath.Join(opts.Getenv("APPDATA"), "gcloud")
	} else if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, "", nil
		}
		dir = filepath.Join(home, ".config", "gcloud")
	}
	path = filepath.Join(dir, "application_default_credentials.json")
	data, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, path, fmt.Errorf("the Google credentials cannot be read: %w", err)
	}
	return data, path, nil
}

// keyFile is any of the files that Google's programs write; the type says
// which members are there.
type keyFile struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	QuotaProject string `json:"quota_project_id"`
	// service_account
	ClientEmail  string `json:"client_email"`
	PrivateKey   string `json:"private_key"`
	PrivateKeyID string `json:"private_key_id"`
	TokenURI     string `json:"token_uri"`
	// authorized_user
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	// external_account
	Audience                 string                            `json:"audience"`
	SubjectTokenType         string                            `json:"subject_token_type"`
	TokenURL                 string                            `json:"token_url"`
	ImpersonationURL         string                            `json:"service_account_impersonation_url"`
	CredentialSource         *externalaccount.CredentialSource `json:"credential_source"`
	WorkforcePoolUserProject string                            `json:"workforce_pool_user_project"`
}

// openSource makes the source of tokens that data, a credentials file,
// describes; nil data means the metadata server.
func openSource(opts *ai.Options, data []byte) (*source, error) {
	// Tokens outlive the request that asked for them first.
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, tokenClient(opts))
	if data == nil {
		return &source{tokens: oauth2.ReuseTokenSource(nil, &metadata{opts: *opts})}, nil
	}
	var f keyFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, errors.New("not a credentials file (the JSON cannot be read)") // the decoder's words may quote the key
	}
	s := &source{project: firstSet(f.ProjectID, f.QuotaProject), quotaProject: f.QuotaProject}
	switch f.Type {
	case "service_account":
		s.tokens = (&jwt.Config{
			Email: f.ClientEmail, PrivateKey: []byte(f.PrivateKey), PrivateKeyID: f.PrivateKeyID,
			Scopes: []string{cloudScope}, TokenURL: firstSet(f.TokenURI, tokenURL),
		}).TokenSource(ctx)
	case "authorized_user":
		config := &oauth2.Config{
			ClientID: f.ClientID, ClientSecret: f.ClientSecret,
			Endpoint: oauth2.Endpoint{TokenURL: firstSet(f.TokenURI, tokenURL), AuthStyle: oauth2.AuthStyleInParams},
		}
		s.tokens = config.TokenSource(ctx, &oauth2.Token{RefreshToken: f.RefreshToken})
	case "external_account":
		tokens, err := externalaccount.NewTokenSource(ctx, externalaccount.Config{
			Audience: f.Audience, SubjectTokenType: f.SubjectTokenType, TokenURL: f.TokenURL,
			ServiceAccountImpersonationURL: f.ImpersonationURL, ClientID: f.ClientID, ClientSecret: f.ClientSecret,
			CredentialSource: f.CredentialSource, QuotaProjectID: f.QuotaProject,
			WorkforcePoolUserProject: f.WorkforcePoolUserProject, Scopes: []string{cloudScope},
		})
		if err != nil {
			return nil, fmt.Errorf("workload identity: %w", err)
		}
		s.tokens = oauth2.ReuseTokenSource(nil, tokens)
	case "":
		return nil, errors.New("not a credentials file (no type)")
	default:
		return nil, fmt.Errorf("credentials of the type %q are not supported", f.Type)
	}
	return s, nil
}

func tokenClient(opts *ai.Options) *http.Client {
	c := *httpstream.Client(opts.Client)
	c.Timeout = 30 * time.Second
	return &c
}
