package compare

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// The bounds of what is asked in one revision.
const (
	atOnce       = 4        // questions under way
	maxVariables = 40       // variables that are completed
	plenty       = 12 << 20 // bytes of contents, after which no further read is begun
)

// declaration is the subject of what a side declares.
const declaration = "declaration"

// round is a comparison in one revision.
type round struct {
	*comparison
	rev             requirement.Revision
	direct, through *talk
	names           names
	// listed maps the names of the direct side to those that the gateway lists.
	listed map[string]string
	asked  []*question
	total  int
	bytes  atomic.Int64
	unread atomic.Int64
}

// revision asks both sides everything in one revision.
func (c *comparison) revision(ctx context.Context, rev requirement.Revision) {
	r := &round{comparison: c, rev: rev, direct: c.direct.talk(rev), through: c.through.talk(rev), listed: map[string]string{},
		names: names{c.cfg.MapURI, c.cfg.MapName}}
	defer func() {
		r.direct.close()
		r.through.close()
	}()
	declared := &question{group: Declared, subject: declaration, ask: func(ctx context.Context, t *talk) answer { return t.declared(ctx) }}
	r.ask(ctx, declared)
	resources := r.list(Listed, "resources/list", "resources", "uri")
	templates := r.list(Templates, "resources/templates/list", "resourceTemplates", "uriTemplate")
	if declares(declared.direct, "resources") || declares(declared.through, "resources") || declared.direct.body.Raw == "" {
		r.ask(ctx, resources, templates)
	} else {
		c.note(string(rev) + ": neither side declares resources, so none were asked for")
	}
	r.know(resources, templates)
	reads := r.reads(resources.direct.entries)
	completions := r.completions(declared, templates.direct.entries)
	r.ask(ctx, slices.Concat(reads, completions)...)
	r.ask(ctx, r.further(completions)...)
	r.ask(ctx, r.expansions(templates.direct.entries)...)
	r.ask(ctx, r.mistakes(resources.direct.entries)...)
	if n := r.unread.Load(); n > 0 {
		c.note(string(rev) + ": " + strconv.FormatInt(n, 10) + " resources were not read, since the others came to more than " + strconv.Itoa(plenty>>20) + " MiB")
	}
	r.confirm(ctx)
	if declares(declared.direct, "resources.subscribe") && declares(declared.through, "resources.subscribe") {
		r.subscriptions(ctx, resources.direct.entries)
	}
	r.account(ctx)
}

// declares reports whether a capability is declared: present and neither false nor null.
func declares(a answer, path string) bool {
	c := a.body.Get("capabilities." + path)
	return c.Exists() && c.Type != gjson.False && c.Type != gjson.Null
}

// ask asks both sides questions, some at a time, and compares the answers.
func (r *round) ask(ctx context.Context, all ...*question) {
	done := len(r.asked)
	r.total = done + len(all)
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, q := range all {
		slots <- struct{}{}
		r.cfg.Progress(Event{Revision: r.rev, Title: string(q.group) + ": " + q.subject, Done: done + i, Total: r.total})
		wg.Go(func() {
			defer func() { <-slots }()
			var both sync.WaitGroup
			both.Go(func() { q.direct = q.ask(ctx, r.direct) })
			both.Go(func() { q.through = q.ask(ctx, r.through) })
			both.Wait()
			q.found = q.compare(r.names, q.direct, q.through)
		})
	}
	wg.Wait()
	r.asked = append(r.asked, all...)
}

// list is a walk of all pages of a list.
func (r *round) list(group Group, method, member, key string) *question {
	return &question{group: group, subject: method, match: matchLists(method, member), ask: func(ctx context.Context, t *talk) answer {
		back := func(s string) string { return s }
		if t == r.through {
			back = r.names.uri.back
		}
		return walk(ctx, t, method, member, key, back)
	}}
}

// know notes under which names the gateway lists what the server lists, and which walks
// were not followed to their end.
func (r *round) know(lists ...*question) {
	for _, q := range lists {
		for _, e := range q.through.entries {
			for _, key := range []string{"uri", "uriTemplate"} {
				if u := e.raw.Get(key); u.Type == gjson.String {
					r.listed[e.name] = u.Str
				}
			}
		}
		for i, a := range []answer{q.direct, q.through} {
			if a.end != "" && a.end != endDone {
				r.note(string(r.rev) + ": " + []string{"direct", "through"}[i] + ": " + q.subject + ": " + a.end + " (" +
					strconv.Itoa(len(a.entries)) + " entries by then): what it lacks is not counted as dropped or added")
			}
		}
	}
}

// in is a URI or URI template in the words of a side.
func (r *round) in(t *talk, s string) string {
	if t != r.through {
		return s
	}
	if own, ok := r.listed[s]; ok {
		return own
	}
	return r.names.uri.forward(s)
}

// read is the read of a URI.
func (r *round) read(group Group, uri string) *question {
	return &question{group: group, subject: uri, ask: func(ctx context.Context, t *talk) answer {
		if r.bytes.Load() > plenty {
			if t == r.direct {
				r.unread.Add(1)
			}
			return answer{none: unread, void: true}
		}
		a := reply(t.do(ctx, session.Request{Step: recording.StepRead, Method: "resources/read", Params: map[string]any{"uri": r.in(t, uri)}}))
		r.bytes.Add(int64(len(a.body.Raw)) / 2) // both sides are read
		return a
	}}
}

// readEach are the reads of some URIs.
func (r *round) readEach(group Group, uris []string) []*question {
	all := make([]*question, len(uris))
	for i, uri := range uris {
		all[i] = r.read(group, uri)
	}
	return all
}

// unread is why what was left out has no answer.
const unread = "enough was read"

// reads are the reads of what the server lists: an even sample.
func (r *round) reads(entries []entry) []*question {
	uris := r.harmless(entries, "listed resources")
	picked := scenario.Sample(uris, max(r.cfg.Reads, 0))
	if len(picked) < len(uris) {
		r.note(string(r.rev) + ": " + strconv.Itoa(len(picked)) + " of " + strconv.Itoa(len(uris)) + " listed resources were read; --read all reads all")
	}
	return r.readEach(Read, picked)
}

// harmless are the names of entries that may be read: those that speak of deletion or
// execution are left out, unless the target file of the direct side allows them.
func (r *round) harmless(entries []entry, what string) []string {
	left := 0
	var all []entry
	for _, e := range entries {
		if judge.Risky(e.name, e.raw.Get("name").String(), e.raw.Get("title").String()) != "" && !slices.Contains(r.cfg.Direct.Allow, target.AllowRisky) {
			left++
			continue
		}
		all = append(all, e)
	}
	if left > 0 {
		r.note(string(r.rev) + ": " + strconv.Itoa(left) + " " + what + " speak of deletion or execution and were not read; allow: [risky] in the target file has them read")
	}
	return named(all)
}

// named are the names of entries, less those that stand for entries without one.
func named(entries []entry) []string {
	return slices.DeleteFunc(order(entries), func(name string) bool { return strings.HasPrefix(name, nameless) })
}

// complete asks for the values of a variable of a template.
func (r *round) complete(template, variable, value string, given map[string]string) *question {
	subject := template + " " + variable + "=" + value
	for _, name := range slices.Sorted(maps.Keys(given)) {
		subject += " with " + name + "=" + given[name]
	}
	return &question{group: Completion, subject: subject, ask: func(ctx context.Context, t *talk) answer {
		params := map[string]any{
			"ref":      map[string]any{"type": "ref/resource", "uri": r.in(t, template)},
			"argument": map[string]any{"name": variable, "value": value},
		}
		if len(given) > 0 {
			params["context"] = map[string]any{"arguments": given}
		}
		return reply(t.do(ctx, session.Request{Step: recording.StepComplete, Method: "completion/complete", Params: params}))
	}}
}

// completions complete the first variable of each template, and what the target file
// of the direct side gives. 2024-11-05 has no capability for them.
func (r *round) completions(declared *question, templates []entry) []*question {
	if r.rev.Since(requirement.R20250326) && !declares(declared.direct, "completions") && !declares(declared.through, "completions") {
		return nil
	}
	var all []*question
	for _, template := range order(templates) {
		if v := variables(template); len(v) > 0 && len(all) < maxVariables {
			all = append(all, r.complete(template, v[0], "", nil))
		}
	}
	for _, k := range r.cfg.Direct.Subjects.Completions {
		given := k.Context
		if r.rev.Before(requirement.R20250618) {
			given = nil
		}
		all = append(all, r.complete(k.Template, k.Argument, k.Prefix, given))
	}
	return all
}

// variables lists the variables of a template, each once.
func variables(template string) []string {
	var all []string
	for _, v := range judge.Variables(template) {
		if !slices.Contains(all, v.Name) {
			all = append(all, v.Name)
		}
	}
	return all
}

// suggestions are the first values that the server suggested for the variables of a
// template, as far as both sides were asked for them.
func (r *round) suggestions(template string) map[string]string {
	values := map[string]string{}
	for _, v := range variables(template) {
		for _, q := range r.asked {
			// The answers to other questions may be large: nothing is looked for in them.
			if q.group != Completion || values[v] != "" || !strings.HasPrefix(q.subject, template+" "+v+"=") {
				continue
			}
			if first := q.direct.body.Get("completion.values.0"); first.Type == gjson.String && first.Str != "" {
				values[v] = first.Str
			}
		}
	}
	return values
}

// further complete the other variables of templates, in the context of the first one
// where the revision knows contexts.
func (r *round) further(first []*question) []*question {
	var all []*question
	for _, q := range first {
		template, rest, _ := strings.Cut(q.subject, " ")
		v := variables(template)
		if len(v) < 2 || rest != v[0]+"=" {
			continue
		}
		given := map[string]string{}
		if value := r.suggestions(template)[v[0]]; value != "" && r.rev.Since(requirement.R20250618) {
			given[v[0]] = value
		}
		for _, name := range v[1:] {
			if len(all) < maxVariables {
				all = append(all, r.complete(template, name, "", given))
			}
		}
	}
	return all
}

// expansions read templates with the arguments of the target file, and with the values
// that the server suggests.
func (r *round) expansions(templates []entry) []*question {
	var uris []string
	expand := func(template string, values map[string]string) {
		if uri, err := judge.Expand(template, values); err == nil && !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	for _, t := range r.cfg.Direct.Subjects.Templates {
		for _, a := range t.Arguments {
			expand(t.Template, a.Vars)
		}
	}
	unknown := 0
	for _, template := range r.harmless(templates, "templates") {
		v := variables(template)
		switch values := r.suggestions(template); {
		case len(v) > 0 && len(values) == len(v) && len(uris) < maxVariables:
			expand(template, values)
		case !slices.ContainsFunc(r.cfg.Direct.Subjects.Templates, func(t target.Template) bool { return t.Template == template }):
			unknown++
		}
	}
	if unknown > 0 {
		r.note(string(r.rev) + ": no values are known for " + strconv.Itoa(unknown) + " of " + strconv.Itoa(len(templates)) + " templates, so that nothing was read through them; a target file can give some (subjects.templates)")
	}
	return r.readEach(Templates, uris)
}

// mistakes are reads that must fail: of URIs that lead nowhere, and of what is no URI.
func (r *round) mistakes(entries []entry) []*question {
	uris := slices.Clone(r.cfg.Direct.Subjects.Missing)
	const name = "mcpcheck-no-such-resource"
	for _, uri := range named(entries) {
		if judge.Risky(uri) != "" {
			continue
		}
		if cut := strings.LastIndexAny(strings.TrimRight(uri, "/"), "/:"); cut >= 0 && !strings.HasPrefix(uri, "http") {
			uris = append(uris, uri[:cut+1]+name)
			break
		}
	}
	uris = append(uris, "mcpcheck-7b4e91://nowhere/"+name, "mcpcheck is no URI")
	slices.Sort(uris)
	return r.readEach(Errors, slices.Compact(uris))
}
