package world

import (
	"bytes"
	"cmp"
	_ "embed" // the example and the schema
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

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
func (w World) checked(checks []RuleCheck) problems {
	return collect(w, func(part any) (found problems) {
		if r, ok := part.(operation.Rule); ok {
			for _, check := range checks {
				found = append(found, check(r)...)
			}
		}
		return found
	})
}

// open reads a world from a file of the operating system, as parse does.
func open(name string, checks []RuleCheck) (World, *reader, error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return World{}, nil, fmt.Errorf("%s: %w", name, yamlfile.Unread(err))
	}
	defer root.Close() //nolint:errcheck // nothing has been written
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return World{}, nil, fmt.Errorf("%s: %w", name, yamlfile.Unread(err))
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
		w.Name = strings.TrimSuffix(strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".yaml"),
			".json")
	}
	loadFiles(&w, files, r)
	for _, p := range append(collect(w, mistakes), w.checked(checks)...) {
		if r.sound(p.Member) {
			r.add(r.problem(p.Member, p.Text))
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
	found := r.written.lint()
	for at, s := range yamlfile.Items("timeline", r.written.Timeline) {
		if at += ".every"; r.index.Has(at) && s.Every == 0 {
			found.Say(at, "is 0s, which is as if it were not there: the step happens once")
		}
	}
	var all Problems
	for _, p := range found {
		worse := slices.ContainsFunc(r.problems, func(other Problem) bool { return other.Path == p.Member })
		if !worse && r.sound(p.Member) {
			all = append(all, r.problem(p.Member, p.Text))
		}
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return a.Line - b.Line })
	return all
}

// expand makes the repeated resources, and finds those that become like others.
func (r *reader) expand(w World) World {
	expanded, err := w.Expand()
	if err != nil {
		r.add(r.problem("resources", err.Error()))
		return w
	}
	if len(expanded.Resources) == len(w.Resources) {
		return expanded
	}
	seen := make(map[string]bool, len(expanded.Resources))
	next := 0
	for at, resource := range yamlfile.Items("resources", w.Resources) {
		n := 1
		if resource.Repeat != nil {
			n = resource.Repeat.Count
		}
		reported := false
		for _, one := range expanded.Resources[next : next+n] {
			if seen[one.URI] && !reported {
				r.add(r.problem(at+".uri", one.URI+" is listed twice"))
				reported = true
			}
			seen[one.URI] = true
		}
		next += n
	}
	return expanded
}

const (
	maxContent  = 16 << 20  // of one file
	maxContents = 256 << 20 // of all together
)

var errTooLarge = errors.New("too large")

// readBounded reads a regular file of at most limit bytes.
func readBounded(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is no regular file")}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: more than %d bytes",
			errTooLarge, limit)}
	}
	return data, nil
}

// because is an error without the operation and the path, which the system's messages repeat.
func because(err error) error {
	var failed *fs.PathError
	for errors.As(err, &failed) {
		err = failed.Err
	}
	return err
}

// loadFiles puts the contents of files in place of their names.
func loadFiles(w *World, files fs.FS, r *reader) {
	total := 0
	load := func(resource *Resource, at string) {
		name := strings.TrimPrefix(resource.File, "./")
		if name == "" || !r.sound(at) || len(resource.contents()) > 1 {
			return
		}
		complain := func(format string, args ...any) {
			r.spoilt = append(r.spoilt, at+".file")
			r.add(r.problem(at+".file", fmt.Sprintf(format, args...)))
		}
		if files == nil {
			complain("only a world that is a file itself can name files")
			return
		}
		if !fs.ValidPath(name) {
			complain("%q is no path within the directory of the world, written with /", clip(name))
			return
		}
		data, err := readBounded(files, name, maxContent)
		if total += len(data); err == nil && total > maxContents {
			err = fmt.Errorf("the files of the world have more than %d bytes together", maxContents)
		}
		if err != nil {
			complain("%q cannot be read: %v", clip(name), because(err))
			return
		}
		resource.File = ""
		if IsText(data) {
			resource.Text = new(string(data))
		} else {
			resource.Blob = new(base64.StdEncoding.EncodeToString(data))
		}
		resource.MIMEType = cmp.Or(resource.MIMEType, DetectMIMEType(name, data))
	}
	for at, resource := range yamlfile.Items("resources", w.Resources) {
		load(resource, at)
	}
	for at, s := range yamlfile.Items("timeline", w.Timeline) {
		if s.Put != nil {
			load(s.Put, at+".put")
		}
	}
}

// IsText reports whether a content can be sent as a text: UTF-8 without NUL.
func IsText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// Example is a world file with a bit of everything that a world can have, to be read and
// changed ("mockserver worlds example" prints it).
//
//go:embed example.yaml
var Example string

// Schema is the JSON Schema (2020-12) of world files, for editors ("mockserver world schema" prints it). It
// has the members, types and words that reading a world knows; what only the whole shows, reading a world
// tells.
//
//go:embed schema.json
var Schema string
