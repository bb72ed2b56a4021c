package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// cursorParam reads the cursor of a list request. Without one the list starts at
// its beginning, position 0.
func (e *Engine) cursorParam(list string, params *arguments) (after uint64, r *hook.Reply) {
	if params.cursor == nil {
		return 0, nil
	}
	cursor, ok := scan.Text(params.cursor)
	if ok {
		after, ok = e.position(list, cursor)
	}
	if !ok {
		return 0, fail(codeInvalidParams, "Invalid params: this cursor was not issued here")
	}
	return after, nil
}

// serveListed serves a page of a list, which is made anew unless it is kept.
func (e *Engine) serveListed(c *hook.Call, params *arguments, page func(served *snapshot, after uint64) hook.Object) *hook.Reply {
	after, r := e.cursorParam(c.Method, params)
	if r != nil {
		return r
	}
	served := e.served()
	version, alike := e.store.state()
	key := renderKey{method: c.Method, revision: c.Revision, version: version, after: after}
	if r := served.rendered.reply(key); r != nil && alike {
		return r
	}
	result := page(served, after)
	if hook.Modern(c.Revision) {
		e.hintList(result)
	}
	if !alike { // what one viewer sees is not kept for another
		return &hook.Reply{Result: result}
	}
	return e.keep(served.rendered, key, result)
}

// resourcePage is a page of the resources that a viewer sees.
func (e *Engine) resourcePage(ctx context.Context, c *hook.Call, served *snapshot, after uint64) hook.Object {
	entries, more := e.store.page(after, served.pageSize, viewerOf(ctx))
	result := hook.Object{"resources": listOf(entries, func(en *entry) any { return e.describe(en, c.Revision) })}
	if more {
		result["nextCursor"] = e.cursor(hook.MethodList, entries[len(entries)-1].seq)
	}
	return result
}

func (e *Engine) templatePage(c *hook.Call, served *snapshot, after uint64) hook.Object {
	first := sort.Search(len(served.templates), func(i int) bool { return served.templates[i].seq > after })
	page := served.templates[first:]
	if n := served.pageSize; n > 0 && len(page) > n {
		page = page[:n]
	}
	result := hook.Object{"resourceTemplates": listOf(page, func(t *template) any { return describeTemplate(t.Template, c.Revision) })}
	if first+len(page) < len(served.templates) {
		result["nextCursor"] = e.cursor(hook.MethodTemplates, page[len(page)-1].seq)
	}
	return result
}

// uriParam reads and validates the URI that a request is about.
func (e *Engine) uriParam(params *arguments) (string, *hook.Reply) {
	uri := params.uri
	if !params.located {
		return "", fail(codeInvalidParams, `Invalid params: "uri" must be a string`)
	}
	// A resource of the world may have a URI that only its faults explain.
	if _, known := e.store.get(uri); !known {
		if err := world.CheckURI(uri); err != nil {
			return "", failWith(codeInvalidParams, "Invalid params: this is no URI: "+err.Error(), hook.Object{"uri": uri})
		}
	}
	return uri, nil
}

func (e *Engine) serveRead(ctx context.Context, c *hook.Call, params *arguments) *hook.Reply {
	uri, r := e.uriParam(params)
	if r != nil {
		return r
	}
	viewer := viewerOf(ctx)
	entry, ok := e.resolve(ctx, viewer, uri)
	if !ok {
		return notFound(c.Revision, uri)
	}
	text := ""
	if entry.res.Input != nil {
		if text, r = e.withInput(c, params, entry); r != nil {
			return r
		}
	}
	if !e.dwell(ctx, c, params, &entry.res) {
		return &hook.Reply{}
	}
	if entry.res.Fails != "" {
		return failure(&entry.res)
	}
	key, constant := renderKey{method: c.Method, revision: c.Revision, entry: entry}, entry.constant() && entry.res.URI == uri
	kept := e.served().rendered
	if r := kept.reply(key); r != nil && constant {
		return r
	}
	contents, err := e.contents(ctx, c, viewer, uri, entry, text)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(c.Revision, uri)
	}
	if err != nil {
		return fail(codeInternal, "Internal error: "+err.Error())
	}
	result := hook.Object{"contents": contents}
	if hook.Modern(c.Revision) {
		hint(result, readCaching(&entry.res))
	}
	if !constant {
		return &hook.Reply{Result: result}
	}
	return e.keep(kept, key, result)
}

// failure is the error that a resource answers reads with.
func failure(r *world.Resource) *hook.Reply {
	if r.FailCode != 0 {
		return fail(int64(r.FailCode), r.Fails)
	}
	return fail(codeInternal, "Internal error: "+r.Fails)
}

// contents are what a read yields; text is that of a resource that has asked the user.
func (e *Engine) contents(ctx context.Context, c *hook.Call, v viewer, uri string, entry *entry, text string) ([]any, error) {
	contents := []any{}
	switch {
	case entry.res.Input != nil:
		contents = append(contents, textContent(uri, entry.res.MIMEType, text))
	case entry.res.Directory():
		for _, child := range entry.res.Contains {
			part, ok := e.store.get(child)
			if !ok || !v.sees(part) {
				continue
			}
			item, err := content(ctx, child, part, c.Revision)
			if err != nil {
				return nil, err
			}
			contents = append(contents, item)
		}
	default:
		item, err := content(ctx, uri, entry, c.Revision)
		if err != nil {
			return nil, err
		}
		contents = append(contents, item)
	}
	return contents, nil
}

// dwell takes the time that a read of the resource takes, and reports progress
// to a client that asked for it. False says that the call was cancelled.
func (e *Engine) dwell(ctx context.Context, c *hook.Call, params *arguments, r *world.Resource) bool {
	steps := max(r.Steps, 1)
	var tok any
	if r.Steps > 0 {
		tok = params.token()
	}
	for step := 1; step <= steps; step++ {
		part := r.Delay / time.Duration(steps)
		if !hook.Pause(ctx, part) {
			return false
		}
		if tok == nil {
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

// exists reports whether a URI can be read by a viewer.
func (e *Engine) exists(ctx context.Context, v viewer, uri string) bool {
	_, ok := e.resolve(ctx, v, uri)
	return ok
}

// resolve finds the resource of a URI: a stored one, or one that a template
// stands for. URIs are compared as they are; a path is never normalised, so that
// no spelling of a directory step can lead anywhere.
func (e *Engine) resolve(ctx context.Context, v viewer, uri string) (*entry, bool) {
	if found, ok := e.store.get(uri); ok {
		return found, v.sees(found)
	}
	templates := e.served().templates
	if len(templates) == 0 || world.CheckURI(uri) != nil {
		return nil, false
	}
	for _, t := range templates {
		values, ok := t.match(uri)
		if !ok || !harmless(values) {
			continue
		}
		if found, ok := e.expand(ctx, t, uri, values); ok && v.sees(found) {
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
func (e *Engine) expand(ctx context.Context, t *template, uri string, values map[string]string) (*entry, bool) {
	for _, name := range t.variables() {
		v := t.variable(name)
		value, given := values[name]
		if !given {
			values[name] = v.Default
			continue
		}
		if v.Closed && !slices.Contains(v.Suggestions(values), value) {
			return nil, false
		}
	}
	switch {
	case t.Source != nil:
		r, ok := t.Source.Find(ctx, values)
		if !ok {
			return nil, false
		}
		r.URI = uri
		found, err := newEntry(r, maxGenerated)
		return found, err == nil
	case t.Finds != "":
		return e.lookup(t, values)
	}
	text := substitute(*t.Text, values)
	r := world.Resource{
		URI: uri, Name: t.Name, MIMEType: t.MIMEType, Text: &text,
		Caching: t.Caching, Delay: t.Delay, Steps: t.Steps, Fails: t.Fails, FailCode: t.FailCode,
	}
	if t.Binary {
		r.Text, r.Blob = nil, new(base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return &entry{res: r, data: []byte(text), size: int64(len(text))}, true
}

func (e *Engine) lookup(t *template, values map[string]string) (*entry, bool) {
	target := expression.ReplaceAllStringFunc(t.Finds, func(found string) string {
		parts := expression.FindStringSubmatch(found)
		return escape(values[parts[2]], parts[1] == "+")
	})
	return e.store.get(target)
}

// escape percent-encodes a value for a URI; with keep it leaves reserved characters as they are ({+name} of RFC 6570).
func escape(value string, keep bool) string {
	if keep {
		return world.Escape(value, world.Unreserved+":/?#[]@!$&'()*+,;=")
	}
	return world.Escape(value, world.Unreserved)
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
func content(ctx context.Context, uri string, e *entry, revision string) (hook.Object, error) {
	data, binary, mimeType := e.content(), e.res.Binary(), e.res.MIMEType
	switch {
	case e.res.Source != nil:
		fetched, err := e.res.Source.Fetch(ctx)
		if err != nil {
			return nil, err
		}
		data, binary = fetched.Data, fetched.Binary
		if fetched.MIMEType != "" {
			mimeType = fetched.MIMEType
		}
	case e.lazy:
		made, err := e.res.Bytes()
		if err != nil {
			return nil, err
		}
		data = made
	}
	o := hook.Object{"uri": uri}
	optional(o, "mimeType", mimeType)
	if binary {
		o["blob"] = base64.StdEncoding.EncodeToString(data)
	} else {
		o["text"] = string(data)
	}
	if e.res.Meta != nil && revision >= hook.R20250618 {
		o["_meta"] = hook.Plain(e.res.Meta)
	}
	return o, nil
}

// signingKey derives the key for cursors and request states from the name of
// the world. The key is no secret and guards none: it makes altered tokens
// recognisable, and being the same in every process that serves the world, it
// lets a token be used on another connection (a new process, on stdio).
func signingKey(worldName string) []byte {
	sum := sha256.Sum256([]byte("mcpcheck reference server\x00" + worldName))
	return sum[:]
}

func (e *Engine) sign(purpose string, payload []byte) []byte {
	mac := hmac.New(sha256.New, e.key)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write(payload)
	return mac.Sum(nil)
}

// What tokens begin and end with: characters that do not survive when a client percent-encodes or
// decodes a token, or takes it for Base64 and writes it in the other alphabet or without padding.
const (
	tokenBegin = "+/_%3D"
	tokenEnd   = "=="
)

// seal makes a token: the payload and a signature of n bytes, in Base64.
func (e *Engine) seal(purpose string, payload []byte, n int) string {
	token := append(append([]byte{}, payload...), e.sign(purpose, payload)[:n]...)
	return tokenBegin + base64.RawStdEncoding.EncodeToString(token) + tokenEnd
}

// unseal takes a token apart; ok is false if it is not one of ours.
func (e *Engine) unseal(purpose, token string, n int) (payload []byte, ok bool) {
	inner, begins := strings.CutPrefix(token, tokenBegin)
	inner, ends := strings.CutSuffix(inner, tokenEnd)
	raw, err := base64.RawStdEncoding.Strict().DecodeString(inner)
	if !begins || !ends || err != nil || len(raw) < n {
		return nil, false
	}
	payload = raw[:len(raw)-n]
	return payload, hmac.Equal(raw[len(raw)-n:], e.sign(purpose, payload)[:n])
}

const cursorSignature = 8

// cursor makes the cursor that continues after a position of a list.
func (e *Engine) cursor(list string, after uint64) string {
	return e.seal("cursor "+list, binary.AppendUvarint(nil, after), cursorSignature)
}

// position reads a cursor.
func (e *Engine) position(list, cursor string) (after uint64, ok bool) {
	payload, ok := e.unseal("cursor "+list, cursor, cursorSignature)
	if !ok {
		return 0, false
	}
	after, n := binary.Uvarint(payload)
	return after, n > 0 && n == len(payload)
}
