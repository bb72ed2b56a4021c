package engine

import (
	"cmp"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Rendering leaves out what the revision of the client does not know, although a
// client would have to tolerate it.

func optional(o hook.Object, name, value string) {
	if value != "" {
		o[name] = value
	}
}

// describe is the entry of a resource in the list.
func (e *Engine) describe(en *entry, revision string) hook.Object {
	r := en.res
	o := hook.Object{"uri": r.URI, "name": r.Name}
	decorate(o, revision, r.Title, r.Description, r.MIMEType, r.Annotations, r.Icons, r.Meta)
	if (!r.Directory() || r.Size != nil) && en.size >= 0 {
		o["size"] = hook.Number(en.size)
	}
	if r.Input != nil && r.Size == nil {
		delete(o, "size") // depends on the answers
	}
	return o
}

func describeTemplate(t world.Template, revision string) hook.Object {
	o := hook.Object{"uriTemplate": t.URITemplate, "name": t.Name}
	decorate(o, revision, t.Title, t.Description, t.MIMEType, t.Annotations, t.Icons, t.Meta)
	return o
}

func decorate(o hook.Object, revision, title, description, mimeType string, a *world.Annotations, icons []world.Icon, meta map[string]any) {
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

func texts(values []string) []any { return listOf(values, func(v string) any { return v }) }

// listOf is a list with what each makes of the elements.
func listOf[T any](all []T, each func(T) any) []any {
	list := make([]any, len(all))
	for i, one := range all {
		list[i] = each(one)
	}
	return list
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

// The caching hints that hold where the world gives none.
const (
	listTTL = 5 * time.Minute
	readTTL = time.Minute
)

func (e *Engine) hintList(result hook.Object) {
	hints := *cmp.Or(e.served().world.Caching, &world.Caching{TTL: listTTL, Scope: "public"})
	if e.store.differs() {
		hints.Scope = "private" // another identity may get another list
	}
	hint(result, hints)
}

func readCaching(r *world.Resource) world.Caching {
	c := *cmp.Or(r.Caching, &world.Caching{TTL: readTTL, Scope: "private"})
	if len(r.Identities) > 0 {
		c.Scope = "private"
	}
	return c
}

func hint(result hook.Object, c world.Caching) {
	result["ttlMs"] = hook.Number(c.TTL.Milliseconds())
	result["cacheScope"] = cmp.Or(c.Scope, "private")
}
