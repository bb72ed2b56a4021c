package engine

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// serveModern serves a request of 2026-07-28: everything that it needs is in
// the request itself.
func (e *Engine) serveModern(ctx context.Context, c *hook.Call, params *arguments) *hook.Reply {
	if r := e.checkModern(c, params); r != nil {
		return r
	}
	switch c.Method {
	case hook.MethodDiscover:
		return e.discover(c.Transport)
	case hook.MethodListen:
		return e.serveListen(ctx, c, params)
	}
	r, known := e.serveFeature(ctx, c, params)
	if !known {
		return failAt(http.StatusNotFound, codeMethodNotFound, "Method not found")
	}
	if r.Error == nil && r.Result != nil {
		e.complete(r.Result)
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
func (e *Engine) checkModern(c *hook.Call, params *arguments) *hook.Reply {
	version, ok := scan.OneOf(params.version, e.spoken().modern...)
	if !ok {
		return e.unversioned(c, params)
	}
	if c.Transport == hook.HTTP {
		if r := mirrored(c, headerVersion, version); r != nil {
			return r
		}
	}
	if !slices.Contains(e.spoken().modern, version) || c.Transport == hook.SSE {
		return e.unsupported(c.Transport, version)
	}
	c.Revision = version
	if c.Transport == hook.HTTP {
		if r := e.checkHeaders(c, params); r != nil {
			return r
		}
	}
	if !scan.IsObject(params.capabilities) {
		return failAt(http.StatusBadRequest, codeInvalidParams,
			`Invalid params: _meta lacks "`+metaCapabilities+`"`)
	}
	if params.client != nil && !isImplementation(params.client) {
		return failAt(http.StatusBadRequest, codeInvalidParams, `Invalid params: "`+metaClientInfo+
			`" must have a name and a version`)
	}
	if level, _ := scan.Text(params.level); params.level != nil && !slices.Contains(logLevels, level) {
		return badParams("unknown log level")
	}
	return nil
}

// unversioned is the refusal of a request whose metadata names no version: such as one of a client
// that knows older revisions alone, whose headers then say what is wrong.
func (e *Engine) unversioned(c *hook.Call, params *arguments) *hook.Reply {
	if named := c.Header[headerVersion]; c.Transport == hook.HTTP {
		switch r := e.checkHeaders(c, params); {
		case len(named) != 1:
			return mirrored(c, headerVersion, "")
		case !slices.Contains(e.spoken().modern, strings.Trim(named[0], " \t")):
			return e.unsupported(c.Transport, named[0])
		case r != nil:
			return r
		}
	}
	switch {
	case !params.object:
		return failAt(http.StatusBadRequest, codeInvalidParams, `Invalid params: not an object`)
	case !params.described():
		return failAt(http.StatusBadRequest, codeInvalidParams, `Invalid params: "_meta" is missing`)
	}
	return failAt(http.StatusBadRequest, codeInvalidParams, `Invalid params: _meta lacks "`+metaVersion+`"`)
}

// checkHeaders compares Mcp-Method and Mcp-Name with the body.
func (e *Engine) checkHeaders(c *hook.Call, params *arguments) *hook.Reply {
	if r := mirrored(c, headerMethod, c.Method); r != nil {
		return r
	}
	want, there := params.uri, params.located && c.Method == hook.MethodRead
	if (c.Method == methodCall || c.Method == methodPrompt) && e.served().offers(c.Method) {
		want, there = nameParam(params)
	}
	if !there {
		return nil // a bad parameter is refused as such: there is nothing to mirror
	}
	values := c.Header[headerName]
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
func (e *Engine) discover(transport string) *hook.Reply {
	result := hook.Object{
		"supportedVersions": texts(e.supported(transport)),
		"capabilities":      e.capabilities(hook.R20260728),
	}
	if e.served().world.Instructions != "" {
		result["instructions"] = e.served().world.Instructions
	}
	e.hintList(result)
	return &hook.Reply{Result: e.complete(result)}
}
