// Package catalogue reads the deviations of the reference server that are written as
// data: faults and quirks. A file maps names to rows, strictly read:
//
//	page-09-empty-cursor-restarts:
//	  summary: the last page has the nextCursor "", which leads to the first page
//	  needs: {pageSize: 3}
//	  do:
//	    - {method: resources/list, when: [{at: result.nextCursor, type: missing}],
//	       set: result.nextCursor, to: ""}
//	    - {on: request, method: resources/list, when: [{at: params.cursor, is: ""}], drop: params.cursor}
//
// What a row does is operations (package operation), an overlay of the world, or code:
// hooks under the name of the row. Code is for what the vocabulary has no words for.
package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Needs says under which conditions a deviation can be seen at all.
type Needs struct {
	// PageSize is the page size that the server must have; 0 means any.
	PageSize int `yaml:"pageSize"`
	// Revisions and Transports restrict where it shows; empty means all of those for which
	// the requirement holds. In files legacy, modern and "2025-06-18.." stand for several revisions.
	Revisions  []string `yaml:"revisions"`
	Transports []string `yaml:"transports"`
	// World names a world other than the default one.
	World string `yaml:"world"`
	// Served lists the revisions that the server must be limited to, say the
	// modern one alone; empty means all.
	Served []string `yaml:"served"`
	// Trigger says that a resource or the list must be changed meanwhile.
	Trigger bool `yaml:"trigger"`
	// Authorization says that the server demands a bearer token (hook.RequireBearer),
	// which the client must be given.
	Authorization bool `yaml:"authorization"`
	// Process says that only a real process shows it (its exit, say).
	Process bool `yaml:"process"`
}

// Entry is one deviation.
type Entry struct {
	Name string `yaml:"-"`
	// Summary says in one clause what the server does.
	Summary string `yaml:"summary"`
	Needs   Needs  `yaml:"needs"`
	// Permits lists the requirements that grant it, if it is legal.
	Permits []string `yaml:"permits"`
	// Idles lists the requirements that have no occasion in a server with it, though they
	// have one without; the summary says why.
	Idles []string `yaml:"idles"`
	// Requirement is the id of the requirement that a fault breaks first of all; of a quirk, those that
	// permit it, with commas between them.
	Requirement string `yaml:"-"`
	// Aspect, if not empty, names what it changes as a whole: of the deviations of one
	// aspect a server can have only one.
	Aspect string `yaml:"aspect"`
	// Advice says, for a fault, what a good client does, if there is more to be said of it than of others
	// that break its requirement; "" where a client that keeps the rules itself notices nothing.
	Advice *string `yaml:"client"`
	// Do are its operations.
	Do []operation.Operation `yaml:"do"`
	// Overlay changes a copy of the world before the server is made; nil leaves it.
	Overlay func(w *world.World) `yaml:"-"`

	streams bool
	code    func() Code // that has it; nil if none has
}

// HooksFor makes the hooks of the deviation for one server.
func (e Entry) HooksFor(rng *rand.Rand) hook.Hooks {
	h, err := operation.Hooks(e.Do, rng)
	if err != nil { // has been checked when it was read
		h = hook.Hooks{}
	}
	all := []hook.Hooks{h}
	if e.streams {
		all = append(all, hook.Hooks{EventStreams: hook.Always})
	}
	if e.code != nil {
		all = append(all, e.code()[e.Name])
	}
	return hook.Join(all...)
}

// Client says in a sentence what a good client does with a server that has the fault. It is empty where a
// client that keeps the rules itself notices nothing of it.
func (e Entry) Client() string { return *cmp.Or(e.Advice, new("")) }

// With is the entry with hooks.
func (e Entry) With(h hook.Hooks) Entry {
	e.code = func() Code { return Code{e.Name: h} }
	return e
}

// Code is the hooks of rows for one server, by name.
type Code map[string]hook.Hooks

// Overlays is functions that change the world for rows, by name.
type Overlays map[string]func(w *world.World)

// row is an entry as a file has it.
type row struct {
	Entry `         yaml:",inline"`
	// Streams has every request over HTTP answered by an event stream.
	Streams bool     `yaml:"streams"`
	Overlay *overlay `yaml:"overlay"`
}

// overlay changes a world.
type overlay struct {
	// Without are capabilities that are not offered.
	Without   world.Capabilities `yaml:"without"`
	Resources []world.Resource   `yaml:"resources"`
	Templates []world.Template   `yaml:"templates"`
}

// Catalogue is entries by name, which are read when they are first asked for.
type Catalogue struct {
	read func() (map[string]Entry, error)
}

// New makes the catalogue of the files in rows. The last function puts into an entry what the file does not
// say, and says what is wrong with it beside what is wrong with any.
func New(
	fsys fs.FS,
	code []func() Code,
	overlays Overlays,
	complete func(e *Entry) error,
) *Catalogue {
	return &Catalogue{
		sync.OnceValues(func() (map[string]Entry, error) { return read(fsys, code, overlays, complete) }),
	}
}

// Err lists all that is wrong with the files, with file and line; nil if nothing is.
func (c *Catalogue) Err() error {
	_, err := c.read()
	return err
}

// All lists the entries by name.
func (c *Catalogue) All() []Entry {
	all, _ := c.read() // a test of each catalogue looks at Err
	return slices.SortedFunc(maps.Values(all), func(a, b Entry) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Find returns the entry of that name.
func (c *Catalogue) Find(name string) (e Entry, ok bool) {
	all, _ := c.read() // as above
	e, ok = all[name]
	return e, ok
}

// read reads the entries of all files, by name.
func read(
	fsys fs.FS,
	code []func() Code,
	overlays Overlays,
	complete func(e *Entry) error,
) (map[string]Entry, error) {
	files, err := fs.Glob(fsys, "rows/*.yaml")
	if err != nil {
		return nil, err
	}
	all := map[string]Entry{}
	coded := map[string]func() Code{}
	for _, c := range code {
		for name := range c() {
			coded[name] = c
		}
	}
	var failed []error
	for _, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		rows := map[string]row{}
		index, err := yamlfile.Decode(file, data, &rows)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for name, r := range rows {
			e := r.entry(name, coded[name], overlays)
			problems := r.check(index, e)
			if _, twice := all[name]; twice {
				problems = append(problems, index.Problem(name, "%s is there twice", name))
			}
			if err := complete(&e); err != nil {
				problems = append(problems, index.Problem(name, "%v", err))
			}
			if len(problems) > 0 {
				failed = append(failed, &yamlfile.Error{File: file, Problems: problems})
				continue
			}
			all[name] = e
		}
	}
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(overlays)), maps.Keys(coded)) {
		if _, ok := all[name]; !ok {
			failed = append(failed, fmt.Errorf("rows: there is code for %q, and no row", name))
		}
	}
	return all, errors.Join(failed...)
}

func (r *row) entry(name string, code func() Code, overlays Overlays) Entry {
	e := r.Entry
	e.Name, e.Overlay, e.streams, e.code = name, overlays[name], r.Streams, code
	e.Needs.Revisions, e.Needs.Served = revisions(r.Needs.Revisions), revisions(r.Needs.Served)
	if r.Overlay != nil {
		e.Overlay = r.Overlay.apply
	}
	return e
}

// check says what is wrong with a row.
func (r *row) check(index *yamlfile.Index, e Entry) []yamlfile.Problem {
	var found []yamlfile.Problem
	say := func(member, format string, args ...any) {
		found = append(found, index.Problem(e.Name+"."+member, e.Name+"."+member+": "+format, args...))
	}
	if r.Summary == "" {
		say("summary", "is missing")
	}
	if len(r.Do) == 0 && r.Overlay == nil && e.code == nil && e.Overlay == nil && !r.Streams &&
		r.Needs.PageSize == 0 {
		say("do", "is missing, and there is no code of this name")
	}
	if index.Has(e.Name+".overlay.without") && r.Overlay.Without == (world.Capabilities{}) {
		say("overlay.without", "takes no capability away: name one with true, or leave it out")
	}
	for _, p := range operation.CheckAll(r.Do) {
		say(p.Member, "%s", p.Text)
	}
	for _, revision := range slices.Concat(e.Needs.Revisions, e.Needs.Served) {
		if !slices.Contains(hook.Revisions(), revision) {
			say("needs", "there is no revision %s", revision)
		}
	}
	for _, transport := range r.Needs.Transports {
		if !slices.Contains([]string{hook.Stdio, hook.HTTP, hook.SSE}, transport) {
			say("needs.transports", "there is no transport %s", transport)
		}
	}
	return found
}

// revisions replaces legacy, modern, and "2025-06-18.." for that one and all later ones, by what they stand
// for.
func revisions(given []string) []string {
	var all []string
	for _, revision := range given {
		first, open := strings.CutSuffix(revision, "..")
		var but func(revision string) bool
		switch {
		case revision == "legacy":
			but = hook.Modern
		case revision == "modern":
			but = func(r string) bool { return !hook.Modern(r) }
		case open && slices.Contains(hook.Revisions(), first):
			but = func(r string) bool { return r < first }
		default:
			all = append(all, revision)
			continue
		}
		all = append(all, slices.DeleteFunc(hook.Revisions(), but)...)
	}
	return all
}

func (o *overlay) apply(w *world.World) {
	w.Resources = append(w.Resources, o.Resources...)
	w.Templates = append(w.Templates, o.Templates...)
	if o.Without != (world.Capabilities{}) {
		left := w.Offered().Without(o.Without)
		w.Capabilities = &left
	}
}
