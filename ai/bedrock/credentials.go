package bedrock

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tau/ai"
)

const signInHint = `Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile with AWS_PROFILE ("aws configure", "aws sso login").`

// errNone says that a source has nothing, so that the next one is asked.
var errNone = errors.New("no credentials")

// kept holds temporary credentials until shortly before they expire.
var kept = sync.OnceValue(func() *keptKeys { return &keptKeys{byKey: make(map[string]aws.Credentials)} })

type keptKeys struct {
	mu    sync.Mutex
	byKey map[string]aws.Credentials
}

// renewBefore is how long before their end credentials are no longer used.
const renewBefore = 2 * time.Minute

// once returns the kept credentials of key, or asks for them.
func (k *keptKeys) once(key string, ask func() (aws.Credentials, error)) (aws.Credentials, error) {
	k.mu.Lock()
	c, ok := k.byKey[key]
	k.mu.Unlock()
	if ok && (!c.CanExpire || time.Until(c.Expires) > renewBefore) {
		return c, nil
	}
	c, err := ask()
	if err != nil {
		return c, err
	}
	k.mu.Lock()
	k.byKey[key] = c
	k.mu.Unlock()
	return c, nil
}

// credentials finds keys in the order of AWS's own programs: environment, web
// identity, profile, container, machine.
func credentials(ctx context.Context, env *environment) (aws.Credentials, *ai.Failure) {
	keys, err := find(ctx, env)
	switch {
	case err == nil:
		return keys, nil
	case ctx.Err() != nil:
		return keys, ai.Aborted()
	case errors.Is(err, errNone):
		return keys, &ai.Failure{Class: ai.FailAuth, Message: "no AWS credentials were found. " + signInHint}
	}
	return keys, &ai.Failure{Class: ai.FailAuth, Message: "the AWS credentials cannot be used: " + strings.TrimRight(err.Error(), ".") + ". " + signInHint}
}

func find(ctx context.Context, env *environment) (aws.Credentials, error) {
	if keys, ok := static(env.get("AWS_ACCESS_KEY_ID"), env.get("AWS_SECRET_ACCESS_KEY"), env.get("AWS_SESSION_TOKEN")); ok {
		return keys, nil
	}
	if file := env.get("AWS_WEB_IDENTITY_TOKEN_FILE"); file != "" {
		return webIdentity(ctx, env, file, env.get("AWS_ROLE_ARN"), env.get("AWS_ROLE_SESSION_NAME"), env.region())
	}
	keys, err := fromProfile(ctx, env, env.profileName(), nil)
	if err == nil || !errors.Is(err, errNone) {
		return keys, err
	}
	if keys, err = container(ctx, env); err == nil || !errors.Is(err, errNone) {
		return keys, err
	}
	if strings.EqualFold(env.get("AWS_EC2_METADATA_DISABLED"), "true") {
		return aws.Credentials{}, errNone
	}
	return machine(ctx, env)
}

func static(id, secret, session string) (aws.Credentials, bool) {
	return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: session}, id != "" && secret != ""
}

// fromProfile reads the keys of a profile, or gets them in the way it names.
// above are the profiles that refer to it.
func fromProfile(ctx context.Context, env *environment, name string, above []string) (aws.Credentials, error) {
	for _, a := range above {
		if a == name {
			return aws.Credentials{}, fmt.Errorf("profile %q refers to itself", name)
		}
	}
	p := env.profile(name)
	if p == nil {
		if len(above) > 0 || name != "default" {
			return aws.Credentials{}, fmt.Errorf("there is no profile %q in the AWS configuration", name)
		}
		return aws.Credentials{}, errNone
	}
	region := firstSet(p["region"], env.region(), "us-east-1")
	if role := p["role_arn"]; role != "" && !contains(above, name) {
		if file := p["web_identity_token_file"]; file != "" {
			return webIdentity(ctx, env, file, role, p["role_session_name"], region)
		}
		var base aws.Credentials
		var err error
		switch source := p["source_profile"]; {
		case source == name: // its own keys are the base of the role
			base, err = ownKeys(ctx, env, name, p, region)
		case source != "":
			base, err = fromProfile(ctx, env, source, append(above, name))
		default:
			base, err = fromSource(ctx, env, name, p["credential_source"])
		}
		if err != nil {
			return base, err
		}
		return assumeRole(ctx, env, base, role, p, region)
	}
	return ownKeys(ctx, env, name, p, region)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func ownKeys(ctx context.Context, env *environment, name string, p map[string]string, region string) (aws.Credentials, error) {
	if keys, ok := static(p["aws_access_key_id"], p["aws_secret_access_key"], p["aws_session_token"]); ok {
		return keys, nil
	}
	switch {
	case p["sso_account_id"] != "":
		return singleSignOn(ctx, env, p)
	case p["credential_process"] != "":
		return process(ctx, p["credential_process"])
	case p["web_identity_token_file"] != "":
		return webIdentity(ctx, env, p["web_identity_token_file"], p["role_arn"], p["role_session_name"], region)
	}
	if name != "default" {
		return aws.Credentials{}, fmt.Errorf("profile %q has no credentials", name)
	}
	return aws.Credentials{}, errNone
}

// fromSource gets the keys that a role is taken with from the place that
// credential_source names.
func fromSource(ctx context.Context, env *environment, profile, source string) (aws.Credentials, error) {
	switch source {
	case "Environment":
		if keys, ok := static(env.get("AWS_ACCESS_KEY_ID"), env.get("AWS_SECRET_ACCESS_KEY"), env.get("AWS_SESSION_TOKEN")); ok {
			return keys, nil
		}
		return aws.Credentials{}, fmt.Errorf("profile %q wants keys from the environment, which has none", profile)
	case "EcsContainer":
		return container(ctx, env)
	case "Ec2InstanceMetadata":
		return machine(ctx, env)
	}
	return aws.Credentials{}, fmt.Errorf("profile %q has a role but neither source_profile nor a known credential_source", profile)
}
