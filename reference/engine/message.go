package engine

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The error codes. Those from -32020 down belong to 2026-07-28, and
// codeNotFound to the revisions before it.
const (
	codeParse             = -32700
	codeInvalidRequest    = -32600
	codeMethodNotFound    = -32601
	codeInvalidParams     = -32602
	codeInternal          = -32603
	codeNotFound          = -32002
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
	codeUnsupported       = -32022
)

// incoming is a JSON-RPC message of the client, taken apart.
type incoming struct {
	kind   kind
	id     json.RawMessage // of a request; of an invalid one, if it could be read
	method string
	params json.RawMessage
	why    string // of an invalid one
}

type kind int

const (
	invalid kind = iota
	request
	notification
	response
)

// parse takes one JSON object apart.
func parse(raw []byte) incoming {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return incoming{why: "a message is a JSON object"}
	}
	var m incoming
	id, hasID := members["id"]
	if hasID && validID(id) {
		m.id = id
	}
	if version, ok := asString(members["jsonrpc"]); !ok || version != "2.0" {
		m.why = `the member "jsonrpc" must be "2.0"`
		return m
	}
	method, hasMethod := members["method"]
	if !hasMethod {
		_, hasResult := members["result"]
		_, hasError := members["error"]
		if hasResult || hasError {
			m.kind = response
			return m
		}
		m.why = `the member "method" is missing`
		return m
	}
	var ok bool
	if m.method, ok = asString(method); !ok {
		m.why = `the member "method" must be a string`
		return m
	}
	m.params = members["params"]
	switch {
	case !hasID:
		m.kind = notification
	case m.id == nil:
		m.why = "an id is a string or an integer"
	default:
		m.kind = request
	}
	return m
}

// validID reports whether the id is a string or an integer.
func validID(raw json.RawMessage) bool {
	v, err := hook.Decode(raw)
	if err != nil {
		return false
	}
	switch v := v.(type) {
	case string:
		return true
	case json.Number:
		return isInteger(v.String())
	}
	return false
}

// isInteger reports whether a JSON number has no fraction. Numbers that are too
// long for an id, or have an exponent of more than two digits, are not looked at.
func isInteger(n string) bool {
	if len(n) > 64 {
		return false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(n), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return false
	}
	r, ok := new(big.Rat).SetString(n)
	return ok && r.IsInt()
}

// idKey makes ids comparable: "7" and 7 differ, "A" and "A" do not.
func idKey(raw json.RawMessage) string {
	v, err := hook.Decode(raw)
	if err != nil {
		return string(raw)
	}
	return string(hook.Encode(v))
}

func asString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// wellFormed reports whether the bytes are one JSON text in UTF-8.
func wellFormed(raw []byte) bool { return utf8.Valid(raw) && json.Valid(raw) }

// envelope makes the message that carries a reply. The order of members is the
// customary one.
func envelope(id json.RawMessage, r *hook.Reply) []byte {
	if r.Raw != nil {
		return r.Raw
	}
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != nil {
		b.WriteString(`,"id":`)
		b.Write(id)
	}
	if r.Error != nil {
		b.WriteString(`,"error":`)
		b.Write(hook.Encode(r.Error))
	} else {
		b.WriteString(`,"result":`)
		result := r.Result
		if result == nil {
			result = hook.Object{}
		}
		b.Write(hook.Encode(result))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func fail(code int64, message string) *hook.Reply { return hook.Fail(code, message) }

// failAt is fail with an HTTP status.
func failAt(status int, code int64, message string) *hook.Reply {
	r := hook.Fail(code, message)
	r.Status = status
	return r
}

func failWith(code int64, message string, data hook.Object) *hook.Reply {
	r := hook.Fail(code, message)
	r.Error["data"] = data
	return r
}
