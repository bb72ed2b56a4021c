# The targets are what a developer types; CI calls the same ones.
GO ?= go

.PHONY: all build test race lint bench

all: build test

build:
	$(GO) build ./...

test:
	$(GO) test ./...

race:
	$(GO) test -race ./...

# staticcheck is pinned, so that a new release of it breaks nobody's day.
lint:
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

# Figures for the README; see internal/bench.
bench:
	./bench/run
