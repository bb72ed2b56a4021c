package engine

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// modern serves a request of 2026-07-28: everything that it needs is in the request itself.
func (q serving) modern() *hook.Reply {
	if r := q.checkModern(); r != nil {
		return r
	}
	switch q.Method {
	case hook.MethodDiscover:
		return q.discover()
	case hook.MethodListen:
		return q.listen()
	}
	r := q.feature()
	if r == nil {
		return failAt(http.StatusNotFound, codeMethodNotFound, "Method not found")
	}
	if r.Error == nil && r.Result != nil {
		q.complete(r.Result)
	}
	return r
}

// claimsModern reports whether a call is to be served statelessly: it carries
// metadata of its own, or its HTTP header names a modern revision, or it calls a
// method that only modern revisions have before any handshake.
func (e *Engine) claimsModern(c *hook.Call, params *arguments) bool {
	if len(e.spoken().modern) == 0 {
		return false
	}
	if params.claimsModern() {
		return true
	}
	if c.Session != nil && c.Session.Revision() != "" {
		return false
	}
	if len(e.handshaking(c.Transport)) == 0 {
		return c.Method != methodInitialize
	}
	if c.Transport == hook.HTTP && hook.Modern(first(c.Header, headerVersion)) &&
		c.Method != methodInitialize {
		return true
	}
	return c.Method == hook.MethodDiscover || c.Method == hook.MethodListen
}

// checkModern validates the metadata of a request and, over HTTP, the headers
// that mirror it.
func (q serving) checkModern() *hook.Reply {
	version, ok := scan.OneOf(q.params.version, q.spoken().modern...)
	if !ok {
		return q.unversioned()
	}
	if q.Transport == hook.HTTP {
		if r := mirrored(q.Call, headerVersion, version); r != nil {
			return r
		}
	}
	if !slices.Contains(q.spoken().modern, version) || q.Transport == hook.SSE {
		return q.unsupported(q.Transport, version)
	}
	q.Revision = version
	if q.Transport == hook.HTTP {
		if r := q.checkHeaders(); r != nil {
			return r
		}
	}
	level, _ := scan.Text(q.params.level)
	switch {
	case !scan.IsObject(q.params.capabilities):
		return badMeta(`_meta lacks "` + metaCapabilities + `"`)
	case q.params.client != nil && !isImplementation(q.params.client):
		return badMeta(`"` + metaClientInfo + `" must have a name and a version`)
	case q.params.level != nil && !slices.Contains(logLevels, level):
		return badParams("unknown log level")
	}
	return nil
}

// badMeta refuses the params of a request because of its metadata.
func badMeta(why string) *hook.Reply {
	return failAt(http.StatusBadRequest, codeInvalidParams, "Invalid params: "+why)
}

// unversioned is the refusal of a request whose metadata names no version: such as one of a client
// that knows older revisions alone, whose headers then say what is wrong.
func (q serving) unversioned() *hook.Reply {
	if named := q.Header[headerVersion]; q.Transport == hook.HTTP {
		switch r := q.checkHeaders(); {
		case len(named) != 1:
			return mirrored(q.Call, headerVersion, "")
		case !slices.Contains(q.spoken().modern, strings.Trim(named[0], " \t")):
			return q.unsupported(q.Transport, named[0])
		case r != nil:
			return r
		}
	}
	switch {
	case !q.params.object:
		return badMeta("not an object")
	case !q.params.described():
		return badMeta(`"_meta" is missing`)
	}
	return badMeta(`_meta lacks "` + metaVersion + `"`)
}

// checkHeaders compares Mcp-Method and Mcp-Name with the body.
func (q serving) checkHeaders() *hook.Reply {
	if r := mirrored(q.Call, headerMethod, q.Method); r != nil {
		return r
	}
	want, there := q.params.uri, q.params.located && q.Method == hook.MethodRead
	if (q.Method == methodCall || q.Method == methodPrompt) && q.served().offers(q.Method) {
		want, there = nameParam(q.params)
	}
	if !there {
		return nil // a bad parameter is refused as such: there is nothing to mirror
	}
	values := q.Header[headerName]
	if len(values) != 1 {
		return mismatch("the header " + headerName + " is required once")
	}
	name, ok := unwrapHeader(values[0])
	if !ok {
		return mismatch("the header " + headerName + " cannot be decoded")
	}
	if name != want {
		return mismatch("the header " + headerName + " differs from the body")
	}
	return nil
}

// mirrored checks that a header is there once and has the value of the body.
func mirrored(c *hook.Call, name, want string) *hook.Reply {
	values := c.Header[name]
	if name == headerVersion {
		name = writtenVersion
	}
	if len(values) != 1 {
		return mismatch("the header " + name + " is required once")
	}
	if strings.Trim(values[0], " \t") != want {
		return mismatch("the header " + name + " differs from the body")
	}
	return nil
}

func mismatch(why string) *hook.Reply {
	return failAt(http.StatusBadRequest, codeHeaderMismatch, "Header mismatch: "+why)
}

// unwrapHeader decodes the value of Mcp-Name, which may be wrapped in Base64.
func unwrapHeader(value string) (string, bool) {
	value = strings.Trim(value, " \t")
	inner, wrapped := strings.CutPrefix(value, "=?base64?")
	if wrapped {
		inner, wrapped = strings.CutSuffix(inner, "?=")
	}
	if !wrapped {
		return value, true
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || !utf8.Valid(decoded) {
		return "", false
	}
	return string(decoded), true
}

// discover tells what the server is and can do.
func (q serving) discover() *hook.Reply {
	result := hook.Object{
		"supportedVersions": texts(q.supported(q.Transport)),
		"capabilities":      q.capabilities(hook.R20260728),
	}
	optional(result, "instructions", q.served().world.Instructions)
	q.hintList(result)
	return reply(q.complete(result))
}
