# Only Go is needed: each target is one go command, and the README shows them.
.PHONY: run build install test check bench compat

run:      ## start the agent
	go run ./cmd/tau

build:    ## one static binary, ./tau
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o tau ./cmd/tau

install:  ## into GOBIN
	CGO_ENABLED=0 go install -trimpath -ldflags "-s -w" ./cmd/tau

test:     ## fast tests
	go test ./...

check:    ## everything CI checks
	./.ci/run

bench:    ## the Go benchmarks; compare two runs with benchstat
	go test -run '^$$' -bench . -benchmem ./...

compat: build ## hold tau against pi with the programs in COMPAT (a folder with rpc and sessions); they say what they need
	@test -x "$(COMPAT)/rpc" || { echo 'make compat COMPAT=folder: where the programs are that compare tau with pi'; exit 2; }
	"$(COMPAT)/rpc" ./tau; rpc=$$?; "$(COMPAT)/sessions" ./tau && exit $$rpc
