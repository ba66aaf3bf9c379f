package google

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func TestVertexAddress(t *testing.T) {
	m := &ai.Model{ID: "gemini-x", BaseURL: "https://{location}-aiplatform.googleapis.com"}
	const tail = "/publishers/google/models/gemini-x:streamGenerateContent?alt=sse"
	for _, tt := range []struct{ base, location, want string }{
		{m.BaseURL, "global", "https://aiplatform.googleapis.com/v1/projects/p/locations/global" + tail},
		{m.BaseURL, "europe-west4", "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4" + tail},
		{m.BaseURL, "eu", "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu" + tail},
		{"https://proxy.test/vertex/v1/", "global", "https://proxy.test/vertex/v1/projects/p/locations/global" + tail},
	} {
		m.BaseURL = tt.base
		if got := address(m, "p", tt.location); got != tt.want {
			t.Errorf("%s %s: %s", tt.base, tt.location, got)
		}
	}
	m.BaseURL = "https://{location}-aiplatform.googleapis.com"
	if got := keyedAddress(m); got != "https://aiplatform.googleapis.com/v1"+tail {
		t.Error(got)
	}
}

// cloud is a server that is both token service and model.
type cloud struct {
	*httptest.Server
	asked  []string // paths, and for token requests the grant
	model  http.Header
	tokens string // answer of the token service; "" means a good one
}

func newCloud(t *testing.T) *cloud {
	c := &cloud{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		c.asked = append(c.asked, strings.TrimSpace(r.URL.Path+" "+r.Form.Get("grant_type")))
		switch {
		case r.URL.Path == "/token":
			if c.tokens != "" {
				w.WriteHeader(400)
				io.WriteString(w, c.tokens)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"access_token":"ya29.token","expires_in":3600,"token_type":"Bearer"}`)
		case strings.HasSuffix(r.URL.Path, "/default/token"):
			io.WriteString(w, `{"access_token":"meta.token","expires_in":3600,"token_type":"Bearer"}`)
		case strings.HasSuffix(r.URL.Path, "/project-id"):
			io.WriteString(w, "meta-project")
		default:
			c.model = r.Header
			io.WriteString(w, answertest.Record("google-two-calls.txt"))
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *cloud) ask(t *testing.T, env map[string]string) *ai.AssistantMessage {
	m := model()
	m.API, m.Provider, m.BaseURL = VertexAPI, "google-vertex", c.URL
	if env["CLOUDSDK_CONFIG"] == "" {
		env["CLOUDSDK_CONFIG"] = t.TempDir()
	}
	return answertest.Check(t, Vertex(t.Context(), m, ai.Request{}, ai.Options{Env: env, Client: c.Client()}))
}

func keyJSON(t *testing.T, members map[string]string) string {
	data, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServiceAccount(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	c := newCloud(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	path := keyJSON(t, map[string]string{
		"type": "service_account", "project_id": "sa-project", "client_email": "a@b.test", "token_uri": c.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": path, "GOOGLE_CLOUD_LOCATION": "us-east5"}
	for range 2 {
		if m := c.ask(t, env); m.StopReason != ai.StopToolUse {
			t.Fatal(m.ErrorMessage)
		}
	}
	want := "/token urn:ietf:params:oauth:grant-type:jwt-bearer, /v1/projects/sa-project/locations/us-east5/publishers/google/models/gemini-3-x:streamGenerateContent"
	if got := strings.Join(c.asked[:2], ", "); got != want || len(c.asked) != 3 {
		t.Errorf("%d %s", len(c.asked), got) // the second request uses the same token
	}
	if c.model.Get("Authorization") != "Bearer ya29.token" {
		t.Error(c.model)
	}
}

func TestUserCredentials(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	c := newCloud(t)
	dir := filepath.Dir(keyJSON(t, map[string]string{
		"type": "authorized_user", "client_id": "id", "client_secret": "secret", "refresh_token": "r-" + t.Name(), "quota_project_id": "billed",
		"token_uri": c.URL + "/token",
	}))
	if err := os.Rename(filepath.Join(dir, "key.json"), filepath.Join(dir, "application_default_credentials.json")); err != nil {
		t.Fatal(err)
	}
	if m := c.ask(t, map[string]string{"CLOUDSDK_CONFIG": dir}); m.StopReason != ai.StopToolUse {
		t.Fatal(m.ErrorMessage)
	}
	if c.asked[0] != "/token refresh_token" || !strings.HasPrefix(c.asked[1], "/v1/projects/billed/locations/global/") || c.model.Get("X-Goog-User-Project") != "billed" {
		t.Error(c.asked, c.model)
	}
}

func TestMetadataServer(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	c := newCloud(t)
	if m := c.ask(t, map[string]string{"GCE_METADATA_HOST": strings.TrimPrefix(c.URL, "http://")}); m.StopReason != ai.StopToolUse {
		t.Fatal(m.ErrorMessage)
	}
	if len(c.asked) != 3 || !strings.HasPrefix(c.asked[2], "/v1/projects/meta-project/") || c.model.Get("Authorization") != "Bearer meta.token" {
		t.Error(c.asked)
	}
}

func TestWorkloadIdentity(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	c := newCloud(t)
	subject := filepath.Join(t.TempDir(), "subject")
	os.WriteFile(subject, []byte("jwt"), 0o600)
	path := filepath.Join(t.TempDir(), "key.json")
	data, _ := json.Marshal(map[string]any{"type": "external_account", "audience": "//iam.test/x", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
		"token_url": c.URL + "/token", "credential_source": map[string]string{"file": subject}})
	os.WriteFile(path, data, 0o600)
	m := c.ask(t, map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": path, "GOOGLE_CLOUD_PROJECT": "p"})
	if m.StopReason != ai.StopToolUse || c.asked[0] != "/token urn:ietf:params:oauth:grant-type:token-exchange" {
		t.Error(m.ErrorMessage, c.asked)
	}
}

func TestCredentialProblems(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	c := newCloud(t)
	c.tokens = `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`
	const secret = "very-secret-value"
	broken := filepath.Join(t.TempDir(), "broken.json")
	os.WriteFile(broken, []byte(`{"private_key":"`+secret+`",`), 0o600)
	for name, tt := range map[string]struct {
		env  map[string]string
		says string
	}{
		"missing":  {map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/key.json"}, "GOOGLE_APPLICATION_CREDENTIALS cannot be read"},
		"broken":   {map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": broken}, "not a credentials file"},
		"unknown":  {map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": keyJSON(t, map[string]string{"type": "gdch"})}, `type "gdch"`},
		"bad key":  {map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": keyJSON(t, map[string]string{"type": "service_account", "private_key": secret})}, "private key"},
		"revoked":  {map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": keyJSON(t, map[string]string{"type": "authorized_user", "refresh_token": secret, "token_uri": c.URL + "/token"})}, "expired or revoked"},
		"no cloud": {map[string]string{"GCE_METADATA_HOST": "127.0.0.1:1"}, "no Google credentials"},
	} {
		m := c.ask(t, tt.env)
		if f := m.Failure; f == nil || f.Class != ai.FailAuth || !strings.Contains(f.Message, tt.says) || strings.Contains(f.Message, secret) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestVertexKey(t *testing.T) {
	c := newCloud(t)
	m := model()
	m.API, m.BaseURL = VertexAPI, c.URL
	final := answertest.Check(t, Vertex(t.Context(), m, ai.Request{}, ai.Options{APIKey: "key-123456", Client: c.Client()}))
	if final.StopReason != ai.StopToolUse || c.model.Get("X-Goog-Api-Key") != "key-123456" || !strings.HasPrefix(c.asked[0], "/v1/publishers/google/models/") {
		t.Error(final.ErrorMessage, c.asked)
	}
}
