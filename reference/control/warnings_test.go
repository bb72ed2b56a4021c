package control

import (
	"strings"
	"testing"
)

func TestWarningsOfLimits(t *testing.T) {
	for spec, want := range map[string]string{
		"-32001:method=resources/raed": `fail -32001: the protocol has no method "resources/` +
			`raed": did you mean resources/read`,
		"-32001:method=resources/list|my/own": `the protocol has no method "my/own"`,
		"-32001:uri=note:a:count=2":           `the pattern "note:a:count=2" has count= in it`,
		"-32001:uri=note:a|note:b": `no URI has a | in it, as the pattern ` +
			`"note:a|note:b" has`,
		"-32001:method=resources/read":              "",
		"-32001:method=my/*":                        "",
		"http503:method=GET|DELETE:uri=note:{a}":    "",
		"-32001:method=resources/read|resources/l*": "",
	} {
		r, err := ParseFailure(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(r.Warnings(), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", spec, got)
		}
	}
}
