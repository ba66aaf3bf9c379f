// Package vendorcheck holds the requests that tau writes against what the
// vendors publish: the parameter types of their Go SDKs, and for Mistral, which
// has none, its OpenAPI document (testdata/mistral-chat.schema.json).
//
// It is a module of its own, so that no SDK comes near the program. The SDKs
// are not compiled, which would take minutes, but their source is read:
// struct tags of the generated clients of Anthropic and OpenAI (stainless.go)
// and of Google (also there), schemas of the Bedrock client (smithy.go). Both
// become a [shape], and a request is checked against it: no unknown member, no
// required one missing, one of the known values where values are listed.
//
//	cd ai/internal/vendorcheck && go test ./...
//
// The versions are in sdks.go. The modules are fetched by "go mod download"
// when they are not there; without a network the tests are skipped.
package vendorcheck
