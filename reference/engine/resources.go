package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"sort"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// serveListed serves a page of a list, which is made anew unless it is kept.
func (e *Engine) serveListed(c *hook.Call, params *arguments,
	page func(served *snapshot, after uint64) hook.Object) *hook.Reply {
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
		return 0, badParams("this cursor was not issued here")
	}
	return after, nil
}

// resourcePage is a page of the resources that a viewer sees.
func (e *Engine) resourcePage(ctx context.Context, c *hook.Call, served *snapshot, after uint64) hook.Object {
	entries, more := e.store.page(after, served.pageSize, viewerOf(ctx))
	result := hook.Object{"resources": listOf(entries, func(en *entry) any {
		return e.describe(en, c.Revision)
	})}
	if more {
		result["nextCursor"] = e.cursor(hook.MethodList, entries[len(entries)-1].seq)
	}
	return result
}

// templatePage is a page of the templates.
func (e *Engine) templatePage(c *hook.Call, served *snapshot, after uint64) hook.Object {
	all := served.templates
	first := sort.Search(len(all), func(i int) bool { return all[i].seq > after })
	place := func(shown int) uint64 { return all[first+shown-1].seq }
	return pageOf(e, c, served, "resourceTemplates", all[first:], describeTemplate, place)
}

// pageOf is the page with which the rest of a list begins; place is that of the last one that it shows.
func pageOf[T any](
	e *Engine, c *hook.Call, served *snapshot, member string, rest []T,
	describe func(T, string) hook.Object, place func(shown int) uint64,
) hook.Object {
	page := rest
	if n := served.pageSize; n > 0 && len(rest) > n {
		page = rest[:n]
	}
	result := hook.Object{member: listOf(page, func(one T) any { return describe(one, c.Revision) })}
	if len(page) < len(rest) {
		result["nextCursor"] = e.cursor(c.Method, place(len(page)))
	}
	return result
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
	key, constant := renderKey{method: c.Method, revision: c.Revision, entry: entry}, entry.constant() &&
		entry.res.URI == uri
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
func (e *Engine) contents(ctx context.Context, c *hook.Call, v viewer, uri string, entry *entry,
	text string) ([]any, error) {
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
