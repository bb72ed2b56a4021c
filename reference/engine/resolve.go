package engine

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// uriParam reads and validates the URI that a request is about.
func (q serving) uriParam() (string, *hook.Reply) {
	uri := q.params.uri
	if !q.params.located {
		return "", badParams(`"uri" must be a string`)
	}
	// A resource of the world may have a URI that only its faults explain.
	if q.store.get(uri) == nil {
		if err := world.CheckURI(uri); err != nil {
			return "", failWith(codeInvalidParams, "Invalid params: this is no URI: "+err.Error(),
				hook.Object{"uri": uri})
		}
	}
	return uri, nil
}

// exists reports whether a URI can be read by the client whose message the context has, or by the server
// itself if it has none.
func (e *Engine) exists(ctx context.Context, uri string) bool {
	return e.resolve(ctx, uri) != nil
}

// resolve finds the resource of a URI: a stored one, or one that a template
// stands for; nil if there is none. It compares URIs as they are and
// normalises no path: no spelling of a directory step can lead anywhere.
func (e *Engine) resolve(ctx context.Context, uri string) *entry {
	viewer := hook.TraceOf(ctx)
	if found := e.store.get(uri); found != nil {
		return found.shownTo(viewer)
	}
	templates := e.served().templates
	if len(templates) == 0 || world.CheckURI(uri) != nil {
		return nil
	}
	for _, t := range templates {
		values, ok := t.match(uri)
		if !ok || !harmless(values) {
			continue
		}
		if found := e.expand(ctx, t, uri, values).shownTo(viewer); found != nil {
			return found
		}
	}
	return nil
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

// expand makes the resource that a template stands for at these values; nil if there is none.
func (e *Engine) expand(ctx context.Context, t *template, uri string, values map[string]string) *entry {
	for _, name := range t.names {
		v := t.variable(name)
		value, given := values[name]
		if !given {
			values[name] = v.Default
			continue
		}
		if v.Closed && !slices.Contains(v.Suggestions(values), value) {
			return nil
		}
	}
	switch {
	case t.Source != nil:
		r, ok := t.Source.Find(ctx, values)
		if !ok {
			return nil
		}
		r.URI = uri
		found, _ := newEntry(r, maxGenerated) // nil if it cannot be made
		return found
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
	return &entry{res: r, data: []byte(text), size: int64(len(text))}
}

func (e *Engine) lookup(t *template, values map[string]string) *entry {
	target := expression.ReplaceAllStringFunc(t.Finds, func(found string) string {
		parts := expression.FindStringSubmatch(found)
		return escape(values[parts[2]], parts[1] == "+")
	})
	return e.store.get(target)
}

// escape percent-encodes a value for a URI; with keep it leaves reserved characters as they are ({+name} of
// RFC 6570).
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
