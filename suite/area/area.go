// Package area lists the areas of the catalogue. Each area is a package below it, which
// holds its rows, its scripts, its checks and their tests.
package area

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/mcpcheck/mcpcheck/suite/area/ann"
	"github.com/mcpcheck/mcpcheck/suite/area/batch"
	"github.com/mcpcheck/mcpcheck/suite/area/cache"
	"github.com/mcpcheck/mcpcheck/suite/area/canc"
	"github.com/mcpcheck/mcpcheck/suite/area/capability"
	"github.com/mcpcheck/mcpcheck/suite/area/comp"
	"github.com/mcpcheck/mcpcheck/suite/area/disc"
	"github.com/mcpcheck/mcpcheck/suite/area/errs"
	"github.com/mcpcheck/mcpcheck/suite/area/http"
	"github.com/mcpcheck/mcpcheck/suite/area/icon"
	"github.com/mcpcheck/mcpcheck/suite/area/lch"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/area/list"
	"github.com/mcpcheck/mcpcheck/suite/area/meta"
	"github.com/mcpcheck/mcpcheck/suite/area/mrtr"
	"github.com/mcpcheck/mcpcheck/suite/area/page"
	"github.com/mcpcheck/mcpcheck/suite/area/prog"
	"github.com/mcpcheck/mcpcheck/suite/area/read"
	"github.com/mcpcheck/mcpcheck/suite/area/rpc"
	"github.com/mcpcheck/mcpcheck/suite/area/sec"
	"github.com/mcpcheck/mcpcheck/suite/area/sess"
	"github.com/mcpcheck/mcpcheck/suite/area/sse"
	"github.com/mcpcheck/mcpcheck/suite/area/stdio"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/area/tmpl"
	"github.com/mcpcheck/mcpcheck/suite/area/uri"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Area is one area of the catalogue, and what judges it.
type Area struct {
	// File is where the rows stand: errors name it.
	File string
	// Rows is the requirements, as [requirement.ReadArea] reads them.
	Rows string
	// Checks judge the rows; a row without a check is listed, and never judged.
	Checks verdict.Checks
	// Scenarios are the scripts of this area, whose steps only its checks know. Checks may also judge
	// those of [scenario.Common], and what any script records whatever its steps.
	Scenarios []*scenario.Scenario
}

// rows holds the rows of the areas, each beside its checks.
//
//go:embed */rows.yaml
var rows embed.FS

// builtIn is the area in a package below this one.
func builtIn(name string, checks verdict.Checks, scenarios []*scenario.Scenario) Area {
	file := name + "/rows.yaml"
	text, err := rows.ReadFile(file)
	if err != nil {
		panic(err) // excluded: the rows of each area are embedded
	}
	return Area{File: "suite/area/" + file, Rows: string(text), Checks: checks, Scenarios: scenarios}
}

// All lists the areas in the order of the specification's table of contents.
func All() []Area {
	return []Area{
		builtIn("rpc", rpc.Checks, rpc.Scenarios),
		builtIn("batch", batch.Checks, batch.Scenarios),
		builtIn("errs", errs.Checks, errs.Scenarios),
		builtIn("meta", meta.Checks, meta.Scenarios),
		builtIn("icon", icon.Checks, nil),
		builtIn("life", life.Checks, life.Scenarios),
		builtIn("mrtr", mrtr.Checks, mrtr.Scenarios),
		builtIn("prog", prog.Checks, prog.Scenarios),
		builtIn("canc", canc.Checks, canc.Scenarios),
		builtIn("stdio", stdio.Checks, stdio.Scenarios),
		builtIn("http", http.Checks, http.Scenarios),
		builtIn("sess", sess.Checks, nil),
		builtIn("sse", sse.Checks, sse.Scenarios),
		builtIn("sec", sec.Checks, sec.Scenarios),
		builtIn("disc", disc.Checks, disc.Scenarios),
		builtIn("capability", capability.Checks, capability.Scenarios),
		builtIn("list", list.Checks, list.Scenarios),
		builtIn("read", read.Checks, read.Scenarios),
		builtIn("tmpl", tmpl.Checks, tmpl.Scenarios),
		builtIn("lch", lch.Checks, nil),
		builtIn("sub", sub.Checks, sub.Scenarios),
		builtIn("ann", ann.Checks, nil),
		builtIn("uri", uri.Checks, nil),
		builtIn("comp", comp.Checks, comp.Scenarios),
		builtIn("page", page.Checks, page.Scenarios),
		builtIn("cache", cache.Checks, cache.Scenarios),
	}
}

// Set is some areas together: their requirements, their checks, and the scenarios that these
// judge. It is safe for concurrent use.
type Set struct {
	*requirement.Catalogue
	checks    map[string]*verdict.Check
	scenarios []*scenario.Scenario
	named     map[recording.Name]*scenario.Scenario
}

// Join joins areas, in their order. An error says what is wrong with them: rows that cannot
// be read, an id or a scenario that two areas hold, a row under one that there is not, a check of
// no row, one that judges a scenario which nobody plays, or a scenario that builds on a later one.
func Join(areas ...Area) (*Set, error) {
	rows, errs := make([]requirement.Area, len(areas)), make([]error, len(areas))
	var reading sync.WaitGroup
	for i, a := range areas {
		reading.Go(func() { rows[i], errs[i] = requirement.ReadArea(a.File, a.Rows) })
	}
	reading.Wait()
	c, err := requirement.NewCatalogue(rows...)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	s := &Set{Catalogue: c, checks: map[string]*verdict.Check{},
		named: map[recording.Name]*scenario.Scenario{}}
	err = errors.Join(err, s.addScenarios(scenario.Common()))
	for _, a := range areas {
		err = errors.Join(err, s.addScenarios(a.Scenarios))
	}
	for _, sc := range s.scenarios {
		err = errors.Join(err, s.playable(sc))
	}
	for i, a := range areas {
		err = errors.Join(err, s.addChecks(rows[i].Name, a))
	}
	slices.SortStableFunc(s.scenarios, func(a, b *scenario.Scenario) int {
		return cmp.Or(int(a.Phase)-int(b.Phase), cmp.Compare(a.Name, b.Name))
	})
	return s, err
}

func (s *Set) addScenarios(all []*scenario.Scenario) error {
	for _, one := range all {
		if s.named[one.Name] != nil {
			return fmt.Errorf("two scenarios have the name %q: give each its own", one.Name)
		}
		s.named[one.Name] = one
		s.scenarios = append(s.scenarios, one)
	}
	return nil
}

// playable is why a scenario would never be played; nil if it can be. Nothing builds on what closes its
// phase, and what opens the expendable session builds on nothing that waits for it.
func (s *Set) playable(sc *scenario.Scenario) error {
	before, seen := slices.Clone(sc.After), map[recording.Name]bool{}
	for i := 0; i < len(before); i++ {
		name := before[i]
		earlier := s.named[name]
		if earlier == nil {
			return fmt.Errorf("the scenario %q builds on %q, and there is no such scenario", sc.Name, name)
		}
		waits := earlier.In == scenario.Closing || sc.In == scenario.Opening &&
			earlier.In == scenario.Expendable
		if earlier == sc || earlier.Phase > sc.Phase || waits && earlier.Phase == sc.Phase {
			return fmt.Errorf("the scenario %q builds on %q, which is played later", sc.Name, name)
		}
		if !seen[name] {
			seen[name], before = true, append(before, earlier.After...)
		}
	}
	return nil
}

func (s *Set) addChecks(name string, a Area) error {
	for _, id := range slices.Sorted(maps.Keys(a.Checks)) {
		k := a.Checks[id]
		if req, ok := s.Find(id); !ok || req.Area() != name {
			return fmt.Errorf("%s: there is a check of %q, which is no row of the area", a.File, id)
		}
		for _, input := range k.Inputs() {
			if s.named[input] == nil && input != recording.Everything && input != recording.Every {
				return fmt.Errorf("%s: the check of %s looks at %q, and there is no such scenario", a.File,
					id, input)
			}
		}
		s.checks[id] = &k
	}
	return nil
}

// Check is what judges a requirement; false if nothing does.
func (s *Set) Check(id string) (*verdict.Check, bool) {
	k, ok := s.checks[id]
	return k, ok
}

// Scenario finds a scenario by name.
func (s *Set) Scenario(name recording.Name) (*scenario.Scenario, bool) {
	one, ok := s.named[name]
	return one, ok
}

// Scenarios lists the scenarios by phase and name.
func (s *Set) Scenarios() []*scenario.Scenario { return slices.Clone(s.scenarios) }

// BuiltIn is the areas of this module, read at the first call. It panics on rows that cannot
// be read: that is an error of this module, which every use of it shows.
var BuiltIn = sync.OnceValue(func() *Set {
	s, err := Join(All()...)
	if err != nil {
		panic(err)
	}
	return s
})

// Catalogue is the requirements of [BuiltIn].
func Catalogue() *requirement.Catalogue { return BuiltIn().Catalogue }

// Portable returns the rows of all areas as JSON, in the shape of their files: the same bytes for the same
// rows.
func Portable() ([]byte, error) { return portable() }

var portable = sync.OnceValues(func() ([]byte, error) {
	var all []json.RawMessage
	for _, a := range All() {
		raw, err := yaml.YAMLToJSON([]byte(a.Rows))
		if err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	return json.MarshalIndent(all, "", " ")
})

// ReadRows returns the checks and scenarios of [BuiltIn] with the rows that [Portable] has written, perhaps
// in another release. Some of the rows may have no check. An error names what is wrong with a row.
func ReadRows(data []byte) (*Set, error) {
	var all []json.RawMessage
	if ours, err := portable(); err == nil && bytes.Equal(ours, data) {
		return BuiltIn(), nil
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	areas := make([]requirement.Area, len(all))
	var err error
	for i, raw := range all {
		if areas[i], err = requirement.ReadArea("rows.json", string(raw)); err != nil {
			return nil, err
		}
	}
	s := *BuiltIn()
	s.Catalogue, err = requirement.NewCatalogue(areas...)
	return &s, err
}
