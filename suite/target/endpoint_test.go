package target

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

func noPipe(context.Context) (io.ReadWriteCloser, error) { return nil, io.EOF }

func TestAddress(t *testing.T) {
	for want, e := range map[string]Endpoint{
		"srv":                          {Command: []string{"srv"}},
		`srv 'a b' '' 'it'\''s' --x=y`: {Command: []string{"srv", "a b", "", "it's", "--x=y"}},
		"srv --token=*** --api-key *** z": {Command: []string{"srv", "--token=t0ken", "--api-key", "k3y",
			"z"}},
		"srv --token --verbose":   {Command: []string{"srv", "--token", "--verbose"}},
		"env API_KEY=*** srv":     {Command: []string{"env", "API_KEY=x", "srv"}},
		"srv postgres://***@db/x": {Command: []string{"srv", "postgres://u:p@db/x"}},
		"npx remote https://h/x --header 'Authorization: ***' -H 'X-Team: ***' -v": {Command: []string{"npx",
			"remote", "https://h/x", "--header", "Authorization: Bearer tok", "-H", "X-Team: reds", "-v"}},
		"x '--header=Cookie: ***' '-HX-Key: ***' --header 'Authorization: ***'": {Command: []string{"x",
			"--header=Cookie: a=b", "-HX-Key:k", "--header", "Authorization:tok"}},
		"x --header *** 'set-cookie: ***' -H 127.0.0.1 key:asc 'Note: plain'": {Command: []string{"x",
			"--header", "tok", "set-cookie: a=b", "-H", "127.0.0.1", "key:asc", "Note: plain"}},
		`sh -c $'true\nexec it\'s'`:     {Command: []string{"sh", "-c", "true\nexec it's"}},
		"https://h:1/mcp":               {URL: "https://h:1/mcp"},
		"https://***@h/mcp?key=***&***": {URL: "https://u:p@h/mcp?key=x&y"},
		"***":                           {URL: "http://h:bad"},
		"https://h/s/***/mcp":           {URL: "https://h/s/hush4f9a8c7e21bd/mcp"},
		"https://h/***/sse":             {URL: "https://h/0af76519-16cd-43dd-8448-eb211c80319c/sse"},
		"https://h/model-context-protocol-2025/api-gateway-v2-production": {URL: "https://h/" +
			"model-context-protocol-2025/api-gateway-v2-production"},
		"srv {port}": {Command: []string{"srv", "{port}"}},
		"pipe":       {Pipe: noPipe},
		"handler":    {Handler: http.NotFoundHandler()},
		"":           {},
	} {
		if got := e.Address(); got != want {
			t.Errorf("Address() = %s, want %s", got, want)
		}
		if e.Label() != want {
			t.Errorf("Label() = %s", e.Label())
		}
		e.Name = "n"
		if e.Label() != "n" {
			t.Errorf("Label() = %s", e.Label())
		}
	}
}

// What is known to be secret is found whatever quotes would make of it.
func TestAddressWithout(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "it's a\nsecret", hidden) }
	e := Endpoint{Command: []string{"sh", "-c", "exec x # it's a\nsecret"}}
	if got := e.AddressWithout(hide); got != "sh -c 'exec x # ***'" {
		t.Errorf("AddressWithout() = %s", got)
	}
	e = Endpoint{URL: "http://h/path"}
	if got := e.AddressWithout(strings.ToUpper); got != "HTTP://H/PATH" {
		t.Errorf("AddressWithout() = %s", got)
	}
}

// The credentials in headers of a command are known as well as hidden.
func TestSecretsOfHeaders(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"--header", "Authorization: Bearer tok"}, []string{"Bearer tok", "tok"}},
		{[]string{"-H", "X-Team: reds"}, []string{"reds"}},
		{[]string{"--header=Authorization: Basic dTpwYXNz"}, []string{"Basic dTpwYXNz", "dTpwYXNz", "pass",
			"u:pass"}},
		{[]string{"-HX-Api-Key: k"}, []string{"k"}},
		{[]string{"--header", "Authorization:tok"}, []string{"tok"}},
		{[]string{"Authorization: Bearer tok"}, []string{"Bearer tok", "tok"}},
		{[]string{"cookie: a=b"}, []string{"a=b"}},
		{[]string{"--auth", "Bearer tok"}, []string{"Bearer tok", "tok"}},
		{[]string{"--header", "whole"}, []string{"whole"}},
		{[]string{"-H", "127.0.0.1:80", "token:generate", "Note: plain", "--header"}, nil},
	} {
		tr := &Target{Endpoints: []Endpoint{{Command: append([]string{"x"}, c.args...)}}}
		if got := tr.stated(); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
	}
}

// The host of a URL is no secret because a variable has it, too: a report would hide its own
// addresses, and no line of it could be used. What is listed as secret stays one.
func TestHostsAreNoSecrets(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:{port}/mcp", "http://127.0.0.1:3000/mcp"} {
		tr := &Target{Endpoints: []Endpoint{{URL: url, Env: map[string]Value{"HOST": Plain("127.0.0.1"),
			"KEY": Plain("127.0.0.2")}}}}
		if got := tr.stated(); !slices.Equal(got, []string{"127.0.0.2"}) {
			t.Errorf("%s: %q", url, got)
		}
		tr.Secret = []Value{Plain("127.0.0.1")}
		if got := tr.stated(); !slices.Equal(got, []string{"127.0.0.1", "127.0.0.2"}) {
			t.Errorf("%s, listed: %q", url, got)
		}
	}
}

func TestLocalAndOwned(t *testing.T) {
	for url, want := range map[string]bool{
		"http://localhost/": true, "http://LOCALHOST.:80/": true, "http://a.localhost": true,
		"http://127.0.0.1": true, "http://127.9.9.9": true,
		"http://[::1]:1/": true, "http://10.0.0.1": true, "http://192.168.1.1": true,
		"http://172.16.0.1": true, "http://[fd00::1]": true,
		"http://169.254.1.1": true, "http://0.0.0.0": true, "http://[::ffff:127.0.0.1]": true,
		"http://example.com": false, "http://8.8.8.8": false, "http://[2001:db8::1]": false,
		"http://localhost.example.com": false,
		"http://172.32.0.1":            false, "http://h:bad": false,
	} {
		e := Endpoint{URL: url}
		if e.Local() != want || e.Owned() {
			t.Errorf("%s: Local() = %v", url, e.Local())
		}
	}
	for url, want := range map[string]bool{
		"http://localhost/": true, "http://127.9.9.9": true, "http://[::1]:1/": true, "http://0.0.0.0": true,
		"http://[::ffff:127.0.0.1]": true,
		"http://10.0.0.1":           false, "http://[fd00::1]": false, "http://169.254.1.1": false,
		"http://example.com": false, "http://h:bad": false,
	} {
		e := Endpoint{URL: url}
		if pace := (&Target{Endpoints: []Endpoint{e}}).Pace(0); e.Loopback() != want || (pace == 0) != want {
			t.Errorf("%s: Loopback() = %v, pace %v", url, e.Loopback(), pace)
		}
	}
	remote := &Target{Endpoints: []Endpoint{{URL: "https://example.com"}}}
	if remote.Pace(-1) != 0 || remote.Pace(7) != 7 {
		t.Error("a rate that was asked for is not kept")
	}
	command := Endpoint{Command: []string{"x"}}
	pipe := Endpoint{Pipe: noPipe}
	if !command.Local() || !command.Owned() || !pipe.Local() || pipe.Owned() {
		t.Error("commands and pipes are local, and only commands are owned")
	}
}

func TestDialer(t *testing.T) {
	t.Setenv("MCPCHECK_TEST_KEY", "key")
	as := &Identity{Name: "w", Env: map[string]Value{"B": Plain("2")},
		Header: map[string]Value{"authorization": Plain("w"), "X-New": Plain("n")}}
	command := Endpoint{Command: []string{"srv", "-x"}, Dir: "d",
		Env: map[string]Value{"A": FromEnv("MCPCHECK_TEST_KEY"), "B": Plain("1")}}
	d, err := command.Dialer(DialOptions{As: as, Limits: transport.Limits{Message: 1}})
	process, ok := d.(*transport.Process)
	if err != nil || !ok || !slices.Equal(process.Env, []string{"A=key", "B=1", "B=2"}) ||
		process.Dir != "d" || process.Limits.Message != 1 || len(process.Argv) != 2 {
		t.Errorf("got %+v, %v", d, err)
	}
	url := Endpoint{URL: "http://h/mcp", CAFile: "ca", Header: map[string]Value{"Authorization": Plain("own"),
		"X-App": {Value: "app", Public: true}}}
	for _, c := range []struct {
		o    DialOptions
		want http.Header
	}{
		{DialOptions{}, http.Header{"Authorization": {"own"}, "X-App": {"app"}}},
		{DialOptions{As: as}, http.Header{"Authorization": {"w"}, "X-App": {"app"}, "X-New": {"n"}}},
		{DialOptions{Anonymous: true}, http.Header{"X-App": {"app"}}},
	} {
		c.o.Transport = requirement.HTTP
		d, err := url.Dialer(c.o)
		got, ok := d.(*transport.HTTP)
		if err != nil || !ok || !reflect.DeepEqual(got.Header, c.want) || got.URL != "http://h/mcp" ||
			got.Client.CAFile != "ca" {
			t.Errorf("got %+v, %v, want %v", d, err, c.want)
		}
	}
	handler := Endpoint{Handler: http.NotFoundHandler(), Path: "x", Forced: requirement.SSE}
	if d, err := handler.Dialer(DialOptions{}); err != nil || d.(*transport.SSE).URL != "http://127.0.0.1/x" {
		t.Errorf("got %+v, %v", d, err)
	}
	pipe := Endpoint{Pipe: noPipe}
	if d, err := pipe.Dialer(DialOptions{}); err != nil || d.Transport() != requirement.Stdio {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestDialerErrors(t *testing.T) {
	unset := map[string]Value{"A": FromEnv("MCPCHECK_UNSET_VARIABLE")}
	for want, c := range map[string]struct {
		e Endpoint
		o DialOptions
	}{
		"not known whether": {Endpoint{URL: "http://h", Forced: "auto"}, DialOptions{}},
		"speaks sse, not http": {Endpoint{URL: "http://h", Forced: requirement.SSE},
			DialOptions{Transport: requirement.HTTP}},
		"env A: the environment": {Endpoint{Command: []string{"x"}, Env: unset}, DialOptions{}},
		"header A: the": {Endpoint{URL: "http://h", Header: unset, Forced: requirement.HTTP},
			DialOptions{}},
		"identity w: header A:": {Endpoint{URL: "http://h", Forced: requirement.HTTP},
			DialOptions{As: &Identity{Name: "w", Header: unset}}},
		"has no command":           {Endpoint{}, DialOptions{Transport: requirement.Stdio}},
		`the transport "x" is not`: {Endpoint{URL: "http://h"}, DialOptions{Transport: "x"}},
	} {
		if _, err := c.e.Dialer(c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Setenv("A", "1")
	t.Setenv("B", "")
	for in, want := range map[string]string{
		"": "", "x": "x", "${A}": "1", "a${A}b${B}c${A}": "a1bc1", "$${A}": "${A}", "$A $$ ${A}$": "$A $$ 1$",
		"$${${A}": "${1", "$$${A}": "$${A}",
	} {
		if got, err := (Value{Value: in}).Reveal(); err != nil || got != want {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
		if got, err := Plain(in).Reveal(); err != nil || got != in {
			t.Errorf("Plain(%q) = %q, %v", in, got, err)
		}
	}
	v := Value{Value: "hush"}
	for _, shown := range []string{fmt.Sprint(v),
		fmt.Sprintf("%+v", Endpoint{Header: map[string]Value{"a": v}}), fmt.Sprintf("%#v", v),
		fmt.Sprint(&v)} {
		if strings.Contains(shown, "hush") {
			t.Errorf("the value is shown: %s", shown)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Setenv("MCPCHECK_TEST_KEY", "from-env")
	tr := &Target{
		Endpoints: []Endpoint{
			{Command: []string{"x", "--token", "arg"}, Env: map[string]Value{"A": Plain("env"),
				"P": {Value: "public", Public: true}}},
			{URL: "http://u:pw@h/k/pathkey12345678ab?api_key=q&page=1",
				Header: map[string]Value{"Authorization": {Value: "Bearer ${MCPCHECK_TEST_KEY}"}}},
			{URL: "http://name@h/", Header: map[string]Value{"Authorization": Plain("Basic dTpiYXNpYw=="),
				"B": FromEnv("MCPCHECK_UNSET_VARIABLE")}},
		},
		Identities: []Identity{{Env: map[string]Value{"A": Plain("id-env")},
			Header: map[string]Value{"A": Plain("id-header")}}},
		Triggers: Triggers{
			Add: &Trigger{Exec: &Exec{Command: []string{"x", "--password=tr-arg"},
				Env: map[string]Value{"A": Plain("tr-env")}}},
			Remove: &Trigger{HTTP: &Call{URL: "http://u:tr-pw@h",
				Header: map[string]Value{"A": Plain("tr-header")}}},
		},
		Secret: []Value{Plain("listed"), Plain("")},
	}
	want := []string{"Basic dTpiYXNpYw==", "Bearer from-env", "arg", "basic", "dTpiYXNpYw==", "env",
		"from-env", "id-env", "id-header",
		"listed", "name", "pathkey12345678ab", "pw", "q", "tr-arg", "tr-env", "tr-header", "tr-pw", "u:basic"}
	if got := tr.stated(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What follows the name of a scheme is a secret of its own, also without the scheme, and
// so is what Basic encodes, in whatever way.
func TestSecretsOfSchemes(t *testing.T) {
	for value, want := range map[string][]string{
		"bearer  abc":        {"bearer  abc", "abc"},
		"DPoP abc":           {"DPoP abc", "abc"},
		"BASIC dTo_Pz8_":     {"BASIC dTo_Pz8_", "dTo_Pz8_", "u:????", "????"},
		"BASIC dTo/Pz8/":     {"BASIC dTo/Pz8/", "dTo/Pz8/", "u:????", "????"},
		"Basic dTpwYXNz":     {"Basic dTpwYXNz", "dTpwYXNz", "u:pass", "pass"},
		"Basic dTpwYXNzdw==": {"Basic dTpwYXNzdw==", "dTpwYXNzdw==", "u:passw", "passw"},
		"basic dTpwYXNzdw":   {"basic dTpwYXNzdw", "dTpwYXNzdw", "u:passw", "passw"},
		"list resources":     {"list resources"},
		"bearer a b":         {"bearer a b"},
	} {
		if got := Plain(value).secrets(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
