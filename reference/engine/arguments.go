package engine

import (
	"bytes"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// arguments are the params of a message: what matters to most methods, as it is written, and
// nil where it is not there.
type arguments struct {
	raw          json.RawMessage
	object       bool   // they are an object
	uri          string // if located
	located      bool   // there is a URI, and it is a string
	about        string // the URI, or that of the reference that is to be completed
	cursor, meta []byte
	// These are members of the metadata, if it is an object.
	version, capabilities, client, level, progress []byte
}

// read reads params that are valid JSON, or nil.
func (a *arguments) read(raw []byte) {
	if a.raw, a.object = raw, scan.IsObject(raw); !a.object {
		return
	}
	var members [5][]byte
	scan.Pick(raw, members[:4], "uri", "cursor", "_meta", "ref")
	a.uri, a.located = scan.Text(members[0])
	a.cursor, a.meta = members[1], members[2]
	a.about = a.uri
	if ref := members[3]; scan.IsObject(ref) && !a.located {
		scan.Pick(ref, members[:1], "uri")
		a.about, _ = scan.Text(members[0])
	}
	if !a.described() {
		return
	}
	clear(members[:])
	scan.Pick(a.meta, members[:], metaVersion, metaCapabilities, metaClientInfo, metaLogLevel, "progressToken")
	a.version, a.capabilities, a.client, a.level, a.progress = members[0], members[1], members[2], members[3], members[4]
}

// argumentsOf are the params of a call, which hooks may have replaced since they were read.
func (x *exchange) argumentsOf(c *hook.Call) *arguments {
	if same(c.Params, x.in.params.raw) {
		return &x.in.params
	}
	a := &arguments{raw: c.Params}
	if scan.Valid(c.Params) {
		a.read(bytes.TrimLeft(c.Params, blanks))
	}
	return a
}

// described reports whether there is metadata.
func (a *arguments) described() bool { return scan.IsObject(a.meta) }

// claimsModern reports whether there is metadata that only modern requests have.
func (a *arguments) claimsModern() bool {
	return a.version != nil || a.capabilities != nil || a.client != nil
}

// decode are the params as an object, which is nil if they are something else.
func (a *arguments) decode() hook.Object {
	params, _ := hook.DecodeObject(a.raw)
	return params
}

// token is the progress token, if there is one.
func (a *arguments) token() any {
	if text, ok := scan.Text(a.progress); ok {
		return text
	}
	if a.progress != nil && validID(a.progress) {
		return json.Number(a.progress)
	}
	return nil
}

// isImplementation reports whether a value has the name and the version of one.
func isImplementation(value []byte) bool {
	if !scan.IsObject(value) {
		return false
	}
	var members [2][]byte
	scan.Pick(value, members[:], "name", "version")
	return scan.IsText(members[0]) && scan.IsText(members[1])
}

// same reports whether two slices are the same bytes in the same place.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
