package recording

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// An error that only repeats the URI it was asked about says nothing of a rate.
func TestOverRate(t *testing.T) {
	for _, c := range []struct {
		params, message string
		want            bool
	}{
		{`{"uri":"docs://hello"}`, "Rate limit exceeded", true},
		{`{"uri":"docs://rate-limits"}`, "Unknown resource: docs://rate-limits", false},
		{`{"uri":"docs://RATE-LIMITS"}`, "Unknown resource: docs://rate-limits", false},
		{`{"uri":"docs://rate-limits"}`, "Too many requests", true},
	} {
		x := &Exchange{Outcome: Replied, Params: json.RawMessage(c.params)}
		x.Attach(wire.ObjectOf(`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"` + c.message + `"}}`))
		if got := x.OverRate(); got != c.want {
			t.Errorf("%s after %s: %v", c.message, c.params, got)
		}
	}
}

// A code that is right but for its type is the code: that it is a string is one finding, and not one for each
// code.
func TestCodeAsString(t *testing.T) {
	for code, want := range map[string]int64{`-32602`: -32602, `"-32602"`: -32602, `5.0`: 5, `"NOT_FOUND"`: 0,
		`""`: 0, `null`: 0, `5.5`: 0} {
		x := &Exchange{Outcome: Replied}
		x.Attach(wire.ObjectOf(`{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":""}}`))
		if got, ok := x.Code(); got != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v", code, got, ok)
		}
	}
}
