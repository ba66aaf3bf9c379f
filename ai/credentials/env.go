package credentials

import (
	"os"
	"path/filepath"
	"runtime"
)

// keyVariables are the environment variables of each provider, the first one
// that is set counts.
var keyVariables = map[string][]string{
	"amazon-bedrock":                {"AWS_BEARER_TOKEN_BEDROCK"},
	"ant-ling":                      {"ANT_LING_API_KEY"},
	"anthropic":                     {"ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"},
	"azure":                         {"AZURE_OPENAI_API_KEY"},
	"baseten":                       {"BASETEN_API_KEY"},
	"cerebras":                      {"CEREBRAS_API_KEY"},
	"cloudflare-ai-gateway":         {"CLOUDFLARE_API_KEY"},
	"cloudflare-workers-ai":         {"CLOUDFLARE_API_KEY"},
	"deepseek":                      {"DEEPSEEK_API_KEY"},
	"fireworks":                     {"FIREWORKS_API_KEY"},
	"github-copilot":                {"COPILOT_GITHUB_TOKEN"},
	"google":                        {"GEMINI_API_KEY"},
	"google-vertex":                 {"GOOGLE_CLOUD_API_KEY"},
	"groq":                          {"GROQ_API_KEY"},
	"huggingface":                   {"HF_TOKEN"},
	"kimi-coding":                   {"KIMI_API_KEY"},
	"meta":                          {"META_API_KEY"},
	"minimax":                       {"MINIMAX_API_KEY"},
	"minimax-cn":                    {"MINIMAX_CN_API_KEY"},
	"mistral":                       {"MISTRAL_API_KEY"},
	"moonshotai":                    {"MOONSHOT_API_KEY"},
	"moonshotai-cn":                 {"MOONSHOT_API_KEY"},
	"nvidia":                        {"NVIDIA_API_KEY"},
	"openai":                        {"OPENAI_API_KEY"},
	"openai-codex":                  nil,
	"opencode":                      {"OPENCODE_API_KEY"},
	"opencode-go":                   {"OPENCODE_API_KEY"},
	"openrouter":                    {"OPENROUTER_API_KEY"},
	"qwen-token-plan":               {"QWEN_TOKEN_PLAN_TEAM_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"},
	"qwen-token-plan-cn":            {"QWEN_TOKEN_PLAN_TEAM_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"},
	"qwen-token-plan-individual":    {"QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"},
	"qwen-token-plan-individual-cn": {"QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"},
	"radius":                        {"RADIUS_API_KEY"},
	"together":                      {"TOGETHER_API_KEY"},
	"vercel-ai-gateway":             {"AI_GATEWAY_API_KEY"},
	"xai":                           {"XAI_API_KEY"},
	"xiaomi":                        {"XIAOMI_API_KEY"},
	"xiaomi-token-plan-ams":         {"XIAOMI_TOKEN_PLAN_AMS_API_KEY"},
	"xiaomi-token-plan-cn":          {"XIAOMI_TOKEN_PLAN_CN_API_KEY"},
	"xiaomi-token-plan-sgp":         {"XIAOMI_TOKEN_PLAN_SGP_API_KEY"},
	"zai":                           {"ZAI_API_KEY"},
	"zai-coding-cn":                 {"ZAI_CODING_CN_API_KEY"},
}

// ambientVariables tell that a cloud's own way of signing in is set up. The
// protocol reads them itself.
var ambientVariables = map[string][]string{
	"amazon-bedrock": {
		"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE",
	},
	"google-vertex": {"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"},
}

func envNames(provider string) []string {
	names := keyVariables[provider]
	return names[:len(names):len(names)]
}

// ambient tells what shows that a cloud's own way of signing in is set up: a
// variable, of env or the environment, or one of the files that the cloud's
// programs write. "" is nothing.
func (r *Resolver) ambient(provider string, env map[string]string) string {
	get := func(name string) string {
		if v := env[name]; v != "" {
			return v
		}
		return r.getenv(name)
	}
	for _, name := range ambientVariables[provider] {
		if get(name) != "" {
			return "$" + name
		}
	}
	home := get("HOME")
	if runtime.GOOS == "windows" {
		home = get("USERPROFILE")
	}
	var files []string
	switch provider {
	case "amazon-bedrock":
		for _, f := range [...]struct{ variable, name string }{{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}, {"AWS_CONFIG_FILE", "config"}} {
			path := get(f.variable)
			if path == "" && home != "" {
				path = filepath.Join(home, ".aws", f.name)
			}
			files = append(files, path)
		}
	case "google-vertex":
		dir := get("CLOUDSDK_CONFIG")
		switch {
		case dir != "":
		case runtime.GOOS == "windows":
			dir = filepath.Join(get("APPDATA"), "gcloud")
		case home != "":
			dir = filepath.Join(home, ".config", "gcloud")
		}
		if dir != "" {
			files = append(files, filepath.Join(dir, "application_default_credentials.json"))
		}
	}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return path
		}
	}
	return ""
}

// known reports whether the provider is one of tau's own, which all want
// credentials. A provider of the user's models.json may be a local server.
func known(provider string) bool {
	_, ok := keyVariables[provider]
	return ok
}

func free(provider string) bool { return provider == "demo" }
