# The targets are what a developer types; CI calls the same ones.
GO ?= go

# How long `make fuzz` runs each target.
FUZZTIME ?= 30s

.PHONY: all build test race lint security docs bench bench-mock fuzz hostile packages release-dry-run clients

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

# staticcheck is pinned, so that a new release of it breaks nobody's day. It collects garbage
# seldom, as there is little to collect: that was a quarter of its time.
lint:
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOGC=400 $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	$(GO) mod tidy -diff
	$(GO) -C interop mod tidy -diff
	$(GO) -C sigstore mod tidy -diff

# What gosec finds and is right stands beside the line (#nosec RULE -- why). Left out are its
# rules about starting programs and opening files that a variable names (G204, G304), which is
# what a user asks for, and about files that others may read (G301, G302, G306), as the umask
# says. govulncheck asks https://vuln.go.dev, or the database that GOVULNDB names.
security:
	$(GO) run github.com/securego/gosec/v2/cmd/gosec@v2.30.0 -quiet -exclude=G204,G301,G302,G304,G306 -exclude-dir=interop -exclude-dir=sigstore ./...
	@out="$$($(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $${GOVULNDB:+-db "$$GOVULNDB"} ./... 2>&1)"; status=$$?; echo "$$out"; \
	case "$$out" in *"fetching vulnerabilities"*) echo "No vulnerability was looked for: the database cannot be reached from here." ;; esac; exit $$status

# What explain knows of released servers, its examples, each from judging a fault and its counterpart, the
# pages of the requirements, and the tables of flags, routes and names in the other pages. An example that is
# empty is recorded anew.
docs:
	$(GO) -C interop test . -run 'Test(Seen|OfficialPage)$$' -update
	$(GO) test ./cmd/mcpcheck -run 'TestExamples$$' -update
	$(GO) run ./cmd/mcpcheck explain --pages docs/requirements
	$(GO) test ./internal/pagetest -run 'TestGenerated$$' -update

# The packages for npm and the wheel for Python, for this machine, into packages/dist:
# make packages VERSION=1.2.3 PLATFORMS=all
packages:
	$(GO) run ./packages/pack $(addprefix -version ,$(VERSION)) $(addprefix -platforms ,$(PLATFORMS))

# All that a release has, of this checkout: built, installed from its files and run, not published.
release-dry-run:
	ci/packages --release

# The clients of the admin interface in TypeScript, Python and Go, from its description.
clients:
	$(GO) test ./packages/clients -update

# Figures for docs/speed.md; see bench.
bench:
	./bench/run

# The mock beside a bare handler and two SDKs, in interleaved rounds: medians, and the ranges beside them.
ROUNDS ?= 15
bench-mock:
	@rounds=$$(mktemp) && for _ in $$(seq $(ROUNDS)); do \
		$(GO) -C interop test ./mockbench -run '^$$' -bench . -benchtime 200ms | tee -a "$$rounds" || exit 1; \
	done && $(GO) run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da -col /server -filter '.unit:(sec/op OR p99-ms OR heap-B/session)' "$$rounds" && rm "$$rounds"

# The table of hostile servers, which takes some minutes; it fails where mcpcheck is not as it should be.
hostile:
	$(GO) test ./proof/hostile -run TestTable -timeout 60m -table -write "$(CURDIR)/docs/hostile.md"
