package target

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/environ"
)

// TestStartedErrors: what does not fit together in an endpoint whose server is started is
// told with the line and the field.
func TestStartedErrors(t *testing.T) {
	for src, want := range map[string]string{
		"command: [a]\n  url: http://127.0.0.1:{port}/": `target.yaml:3: ` +
			`endpoints[0].url has {port}, but the program is not told that port: write {port} in an argument`,
		"command: [a, '{port}']\n  url: http://127.0.0.1:1/": `target.yaml:3: ` +
			`endpoints[0].url must have {port} for the port`,
		"command: [a]\n  env: {PORT: '{port}'}\n  url: http://127.0.0.1:1/": `target.yaml:4: ` +
			`endpoints[0].url must have {port} for the port`,
		"command: [a]\n  url: http://127.0.0.1/": `target.yaml:3: ` +
			`endpoints[0].url must have a port, or {port} for one that is free`,
		"command: [a, '{port}']\n  url: http://example.com:{port}/": `endpoints[0].url ` +
			`must name this machine (127.0.0.1, localhost or [::1])`,
		"command: [a, '{port}']\n  url: http://127.0.0.1:{port}/\n  ready: soon": `target.yaml:4: ` +
			`endpoints[0].ready must be tcp, http or output:PATTERN, not "soon"`,
		"command: [a]\n  url: http://127.0.0.1:1/\n  ready: 'output:('": `endpoints[0].ready ` +
			`has no regular expression behind output`,
		"url: http://127.0.0.1:{port}/": `endpoints[0].url has ` +
			`{port} for the port, but no command`,
		"url: http://127.0.0.1:1/\n  ready: http": `target.yaml:3: ` +
			`endpoints[0].ready needs a command and a url`,
		"command: [a]\n  ready: http": `endpoints[0].ready ` +
			`needs a command and a url`,
		"command: [a, '{port}']\n  url: http://127.0.0.1:{port}/\n  " +
			"transport: ws": `transport must be auto, http or sse`,
	} {
		_, err := Parse("target.yaml", []byte("endpoints:\n- "+src), known(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
		}
	}
}

// TestServeFlags: a command and an address on the command line, in each way of writing them.
func TestServeFlags(t *testing.T) {
	for _, x := range []struct {
		name    string
		flags   Flags
		given   []string
		command []string
		url     string
		words   []string
		err     string
	}{
		{"serve", Flags{Serve: "node 'my server.js' --port {port}"}, []string{"serve"}, nil, DefaultURL,
			[]string{"node", "my server.js", "--port", "{port}"}, ""},
		{"serve at", Flags{Serve: "srv {port}", URL: "http://localhost:{port}/x"}, []string{"serve", "url"},
			nil, "http://localhost:{port}/x", []string{"srv", "{port}"}, ""},
		{"variable", Flags{Serve: "srv", Grant: environ.Grant{Set: []string{"PORT={port}"}}},
			[]string{"serve", "env"}, nil, DefaultURL, []string{"srv"}, ""},
		{"own port", Flags{Serve: "srv", URL: "http://127.0.0.1:3001/mcp"}, []string{"serve", "url"}, nil,
			"http://127.0.0.1:3001/mcp", []string{"srv"}, ""},
		{"behind the dash", Flags{URL: DefaultURL}, []string{"url"}, []string{"srv", "{port}"}, DefaultURL,
			[]string{"srv", "{port}"}, ""},
		{"no port", Flags{Serve: "srv"}, []string{"serve"}, nil, "", nil,
			"not told at which port to listen: write {port} in its command, or --env PORT={port}"},
		{"port told in vain", Flags{Serve: "srv {port}", URL: "http://127.0.0.1:1/mcp"},
			[]string{"serve", "url"}, nil, "", nil, "--url must have {port}"},
		{"nobody to start", Flags{URL: DefaultURL}, []string{"url"}, nil, "", nil, "no command is given"},
		{"twice", Flags{Serve: "a {port}"}, []string{"serve"}, []string{"b"}, "", nil,
			"give the command once"},
		{"with a file", Flags{Serve: "a {port}", Config: "x"}, []string{"serve", "config"}, nil, "", nil,
			"give one of"},
		{"nothing", Flags{}, []string{"serve"}, nil, "", nil, "--serve holds no command"},
		{"open quote", Flags{Serve: "'a"}, []string{"serve"}, nil, "", nil, "cannot be read"},
		{"ready for nothing", Flags{URL: "http://127.0.0.1:1/", Ready: "http"}, []string{"url", "ready"}, nil,
			"", nil, "--ready goes with"},
		{"strange ready", Flags{Serve: "a {port}", Ready: "now"}, []string{"serve", "ready"}, nil, "", nil,
			"--ready must be tcp"},
	} {
		got, err := x.flags.Target(known(t), func(name string) bool {
			return slices.Contains(x.given, name)
		}, x.command != nil, x.command)
		if x.err != "" {
			if err == nil || !strings.Contains(err.Error(), x.err) {
				t.Errorf("%s: %v, not %s", x.name, err, x.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if e := got.Endpoints[0]; e.URL != x.url || !slices.Equal(e.Command, x.words) || !e.Started() ||
			e.Owned() || e.Transport() != "" || !e.Local() {
			t.Errorf("%s: %+v", x.name, e)
		}
	}
}

// TestServedAddress: what is shown is what was written, less secrets.
func TestServedAddress(t *testing.T) {
	e := Endpoint{Command: []string{"srv", "--token", "s3cret-s3cret", "--port", "{port}"},
		URL: "http://me:pass-word@[::1]:{port}/mcp?key=k-k-k-k-k"}
	if got, want := e.Address(), "http://***:***@[::1]:{port}/mcp?key=***"; got != want &&
		got != "http://***@[::1]:{port}/mcp?key=***" {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := e.CommandWithout(func(s string) string {
		return s
	}), "srv --token *** --port {port}"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := e.Label(), "srv --token *** --port {port}"; got != want {
		t.Errorf("it is named %s, not %s", got, want)
	}
	target := &Target{Endpoints: []Endpoint{e}}
	for _, want := range []string{"s3cret-s3cret", "pass-word", "k-k-k-k-k"} {
		if !slices.Contains(target.stated(), want) {
			t.Errorf("%s is no secret", want)
		}
	}
}

// TestServe: endpoints with one command and one place share a server, others have their own,
// and those that are not wanted have none. What could not be started says why when it is called.
func TestServe(t *testing.T) {
	here := func(path string) Endpoint {
		return Endpoint{Command: []string{"/does/not/exist", "{port}"}, URL: "http://127.0.0.1:{port}/" +
			path, Forced: "http"}
	}
	other := here("mcp")
	other.Dir = t.TempDir()
	before := &Target{Endpoints: []Endpoint{here("mcp"), here("sse"), other, here("unwanted"),
		{URL: "http://127.0.0.1:1/"}}}
	after, stop, err := before.Serve(t.Context(), time.Minute, func(e *Endpoint) bool {
		return !strings.Contains(e.URL, "unwanted")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	a, b, c, d := after.Endpoints[0], after.Endpoints[1], after.Endpoints[2], after.Endpoints[3]
	if a.Server() == nil || a.Server() != b.Server() || c.Server() == a.Server() || d.Server() != nil ||
		after.Endpoints[4].Server() != nil {
		t.Errorf("servers: %p %p %p %p", a.Server(), b.Server(), c.Server(), d.Server())
	}
	if strings.Contains(a.URL, "{port}") || a.Address() != before.Endpoints[0].URL ||
		before.Endpoints[0].Server() != nil {
		t.Errorf("%s, shown as %s", a.URL, a.Address())
	}
	if again, _, _ := after.Serve(t.Context(), time.Minute, func(e *Endpoint) bool {
		return e.Server() != nil
	}); again != after {
		t.Error("what was started is started again")
	}
	dialer, err := a.Dialer(DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dialer.Dial(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("it was dialled: %v", err)
	}
	if _, err := d.Dialer(DialOptions{}); err == nil || !strings.Contains(err.Error(), "was not started") {
		t.Errorf("it can be dialled: %v", err)
	}
}

// TestServedTriggers: the port of a server stands in the triggers as well, and the file's own are as they
// were.
func TestServedTriggers(t *testing.T) {
	before, err := Parse("target.yaml", []byte(`
endpoints:
- {command: [/does/not/exist, '{port}'], url: 'http://127.0.0.1:{port}/mcp'}
triggers:
  update: {uri: a:1, http: {url: 'http://127.0.0.1:{port}/touch?at={port}', body: '{port}'}}
  add: {exec: {command: [touch, 'at-{port}'], env: {AT: '{port}'}}}
`), known(t))
	if err != nil {
		t.Fatal(err)
	}
	after, stop, err := before.Serve(t.Context(), time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	port := after.Endpoints[0].Server().URL("{port}")
	update, add := after.Triggers.Update, after.Triggers.Add
	if want := "http://127.0.0.1:" + port + "/touch?at=" + port; update.HTTP.URL != want ||
		update.HTTP.Body != port || update.URI != "a:1" {
		t.Errorf("%+v", update.HTTP)
	}
	if add.Exec.Command[1] != "at-"+port || add.Exec.Env["AT"].Value != port ||
		before.Triggers.Add.Exec.Command[1] != "at-{port}" {
		t.Errorf("%+v", add.Exec)
	}
}

// TestWhatCannotOccur: the reader of a file names, with line and field, what no run could use.
func TestWhatCannotOccur(t *testing.T) {
	const here, process, old = "endpoints: [{url: 'http://h'}]\n", "endpoints: [{command: [a]}]\n",
		"revisions: [2025-03-26]\n"
	const update = "triggers:\n  update:\n    uri: a:1\n    http: {url: 'http://h"
	for src, want := range map[string]string{
		here + update + ":{port}/'}": `target.yaml:3: triggers.update ` +
			`has {port} for the port, but no endpoint starts a server at one`,
		here + "triggers:\n  add:\n    exec: {command: [a, " +
			"'{port}']}": `target.yaml:3: triggers.add has {port}`,
		"endpoints:\n- {command: [a, '{port}'], url: 'http://127.0.0.1:{port}/'}\n- {command: [b," +
			" '{port}'], url: 'http://127.0.0.1:{port}/'}\n" +
			update + ":{port}/'}": `triggers.update has {port} for the port, but several endpoints start ` +
			`servers`,
		here + update +
			"/{uri}'}": `target.yaml:5: triggers.update.http.url has {uri}, which nothing fills in`,
		here + old +
			"subjects:\n  input: {uri: a:1}": `target.yaml:4: subjects.input needs the revision ` +
			`2026-07-28 or a later one`,
		process + old + "triggers:\n  shutdown: {wait: " +
			"{for: 1s}}": `triggers.shutdown needs the revision 2026-07-28`,
		process + old + "subjects: {completions: [{template: 'a:{x}', values: [b], context: " +
			"{x: y}}]}": `subjects.completions[0].context needs the revision 2025-06-18`,
		process +
			"origins: ['https://a.example']": `target.yaml:2: origins needs an endpoint with a url`,
		process + "identities: [{name: a, headers: " +
			"{A: b}}]": `identities[0].headers needs an endpoint with a url`,
		here +
			"identities: [{name: a, env: {A: b}}]": `identities[0].env needs an endpoint over stdio`,
		"endpoints: [{url: 'http://h', transport: sse}]\nsubjects: {input: " +
			"{uri: a:1}}": `subjects.input needs the revision 2026-07-28`,
		"endpoints: [{command: [a], revisions: [2025-03-26]}, {command: [b]}]\nsubjects: {input: " +
			"{uri: a:1}}": "",
	} {
		_, err := Parse("target.yaml", []byte(src), known(t))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
		}
	}
}
