# Two commands are enough: `make run` and `make test`.

GO ?= go
export CGO_ENABLED ?= 1
PKGS = ./...
FUZZTIME ?= 20s

.PHONY: help build run test deps lint race e2e conformance fmt fuzz bench bench-policy interop clean

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/mirage
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/mirage ./cmd/mirage

run: build ## start a demo server, show a tour with ssh, sftp and curl; open a shell on a terminal
	@scripts/deps run
	@bin/mirage demo --dir .demo

test: deps lint race e2e conformance ## everything that must pass: lint, unit tests with -race, real clients, public suites

deps: ## install (as root, on Debian) or name the tools that the tests use
	@scripts/deps test

lint: ## gofmt -s, go vet, staticcheck, govulncheck
	@scripts/lint

race: ## unit tests with the race detector
	$(GO) test -race -timeout 20m $$($(GO) list $(PKGS) | grep -v '/e2e$$')

e2e: build ## the built binary against the real ssh, sftp, scp, sshfs and curl
	$(GO) test -count=1 -timeout 20m ./e2e

interop: e2e ## the same as e2e

conformance: build ## public suites, when MIRAGE_CONFORMANCE names the folder that holds them
	@scripts/conformance

fmt: ## format the sources
	gofmt -s -w $$(git ls-files '*.go')

fuzz: ## run each fuzz target for FUZZTIME
	@scripts/fuzz $(FUZZTIME)

bench: build ## compare with OpenSSH side by side, and write bench/RESULTS.md
	$(GO) run ./bench -o bench/RESULTS.md

bench-policy: ## what rules cost: lines with 200 rules against none, and loading 10,000
	$(GO) run ./bench/policy

clean: ## remove what the other targets made
	rm -rf bin .demo
