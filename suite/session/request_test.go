package session

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestMessage(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/` +
		`clientInfo":{"name":"mcpcheck","version":"1.0.0"},"io.modelcontextprotocol/` +
		`protocolVersion":"2026-07-28"}`
	for name, c := range map[string]struct {
		rev  requirement.Revision
		q    Request
		want string
	}{
		"legacy": {requirement.R20250618, Request{Method: "ping"},
			`{"jsonrpc":"2.0","id":7,"method":"ping"}`},
		"legacy, params": {requirement.R20250618, Request{Method: "resources/read",
			Params: map[string]any{"uri": "a://<&>"}},
			`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a://<&>"}}`},
		"legacy, meta": {requirement.R20250618,
			Request{Method: "x", Meta: map[string]any{"progressToken": 1}},
			`{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":1}}}`},
		"notification": {requirement.R20250618, Request{Method: "n", Notification: true},
			`{"jsonrpc":"2.0","method":"n"}`},
		"modern": {requirement.R20260728, Request{Method: "x"},
			`{"jsonrpc":"2.0","id":7,"method":"x","params":{` + meta + `}}`},
		"modern notification": {requirement.R20260728, Request{Method: "n", Notification: true},
			`{"jsonrpc":"2.0","method":"n"}`},
		"modern, bare": {requirement.R20260728, Request{Method: "x", Bare: true,
			Params: json.RawMessage(`{"a":1}`)}, `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":1}}`},
		"modern, no object": {requirement.R20260728, Request{Method: "x", Params: json.RawMessage(`[1]`)},
			`{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}`},
		"modern, member taken": {requirement.R20260728,
			Request{Method: "x", Meta: map[string]any{MetaClientInfo: nil, MetaCapabilities: nil}},
			`{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"io.modelcontextprotocol/` +
				`protocolVersion":"2026-07-28"}}}`},
		"a body": {requirement.R20260728, Request{Method: "x", Body: []byte("{")}, `{`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Session{opts: Options{Revision: c.rev}}
			if c.rev.Modern() {
				s.meta, _ = encode(ModernMeta(string(c.rev)))
			}
			m, _, err := s.message(c.q, json.RawMessage("7"))
			if err != nil || string(m.Body) != c.want {
				t.Errorf("got %s, %v\nwant %s", m.Body, err, c.want)
			}
		})
	}
	s := &Session{opts: Options{Revision: requirement.R20250618}}
	if _, _, err := s.message(Request{Method: "x", Params: func() {}}, nil); err == nil {
		t.Error("params that cannot be encoded are no error")
	}
}

func TestHeaders(t *testing.T) {
	read := Request{Method: "resources/read", Params: map[string]any{"uri": "file:///ä"}}
	for name, c := range map[string]struct {
		rev                     requirement.Revision
		version, session        string
		q                       Request
		protocol, id, mcp, name string
	}{
		"before the handshake": {rev: requirement.R20250618, q: Request{Method: "initialize"}},
		"too old for a header": {rev: requirement.R20250326, version: "2025-03-26", session: "a", q: read,
			id: "a"},
		"legacy": {rev: requirement.R20250618, version: "2025-06-18", session: "a", q: read,
			protocol: "2025-06-18", id: "a"},
		"modern": {rev: requirement.R20260728, q: read, protocol: "2026-07-28",
			mcp: "resources/read", name: wire.Sentinel("file:///ä")},
		"modern tool": {rev: requirement.R20260728, q: Request{Method: "tools/call",
			Params: json.RawMessage(`{"name":"t"}`)}, protocol: "2026-07-28", mcp: "tools/call", name: "t"},
		"modern list": {rev: requirement.R20260728, q: Request{Method: "resources/list",
			Version: "x"}, protocol: "x", mcp: "resources/list"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Session{opts: Options{Revision: c.rev}, version: c.version, session: c.session}
			params, err := encodeParams(c.q)
			if err != nil {
				t.Fatal(err)
			}
			h := s.headers(c.q, params)
			for field, want := range map[string]string{"Mcp-Protocol-Version": c.protocol,
				"Mcp-Session-Id": c.id, "Mcp-Method": c.mcp, "Mcp-Name": c.name} {
				if got := h.Get(field); got != want {
					t.Errorf("%s is %q, want %q", field, got, want)
				}
			}
		})
	}
}
