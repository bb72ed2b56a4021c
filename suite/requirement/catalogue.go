package requirement

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reports"
)

// CatalogueVersion is the version of the built-in rows: year and month. Reports carry it, so
// that two of them can be compared.
const CatalogueVersion = "2026.11"

// Catalogue is all requirements of some areas. It is safe for concurrent use.
type Catalogue struct {
	areas        []Area
	rows         []Requirement
	position     map[string]int // of each id in rows
	observations []Observation
	observed     map[string]Observation // by id
}

// shared is an area without rows: the observations that are no area's own.
//
//go:embed observations.yaml
var shared string

// NewCatalogue joins areas, in their order. It fails if two have the same name, or a row is under one
// that there is not, or under itself.
func NewCatalogue(areas ...Area) (*Catalogue, error) {
	c := &Catalogue{areas: areas, position: map[string]int{}, observed: map[string]Observation{}}
	general, err := ReadArea("suite/requirement/observations.yaml", shared)
	if err != nil {
		return nil, err
	}
	c.observations = general.Observations
	for _, a := range areas {
		c.observations = append(c.observations, a.Observations...)
		for _, r := range a.Rows {
			if _, taken := c.position[r.ID]; taken {
				return nil, fmt.Errorf("catalogue: two areas hold %s: the name of an area is its own", r.ID)
			}
			c.position[r.ID] = len(c.rows)
			c.rows = append(c.rows, r)
		}
	}
	for _, o := range c.observations {
		c.observed[o.ID] = o
	}
	return c, c.pairs()
}

// Observations lists the observations: those that areas share, then those of each area, sorted by id.
// The slice is the caller's own.
func (c *Catalogue) Observations() []Observation { return slices.Clone(c.observations) }

// Observation returns the observation with an id; the zero value if there is none.
func (c *Catalogue) Observation(id string) Observation { return c.observed[id] }

// pairs checks what the rows are under: known requirements, each once, none of which is under the
// row itself.
func (c *Catalogue) pairs() error {
	var above func(id string, path ...string) error
	above = func(id string, path ...string) error {
		i, known := c.position[id]
		switch {
		case !known:
			return fmt.Errorf("catalogue: %s is under %s, which is no requirement", path[len(path)-1], id)
		case slices.Contains(path, id):
			return fmt.Errorf("catalogue: %s is under itself: %s", id, strings.Join(append(path, id), ", "))
		}
		path = append(path, id)
		for n, deeper := range c.rows[i].Under {
			if slices.Contains(c.rows[i].Under[:n], deeper) {
				return fmt.Errorf("catalogue: %s is under %s twice", id, deeper)
			}
			if err := above(deeper, path...); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range c.rows {
		if err := above(c.rows[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// Requirements lists all requirements: areas in their order, each sorted by id. The
// slice is the caller's own; the slices inside the rows are shared and must not be
// changed.
func (c *Catalogue) Requirements() []Requirement { return slices.Clone(c.rows) }

// Find returns the requirement with an id, and whether there is one. The value is the
// caller's own; the slices inside are shared and must not be changed.
func (c *Catalogue) Find(id string) (*Requirement, bool) {
	found := *c.row(id)
	return &found, found.ID != ""
}

// row is the requirement with an id; an empty one if there is none.
func (c *Catalogue) row(id string) *Requirement {
	if i, ok := c.position[id]; ok {
		return &c.rows[i]
	}
	return &Requirement{}
}

// Areas lists all areas in their order. The slice is the caller's own.
func (c *Catalogue) Areas() []Area { return slices.Clone(c.areas) }

// Area is the area with a name; nil if there is none. It must not be changed.
func (c *Catalogue) Area(name string) *Area {
	for i := range c.areas {
		if c.areas[i].Name == name {
			return &c.areas[i]
		}
	}
	return nil
}

// Profile is the profile that a requirement counts towards; empty for an unknown one.
func (c *Catalogue) Profile(id string) string { return c.row(id).Profile }

// Demand says who has to do what, of a requirement in the combination of a result; empty for an unknown one.
func (c *Catalogue) Demand(x *reports.Result) string {
	r, ok := c.Find(x.ID)
	if !ok {
		return ""
	}
	return r.Demand(Combination{Revision(x.Revision), Transport(x.Transport)})
}

// Describe gives the full text of a requirement and what its check lets pass, for the
// writers of reports; both are empty for an unknown one.
func (c *Catalogue) Describe(id string) (text, tolerated string) {
	r := c.row(id)
	return r.Text, r.Tolerated
}

// Titles lists the areas in their order, for the writers of reports.
func (c *Catalogue) Titles() []reports.Area {
	var all []reports.Area
	for _, a := range c.areas {
		all = append(all, reports.Area{Name: a.Name, Title: a.Title})
	}
	return all
}

// Expand reads a list of ids and areas in any case; an area stands for all of its
// requirements. What is neither is left as it is, to be complained about.
func (c *Catalogue) Expand(given []string) []string {
	var all []string
	for _, s := range given {
		s = strings.TrimSpace(s)
		upper, n := strings.ToUpper(s), len(all)
		for i := range c.rows {
			if c.rows[i].ID == upper || c.rows[i].Area() == upper {
				all = append(all, c.rows[i].ID)
			}
		}
		if len(all) == n {
			all = append(all, s)
		}
	}
	return all
}

// The bounds of [Catalogue.Suggest]: how many ids it names, how many edits away they may
// be, and the longest input that can be a misspelt id.
const (
	maxSuggestions = 3
	maxEdits       = 2
	maxMisspelt    = 32
)

// DidYouMean is what is said behind an id that there is not: what it may be meant for, or else what is given.
func (c *Catalogue) DidYouMean(id, otherwise string) string {
	if near := c.Suggest(id); len(near) > 0 {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return otherwise
}

// Suggest names the ids and areas closest to what is no id, best
// first, at most three; none if nothing is close. Case is ignored. Where only the
// way to write it is wrong, as in "page-2", there is no more than one; of an area there is
// its first
func (c *Catalogue) Suggest(id string) []string {
	id = strings.ToUpper(strings.TrimSpace(id))
	if id == "" || len(id) > maxMisspelt {
		return nil
	}
	for i := range c.rows {
		if sameNumber(id, c.rows[i].ID) || c.rows[i].Area() == id {
			return []string{c.rows[i].ID}
		}
	}
	type candidate struct {
		id    string
		edits int
	}
	var found []candidate
	consider := func(name string) {
		// Of a short name little is left after two edits.
		if n := nearest.Edits(id, name); n <= maxEdits &&
			(n < len(name)/2 || n == 1 && strings.HasPrefix(id, name)) {
			found = append(found, candidate{name, n})
		}
	}
	for i := range c.areas {
		consider(c.areas[i].Name)
	}
	for i := range c.rows {
		consider(c.rows[i].ID)
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var ids []string
	for _, x := range found[:min(len(found), maxSuggestions)] {
		ids = append(ids, x.id)
	}
	return ids
}

// sameNumber reports whether two ids are of the same area and number, however the
// number is written.
func sameNumber(a, b string) bool {
	split := func(id string) (area, digits string) {
		digits = id[len(strings.TrimRight(id, "0123456789")):]
		return strings.TrimRight(strings.TrimSuffix(id, digits), "-_ "), strings.TrimLeft(digits, "0")
	}
	areaA, digitsA := split(a)
	areaB, digitsB := split(b)
	return areaA == areaB && digitsA == digitsB && digitsA != ""
}
