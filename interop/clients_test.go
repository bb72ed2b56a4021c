package interop

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/interop/clients/outcome"
	"github.com/mcpcheck/mcpcheck/reports"
	suite "github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// buildMock makes the program that real clients are run against, with what its own module
// requires.
func buildMock(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mockserver.exe")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "..", "-o", program,
		"./cmd/mockserver").CombinedOutput()
	if err != nil {
		t.Fatalf("go build mockserver: %v\n%s", err, out)
	}
	return program
}

// client is a real client, made to go through the operations of package outcome.
type client struct {
	name string
	// command starts it; a revision, a transport and an address are added.
	command []string
	// transports says in which revisions it is run over which transport.
	transports map[string][]string
	// lacks are the members of the outcome that it has no means to get at, each with
	// what stands in the way. They stay empty.
	lacks map[string]string
	// differs are the members that it shows otherwise than they came, by revisions with
	// a handshake, and how.
	differs map[string]string
}

// The revisions and transports that a client with everything speaks.
var (
	handshaken = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	streamable = []string{"2025-03-26", "2025-06-18", "2025-11-25"}
	everywhere = map[string][]string{
		"stdio": append(slices.Clone(handshaken), modern),
		"http":  append(slices.Clone(streamable), modern),
		"sse":   {"2024-11-05"},
	}
	// untilModern is for clients that know no revision without handshake.
	untilModern = map[string][]string{"stdio": handshaken, "http": streamable, "sse": {"2024-11-05"}}
)

// modern is the revision without handshake.
const modern = "2026-07-28"

// enoughOfClient is how many requirements a client meets at least.
const enoughOfClient = 10

// TestGoClients runs the clients that Go alone can build.
func TestGoClients(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs real clients")
	}
	mock := buildMock(t)
	for _, name := range goClients {
		runClient(t, mock, client{name: name, command: []string{os.Args[0], name}, transports: everywhere})
	}
}

// TestNodeClients runs the clients that need Node.js, which npm installs.
func TestNodeClients(t *testing.T) {
	node, dir := installNode(t)
	mock := buildMock(t)
	script := func(name string) []string { return []string{node, filepath.Join(dir, name)} }
	runClient(t, mock, client{name: "ts1", command: script("ts1.mjs"), transports: untilModern})
	runClient(t, mock, client{
		name: "ts2", command: script("ts2.mjs"), transports: everywhere,
		differs: map[string]string{"notFound": "-32602"}, // it reads the older code as the newer one
	})
	runClient(t, mock, client{
		name: "inspector", command: script("inspector.mjs"), transports: everywhere,
		lacks: map[string]string{
			"completed":    "its command line has no method for completions",
			"pinged":       "its command line has no method for pings",
			"updated":      "its command line has no method for subscriptions",
			"unsubscribed": "its command line has no method for subscriptions",
			"listChanged":  "its command line shows the result of one method, and no notifications",
			"notFound":     "it shows the message of an error and not its code",
		},
	})
}

// occasions are flags of verify that give clients over Streamable HTTP more to react to, by revision.
var occasions = map[string]string{"2025-11-25": "--provoke-stream",
	modern: "--quirk=empty-cursor --page-size=3"}

// runClient runs a client in all its revisions and transports, and compares what it got
// with what the world has, and the verdicts of the mock server with the rulings.
func runClient(t *testing.T, mock string, c client) {
	t.Helper()
	for _, transport := range []string{"stdio", "http", "sse"} {
		for _, revision := range c.transports[transport] {
			t.Run(c.name+"/"+transport+"/"+revision, func(t *testing.T) {
				r, o := underVerify(t, mock, c, revision, transport)
				compare(t, c, revision, o)
				rule(t, c, revision, transport, "", r)
				if flags := occasions[revision]; flags != "" && transport == "http" {
					r, _ := underVerify(t, mock, c, revision, transport, strings.Fields(flags)...)
					rule(t, c, revision, transport, flags, r)
				}
			})
		}
	}
}

// underVerify runs a client under "mockserver verify", with flags.
func underVerify(t *testing.T, mock string, c client, revision, transport string,
	flags ...string) (*reports.Report, outcome.Outcome) {
	t.Helper()
	dir := t.TempDir()
	world, err := filepath.Abs(filepath.Join("testdata", "clients.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	report, result := filepath.Join(dir, "report.json"), filepath.Join(dir, "outcome.json")
	place := map[string]string{"stdio": "{stdio}", "http": "{url}", "sse": "{sse}"}[transport]
	args := []string{"verify", "--world", world, "--revision", revision, "--json", report, "--no-color",
		"--env-pass", outcome.File}
	args = append(append(append(append(args, flags...), "--"), c.command...), revision, transport, place)
	cmd := exec.CommandContext(t.Context(), mock, args...)
	cmd.Env = append(os.Environ(), outcome.File+"="+result)
	out, err := cmd.CombinedOutput() // that it finds something is seen in the report
	if len(out) > keptOutput {
		out = out[len(out)-keptOutput:]
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("mockserver verify: %v\n%s", err, out)
		}
	})
	var o outcome.Outcome
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("the client did not come to its end: %v", err)
	}
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(report)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := reports.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv(saved); path != "" && len(flags) == 0 {
		save(t, r, filepath.Join(path, strings.Join([]string{"client", c.name, transport, revision}, "-")+
			".json"))
	}
	return r, o
}

// expected is what a client with everything gets.
func expected(revision string) outcome.Outcome {
	o := outcome.Outcome{
		Revision: revision,
		Resources: []string{outcome.Text, outcome.Blob, outcome.Clock, outcome.Escaped, "note:five",
			"note:six", "note:seven"},
		Templates: []string{outcome.Template, "one:{x}", "two:{x}", "three:{x}"},
		Text:      "Hello, world!\n",
		Blob:      "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
		Escaped:   "Escaped.\n",
		Expanded:  "City of rome\n",
		Completed: []string{"paris", "parma"},
		Updated:   outcome.Clock, Unsubscribed: true, ListChanged: true, Pinged: true, NotFound: -32002,
	}
	if revision >= modern { // has no pings, and another code
		o.Pinged, o.NotFound = false, -32602
	}
	return o
}

func compare(t *testing.T, c client, revision string, got outcome.Outcome) {
	t.Helper()
	g, w := members(t, got), members(t, expected(revision))
	for name := range w {
		want := w[name]
		if c.lacks[name] != "" {
			want = members(t, outcome.Outcome{})[name]
		}
		if c.differs[name] != "" && revision < modern {
			want = json.RawMessage(c.differs[name])
		}
		if !bytes.Equal(g[name], want) {
			t.Errorf("%s is %s; want %s", name, g[name], want)
		}
	}
	if _, err := base64.StdEncoding.DecodeString(got.Blob); err != nil {
		t.Errorf("the blob: %v", err)
	}
}

func members(t *testing.T, o outcome.Outcome) map[string]json.RawMessage {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// clientRuling says that a verdict against a client is just.
type clientRuling struct {
	client string
	id     string
	// revisions and transports are those concerned; none means all.
	revisions, transports []string
	verdict               reports.Verdict
	// flags are those of occasions with which it is seen; empty where it is seen without any.
	flags string
	// section is the place in the specification on which the catalogue rests the requirement.
	section string
	// sometimes says that it depends on what comes first whether the verdict is given.
	sometimes bool
	ruling    string // why the verdict is just
	seen      string // what the client does
}

func (r *clientRuling) about(client, revision, transport, flags string) bool {
	return r.client == client && (r.flags == flags || r.flags == "") &&
		(len(r.revisions) == 0 || slices.Contains(r.revisions, revision)) &&
		(len(r.transports) == 0 || slices.Contains(r.transports, transport))
}

// rule compares the red verdicts of a report with the rulings on the client: each
// needs one, and each ruling has to be seen.
func rule(t *testing.T, c client, revision, transport, flags string, r *reports.Report) {
	t.Helper()
	met := 0
	seen := map[string]bool{}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Revision != revision || x.Transport != transport {
			t.Errorf("%s is about %s on %s", x.ID, x.Revision, x.Transport)
		}
		if x.Verdict == reports.Pass {
			met++
		}
		if !x.Verdict.Red() {
			continue
		}
		at := slices.IndexFunc(clientRulings, func(u clientRuling) bool {
			return u.id == x.ID && u.verdict == x.Verdict && u.about(c.name, revision, transport, flags)
		})
		if at < 0 {
			t.Errorf("no ruling on: %s", finding(r, x))
			continue
		}
		seen[x.ID] = true
	}
	for _, u := range clientRulings {
		if u.about(c.name, revision, transport, flags) && !seen[u.id] && !u.sometimes {
			t.Errorf("not seen any more: %s %s", u.verdict, u.id)
		}
	}
	if met < enoughOfClient {
		t.Errorf("only %d requirements are met: the run judged too little", met)
	}
}

// finding is a red verdict with its evidence.
func finding(r *reports.Report, x *reports.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s, %s)\n  expected %s\n  actual   %s", x.Verdict, x.ID, x.Revision,
		x.Transport, x.Section, x.Expected, x.Actual)
	for _, n := range x.Evidence {
		if f := r.Frame(n); f != nil {
			fmt.Fprintf(&b, "\n  #%d %s %s", f.Number, f.Direction, safe.Shorten(string(f.Data), 300))
		}
	}
	return b.String()
}

// TestClientRulings holds that each ruling names a requirement, in whose section it
// stands, and has its sentences.
func TestClientRulings(t *testing.T) {
	for _, u := range clientRulings {
		rule, ok := suite.Catalogue().Find(u.id)
		if !ok {
			t.Errorf("there is no requirement %q", u.id)
			continue
		}
		if !slices.ContainsFunc(rule.Sections, func(s requirement.Section) bool {
			return s.Ref() == u.section
		}) {
			t.Errorf("%s does not rest on the section %q", u.id, u.section)
		}
		if !sentence(u.ruling) || !sentence(u.seen) {
			t.Errorf("%s: the ruling and what is seen are sentences", u.id)
		}
		if !u.verdict.Red() {
			t.Errorf("%s: the verdict is fail or warn, not %q", u.id, u.verdict)
		}
	}
}
