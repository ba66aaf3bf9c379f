package google

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"tau/ai"
)

// Vertex asks a model of Google Cloud. See [ai.StreamFunc] for the contract.
//
// With an API key the request goes to the global endpoint. Without one it needs
// a project (GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, or that of the credentials),
// a location (GOOGLE_CLOUD_LOCATION, else "global"), and application default
// credentials.
func Vertex(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		header := http.Header{}
		if opts.APIKey != "" {
			header.Set("X-Goog-Api-Key", opts.APIKey)
			ask(ctx, model, &req, &opts, keyedAddress(model), header, opts.APIKey, yield)
			return
		}
		access, failure := signIn(ctx, &opts)
		if failure != nil {
			ai.Fail(model, failure)(yield)
			return
		}
		project := firstSet(opts.Getenv("GOOGLE_CLOUD_PROJECT"), opts.Getenv("GCLOUD_PROJECT"), access.project)
		if project == "" {
			ai.Fail(model, &ai.Failure{Class: ai.FailAuth, Message: "Vertex AI needs a project: set GOOGLE_CLOUD_PROJECT to the id of your Google Cloud project."})(yield)
			return
		}
		header.Set("Authorization", "Bearer "+access.token)
		if access.quotaProject != "" {
			header.Set("X-Goog-User-Project", access.quotaProject)
		}
		location := firstSet(opts.Getenv("GOOGLE_CLOUD_LOCATION"), "global")
		ask(ctx, model, &req, &opts, address(model, project, location), header, access.token, yield)
	}
}

func firstSet(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// keyedAddress is the address for requests with an API key, which name neither
// project nor location.
func keyedAddress(model *ai.Model) string {
	base := strings.TrimRight(model.BaseURL, "/")
	if base == "" || googles(base) {
		base = "https://aiplatform.googleapis.com"
	}
	return fmt.Sprintf("%s/publishers/google/%s:streamGenerateContent?alt=sse", versioned(base), resource(model.ID))
}

// address is the address for requests with a token. The base URL of the
// catalogue has the location in braces.
func address(model *ai.Model, project, location string) string {
	base := strings.TrimRight(model.BaseURL, "/")
	if base == "" || strings.Contains(base, "{location}") || location != "" && googles(base) {
		switch location {
		case "global":
			base = "https://aiplatform.googleapis.com"
		case "us", "eu": // multi-regions have hosts of their own
			base = "https://aiplatform." + location + ".rep.googleapis.com"
		default:
			base = "https://" + location + "-aiplatform.googleapis.com"
		}
	}
	return fmt.Sprintf("%s/projects/%s/locations/%s/publishers/google/%s:streamGenerateContent?alt=sse",
		versioned(base), url.PathEscape(project), url.PathEscape(location), resource(model.ID))
}

// googles reports whether base is one of Vertex's own hosts, whatever the
// location.
func googles(base string) bool {
	_, host, _ := strings.Cut(base, "://")
	return strings.HasSuffix(host, "aiplatform.googleapis.com") || strings.HasSuffix(host, ".rep.googleapis.com")
}

func versioned(base string) string {
	if _, host, _ := strings.Cut(base, "://"); !strings.Contains(host, "/") {
		base += "/v1"
	}
	return base
}
