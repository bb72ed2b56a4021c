// Package revision is the table of the protocol's revisions, revisions.yaml: which there are, what
// each inherits from, whether it opens with a handshake, and which transports it has. The suite and
// the reference read the same table, so that a new revision is entered once; how to behave in one
// stands in neither of them by this table.
package revision

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// The eras: a legacy revision opens with a handshake, a modern one carries its metadata in every request.
const (
	legacy = "legacy"
	Modern = "modern"
)

// The transports: standard streams, Streamable HTTP and HTTP+SSE.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

// Entry is what the table says of a revision.
type Entry struct {
	Inherits   string   `yaml:"inherits"`
	Era        string   `yaml:"era"`
	Transports []string `yaml:"transports"`
	// Line is the revision and all that it inherits from, oldest first.
	Line []string `yaml:"-"`
}

// Table is the revisions by name, a date.
type Table struct {
	entries map[string]Entry
	order   []string
}

//go:embed revisions.yaml
var text string

// Known is the table. It panics on one that cannot be read: that is an error of this
// package, which every use of it shows.
var Known = sync.OnceValue(func() *Table {
	t, err := read("internal/revision/revisions.yaml", text)
	if err != nil {
		panic(err)
	}
	return t
})

// read reads a table. The error is a [*yamlfile.Error], with file and line.
func read(file, text string) (*Table, error) {
	var f struct {
		Revisions map[string]Entry `yaml:"revisions"`
	}
	x, err := yamlfile.Decode(file, []byte(text), &f)
	if err != nil {
		return nil, err
	}
	oneOf := func(path, value string, known ...string) {
		if slices.Contains(known, value) {
			return
		}
		x.Fail(path, "%s must be one of %s, not %q%s", path[strings.LastIndex(path, ".")+1:],
			strings.Join(known, ", "), value, yamlfile.DidYouMean(value, known))
	}
	t := &Table{entries: f.Revisions, order: slices.Sorted(maps.Keys(f.Revisions))}
	if len(t.order) == 0 {
		x.Fail("", "no revisions")
	}
	for i, date := range t.order {
		path, e := "revisions."+date, t.entries[date]
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			x.Fail(path, "%s is not a date, such as 2024-11-05", date)
		}
		if e.Inherits != "" {
			from, known := t.entries[e.Inherits]
			if !known || e.Inherits >= date {
				x.Fail(path+".inherits", "%s: no earlier revision %q to inherit from", date, e.Inherits)
				continue
			}
			e.Era = cmp.Or(e.Era, from.Era)
			if e.Transports == nil {
				e.Transports = from.Transports
			}
			e.Line = slices.Clone(from.Line)
		} else if i > 0 {
			x.Fail(path, "%s: only the first revision inherits from none", date)
		}
		oneOf(path+".era", e.Era, legacy, Modern)
		if len(e.Transports) == 0 {
			x.Fail(path, "%s: no transports", date)
		}
		for j, transport := range e.Transports {
			if slices.Contains(e.Transports[:j], transport) {
				x.Fail(path+".transports", "%s: the transport %s twice", date, transport)
			}
			oneOf(path+".transports", transport, Stdio, HTTP, SSE)
		}
		e.Line = append(e.Line, date)
		t.entries[date] = e
	}
	return t, x.Err()
}

// Names lists the revisions, oldest first.
func (t *Table) Names() []string { return slices.Clone(t.order) }

// Has reports whether the table holds a revision.
func (t *Table) Has(name string) bool {
	_, ok := t.entries[name]
	return ok
}

// Of is what the table says of a revision; of an unknown one what it says of the latest that is
// not younger, or else of the first. What is returned must not be changed.
func (t *Table) Of(name string) Entry {
	if e, ok := t.entries[name]; ok {
		return e
	}
	i, _ := slices.BinarySearch(t.order, name)
	return t.entries[t.order[max(i-1, 0)]]
}
