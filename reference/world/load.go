package world

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

const maxFile = yamlfile.MaxSize

// Load reads a world from a YAML (or JSON, which is YAML) file. All that is wrong with
// it is in the error, which is of type Problems, with file, line and member, and the
// member that may have been meant. Files that its resources name are read from the
// directory of the file.
func Load(fsys fs.FS, name string) (World, error) {
	data, err := readBounded(fsys, name, maxFile)
	if err != nil {
		return World{}, err
	}
	sub, err := fs.Sub(fsys, path.Dir(name))
	if err != nil {
		return World{}, err
	}
	w, _, err := parse(name, data, sub, nil)
	return w, err
}

// Open reads a world from a file of the operating system as Load does. The files that
// its resources name cannot lie outside of its directory, not even by way of links.
func Open(name string, checks ...RuleCheck) (World, error) {
	w, _, err := open(name, checks)
	return w, err
}

// Inspect reads a world as Open does, and also says what a careful author would put right
// in it (see World.Lint), with file, line and member, even where the world cannot be served.
func Inspect(name string, checks ...RuleCheck) (World, Problems, error) {
	w, r, err := open(name, checks)
	return w, r.warnings(), err
}

// RuleCheck says what else is wrong with a rule, for what this package knows nothing of: the names of faults.
type RuleCheck func(r operation.Rule) []operation.Problem

// checked are the problems that checks find in the rules.
func (w World) checked(checks []RuleCheck) (found problems) {
	look := func(r operation.Rule, at string) {
		for _, check := range checks {
			found.Below(at, check(r))
		}
	}
	for i, r := range w.Rules {
		look(r, fmt.Sprintf("rules[%d]", i))
	}
	for i, s := range w.Timeline {
		if s.PutRule != nil {
			look(*s.PutRule, fmt.Sprintf("timeline[%d].putRule", i))
		}
	}
	return found
}

// open reads a world from a file of the operating system, as parse does.
func open(name string, checks []RuleCheck) (World, *reader, error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return World{}, nil, err
	}
	defer root.Close() //nolint:errcheck // nothing has been written
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return World{}, nil, err
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return World{}, nil, err
	}
	return parse(name, data, root.FS(), checks)
}

// Parse reads a world from the bytes of a file; name is for messages only. There are no
// files for its resources.
func Parse(name string, data []byte, checks ...RuleCheck) (World, error) {
	w, _, err := parse(name, data, nil, checks)
	return w, err
}

// parse reads a world. The reader, nil if the file is none, has warnings about it.
func parse(name string, data []byte, files fs.FS, checks []RuleCheck) (w World, r *reader, err error) {
	if len(data) > maxFile {
		return World{}, nil, Problems{{File: name, Text: fmt.Sprintf("larger than %d bytes", maxFile)}}
	}
	if r, err = read(name, data, &w); err != nil {
		return World{}, nil, err
	}
	if w.Name == "" {
		w.Name = strings.TrimSuffix(strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".yaml"), ".json")
	}
	loadFiles(&w, files, r)
	for _, p := range append(w.problems(), w.checked(checks)...) {
		if r.sound(p.Member) {
			r.add(Problem{File: name, Line: r.line(p.Member), Path: p.Member, Text: p.Text})
		}
	}
	r.written = w
	if len(r.problems) == 0 {
		w = r.expand(w)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return World{}, r, r.problems
	}
	return w, r, nil
}

// warnings are those about a world as it is written, where nothing worse is wrong.
func (r *reader) warnings() Problems {
	if r == nil {
		return nil
	}
	found := r.written.warnings()
	for i, s := range r.written.Timeline {
		at := fmt.Sprintf("timeline[%d].every", i)
		if r.index.Has(at) && s.Every == 0 {
			found.Say(at, "is 0s, which is as if it were not there: the step happens once")
		}
	}
	var all Problems
	for _, p := range found {
		worse := slices.ContainsFunc(r.problems, func(other Problem) bool { return other.Path == p.Member })
		if !worse && r.sound(p.Member) {
			all = append(all, Problem{File: r.file, Line: r.line(p.Member), Path: p.Member, Text: p.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return a.Line - b.Line })
	return all
}

// expand makes the repeated resources, and finds those that become like others.
func (r *reader) expand(w World) World {
	expanded, err := w.Expand()
	if err != nil {
		r.add(Problem{File: r.file, Path: "resources", Line: r.line("resources"), Text: err.Error()})
		return w
	}
	if len(expanded.Resources) == len(w.Resources) {
		return expanded
	}
	seen := make(map[string]bool, len(expanded.Resources))
	next := 0
	for i, resource := range w.Resources {
		n := 1
		if resource.Repeat != nil {
			n = resource.Repeat.Count
		}
		reported := false
		for _, one := range expanded.Resources[next : next+n] {
			if seen[one.URI] && !reported {
				at := fmt.Sprintf("resources[%d].uri", i)
				r.add(Problem{File: r.file, Line: r.line(at), Path: at, Text: fmt.Sprintf("%s is listed twice", one.URI)})
				reported = true
			}
			seen[one.URI] = true
		}
		next += n
	}
	return expanded
}
