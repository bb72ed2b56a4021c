# The targets are what a developer types; CI calls the same ones.
GO ?= go

# How long `make fuzz` runs each target.
FUZZTIME ?= 30s

.PHONY: all build test race lint docs bench bench-mock fuzz hostile packages clients

all: build test

build:
	$(GO) build ./...

test:
	$(GO) test ./...

race:
	$(GO) test -race ./...

# Every fuzz target of the module, one after the other; it ends at the first that
# fails, and what made it fail stands in testdata/fuzz of its package then.
fuzz:
	@git grep -o 'func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed 's|/[^/]*:func | |' | sort -u | \
	while read -r dir target; do \
		echo "$$dir $$target"; \
		(cd "$$dir" && $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) . </dev/null) || exit 1; \
	done

# staticcheck is pinned, so that a new release of it breaks nobody's day.
lint:
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	$(GO) mod tidy -diff
	$(GO) -C interop mod tidy -diff

# The pages of the requirements: each fault and its counterpart are judged on the spot.
docs:
	$(GO) run ./cmd/mcpcheck explain --pages docs/requirements

# The packages for npm and the wheels for Python, for all platforms of a release, into
# packages/dist: make packages VERSION=1.2.3
packages:
	$(GO) run ./packages/pack $(addprefix -version ,$(VERSION))

# The clients of the admin interface in TypeScript and Python, from its description.
clients:
	$(GO) run ./packages/clients

# Figures for docs/speed.md; see bench.
bench:
	./bench/run

# The mock beside a bare handler and two SDKs, in one run.
bench-mock:
	$(GO) build -o $(or $(TMPDIR),/tmp)/mcpcheck-mockserver ./cmd/mockserver
	$(GO) -C interop run ./mockbench -mockserver $(or $(TMPDIR),/tmp)/mcpcheck-mockserver

# The table of hostile servers, which takes some minutes; it fails where mcpcheck is not as it should be.
hostile:
	$(GO) build -o $(or $(TMPDIR),/tmp)/mcpcheck-hostile ./proof/hostile
	$(or $(TMPDIR),/tmp)/mcpcheck-hostile > docs/hostile.md
