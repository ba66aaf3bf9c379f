package vendorcheck

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// The SDKs that are read.
const (
	anthropicSDK = "github.com/anthropics/anthropic-sdk-go@v1.84.0"
	openAISDK    = "github.com/openai/openai-go/v3@v3.99.0"
	googleSDK    = "google.golang.org/genai@v1.77.0"
	bedrockSDK   = "github.com/aws/aws-sdk-go-v2/service/bedrockruntime@v1.63.13"
)

// fetch returns the folder of a module's source.
func fetch(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // outside of any module
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &info); jsonErr != nil || info.Dir == "" {
		return "", fmt.Errorf("%s: %v %s", module, err, info.Error)
	}
	return info.Dir, nil
}
