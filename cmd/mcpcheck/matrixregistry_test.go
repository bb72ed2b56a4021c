//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
)

// fakeTools stand for npx, uvx and docker. A package does what its name says; what is started leaves a line.
const fakeTools = `#!/bin/sh
spec=
for word; do
	case $word in *@1.0.0 | *==1.0.0 | *:1.0.0) spec=${word#--package=} ;; esac
done
case "$(basename "$0") $*" in
"npx -y --package="* | "uvx --from "* | "docker pull "*)
	case $spec in gone*)
		echo "npm warn old" >&2
		echo "npm error code E404" >&2
		echo "npm error 404 Not Found - GET https://registry.example/gone - Not found" >&2
		exit 1 ;;
	esac
	echo kept >"$HOME/fetched"
	exit 0 ;;
esac
echo "$spec" >>STARTED
[ -f "$HOME/fetched" ] && [ "$(pwd -P)" = "$(cd "$HOME" && pwd -P)" ] || exit 9
case $spec in
crash*) echo "Error: Cannot find module 'left-pad'" >&2; exit 3 ;;
hang*) exec cat >/dev/null ;;
keyed*) echo "Error: SERVICE_API_KEY environment variable is required" >&2; exit 1 ;;
given*) [ "$GIVEN_KEY$SET$LEAK" = 'a value for itfixed${MCPCHECK_TEST_SECRET}' ] || exit 4 ;;
esac
[ -z "$MCPCHECK_TEST_SECRET$XDG_CONFIG_HOME" ] || exit 5
exec BADTARGET good
`

// localRegistry is a registry of 200 servers, of which 20 cannot be judged, in ten ways and more.
type localRegistry struct {
	mu      sync.Mutex
	entries []map[string]any
	want    map[string]string // the status of each
	asked   []string
}

func (l *localRegistry) add(name, status string, server map[string]any, meta map[string]any) {
	server["name"], server["description"] = name, "a server <b>of a test</b>"
	if server["version"] == nil {
		server["version"] = "1.0.0"
	}
	l.entries = append(l.entries, map[string]any{"server": server, "_meta": meta})
	if status == reports.MatrixInvalid {
		name = fmt.Sprintf("entry-%d", len(l.entries))
	}
	l.want[name] = status
}

func (l *localRegistry) pack(name, status, kind, identifier string, more map[string]any) {
	p := map[string]any{"registryType": kind, "identifier": identifier, "version": "1.0.0",
		"transport": map[string]any{"type": "stdio"}}
	for k, v := range more {
		p[k] = v
	}
	l.add(name, status, map[string]any{"packages": []any{p}}, nil)
}

func (l *localRegistry) remote(name, status, url string, meta map[string]any) {
	remote := map[string]any{"type": "streamable-http", "url": url}
	l.add(name, status, map[string]any{"remotes": []any{remote}}, meta)
}

func official(status string) map[string]any {
	return map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{"status": status,
		"statusMessage": "no longer kept"}, "example/other": []any{1}}
}

func (l *localRegistry) fill(remote string) {
	key := func(required bool) map[string]any {
		return map[string]any{"environmentVariables": []any{map[string]any{"name": "MY_KEY", "isSecret": true,
			"isRequired": required}}}
	}
	l.pack("io.example/npm", reports.MatrixJudged, "npm", "@scope/good", nil)
	l.pack("io.example/pypi", reports.MatrixJudged, "pypi", "good", nil)
	l.pack("io.example/oci", reports.MatrixJudged, "oci", "ghcr.io/example/good", key(false))
	fixed := map[string]any{"x": map[string]any{"default": "fixed"}}
	l.pack("io.example/given", reports.MatrixJudged, "npm", "given", map[string]any{
		"environmentVariables": []any{
			map[string]any{"name": "GIVEN_KEY", "isRequired": true, "isSecret": true},
			map[string]any{"name": "SET", "value": "{x}", "variables": fixed},
			map[string]any{"name": "LEAK", "default": "${MCPCHECK_TEST_SECRET}"}}})
	l.remote("io.example/old", reports.MatrixJudged, remote, official("deprecated"))
	for i := range 175 {
		l.remote(fmt.Sprintf("io.example/remote-%d", i), reports.MatrixJudged, remote, official("active"))
	}
	l.add("io.example/number", reports.MatrixInvalid, map[string]any{"version": 7}, nil)
	l.add("io.example/none", reports.MatrixInvalid, map[string]any{"version": ""}, nil)
	l.pack("io.example/option", reports.MatrixInvalid, "npm", "--call=id", nil)
	l.remote("../../escape", reports.MatrixInvalid, remote, nil)
	l.remote("<script>alert(1)</script>/x", reports.MatrixInvalid, remote, nil)
	l.remote("\x1b]0;title\x07/x", reports.MatrixInvalid, remote, nil)
	l.remote("io.example/npm", reports.MatrixInvalid, remote, nil) // name and version, again
	l.add("io.example/types", reports.MatrixInvalid, map[string]any{"packages": map[string]any{"a": 1}}, nil)
	l.pack("io.example/mcpb", reports.MatrixNotStartable, "mcpb", "https://example.com/x.mcpb", nil)
	l.pack("io.example/strange", reports.MatrixNotStartable, "floppy", "disk", nil)
	l.pack("io.example/open", reports.MatrixNotStartable, "oci", "ghcr.io/example/open", map[string]any{
		"runtimeArguments": []any{map[string]any{"type": "named", "name": "-v", "value": "/:/host"}}})
	l.add("io.example/empty", reports.MatrixNotStartable, map[string]any{}, nil)
	l.pack("io.example/gone", reports.MatrixNotInstalled, "npm", "gone", nil)
	l.pack("io.example/crash", reports.MatrixBroken, "npm", "crash", nil)
	l.pack("io.example/hang", reports.MatrixBroken, "pypi", "hang", nil)
	l.remote("io.example/refuses", reports.MatrixBroken, "http://"+closedPort()+"/mcp", nil)
	l.pack("io.example/key", reports.MatrixNeedsKey, "npm", "key", key(true))
	l.pack("io.example/keyed", reports.MatrixNeedsKey, "npm", "keyed", nil)
	l.pack("io.example/optional", reports.MatrixNeedsKey, "npm", "crash-without", key(false))
	l.remote("io.example/deleted", reports.MatrixDeleted, remote, official("deleted"))
}

// ServeHTTP gives 30 servers a page, and is busy once.
func (l *localRegistry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, r.Header.Get("User-Agent")+" "+r.URL.RequestURI())
	if len(l.asked) == 2 {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	to := min(from+30, len(l.entries))
	meta := map[string]any{"count": to - from}
	if to < len(l.entries) {
		meta["nextCursor"] = strconv.Itoa(to)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"servers": l.entries[from:to], "metadata": meta})
}

// TestRegistry: of each of 200 servers the matrix says the right word. A second run judges only what has
// changed. Nearly all remotes are one server. What judges it is started for a few of them, and its output is
// taken for the others, unless MCPCHECK_LONG is set.
func TestRegistry(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(dir, "tools")
	if err := os.MkdirAll(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	started := filepath.Join(dir, "started")
	for _, name := range []string{"npx", "uvx", "docker"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(strings.NewReplacer("BADTARGET",
			filepath.Join(tools, "badtarget"), "STARTED", started).Replace(fakeTools)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(tools, "badtarget")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("MCPCHECK_TEST_SECRET", "s3cr3t-of-the-caller")
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("GIVEN", "a value for it")
	values := filepath.Join(dir, "values.yaml")
	err = os.WriteFile(values, []byte("io.example/given: {GIVEN_KEY: {env: GIVEN}}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	world, err := reference.NamedWorld("small")
	if err != nil {
		t.Fatal(err)
	}
	server, err := reference.New(world, reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	mock := httptest.NewServer(server.Handler())
	t.Cleanup(mock.Close)
	local := &localRegistry{want: map[string]string{}}
	local.fill(mock.URL + "/mcp")
	web := httptest.NewServer(local)
	t.Cleanup(web.Close)

	children := fewProcesses(t, mock.URL)
	out := filepath.Join(dir, "out")
	var console bytes.Buffer
	matrix := func(more ...string) *reports.Matrix {
		t.Helper()
		console.Reset()
		_ = os.Remove(started)
		children()
		args := slices.Concat([]string{"matrix", "--registry", web.URL, "--values", values, "--out", out,
			"--meta", "com.example", "--certificate-url", "https://example.com/certificates", "--bound",
			"2m"}, more, []string{"--", "--quick", "--only", "LIST-01", "--start-timeout", "2s"})
		status := run(t.Context(), args, strings.NewReader(""), &console, &console)
		m, err := readMatrix(filepath.Join(out, "matrix.json"))
		if err != nil || status != exitNotEstablished {
			t.Fatalf("status %d, %v\n%s", status, err, &console)
		}
		return m
	}
	m := matrix()
	checkCertificates(t, out, m)
	for _, c := range m.Targets {
		if c.Status != local.want[c.Name] {
			t.Errorf("%s is %q, not %q: %s", c.Name, c.Status, local.want[c.Name], c.Error)
		}
		if (c.Error == "") != (c.Status == reports.MatrixJudged) {
			t.Errorf("%s is %s: %q", c.Name, c.Status, c.Error)
		}
	}
	if len(m.Targets) != 200 || len(local.want) != 200 {
		t.Errorf("%d targets, %d wanted", len(m.Targets), len(local.want))
	}
	if n := len(local.asked); n != 8 || !strings.Contains(local.asked[7], "version=latest") ||
		!strings.HasPrefix(local.asked[0], "mcpcheck/") {
		t.Errorf("the registry was asked: %q", local.asked)
	}
	for _, word := range []string{"\x1b", "s3cr3t"} {
		if strings.Contains(console.String(), word) {
			t.Errorf("the console has %q in it", word)
		}
	}
	checkRegistry(t, out, mock.URL)

	// Nothing has changed: nothing is started. What failed is tried again if that is wanted.
	if again := matrix(); children() != 0 || len(again.Targets) != 200 ||
		again.Summary.String() != m.Summary.String() {
		t.Errorf("%s; first it was %s", again.Summary, m.Summary)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a server was started though nothing has changed")
	}
	matrix("--again=failed")
	if n := children(); n != 5 {
		t.Errorf("%d processes judge what failed", n)
	}
	// One server has a new version, one has a new name, and so a third one has a name that was taken.
	local.entries[10]["server"].(map[string]any)["version"] = "1.0.1"
	local.entries[0]["server"].(map[string]any)["name"] = "io.example/new"
	m = matrix()
	if n := children(); n != 3 || len(m.Targets) != 200 {
		t.Errorf("%d processes judge what has changed\n%s", n, &console)
	}
	if n := runtime.NumGoroutine(); n > 200 {
		t.Errorf("%d goroutines are left", n)
	}
}

// checkCertificates: each server that was judged has a certificate. The one of a server with a key holds, and
// has neither the key in it nor a path of this machine.
func checkCertificates(t *testing.T, out string, m *reports.Matrix) {
	t.Helper()
	for _, c := range m.Targets {
		if c.Status != reports.MatrixJudged {
			continue
		}
		data, err := os.ReadFile(filepath.Join(out, c.Certificate))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if c.Name != "io.example/given" {
			continue
		}
		sealed, err := certificate.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		v := certificate.Verify(t.Context(), sealed, certificate.Options{Tool: tool()})
		recorded, err := sealed.Recording()
		all := string(sealed.Member(certificate.ReportMember)) + string(recorded)
		if err != nil || len(v.Problems) > 0 || len(sealed.Statement.Packages) != 1 ||
			strings.Contains(all, "a value for it") || strings.Contains(all, homePrefix) {
			t.Errorf("%s: %v, %q, %+v", c.Name, err, v.Problems, sealed.Statement)
		}
	}
}

// fewProcesses replaces how processes are started, for the test. The function says how many were since it was
// called before.
func fewProcesses(t *testing.T, remote string) func() int {
	var mu sync.Mutex
	var kept, sealed []byte
	n := 0
	name := os.Args[0]
	os.Args[0] = "mcpcheck"
	execute = func(cmd *exec.Cmd) error {
		same := slices.ContainsFunc(cmd.Args, func(s string) bool { return strings.HasPrefix(s, remote) })
		mu.Lock()
		n++
		have, seal := kept, sealed
		mu.Unlock()
		certificate := cmd.Args[slices.Index(cmd.Args, "-o")+1]
		if same && have != nil && os.Getenv("MCPCHECK_LONG") == "" {
			_, err := cmd.Stdout.Write(have)
			return errors.Join(err, os.WriteFile(certificate, seal, 0o600))
		}
		var out bytes.Buffer
		to := cmd.Stdout
		cmd.Stdout = &out
		err := cmd.Run()
		if same && err == nil {
			data, _ := os.ReadFile(certificate)
			mu.Lock()
			kept, sealed = out.Bytes(), data
			mu.Unlock()
		}
		_, _ = to.Write(out.Bytes())
		return err
	}
	t.Cleanup(func() { os.Args[0], execute = name, (*exec.Cmd).Run })
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		defer func() { n = 0 }()
		return n
	}
}

// checkRegistry: the page lists the valid servers as they came, with our results in _meta; each server that
// was judged has a certificate; nothing stands in a directory that its name asks for.
func checkRegistry(t *testing.T, out, remote string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, "v0.1", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Servers []struct {
			Server struct {
				Name, Description string
				Remotes           []struct{ URL string }
			}
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		Metadata struct{ Count int }
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Servers) != 192 || page.Metadata.Count != 192 {
		t.Errorf("the page lists %d servers", len(page.Servers))
	}
	for _, s := range page.Servers {
		ours := s.Meta["com.example/mcpcheck"]
		if len(ours) == 0 || len(ours) > 4096 || s.Server.Description != "a server <b>of a test</b>" {
			t.Errorf("%s: %d bytes of ours: %.300s", s.Server.Name, len(ours), ours)
		}
		if s.Server.Name == "io.example/old" && (s.Server.Remotes[0].URL != remote+"/mcp" ||
			string(s.Meta["example/other"]) != "[1]" || !strings.Contains(string(ours),
			`https://example.com/certificates/io.example-old-`)) {
			t.Errorf("%s: %s", s.Server.Name, s.Meta)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(out)), "escape")); err == nil {
		t.Error("a name has led to another directory")
	}
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "mcpcheck-home-*"))
	if err != nil || len(dirs) > 0 {
		t.Errorf("homes are left: %v, %v", dirs, err)
	}
}
