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

// listed serves a page of a list, which is made anew unless it is kept.
func (q serving) listed(page func(served *snapshot, after uint64) hook.Object) *hook.Reply {
	after, r := q.cursorParam()
	if r != nil {
		return r
	}
	served := q.served()
	version, alike := q.store.state()
	key := renderKey{method: q.Method, revision: q.Revision, version: version, after: after}
	if r := served.rendered.reply(key); r != nil && alike {
		return r
	}
	result := page(served, after)
	if q.Modern {
		q.hintList(result)
	}
	if !alike { // what one viewer sees is not kept for another
		return reply(result)
	}
	return q.keep(served.rendered, key, result)
}

// cursorParam reads the cursor of a list request. Without one the list starts at
// its beginning, position 0.
func (q serving) cursorParam() (after uint64, r *hook.Reply) {
	if q.params.cursor == nil {
		return 0, nil
	}
	cursor, ok := scan.Text(q.params.cursor)
	if ok {
		after, ok = q.position(q.Method, cursor)
	}
	if !ok {
		return 0, badParams("this cursor was not issued here")
	}
	return after, nil
}

// resourcePage is a page of the resources that the client sees.
func (q serving) resourcePage(served *snapshot, after uint64) hook.Object {
	entries, more := q.store.page(after, served.pageSize, hook.TraceOf(q.ctx))
	result := hook.Object{"resources": listOf(entries, func(en *entry) any {
		return q.describe(en, q.Revision)
	})}
	if more {
		result["nextCursor"] = q.cursor(hook.MethodList, entries[len(entries)-1].seq)
	}
	return result
}

// templatePage is a page of the templates.
func (q serving) templatePage(served *snapshot, after uint64) hook.Object {
	all := served.templates
	first := sort.Search(len(all), func(i int) bool { return all[i].seq > after })
	place := func(shown int) uint64 { return all[first+shown-1].seq }
	return pageOf(q, served, "resourceTemplates", all[first:], describeTemplate, place)
}

// pageOf is the page with which the rest of a list begins; place is that of the last one that it shows.
func pageOf[T any](
	q serving, served *snapshot, member string, rest []T, describe func(T, string) hook.Object,
	place func(shown int) uint64,
) hook.Object {
	page := rest
	if n := served.pageSize; n > 0 && len(rest) > n {
		page = rest[:n]
	}
	result := hook.Object{member: listOf(page, func(one T) any { return describe(one, q.Revision) })}
	if len(page) < len(rest) {
		result["nextCursor"] = q.cursor(q.Method, place(len(page)))
	}
	return result
}

// read serves resources/read.
func (q serving) read() *hook.Reply {
	uri, r := q.uriParam()
	if r != nil {
		return r
	}
	entry := q.resolve(q.ctx, uri)
	if entry == nil {
		return notFound(q.Revision, uri)
	}
	text := ""
	if entry.res.Input != nil {
		if text, r = q.withInput(entry); r != nil {
			return r
		}
	}
	if !q.dwell(&entry.res) {
		return &hook.Reply{}
	}
	if entry.res.Fails != "" {
		return failure(&entry.res)
	}
	key, constant := renderKey{method: q.Method, revision: q.Revision, entry: entry}, entry.constant() &&
		entry.res.URI == uri
	kept := q.served().rendered
	if r := kept.reply(key); r != nil && constant {
		return r
	}
	contents, err := q.contents(uri, entry, text)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(q.Revision, uri)
	}
	if err != nil {
		return fail(codeInternal, "Internal error: "+err.Error())
	}
	result := hook.Object{"contents": contents}
	if q.Modern {
		hint(result, entry.res.Caching, world.Caching{TTL: readTTL}, len(entry.res.Identities) > 0)
	}
	if !constant {
		return reply(result)
	}
	return q.keep(kept, key, result)
}

// failure is the error that a resource answers reads with.
func failure(r *world.Resource) *hook.Reply {
	if r.FailCode != 0 {
		return fail(int64(r.FailCode), r.Fails)
	}
	return fail(codeInternal, "Internal error: "+r.Fails)
}

// contents are what a read yields; text is that of a resource that has asked the user.
func (q serving) contents(uri string, en *entry, text string) ([]any, error) {
	if en.res.Input != nil {
		return []any{textContent(uri, en.res.MIMEType, text)}, nil
	}
	if !en.res.Directory() {
		item, err := content(q.ctx, uri, en, q.Revision)
		return []any{item}, err
	}
	contents := []any{}
	for _, child := range en.res.Contains {
		part := q.store.get(child).shownTo(hook.TraceOf(q.ctx))
		if part == nil {
			continue
		}
		item, err := content(q.ctx, child, part, q.Revision)
		if err != nil {
			return nil, err
		}
		contents = append(contents, item)
	}
	return contents, nil
}

// dwell takes the time that a read of the resource takes, and reports progress
// to a client that asked for it. False says that the call was cancelled.
func (q serving) dwell(r *world.Resource) bool {
	steps := max(r.Steps, 1)
	var tok any
	if r.Steps > 0 {
		tok = q.params.token()
	}
	for step := 1; step <= steps; step++ {
		part := r.Delay / time.Duration(steps)
		if !hook.Pause(q.ctx, part) {
			return false
		}
		if tok == nil {
			continue
		}
		progress := hook.Object{
			"progressToken": tok, "progress": hook.Number(int64(step)), "total": hook.Number(int64(steps)),
		}
		if q.Revision >= hook.R20250326 {
			progress["message"] = "Reading " + r.Name
		}
		_ = q.Emit(q.ctx, hook.NewNotification(hook.NotificationProgress, progress))
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
