package bedrock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"tau/ai"
)

// The Security Token Service exchanges one proof of identity for the keys of a
// role. It speaks forms and XML.

// webIdentity takes a role with the token that a cluster or a CI system put
// into file.
func webIdentity(ctx context.Context, env *environment, file, role, session, region string) (aws.Credentials, error) {
	if role == "" {
		return aws.Credentials{}, errors.New("there is a web identity token but no role (AWS_ROLE_ARN)")
	}
	return kept().once("web "+file+" "+role, func() (aws.Credentials, error) {
		token, err := os.ReadFile(file)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("web identity token: %w", err)
		}
		return askSTS(ctx, env, region, nil, url.Values{
			"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {role}, "RoleSessionName": {firstSet(session, "tau")},
			"WebIdentityToken": {strings.TrimSpace(string(token))},
		})
	})
}

// assumeRole takes the role of a profile with the keys in base.
func assumeRole(ctx context.Context, env *environment, base aws.Credentials, role string, p map[string]string, region string) (aws.Credentials, error) {
	if p["mfa_serial"] != "" {
		return aws.Credentials{}, errors.New(`the profile's role asks for a code of a device (mfa_serial): get keys with "aws sts" or "aws configure export-credentials" and put them into the environment`)
	}
	return kept().once("role "+role+" "+base.AccessKeyID, func() (aws.Credentials, error) {
		form := url.Values{"Action": {"AssumeRole"}, "RoleArn": {role}, "RoleSessionName": {firstSet(p["role_session_name"], "tau")}}
		for param, key := range map[string]string{"ExternalId": "external_id", "DurationSeconds": "duration_seconds"} {
			if p[key] != "" {
				form.Set(param, p[key])
			}
		}
		return askSTS(ctx, env, region, &base, form)
	})
}

func askSTS(ctx context.Context, env *environment, region string, signer *aws.Credentials, form url.Values) (aws.Credentials, error) {
	region = firstSet(region, "us-east-1")
	form.Set("Version", "2011-06-15")
	address := firstSet(env.get("AWS_ENDPOINT_URL_STS"), "https://sts."+region+".amazonaws.com/")
	body := []byte(form.Encode())
	header := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	if signer != nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(string(body)))
		if err != nil {
			return aws.Credentials{}, errors.New("the address of the token service cannot be used")
		}
		req.Header.Set("Content-Type", header["Content-Type"])
		sum := sha256.Sum256(body)
		if err := v4.NewSigner().SignHTTP(ctx, *signer, req, hex.EncodeToString(sum[:]), "sts", region, time.Now()); err != nil {
			return aws.Credentials{}, fmt.Errorf("sign: %w", err)
		}
		for name := range req.Header {
			header[name] = req.Header.Get(name)
		}
	}
	xml, err := fetch(ctx, env, http.MethodPost, address, header, body, 30*time.Second)
	if err != nil {
		return aws.Credentials{}, err
	}
	k := keysJSON{AccessKeyID: element(xml, "AccessKeyId"), SecretAccessKey: element(xml, "SecretAccessKey"), Token: element(xml, "SessionToken")}
	k.Expiration, _ = time.Parse(time.RFC3339, element(xml, "Expiration"))
	return k.credentials()
}

// element is the text of the first element of that name. The values here are
// never nested and never have entities.
func element(xml []byte, name string) string {
	_, rest, _ := strings.Cut(string(xml), "<"+name+">")
	text, _, _ := strings.Cut(rest, "</"+name+">")
	return strings.TrimSpace(text)
}

// reason is what a service says about an error, in XML or JSON, ready to be
// appended.
func reason(body []byte) string {
	if text := element(body, "Message"); text != "" {
		body = []byte(text)
	}
	words, _ := ai.ErrorWords(body)
	if words == "" {
		return ""
	}
	return ": " + words
}
