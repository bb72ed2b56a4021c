package world

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

const maxFile = 32 << 20

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
	w, _, err := parse(name, data, sub)
	return w, err
}

// Open reads a world from a file of the operating system as Load does. The files that
// its resources name cannot lie outside of its directory, not even by way of links.
func Open(name string) (World, error) {
	r, err := open(name)
	if err != nil {
		return World{}, err
	}
	return r.world, r.err
}

// Inspect reads a world as Open does, and also says what a careful author would put right
// in it (see World.Lint), with file, line and member, even where the world cannot be served.
func Inspect(name string) (w World, warnings Problems, err error) {
	r, err := open(name)
	if err != nil {
		return World{}, nil, err
	}
	return r.world, r.warnings(), r.err
}

// opened is a world file that has been read.
type opened struct {
	world    World
	err      error
	warnings func() Problems
}

func open(name string) (opened, error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return opened{}, err
	}
	defer root.Close() //nolint:errcheck // nothing has been written
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return opened{}, err
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return opened{}, err
	}
	w, warnings, err := parse(name, data, root.FS())
	return opened{w, err, warnings}, nil
}

// Parse reads a world from the bytes of a file; name is for messages only. There are no
// files for its resources.
func Parse(name string, data []byte) (World, error) {
	w, _, err := parse(name, data, nil)
	return w, err
}

// parse reads a world. The warnings are made when they are asked for.
func parse(name string, data []byte, files fs.FS) (w World, warnings func() Problems, err error) {
	if len(data) > maxFile {
		return World{}, noWarnings, Problems{{File: name, Text: fmt.Sprintf("larger than %d bytes", maxFile)}}
	}
	r, err := read(name, data, &w)
	if err != nil {
		return World{}, noWarnings, err
	}
	if w.Name == "" {
		w.Name = strings.TrimSuffix(strings.TrimSuffix(base(name), ".yaml"), ".json")
	}
	loadFiles(&w, files, r)
	for _, p := range w.problems() {
		if r.sound(p.member) {
			r.add(Problem{File: name, Line: r.line(p.member), Path: p.member, Text: p.text})
		}
	}
	written := w
	if len(r.problems) == 0 {
		w = r.expand(w)
	}
	warnings = func() Problems { return r.warnings(written) }
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return World{}, warnings, r.problems
	}
	return w, warnings, nil
}

func noWarnings() Problems { return nil }

// warnings are those about a world as it is written, where nothing worse is wrong.
func (r *reader) warnings(w World) Problems {
	found := w.warnings()
	for i, s := range w.Timeline {
		at := fmt.Sprintf("timeline[%d].every", i)
		if _, given := r.lines[at]; given && s.Every == 0 {
			found = append(found, problem{at, "is 0s, which is as if it were not there: the step happens once"})
		}
	}
	var all Problems
	for _, p := range found {
		worse := slices.ContainsFunc(r.problems, func(other Problem) bool { return other.Path == p.member })
		if !worse && r.sound(p.member) {
			all = append(all, Problem{File: r.file, Line: r.line(p.member), Path: p.member, Text: p.text})
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

func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// unknown says that a part of a world has no such member.
func unknown(t reflect.Type, member string) string {
	if meant := closest(t, member); meant != "" {
		return fmt.Sprintf("unknown member %q: did you mean %q?", member, meant)
	}
	return fmt.Sprintf("unknown member %q: known are %s", member, strings.Join(slices.Sorted(fieldsOf(t)), ", "))
}

// closest returns the member name of a type that is most like the given one, if any is.
func closest(t reflect.Type, given string) string {
	best, distance := "", len(given)/3+2
	for member := range fieldsOf(t) {
		if d := edits(strings.ToLower(given), strings.ToLower(member)); d < distance || d == distance && best != "" && member < best {
			best, distance = member, d
		}
	}
	return best
}

// fieldsOf are the names of the members of a type.
func fieldsOf(t reflect.Type) func(yield func(string) bool) {
	names := map[string]bool{}
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("yaml"); tag != "" && tag != "-" {
			names[tag] = true
		}
	}
	return maps.Keys(names)
}

func fieldOf(v reflect.Value, member string) (reflect.Value, bool) {
	if member == "" || member == "-" {
		return reflect.Value{}, false
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == member {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
