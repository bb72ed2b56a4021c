package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// one is a list with a server that has these members, beside those that it needs.
func one(members string) []byte {
	return fmt.Appendf(nil, `[{"name": "io.example/x", "description": "d", "version": "1.0.0", %s}]`, members)
}

// packed is a server with a package of a kind.
func packed(kind, identifier, more string) []byte {
	return one(fmt.Sprintf(`"packages": [{"registryType": %q, "identifier": %q, "version": "1.2.3",
		"transport": {"type": "stdio"} %s}]`, kind, identifier, more))
}

func first(t testing.TB, data []byte, local bool) *Entry {
	t.Helper()
	list, _, err := parse(strings.NewReader(string(data)))
	if err != nil || len(list) == 0 {
		t.Fatalf("%v\n%s", err, data)
	}
	return entries(list, local)[0]
}

// TestStart: how servers are started, by their entries and what the user gives.
func TestStart(t *testing.T) {
	listens := `{"type": "streamable-http", "url": "http://127.0.0.1:{PORT}/mcp"}`
	for name, c := range map[string]struct {
		entry  []byte
		values map[string]string
		want   string // the command, the URL, and variables and headers
	}{
		"npm": {packed("npm", "@s/n", ""), nil, "npx -y @s/n@1.2.3"},
		"its arguments": {packed("npm", "n", `, "runtimeHint": "npx",
			"runtimeArguments": [{"type": "named", "name": "--silent"}],
			"packageArguments": [{"type": "positional", "value": "stdio"},
				{"type": "named", "name": "--root", "value": "{dir}/x", "variables": {"dir": {"default": "/a b"}}},
				{"type": "named", "name": "--port", "format": "number"},
				{"type": "positional", "valueHint": "extra", "isRequired": true}]`),
			map[string]string{"extra": "$(id)"}, "npx -y --silent n@1.2.3 stdio --root /a b/x $(id)"},
		"pypi":   {packed("pypi", "n", ""), nil, "uvx n==1.2.3"},
		"oci":    {packed("oci", "ghcr.io/o/n", ""), nil, "docker run -i --rm ghcr.io/o/n:1.2.3"},
		"a tag":  {packed("oci", "localhost:5000/n:1", ""), nil, "docker run -i --rm localhost:5000/n:1"},
		"no tag": {packed("oci", "localhost:5000/n", ""), nil, "docker run -i --rm localhost:5000/n:1.2.3"},
		"variables": {packed("oci", "n", `, "environmentVariables": [{"name": "A", "default": "1"},
			{"name": "B", "isRequired": true}, {"name": "C"}, {"name": "D", "value": "{e}",
			"variables": {"e": {"isSecret": true}}}]`), map[string]string{"B": "2", "e": "5"},
			"docker run -i --rm -e A -e B -e D n:1.2.3 A=1 given B=2 given D=5"},
		"a port": {one(`"packages": [{"registryType": "npm", "identifier": "n", "version": "1",
			"transport": ` + listens + `, "environmentVariables": [{"name": "PORT", "default": "80"}]}]`), nil,
			"npx -y n@1 http://127.0.0.1:{port}/mcp PORT={port}"},
		"a port of the user's": {one(`"packages": [{"registryType": "npm", "identifier": "n", "version": "1",
			"transport": ` + listens + `, "packageArguments": [{"type": "named", "name": "--PORT"}]}]`),
			map[string]string{"--PORT": "81"}, "npx -y n@1 --PORT 81 http://127.0.0.1:81/mcp"},
		"a remote": {one(`"remotes": [{"type": "sse", "url": "https://{t}.example.com/sse", "variables":
			{"t": {"isRequired": true}}, "headers": [{"name": "Authorization", "value": "Bearer {k}",
			"variables": {"k": {"isRequired": true}}}, {"name": "X", "value": "{n}", "variables": {"n": {}}}]}]`),
			map[string]string{"t": "me", "k": "key"}, "https://me.example.com/sse Authorization: Bearer key"},
		"the second way": {one(`"packages": [{"registryType": "mcpb", "identifier": "x", "transport":
			{"type": "stdio"}}], "remotes": [{"type": "sse", "url": "https://example.com/"}]`), nil,
			"https://example.com/"},
	} {
		s, why := first(t, c.entry, false).Start(c.values, func(string) bool { return true })
		if why != nil {
			t.Errorf("%s: %+v", name, why)
			continue
		}
		words := slices.Clone(s.Command)
		if s.URL != "" {
			words = append(words, s.URL)
		}
		for _, name := range []string{"A", "PORT"} {
			if v, ok := s.Env[name]; ok {
				words = append(words, name+"="+v)
			}
		}
		for _, name := range []string{"B", "D"} {
			if v, ok := s.Given[name]; ok {
				words = append(words, "given", name+"="+v)
			}
		}
		for name, v := range s.Headers {
			words = append(words, name+":", v)
		}
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
		if len(s.Secrets) != len(c.values) {
			t.Errorf("%s: %q are secret", name, s.Secrets)
		}
	}
}

// TestRefused: what is not started, and why.
func TestRefused(t *testing.T) {
	remote := func(url string) []byte {
		return one(fmt.Sprintf(`"remotes": [{"type": "streamable-http", "url": %q}]`, url))
	}
	for _, c := range []struct {
		entry        []byte
		status, says string
	}{
		{packed("npm", "n", `, "registryBaseUrl": "https://npm.evil.example"`), reports.MatrixNotStartable,
			"another registry than npmjs.org"},
		{packed("pypi", "n", `, "runtimeHint": "python", "runtimeArguments": [{"type": "positional",
			"value": "-m"}]`), reports.MatrixNotStartable, "runtimeArguments are for python"},
		{packed("pypi", "none", ""), reports.MatrixNotStartable, "uvx is not installed"},
		{packed("oci", "n", `, "runtimeArguments": [{"type": "positional", "value": "--privileged"}]`),
			reports.MatrixNotStartable, "--privileged"},
		{packed("oci", "n", `, "runtimeArguments": [{"type": "positional", "value": "-v/:/x"}]`),
			reports.MatrixNotStartable, "-v/:/x"},
		{remote("http://127.0.0.1/"), reports.MatrixNotStartable, "private network"},
		{remote("http://169.254.169.254/latest"), reports.MatrixNotStartable, "private network"},
		{remote("http://x.LOCALHOST./"), reports.MatrixNotStartable, "private network"},
		{remote("http://[::ffff:127.0.0.1]/"), reports.MatrixNotStartable, "private network"},
		{remote("https://{host}/"), reports.MatrixNotStartable, "cannot be used"},
		{remote("file:///etc/passwd"), reports.MatrixInvalid, "/remotes/0/url"},
		{one(`"packages": [{"registryType": "npm", "identifier": "n", "version": "1", "transport": {"type": "sse",
			"url": "https://example.com/"}}]`), reports.MatrixNotStartable, "does not listen on this machine"},
		{packed("npm", "../x", ""), reports.MatrixInvalid, "/packages/0/identifier"},
		{packed("npm", "n", `, "environmentVariables": [{"name": "A=B"}]`), reports.MatrixInvalid, "name"},
		{one(`"name": "../../x"`), reports.MatrixInvalid, "name"},
		{one(`"PACKAGES": [{"registryType": "npm", "identifier": "--call"}]`), reports.MatrixNotStartable,
			"neither a package nor a remote"},
		{one(`"packages": [{"registryType": "npm", "identifier": "n", "version": "latest", "transport":
			{"type": "stdio"}}]`), reports.MatrixInvalid, "/packages/0/version"},
		{one(`"remotes": [{"type": "sse", "url": "https://example.com/", "headers": [{"name": "X-Key",
			"value": "{a}{b}", "variables": {"a": {"isRequired": true}, "b": {"isRequired": true}}}]}]`),
			reports.MatrixNeedsKey, "it needs a, b"},
		{[]byte(`[7]`), reports.MatrixInvalid, "want object"},
	} {
		_, why := first(t, c.entry, false).Start(nil, func(tool string) bool {
			return tool != "uvx" ||
				!strings.Contains(string(c.entry), "none")
		})
		if why == nil || why.Status != c.status || !strings.Contains(why.Reason, c.says) {
			t.Errorf("%s\n%+v, and not %s: %s", c.entry, why, c.status, c.says)
		}
	}
}

// TestRead: a registry cannot keep us for ever, and is left alone while it is busy.
func TestRead(t *testing.T) {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/circle/v0.1/servers":
			fmt.Fprint(w, `{"servers": [], "metadata": {"nextCursor": "again"}}`)
		case "/down/v0.1/servers":
			w.WriteHeader(http.StatusBadGateway)
		case "/page/v0.1/servers":
			fmt.Fprintf(w, `{"servers": [{"server": %s}]}`, strings.Trim(string(one(`"title": "t"`)), "[]"))
		case "/text/v0.1/servers":
			fmt.Fprint(w, "<html>")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(web.Close)
	for path, want := range map[string]struct {
		asked int
		says  string
	}{
		"/circle": {2, "for the second time"}, "/down": {4, "HTTP 502"},
		"/text": {1, "this is no server.json"},
		"/none": {1, "HTTP 404"}, "/page": {1, ""}, "/page/v0.1/servers?search=x": {1, ""},
	} {
		asked = 0
		list, err := Read(t.Context(), web.URL+path, "test")
		switch {
		case asked != want.asked:
			t.Errorf("%s is asked %d times", path, asked)
		case want.says != "" && (err == nil || !strings.Contains(err.Error(), want.says)):
			t.Errorf("%s: %v", path, err)
		case want.says == "" && (err != nil || len(list) != 1 || list[0].Problem != ""):
			t.Errorf("%s: %v, %v", path, list, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, web.URL+"/down", "test"); err == nil {
		t.Error("it goes on when it is told to end")
	}
}

// FuzzEntries: whatever a registry lists is started in a proper way, or refused with a reason.
func FuzzEntries(f *testing.F) {
	f.Add(packed("npm", "n", `, "packageArguments": [{"type": "named", "name": "--a", "value": "{b}"}]`))
	f.Add(packed("oci", "n", `, "environmentVariables": [{"name": "A", "isSecret": true}]`))
	f.Add(one(`"remotes": [{"type": "sse", "url": "http://{a}:{b}/", "variables": {"a": {"default": "x"}}}]`))
	f.Add([]byte(`{"servers": [null, {"server": {}}, 1], "metadata": {"nextCursor": "x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, err := parse(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, e := range entries(list, false) {
			if names[strings.ToLower(e.Name)] || !strings.Contains(e.Name, "entry-") && e.Problem != "" {
				t.Errorf("the name %q, with the problem %q", e.Name, e.Problem)
			}
			names[strings.ToLower(e.Name)] = true
			if _, err := json.Marshal(e.Annotated("com.example/x", 1)); err != nil && e.Problem == "" {
				t.Error(err)
			}
			s, why := e.Start(map[string]string{"a": "b"}, func(string) bool { return true })
			switch {
			case (s == nil) == (why == nil), why != nil && why.Reason == "":
				t.Errorf("%+v, %+v", s, why)
			case s != nil && len(s.Command) > 0 && s.Command[0] != "npx" && s.Command[0] != "uvx" &&
				s.Command[0] != "docker":
				t.Errorf("it starts %q", s.Command)
			case s != nil && len(s.Command) == 0 && !strings.HasPrefix(s.URL, "http"):
				t.Errorf("it asks %q", s.URL)
			}
		}
	})
}
