package engine

import (
	"cmp"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Rendering leaves out what the revision of the client does not know, although a
// client would have to tolerate it.

// describe is the entry of a resource in the list.
func (e *Engine) describe(en *entry, revision string) hook.Object {
	r := en.res
	o := hook.Object{"uri": r.URI, "name": r.Name}
	decorate(o, revision, r.Title, r.Description, r.MIMEType, r.Annotations, r.Icons, r.Meta)
	// That of what a read asks for first depends on the answers.
	if en.size >= 0 && (r.Size != nil || !r.Directory() && r.Input == nil) {
		o["size"] = hook.Number(en.size)
	}
	return o
}

func describeTemplate(t *template, revision string) hook.Object {
	o := hook.Object{"uriTemplate": t.URITemplate, "name": t.Name}
	decorate(o, revision, t.Title, t.Description, t.MIMEType, t.Annotations, t.Icons, t.Meta)
	return o
}

func decorate(o hook.Object, revision, title, description, mimeType string, a *world.Annotations,
	icons []world.Icon, meta map[string]any) {
	optional(o, "description", description)
	optional(o, "mimeType", mimeType)
	if a != nil {
		o["annotations"] = annotations(a, revision)
	}
	if revision >= hook.R20250618 {
		optional(o, "title", title)
		if meta != nil {
			o["_meta"] = hook.Plain(meta)
		}
	}
	if revision >= hook.R20251125 && len(icons) > 0 {
		o["icons"] = pictures(icons)
	}
}

func annotations(a *world.Annotations, revision string) hook.Object {
	o := hook.Object{}
	if a.Audience != nil {
		o["audience"] = texts(a.Audience)
	}
	if a.Priority != nil {
		o["priority"] = hook.Plain(*a.Priority)
	}
	if revision >= hook.R20250618 {
		optional(o, "lastModified", a.LastModified)
	}
	return o
}

func pictures(icons []world.Icon) []any {
	return listOf(icons, func(icon world.Icon) any {
		o := hook.Object{"src": icon.Src}
		optional(o, "mimeType", icon.MIMEType)
		optional(o, "theme", icon.Theme)
		if len(icon.Sizes) > 0 {
			o["sizes"] = texts(icon.Sizes)
		}
		return o
	})
}

// introduce is the Implementation object of the server.
func (e *Engine) introduce(revision string) hook.Object {
	s := e.served().world.Server
	o := hook.Object{"name": cmp.Or(s.Name, "mockserver"), "version": cmp.Or(s.Version, "0.0.0")}
	if revision >= hook.R20250618 {
		optional(o, "title", s.Title)
	}
	if revision >= hook.R20251125 {
		optional(o, "description", s.Description)
		optional(o, "websiteUrl", s.WebsiteURL)
		if len(s.Icons) > 0 {
			o["icons"] = pictures(s.Icons)
		}
	}
	return o
}

// complete adds the members that every modern result has.
func (e *Engine) complete(result hook.Object) hook.Object {
	if _, set := result["resultType"]; !set {
		result["resultType"] = "complete"
	}
	hook.MakeObjectAt(result, "_meta")[metaServerInfo] = e.introduce(hook.R20260728)
	return result
}

// The caching hints that hold where the world gives none.
const (
	listTTL = 5 * time.Minute
	readTTL = time.Minute
)

func (e *Engine) hintList(result hook.Object) {
	_, alike := e.store.state() // or else another identity may get another list
	hint(result, e.served().world.Caching, world.Caching{TTL: listTTL, Scope: "public"}, !alike)
}

// hint adds the caching hints that are given, or else the usual ones.
func hint(result hook.Object, given *world.Caching, usual world.Caching, private bool) {
	c := *cmp.Or(given, &usual)
	if private {
		c.Scope = "private"
	}
	result["ttlMs"] = hook.Number(c.TTL.Milliseconds())
	result["cacheScope"] = cmp.Or(c.Scope, "private")
}

// maxRendered bounds the memory for results that are kept as they were sent.
const maxRendered = 32 << 20

// renderedOverhead is what a kept result is reckoned to take beside its bytes.
const renderedOverhead = 512

// renderKey names a result by all that it is made of, beside the snapshot that its
// cache belongs to: what has changed has another name, so that nothing that is kept
// can be out of date.
type renderKey struct {
	method, revision string
	entry            *entry // of a read
	version, after   uint64 // of a list: that of the store, and where the page begins
}

// renderings keeps results as bytes: those that were used of late, as many as there is
// room for. There are two generations, each of half the size; when the young one is
// full, the old one goes.
type renderings struct {
	mu         sync.RWMutex
	young, old map[renderKey]*journal.Shared
	size       int // of the young
}

func (c *renderings) get(k renderKey) *journal.Shared {
	c.mu.RLock()
	found := c.young[k]
	aged := c.old[k]
	c.mu.RUnlock()
	if found == nil && aged != nil {
		c.put(k, aged)
		return aged
	}
	return found
}

// reply is a kept result as a reply; nil if there is none.
func (c *renderings) reply(k renderKey) *hook.Reply {
	if kept := c.get(k); kept != nil {
		return &hook.Reply{Rendered: kept}
	}
	return nil
}

// keep renders a result, which has all members but those that every result of the revision
// has, and keeps it under its key.
func (e *Engine) keep(c *renderings, k renderKey, result hook.Object) *hook.Reply {
	if hook.Modern(k.revision) {
		e.complete(result)
	}
	rendered := journal.NewShared(append(hook.AppendEncoded([]byte(`"result":`), result), '}'))
	c.put(k, rendered)
	return &hook.Reply{Rendered: rendered}
}

// put keeps a result, unless it would take the room of all others.
func (c *renderings) put(k renderKey, s *journal.Shared) {
	size := len(s.Bytes()) + renderedOverhead
	if size > maxRendered/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[k] != nil {
		return // another request was quicker
	}
	if c.young == nil || c.size+size > maxRendered/2 {
		c.old, c.young, c.size = c.young, map[renderKey]*journal.Shared{}, 0
	}
	c.young[k] = s
	c.size += size
}
