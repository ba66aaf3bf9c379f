// Package bedrock speaks the Amazon Bedrock Converse protocol,
// "bedrock-converse-stream".
//
// [Stream] is the [ai.StreamFunc]. The request is the same for all makers of
// models; how each is told to think differs and is in thinking.go. A request is
// proved by a bearer token (AWS_BEARER_TOKEN_BEDROCK, or the key of the
// options) or signed with the credentials that AWS's own programs would find:
// environment, profile, web identity, container, machine (see credentials.go).
//
// Answers come as frames of AWS's event stream, each with a checksum; a damaged
// one ends the answer as a lost connection would.
package bedrock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/httpstream"
)

// API is the name of the protocol in model descriptions.
const API = "bedrock-converse-stream"

// Stream asks the model. See [ai.StreamFunc] for the contract.
func Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		b := answer.New(model, &opts, yield)
		body, err := encode(model, &req, &opts)
		if err != nil {
			b.Fail(&ai.Failure{Class: ai.FailFatal, Message: fmt.Sprintf("the request could not be written: %v", err)})
			return
		}
		env := newEnvironment(&opts)
		region, base := place(model, env)
		post := httpstream.Request{URL: base + "/model/" + escape(model.ID) + "/converse-stream", Body: body, Options: &opts}
		post.Header = http.Header{"Accept": {"application/vnd.amazon.eventstream"}}
		httpstream.AddHeaders(post.Header, model.Headers, opts.Headers)
		if token := firstSet(opts.APIKey, env.get("AWS_BEARER_TOKEN_BEDROCK")); token != "" {
			post.Secret = token
			if post.Header.Get("Authorization") == "" {
				post.Header.Set("Authorization", "Bearer "+token)
			}
		} else if post.Header.Get("Authorization") == "" {
			keys, failure := credentials(ctx, env)
			if failure != nil {
				b.Fail(failure)
				return
			}
			post.Secret = keys.SecretAccessKey
			post.Sign = func(r *http.Request, body []byte) error { return sign(ctx, r, body, keys, region) }
		}
		resp, failure := httpstream.Post(ctx, post)
		if failure != nil {
			b.Fail(explain(failure, model))
			return
		}
		defer resp.Close()
		parse(resp, b, resp.Failure)
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

// escape makes a model id, which may be an ARN, one segment of a path. AWS
// checks the signature of a path in which colons are escaped too.
func escape(id string) string { return strings.ReplaceAll(url.PathEscape(id), ":", "%3A") }

func sign(ctx context.Context, r *http.Request, body []byte, keys aws.Credentials, region string) error {
	sum := sha256.Sum256(body)
	return v4.NewSigner().SignHTTP(ctx, keys, r, hex.EncodeToString(sum[:]), "bedrock", region, time.Now())
}

// explain adds to a failure what AWS leaves to its documentation.
func explain(f *ai.Failure, model *ai.Model) *ai.Failure {
	words := strings.ToLower(f.Message)
	switch {
	case strings.Contains(words, "on-demand throughput"):
		f.Message += " The model is offered through an inference profile only: choose its id with a prefix such as us. or global."
	case strings.Contains(words, "security token included in the request is expired"):
		f.Message += ` With IAM Identity Center, run "aws sso login".`
	case strings.Contains(words, "don't have access to the model"):
		f.Message += " Ask for access to " + model.ID + " in the Bedrock console."
	}
	return f
}

// place says where to send the request and for which region to sign it.
//
// The region of an ARN wins, then the configured one, unless the model's
// profile belongs to another part of the world; then that of the base URL,
// which is what the catalogue suggests.
func place(model *ai.Model, env *environment) (region, base string) {
	base = strings.TrimRight(model.BaseURL, "/")
	suggested := regionOf(base)
	region = env.region()
	if parts := strings.Split(model.ID, ":"); len(parts) > 3 && parts[0] == "arn" {
		region = parts[3]
	} else if region == "" || elsewhere(model.ID, region) {
		region = firstSet(suggested, region, "us-east-1")
	}
	if base == "" || suggested != "" && suggested != region {
		suffix := "amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			suffix = "amazonaws.com.cn"
		}
		base = "https://bedrock-runtime." + region + "." + suffix
	}
	return region, base
}

// regionOf is the region in the name of one of AWS's own hosts.
func regionOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	region, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(host, "bedrock-runtime-fips."), "bedrock-runtime."), ".")
	if strings.HasPrefix(host, "bedrock-runtime") && strings.HasPrefix(rest, "amazonaws.com") {
		return region
	}
	return ""
}

// elsewhere reports whether an inference profile, by the prefix of its id,
// cannot be called from region.
func elsewhere(id, region string) bool {
	prefix, _, _ := strings.Cut(id, ".")
	start, ok := map[string]string{"us": "us-", "us-gov": "us-gov-", "eu": "eu-", "jp": "ap-northeast-", "apac": "ap-", "au": "ap-southeast-", "in": "ap-south-"}[prefix]
	if prefix == "us" { // also from Canada
		return !strings.HasPrefix(region, "us-") && !strings.HasPrefix(region, "ca-") || strings.HasPrefix(region, "us-gov-")
	}
	return ok && !strings.HasPrefix(region, start)
}

// parse reads the frames of an answer into b. failure types the error of a
// read.
func parse(body io.Reader, b *answer.Builder, failure func(error) *ai.Failure) {
	frames := newFrames(body)
	s := &state{b: b}
	for !b.Stopped() {
		f, err := frames.next()
		switch {
		case err == nil:
			if s.frame(f) {
				return
			}
		case s.stopped:
			s.end() // what was lost after the reason is at most the usage
			return
		case err == io.EOF:
			b.Fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider's answer ended before it was complete (no messageStop)."})
			return
		case isDamage(err):
			b.Fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider's answer was damaged on the way: " + err.Error() + "."})
			return
		default:
			b.Fail(failure(err))
			return
		}
	}
}
