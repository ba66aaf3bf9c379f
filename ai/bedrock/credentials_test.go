package bedrock

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tau/ai"
	"tau/ai/internal/answertest"
)

// awsHome is a machine without anything of AWS but what files say.
func awsHome(t *testing.T, config, keys string) string {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	os.Mkdir(filepath.Join(home, ".aws"), 0o700)
	os.WriteFile(filepath.Join(home, ".aws", "config"), []byte(config), 0o600)
	os.WriteFile(filepath.Join(home, ".aws", "credentials"), []byte(keys), 0o600)
	return home
}

func lookUp(t *testing.T, env map[string]string) string {
	t.Helper()
	c, f := credentials(t.Context(), newEnvironment(&ai.Options{Env: env}))
	if f != nil {
		if f.Class != ai.FailAuth {
			t.Errorf("class %s", f.Class)
		}
		return "failure: " + f.Message
	}
	return c.AccessKeyID + " " + c.SecretAccessKey + " " + c.SessionToken
}

func TestProfiles(t *testing.T) {
	awsHome(t, `
[default]
region = eu-west-1
[profile work]
region=us-west-2 # of the team
aws_access_key_id = CONFIG
aws_secret_access_key = c
s3 =
  addressing_style = path
[profile loop]
role_arn = arn:aws:iam::1:role/a
source_profile = loop2
[profile loop2]
role_arn = arn:aws:iam::1:role/b
source_profile = loop
[profile empty]
region = x
[profile mfa]
role_arn = arn:aws:iam::1:role/a
source_profile = work
mfa_serial = arn:1
`, "\ufeff[default]\naws_access_key_id=AKID\naws_secret_access_key = sec=ret/+\n; comment\n[work]\naws_access_key_id=WORK\naws_secret_access_key=w\naws_session_token=t\n")
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "AKID sec=ret/+ "},
		{map[string]string{"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e", "AWS_PROFILE": "work"}, "E e "},
		{map[string]string{"AWS_PROFILE": "work"}, "WORK w t"},
		{map[string]string{"AWS_PROFILE": "nobody"}, `there is no profile "nobody"`},
		{map[string]string{"AWS_PROFILE": "empty"}, `profile "empty" has no credentials`},
		{map[string]string{"AWS_PROFILE": "loop"}, `refers to itself`},
		{map[string]string{"AWS_PROFILE": "mfa"}, `mfa_serial`},
	} {
		if got := lookUp(t, tt.env); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %s, want %s", tt.env, got, tt.want)
		}
	}
	if r := newEnvironment(&ai.Options{Env: map[string]string{"AWS_PROFILE": "work"}}).region(); r != "us-west-2" {
		t.Error(r)
	}
	awsHome(t, "", "")
	if got := lookUp(t, nil); !strings.Contains(got, "no AWS credentials were found") || !strings.Contains(got, "AWS_PROFILE") {
		t.Error(got)
	}
}

func TestProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	awsHome(t, "[default]\ncredential_process = echo '{\"Version\":1,\"AccessKeyId\":\"P\",\"SecretAccessKey\":\"p\",\"SessionToken\":\"t\"}'\n[profile bad]\ncredential_process = echo secret; exit 3\n", "")
	if got := lookUp(t, nil); got != "P p t" {
		t.Error(got)
	}
	if got := lookUp(t, map[string]string{"AWS_PROFILE": "bad"}); !strings.Contains(got, "exit status 3") || strings.Contains(got, "secret;") {
		t.Error(got)
	}
}

// services is a server that is all of AWS's services around credentials.
func services(t *testing.T) (*httptest.Server, *[]string) {
	var asked []string
	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		proof := r.Header.Get("Authorization") + r.Header.Get("X-Aws-Ec2-Metadata-Token") + r.Header.Get("X-Amz-Sso_bearer_token")
		proof, _, _ = strings.Cut(proof, "/")
		asked = append(asked, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Form.Get("Action")+" "+proof))
		switch {
		case r.Form.Get("RoleArn") == "arn:denied":
			w.WriteHeader(403)
			io.WriteString(w, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not allowed to assume\x1b[31m</Message></Error></ErrorResponse>")
		case r.Form.Get("Action") != "":
			fmt.Fprintf(w, "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>r/+=</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>", soon)
		case r.URL.Path == "/latest/api/token":
			io.WriteString(w, "imds-token")
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/":
			io.WriteString(w, "role-name\n")
		case r.URL.Path == "/federation/credentials":
			fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":%d}}`, time.Now().Add(time.Hour).UnixMilli())
		default:
			fmt.Fprintf(w, `{"AccessKeyId":"SVC","SecretAccessKey":"v","Token":"t","Expiration":%q}`, soon)
		}
	}))
	t.Cleanup(srv.Close)
	return srv, &asked
}

func TestServices(t *testing.T) {
	srv, asked := services(t)
	home := awsHome(t, `
[default]
role_arn = arn:aws:iam::1:role/`+filepath.Base(srv.URL)+` # what was got is kept, so no other test may have this role
source_profile = base
[profile base]
aws_access_key_id = BASE
aws_secret_access_key = b
[profile denied]
role_arn = arn:denied
source_profile = base
[profile sso]
sso_session = corp
sso_account_id = 1
sso_role_name = dev
[sso-session corp]
sso_start_url = https://corp.test/start
sso_region = us-east-1
`, "")
	token := filepath.Join(home, "token")
	os.WriteFile(token, []byte("jwt\n"), 0o600)
	for _, tt := range []struct {
		name  string
		env   map[string]string
		want  string
		asked string
	}{
		{"role", map[string]string{"AWS_ENDPOINT_URL_STS": srv.URL}, "ROLE r/+= t", "POST / AssumeRole AWS4-HMAC-SHA256 Credential=BASE"},
		{"role again", map[string]string{"AWS_ENDPOINT_URL_STS": srv.URL}, "ROLE r/+= t", ""},
		{"denied", map[string]string{"AWS_ENDPOINT_URL_STS": srv.URL, "AWS_PROFILE": "denied"}, "not allowed to assume [31m", "POST / AssumeRole AWS4-HMAC-SHA256 Credential=BASE"},
		{"web identity", map[string]string{"AWS_ENDPOINT_URL_STS": srv.URL, "AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": "arn:b"}, "ROLE r/+= t", "POST / AssumeRoleWithWebIdentity"},
		{"no sign-in", map[string]string{"AWS_PROFILE": "sso"}, "aws sso login", ""},
	} {
		*asked = nil
		if got := lookUp(t, tt.env); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
		if got := strings.Join(*asked, ", "); got != tt.asked {
			t.Errorf("%s: asked %s", tt.name, got)
		}
	}
	sum := sha1.Sum([]byte("corp"))
	cache := filepath.Join(home, ".aws", "sso", "cache")
	os.MkdirAll(cache, 0o700)
	os.WriteFile(filepath.Join(cache, hex.EncodeToString(sum[:])+".json"), []byte(`{"accessToken":"sso-token","expiresAt":"`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`), 0o600)
	if got := lookUp(t, map[string]string{"AWS_PROFILE": "sso", "AWS_ENDPOINT_URL_SSO": srv.URL}); got != "SSO s t" {
		t.Error(got)
	}
	awsHome(t, "", "")
	for _, tt := range []struct {
		env   map[string]string
		want  string
		asked string
	}{
		{map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": srv.URL + "/keys", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "ct"}, "SVC v t", "GET /keys  ct"},
		{map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://evil.test/keys"}, "neither https nor a local address", ""},
		{map[string]string{"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": srv.URL}, "SVC v t",
			"PUT /latest/api/token, GET /latest/meta-data/iam/security-credentials/  imds-token, GET /latest/meta-data/iam/security-credentials/role-name  imds-token"},
	} {
		*asked = nil
		if got := lookUp(t, tt.env); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %s", tt.env, got)
		}
		if got := strings.Join(*asked, ", "); got != tt.asked {
			t.Errorf("%v: asked %s", tt.env, got)
		}
	}
}

func TestSignedRequest(t *testing.T) {
	awsHome(t, "", "")
	var header http.Header
	m := server(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		io.WriteString(w, framed(answertest.Record("bedrock-thinking-tool.txt")))
	})
	seen := []byte(nil)
	opts := ai.Options{
		Env:       map[string]string{"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "tok", "AWS_REGION": "us-west-2"},
		OnPayload: func(body []byte) []byte { seen = body; return append([]byte(" "), body...) }, // the signature covers what is sent
	}
	final := answertest.Check(t, Stream(context.Background(), m, ai.Request{}, opts))
	auth := header.Get("Authorization")
	if final.Failure != nil || len(seen) == 0 || !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=AKID/") || !strings.Contains(auth, "/us-west-2/bedrock/aws4_request") ||
		strings.Contains(auth, "idempotency-key") || header.Get("X-Amz-Security-Token") != "tok" {
		t.Errorf("%v %s %v", final.Failure, auth, header)
	}
}

func FuzzParseINI(f *testing.F) {
	f.Add([]byte("[default]\nregion = us-east-1 # here\n[profile a]\ns3 =\n  x = y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for section, settings := range parseINI(data) {
			for key, value := range settings {
				if strings.ContainsAny(section+key+value, "\n") || key != strings.ToLower(key) {
					t.Errorf("%q %q %q", section, key, value)
				}
			}
		}
	})
}
