package responses

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"tau/ai"
	"tau/ai/internal/httpstream"
)

// AzureAPI is the name of Azure's form of the protocol in model descriptions.
const AzureAPI = "azure-openai-responses"

// Azure asks a model that is deployed at an Azure resource. See
// [ai.StreamFunc] for the contract.
//
// The resource is the model's base URL, or AZURE_OPENAI_BASE_URL, or the name
// in AZURE_OPENAI_RESOURCE_NAME. AZURE_OPENAI_API_VERSION is "v1" unless set to
// a dated version. A deployment has the name of its model unless
// AZURE_OPENAI_DEPLOYMENT_NAME_MAP, pairs model=deployment with commas between
// them, says otherwise. The key is sent as api-key, a token of Entra ID as a
// bearer token.
func Azure(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		base := model.BaseURL
		if base == "" || strings.Contains(base, "{") {
			base = opts.Getenv("AZURE_OPENAI_BASE_URL")
		}
		if name := opts.Getenv("AZURE_OPENAI_RESOURCE_NAME"); base == "" && name != "" {
			base = "https://" + name + ".openai.azure.com"
		}
		if base == "" {
			ai.Fail(model, &ai.Failure{Class: ai.FailAuth, Message: "Azure needs the address of your resource: set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME."})(yield)
			return
		}
		header := http.Header{}
		switch {
		case opts.APIKey == "":
		case strings.HasPrefix(opts.APIKey, "eyJ"): // a JSON web token
			header.Set("Authorization", "Bearer "+opts.APIKey)
		default:
			header.Set("Api-Key", opts.APIKey)
		}
		flags := readCompat(model)
		affinity(header, &opts, flags)
		httpstream.AddHeaders(header, model.Headers, opts.Headers)
		name := deployment(model.ID, opts.Getenv("AZURE_OPENAI_DEPLOYMENT_NAME_MAP"))
		ask(ctx, model, name, &req, &opts, flags, azureEndpoint(base, opts.Getenv("AZURE_OPENAI_API_VERSION")), header, yield)
	}
}

// azureEndpoint joins path and version to the address of a resource. The
// versioned API lies under /openai/v1; dated versions lie under /openai. The
// path of a gateway in front is left as it is.
func azureEndpoint(base, version string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base // the request reports it
	}
	query := u.Query()
	if given := query.Get("api-version"); given != "" {
		version = given
	}
	if version == "" {
		version = "v1"
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/responses")
	host := u.Hostname()
	if strings.HasSuffix(host, ".azure.com") || strings.HasSuffix(host, ".azure.us") || strings.HasSuffix(host, ".azure.cn") {
		path = strings.TrimSuffix(path, "/v1")
		if !strings.HasSuffix(path, "/openai") {
			path += "/openai"
		}
		if version == "v1" || version == "preview" || version == "latest" {
			path += "/v1"
		}
	}
	u.Path = path + "/responses"
	if version != "v1" { // which is what no version means
		query.Set("api-version", version)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// deployment looks a model up in pairs such as "gpt-a=fast,gpt-b=slow".
func deployment(model, pairs string) string {
	for pair := range strings.SplitSeq(pairs, ",") {
		name, deployed, ok := strings.Cut(pair, "=")
		if ok && strings.TrimSpace(name) == model && strings.TrimSpace(deployed) != "" {
			return strings.TrimSpace(deployed)
		}
	}
	return model
}
