package wire

import (
	"strings"
	"testing"
)

func TestKind(t *testing.T) {
	for raw, want := range map[string]Kind{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:           KindRequest,
		`{"id":null,"method":"ping"}`:                        KindRequest,
		`{"method":"notifications/x"}`:                       KindNotification,
		`{"id":1,"result":{}}`:                               KindResponse,
		`{"id":1,"error":{}}`:                                KindResponse,
		`{"error":{"code":-32700}}`:                          KindResponse,
		`{"jsonrpc":"2.0","id":1}`:                           KindResponse,
		`{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`: KindResponse,
		`{"id":1,"method":5}`:                                KindOther,
		`{"jsonrpc":"2.0"}`:                                  KindOther,
		`[]`:                                                 KindBatch,
		`[{"id":1}]`:                                         KindBatch,
		"\ufeff {\"method\":\"x\"}":                          KindNotification,
		`{"params":{"method":"x","id":1}}`:                   KindOther,
		`{"METHOD":"x"}`:                                     KindOther,
		`"text"`:                                             KindOther,
		`7`:                                                  KindOther,
		``:                                                   KindOther,
		`{"method":"x"`:                                      KindOther,
		`{"method":"x"} {"id":1}`:                            KindOther,
		strings.Repeat("[", 1<<20):                           KindOther,
	} {
		if got := (&Frame{Raw: []byte(raw)}).Parsed().Kind; got != want {
			t.Errorf("%.60s is %s, want %s", raw, got, want)
		}
	}
}

func TestSameID(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`7`, `7`, true}, {`7`, `7.0`, true}, {`70`, `7e1`, true}, {`7`, `70E-1`, true}, {`0`, `-0.0`, true},
		{`7`, `"7"`, false}, {`7`, `8`, false}, {`-7`, `7`, false}, {`7`, `7.01`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.000`, true},
		{`1e999999999`, `1e999999998`, false}, {`1e99999999999999999999`, `1e99999999999999999999`, true},
		{`1e99999999999999999999`, `2e99999999999999999999`, false},
		{`"a"`, `"\u0061"`, true}, {`"a"`, `"A"`, false}, {`"a"`, `"a "`, false}, {` "a"`, `"a" `, true},
		{`null`, `null`, true}, {`null`, `0`, false}, {`null`, `""`, false},
		{`[1]`, `[1]`, false}, {`{}`, `{}`, false}, {``, ``, false}, {`x`, `x`, false}, {`1 1`, `1 1`, false},
	} {
		if got := SameID([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("SameID(%s, %s) = %v", c.a, c.b, got)
		}
		if got := SameID([]byte(c.b), []byte(c.a)); got != c.want {
			t.Errorf("SameID(%s, %s) = %v", c.b, c.a, got)
		}
	}
}

// TestParseCopiesNothing: the text of a parsed message is the message's own.
func TestParseCopiesNothing(t *testing.T) {
	raw := []byte(`{"id":1,"result":{"text":"` + strings.Repeat("x", 1<<20) + `"}}`)
	if n := testing.AllocsPerRun(10, func() {
		if Parse(raw).Raw[:8] != `{"id":1,` {
			t.Error("the message is another one")
		}
	}); n > 0 {
		t.Errorf("parsing takes %v allocations", n)
	}
	if Parse(nil).Exists() {
		t.Error("nothing is a value")
	}
}
