package engine

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// cursorParam reads the cursor of a list request. Without one the list starts at
// its beginning, position 0.
func (e *Engine) cursorParam(list string, params hook.Object) (after uint64, r *hook.Reply) {
	v, there := params["cursor"]
	if !there {
		return 0, nil
	}
	cursor, ok := v.(string)
	if ok {
		after, ok = e.position(list, cursor)
	}
	if !ok {
		return 0, fail(codeInvalidParams, "Invalid params: this cursor was not issued here")
	}
	return after, nil
}

func (e *Engine) serveList(c *hook.Call, params hook.Object) *hook.Reply {
	after, r := e.cursorParam(hook.MethodList, params)
	if r != nil {
		return r
	}
	entries, more := e.store.page(after, e.config.PageSize)
	list := []any{}
	for _, entry := range entries {
		list = append(list, e.describe(entry, c.Revision))
	}
	result := hook.Object{"resources": list}
	if more {
		result["nextCursor"] = e.cursor(hook.MethodList, entries[len(entries)-1].seq)
	}
	if hook.Modern(c.Revision) {
		e.hintList(result)
	}
	return &hook.Reply{Result: result}
}

func (e *Engine) serveTemplates(c *hook.Call, params hook.Object) *hook.Reply {
	after, r := e.cursorParam(hook.MethodTemplates, params)
	if r != nil {
		return r
	}
	first := min(after, uint64(len(e.templates)))
	page := e.templates[first:]
	if n := e.config.PageSize; n > 0 && len(page) > n {
		page = page[:n]
	}
	list := []any{}
	for _, t := range page {
		list = append(list, describeTemplate(t.Template, c.Revision))
	}
	result := hook.Object{"resourceTemplates": list}
	if next := first + uint64(len(page)); next < uint64(len(e.templates)) {
		result["nextCursor"] = e.cursor(hook.MethodTemplates, next)
	}
	if hook.Modern(c.Revision) {
		e.hintList(result)
	}
	return &hook.Reply{Result: result}
}

// uriParam reads and validates the URI that a request is about.
func (e *Engine) uriParam(c *hook.Call, params hook.Object) (string, *hook.Reply) {
	uri, ok := params["uri"].(string)
	if !ok {
		return "", fail(codeInvalidParams, `Invalid params: "uri" must be a string`)
	}
	if err := world.CheckURI(uri); err != nil {
		// A resource of the world may have a URI that only its faults explain.
		if _, known := e.store.get(uri); !known {
			return "", failWith(codeInvalidParams, "Invalid params: this is no URI: "+err.Error(), hook.Object{"uri": uri})
		}
	}
	return uri, nil
}

func (e *Engine) serveRead(ctx context.Context, c *hook.Call, params hook.Object) *hook.Reply {
	uri, r := e.uriParam(c, params)
	if r != nil {
		return r
	}
	entry, ok := e.resolve(uri)
	if !ok {
		return notFound(c.Revision, uri)
	}
	text := ""
	if entry.res.Input != nil {
		if text, r = e.withInput(c, params, entry); r != nil {
			return r
		}
	}
	if !e.dwell(ctx, c, params, entry.res) {
		return &hook.Reply{}
	}
	if entry.res.Fails != "" {
		return fail(codeInternal, "Internal error: "+entry.res.Fails)
	}
	contents := []any{}
	switch {
	case entry.res.Input != nil:
		contents = append(contents, textContent(uri, entry.res.MIMEType, text))
	case entry.res.Directory():
		for _, child := range entry.res.Contains {
			if part, ok := e.store.get(child); ok {
				contents = append(contents, content(child, part, c.Revision))
			}
		}
	default:
		contents = append(contents, content(uri, entry, c.Revision))
	}
	result := hook.Object{"contents": contents}
	if hook.Modern(c.Revision) {
		hint(result, readCaching(entry.res))
	}
	return &hook.Reply{Result: result}
}

// dwell takes the time that a read of the resource takes, and reports progress
// to a client that asked for it. False says that the call was cancelled.
func (e *Engine) dwell(ctx context.Context, c *hook.Call, params hook.Object, r world.Resource) bool {
	steps := max(r.Steps, 1)
	tok := token(params)
	for step := 1; step <= steps; step++ {
		part := r.Delay / time.Duration(steps)
		if !wait(ctx, part) {
			return false
		}
		if tok == nil || r.Steps == 0 {
			continue
		}
		progress := hook.Object{
			"progressToken": tok, "progress": hook.Number(int64(step)), "total": hook.Number(int64(steps)),
		}
		if c.Revision >= hook.R20250326 {
			progress["message"] = "Reading " + r.Name
		}
		_ = c.Emit(ctx, hook.NewNotification(hook.NotificationProgress, progress))
	}
	return true
}

// exists reports whether a URI can be read.
func (e *Engine) exists(uri string) bool {
	_, ok := e.resolve(uri)
	return ok
}

// resolve finds the resource of a URI: a stored one, or one that a template
// stands for. URIs are compared as they are; a path is never normalised, so that
// no spelling of a directory step can lead anywhere.
func (e *Engine) resolve(uri string) (*entry, bool) {
	if found, ok := e.store.get(uri); ok {
		return found, true
	}
	if world.CheckURI(uri) != nil {
		return nil, false
	}
	for _, t := range e.templates {
		values, ok := t.match(uri)
		if !ok || !harmless(values) {
			continue
		}
		if found, ok := e.expand(t, uri, values); ok {
			return found, true
		}
	}
	return nil, false
}

// harmless refuses values that mean something other than a name to a file
// system: directory steps, absolute paths, other separators, control characters.
func harmless(values map[string]string) bool {
	for _, v := range values {
		if strings.HasPrefix(v, "/") || strings.ContainsRune(v, '\\') {
			return false
		}
		for _, r := range v {
			if r < ' ' || r == 0x7f || r == 0xfffd {
				return false
			}
		}
		for segment := range strings.SplitSeq(v, "/") {
			if segment == "." || segment == ".." {
				return false
			}
		}
	}
	return true
}

// expand makes the resource that a template stands for at these values.
func (e *Engine) expand(t *template, uri string, values map[string]string) (*entry, bool) {
	for _, name := range t.variables() {
		v := t.variable(name)
		value, given := values[name]
		if !given {
			values[name] = v.Default
			continue
		}
		if v.Closed && !contains(v.Suggestions(values), value) {
			return nil, false
		}
	}
	if t.Finds != "" {
		return e.lookup(t, values)
	}
	text := substitute(*t.Text, values)
	r := world.Resource{URI: uri, Name: t.Name, MIMEType: t.MIMEType, Text: &text}
	return &entry{res: r, data: []byte(text), size: int64(len(text))}, true
}

func contains(values []string, value string) bool {
	for _, v := range values {
		if v == value {
			return true
		}
	}
	return false
}

func (e *Engine) lookup(t *template, values map[string]string) (*entry, bool) {
	target := expression.ReplaceAllStringFunc(t.Finds, func(found string) string {
		parts := expression.FindStringSubmatch(found)
		return escape(values[parts[2]], parts[1] == "+")
	})
	return e.store.get(target)
}

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
)

// escape percent-encodes a value for a URI, byte by byte of its UTF-8 form; with
// keep it leaves reserved characters as they are ({+name} of RFC 6570).
func escape(value string, keep bool) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if strings.IndexByte(unreserved, c) >= 0 || keep && strings.IndexByte(reserved, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// substitute puts the values of variables into a text, for {name}.
func substitute(text string, values map[string]string) string {
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func textContent(uri, mimeType, text string) hook.Object {
	o := hook.Object{"uri": uri, "text": text}
	optional(o, "mimeType", mimeType)
	return o
}

// content is one item of the contents of a read.
func content(uri string, e *entry, revision string) hook.Object {
	o := hook.Object{"uri": uri}
	optional(o, "mimeType", e.res.MIMEType)
	if e.res.Binary() {
		o["blob"] = base64.StdEncoding.EncodeToString(e.data)
	} else {
		o["text"] = string(e.data)
	}
	if e.res.Meta != nil && revision >= hook.R20250618 {
		o["_meta"] = plain(e.res.Meta)
	}
	return o
}
