package bedrock

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tau/ai/internal/httpstream"
)

// keysJSON is the form in which AWS's own services and programs hand out
// temporary keys.
type keysJSON struct {
	AccessKeyID     string    `json:"AccessKeyId"`
	SecretAccessKey string    `json:"SecretAccessKey"`
	SessionToken    string    `json:"SessionToken"` // of programs
	Token           string    `json:"Token"`        // of services
	Expiration      time.Time `json:"Expiration"`
	Message         string    `json:"Message"`
}

func (k *keysJSON) credentials() (aws.Credentials, error) {
	c, ok := static(k.AccessKeyID, k.SecretAccessKey, firstSet(k.SessionToken, k.Token))
	if !ok {
		return c, errors.New(firstSet(k.Message, "the answer has no keys"))
	}
	c.Expires, c.CanExpire = k.Expiration, !k.Expiration.IsZero()
	return c, nil
}

// process runs the program of credential_process.
func process(ctx context.Context, command string) (aws.Credentials, error) {
	return kept().once("process "+command, func() (aws.Credentials, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		if runtime.GOOS == "windows" {
			cmd = exec.CommandContext(ctx, "cmd", "/C", command)
		}
		cmd.WaitDelay = time.Second // a child may hold the pipe
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		if err := cmd.Run(); err != nil {
			return aws.Credentials{}, fmt.Errorf("credential_process failed: %w", err)
		}
		var k keysJSON
		if json.Unmarshal(stdout.Bytes(), &k) != nil {
			return aws.Credentials{}, errors.New("credential_process did not print the JSON it should")
		}
		return k.credentials()
	})
}

// container asks the agent that gives a container its role, where
// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI says.
func container(ctx context.Context, env *environment) (aws.Credentials, error) {
	address := env.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative := env.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); relative != "" {
		address = "http://169.254.170.2" + relative
	}
	if address == "" {
		return aws.Credentials{}, errNone
	}
	if !trusted(address) {
		return aws.Credentials{}, errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor a local address")
	}
	return kept().once("container "+address, func() (aws.Credentials, error) {
		token := env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN")
		if file := env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
			data, err := os.ReadFile(file)
			if err != nil {
				return aws.Credentials{}, fmt.Errorf("container token: %w", err)
			}
			token = strings.TrimSpace(string(data))
		}
		return getKeys(ctx, env, address, map[string]string{"Authorization": token}, 5*time.Second)
	})
}

// trusted reports whether keys may be asked for at address: over TLS, or on
// this machine, where the containers' agents are.
func trusted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" {
		return err == nil
	}
	switch u.Hostname() {
	case "localhost", "169.254.170.2", "169.254.170.23", "fd00:ec2::23":
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// machine asks the metadata service of a machine in AWS, version 2. Elsewhere
// nothing answers at its address, and the wait must be short.
func machine(ctx context.Context, env *environment) (aws.Credentials, error) {
	base := strings.TrimRight(firstSet(env.get("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254"), "/") + "/latest/"
	return kept().once("machine "+base, func() (aws.Credentials, error) {
		const wait = time.Second
		token, err := fetch(ctx, env, http.MethodPut, base+"api/token", map[string]string{"X-aws-ec2-metadata-token-ttl-seconds": "21600"}, nil, wait)
		if err != nil {
			return aws.Credentials{}, errNone
		}
		header := map[string]string{"X-aws-ec2-metadata-token": string(token)}
		const path = "meta-data/iam/security-credentials/"
		role, err := fetch(ctx, env, http.MethodGet, base+path, header, nil, wait)
		if err != nil || len(bytes.TrimSpace(role)) == 0 {
			return aws.Credentials{}, errNone
		}
		name, _, _ := strings.Cut(strings.TrimSpace(string(role)), "\n")
		return getKeys(ctx, env, base+path+name, header, wait)
	})
}

// singleSignOn turns the sign-in that "aws sso login" left into keys.
func singleSignOn(ctx context.Context, env *environment, p map[string]string) (aws.Credentials, error) {
	start, region, name := p["sso_start_url"], p["sso_region"], p["sso_start_url"]
	if session := p["sso_session"]; session != "" {
		s := env.sessions[session]
		start, region, name = s["sso_start_url"], s["sso_region"], session
	}
	if start == "" || region == "" {
		return aws.Credentials{}, errors.New("the profile's sso_start_url or sso_region is missing")
	}
	sum := sha1.Sum([]byte(name)) // the name of AWS's own cache file
	data, err := os.ReadFile(filepath.Join(env.home(), ".aws", "sso", "cache", hex.EncodeToString(sum[:])+".json"))
	var cached struct {
		AccessToken string    `json:"accessToken"`
		ExpiresAt   time.Time `json:"expiresAt"`
	}
	if err != nil || json.Unmarshal(data, &cached) != nil || cached.AccessToken == "" || time.Now().After(cached.ExpiresAt) {
		return aws.Credentials{}, errors.New(`the sign-in has expired: run "aws sso login"`)
	}
	return kept().once("sso "+cached.AccessToken+p["sso_account_id"]+p["sso_role_name"], func() (aws.Credentials, error) {
		host := firstSet(env.get("AWS_ENDPOINT_URL_SSO"), "https://portal.sso."+region+".amazonaws.com")
		query := url.Values{"account_id": {p["sso_account_id"]}, "role_name": {p["sso_role_name"]}}
		body, err := fetch(ctx, env, http.MethodGet, host+"/federation/credentials?"+query.Encode(), map[string]string{"X-Amz-Sso_bearer_token": cached.AccessToken}, nil, 30*time.Second)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("single sign-on: %w", err)
		}
		var doc struct {
			Role struct {
				ID         string `json:"accessKeyId"`
				Secret     string `json:"secretAccessKey"`
				Session    string `json:"sessionToken"`
				Expiration int64  `json:"expiration"` // Unix milliseconds
			} `json:"roleCredentials"`
		}
		if json.Unmarshal(body, &doc) != nil {
			return aws.Credentials{}, errors.New("single sign-on: the answer cannot be read")
		}
		k := keysJSON{AccessKeyID: doc.Role.ID, SecretAccessKey: doc.Role.Secret, Token: doc.Role.Session, Expiration: time.UnixMilli(doc.Role.Expiration)}
		return k.credentials()
	})
}

func getKeys(ctx context.Context, env *environment, address string, header map[string]string, wait time.Duration) (aws.Credentials, error) {
	body, err := fetch(ctx, env, http.MethodGet, address, header, nil, wait)
	if err != nil {
		return aws.Credentials{}, err
	}
	var k keysJSON
	if json.Unmarshal(body, &k) != nil {
		return aws.Credentials{}, errors.New("the answer with the keys cannot be read")
	}
	return k.credentials()
}

// fetch asks one of AWS's services around credentials. Those on the machine
// itself are never reached through a proxy.
func fetch(ctx context.Context, env *environment, method, address string, header map[string]string, body []byte, wait time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address for credentials cannot be used")
	}
	for name, value := range header {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	client := httpstream.Client(env.opts.Client)
	if strings.HasPrefix(address, "http://") {
		client = &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	}
	resp, err := client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the address
		}
		return nil, fmt.Errorf("%s: %w", req.URL.Host, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.URL.Host, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s%s", req.URL.Host, resp.Status, reason(data))
	}
	return data, nil
}
