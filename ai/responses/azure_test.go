package responses

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func TestAzureEndpoint(t *testing.T) {
	for _, tt := range []struct{ base, version, want string }{
		{"https://r.openai.azure.com", "", "https://r.openai.azure.com/openai/v1/responses"},
		{"https://r.openai.azure.com/openai/v1/", "v1", "https://r.openai.azure.com/openai/v1/responses"},
		{"https://r.openai.azure.com/openai", "preview", "https://r.openai.azure.com/openai/v1/responses?api-version=preview"},
		{"https://r.openai.azure.com/openai/v1", "2025-04-01-preview", "https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview"},
		{"https://r.services.ai.azure.com/", "", "https://r.services.ai.azure.com/openai/v1/responses"},
		{"https://r.cognitiveservices.azure.com/openai/responses?api-version=2025-04-01-preview", "", "https://r.cognitiveservices.azure.com/openai/responses?api-version=2025-04-01-preview"},
		{"https://gateway.test/azure/v2", "", "https://gateway.test/azure/v2/responses"},
	} {
		if got := azureEndpoint(tt.base, tt.version); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.base, tt.version, got, tt.want)
		}
	}
}

func TestDeployment(t *testing.T) {
	const pairs = " gpt-a = fast ,gpt-b=, broken ,gpt-c=slow"
	for model, want := range map[string]string{"gpt-a": "fast", "gpt-b": "gpt-b", "gpt-c": "slow", "broken": "broken", "": ""} {
		if got := deployment(model, pairs); got != want {
			t.Errorf("%s: %s", model, got)
		}
	}
}

func TestAzure(t *testing.T) {
	t.Setenv("AZURE_OPENAI_BASE_URL", "")
	t.Setenv("AZURE_OPENAI_RESOURCE_NAME", "")
	var header http.Header
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		header, body = r.Header, r.URL.String()+" "+string(data)
		io.WriteString(w, answertest.Record("responses-text-tool.txt"))
	}))
	defer srv.Close()
	m := &ai.Model{ID: "gpt-a", API: AzureAPI, Provider: "azure", ContextWindow: 100_000, MaxTokens: 1000}
	env := map[string]string{"AZURE_OPENAI_BASE_URL": srv.URL, "AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "gpt-a=mine"}
	final := answertest.Check(t, Azure(t.Context(), m, ai.Request{}, ai.Options{APIKey: "key-123456", Env: env, SessionID: "s"}))
	if final.StopReason != ai.StopToolUse || header.Get("Api-Key") != "key-123456" || header.Get("Authorization") != "" ||
		!strings.HasPrefix(body, `/responses {"model":"mine"`) || !strings.Contains(body, `"prompt_cache_key":"s"`) {
		t.Errorf("%+v %v %s", final, header, body)
	}
	answertest.Check(t, Azure(t.Context(), m, ai.Request{}, ai.Options{APIKey: "eyJhbGciOi", Env: env}))
	if header.Get("Api-Key") != "" || header.Get("Authorization") != "Bearer eyJhbGciOi" {
		t.Error(header)
	}
	final = answertest.Check(t, Azure(t.Context(), m, ai.Request{}, ai.Options{APIKey: "key-123456"}))
	if f := final.Failure; f == nil || f.Class != ai.FailAuth || !strings.Contains(f.Message, "AZURE_OPENAI_BASE_URL") {
		t.Error(final.Failure)
	}
}
