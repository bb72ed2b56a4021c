package clientcheck_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// TestRead: a journal is read line by line; what was cut off at its end is left out, what is
// no entry is told with its line.
func TestRead(t *testing.T) {
	const (
		opened = `{"seq":1,"time":"2026-01-01T00:00:00Z","kind":"opened","transport":"stdio",` +
			`"session":"x","scope":"connection"}` + "\n"
		ping = `{"seq":2,"time":"2026-01-01T00:00:01Z","direction":"in","kind":"request",` +
			`"transport":"stdio","session":"x","method":"ping","id":1,"size":40,` +
			`"message":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"
	)
	for _, text := range []string{opened + ping, opened + ping + "\n", opened + ping + ping[:30],
		opened + strings.TrimSpace(ping)} {
		j, err := clientcheck.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r := clientcheck.Judge(j, clientcheck.Options{Only: []string{"CL-24"}})
		if len(r.Results) != 1 || r.Results[0].Verdict != reports.Pass {
			t.Errorf("%q: %+v", text, r.Results)
		}
	}
	for text, want := range map[string]string{
		opened + "ping\n" + ping:        "line 2 of the journal is no entry: ",
		`{"seq":"first"}` + "\n" + ping: "line 1 of the journal is no entry: ",
	} {
		if _, err := clientcheck.Read(strings.NewReader(text)); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
