// Package sources finds where a text stands in the source files of a repository.
package sources

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The bounds of what is read: bytes of a file and of all, and entries of directories. Beyond them nothing is
// found, since it is not known what else there is.
const (
	mostOfFile = 1 << 20
	mostOfAll  = 64 << 20
	mostFiles  = 100_000
)

// left are directories that hold no sources of the repository, or tests; kinds are the names that source
// files end with.
var (
	left = []string{"node_modules", "vendor", "dist", "build", "target", "__pycache__", "test", "tests",
		"__tests__", "testdata"}

	kinds = strings.Fields(".c .cc .clj .cpp .cs .dart .ex .exs .fs .go .h .hpp .java .js .jsx .kt .lua " +
		".mjs .cjs .php .pl .py .rb .rs .scala .swift .ts .tsx .zig")
)

// Tree is the source files of a repository, which are read when the first text is looked for.
type Tree struct {
	root  string // empty if there is no repository
	read  sync.Once
	all   []source
	mu    sync.Mutex
	found map[string]place
}

// place is where a text stands; line 0 means nowhere, or in several files.
type place struct {
	file string
	line int
}

// source is a file, with its path from the top of the repository.
type source struct {
	path string
	text []byte
}

// Around is the repository that a directory is in: the next one above that has an entry .git.
func Around(dir string) *Tree {
	t := &Tree{found: map[string]place{}}
	dir, err := filepath.Abs(dir)
	for at := dir; err == nil; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			t.root = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return t
}

// Find returns where the first of some texts stands in quotation marks that does so in one file alone: its
// path from the top of the repository, with slashes, and the line, beginning with 1. Line 0 means that there
// is none.
func (t *Tree) Find(texts ...string) (file string, line int) {
	t.read.Do(t.load)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, text := range texts {
		p, known := t.found[text]
		if !known {
			p = t.place(text)
			t.found[text] = p
		}
		if p.line > 0 {
			return p.file, p.line
		}
	}
	return "", 0
}

// place looks through all files.
func (t *Tree) place(text string) (p place) {
	for _, s := range t.all {
		for _, mark := range []string{`"`, "'", "`"} {
			before, _, found := bytes.Cut(s.text, []byte(mark+text+mark))
			switch {
			case !found:
			case p.line > 0 && p.file != s.path:
				return place{}
			case p.line == 0:
				p = place{s.path, 1 + bytes.Count(before, []byte("\n"))}
			}
		}
	}
	return p
}

// load reads the files. What cannot be read is left out.
func (t *Tree) load() {
	if t.root == "" {
		return
	}
	total, entries := 0, 0
	err := filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if entries++; entries > mostFiles || total > mostOfAll {
			return errTooMuch
		}
		switch {
		case err != nil:
			return nil
		case d.IsDir() && path != t.root && (strings.HasPrefix(name, ".") || slices.Contains(left, name)):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(name)) || tests(name):
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > mostOfFile {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			total += len(text)
			if rel, err := filepath.Rel(t.root, path); err == nil {
				t.all = append(t.all, source{filepath.ToSlash(rel), text})
			}
		}
		return nil
	})
	if err != nil {
		t.all = nil
	}
}

var errTooMuch = errors.New("there is more than is read")

// tests reports whether a file is named as those of tests are.
func tests(name string) bool {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(base, "_test") ||
		strings.HasSuffix(base, ".test") || strings.HasSuffix(base, ".spec")
}
