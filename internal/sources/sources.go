// Package sources finds where a text stands in the source files of a repository.
package sources

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The bounds of what is read: bytes of a file and of all, and files.
const (
	mostOfFile = 1 << 20
	mostOfAll  = 64 << 20
	mostFiles  = 20_000
)

// left are directories that hold no sources of the repository, or tests; kinds are the names that source files end with.
var (
	left = []string{"node_modules", "vendor", "dist", "build", "target", "__pycache__", "test", "tests", "__tests__", "testdata"}

	kinds = strings.Fields(".c .cc .clj .cpp .cs .dart .ex .exs .fs .go .h .hpp .java .js .jsx .kt .lua .mjs .cjs .php .pl .py .rb .rs .scala .swift .ts .tsx .zig")
)

// Tree is the source files of a repository, which are read when the first text is looked for.
type Tree struct {
	root string
	read sync.Once
	all  []source
}

// source is a file, with its path from the top of the repository.
type source struct {
	path string
	text []byte
}

// Around is the repository that a directory is in: the next one above that has an entry .git, or else the directory itself.
func Around(dir string) *Tree {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return &Tree{root: "."}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return &Tree{root: at}
		}
		if at == filepath.Dir(at) {
			return &Tree{root: dir}
		}
	}
}

// Find returns where the first of some texts stands that stands in one file alone: its path from the top of the
// repository, with slashes, and the line, beginning with 1. Line 0 means that there is none.
func (t *Tree) Find(texts ...string) (file string, line int) {
	t.read.Do(t.load)
	for _, text := range texts {
		var in []source
		for _, s := range t.all {
			if text != "" && bytes.Contains(s.text, []byte(text)) {
				in = append(in, s)
			}
		}
		if len(in) == 1 {
			before, _, _ := bytes.Cut(in[0].text, []byte(text))
			return in[0].path, 1 + bytes.Count(before, []byte("\n"))
		}
	}
	return "", 0
}

// load reads the files. What cannot be read, and what is beyond the bounds, is left out.
func (t *Tree) load() {
	total := 0
	_ = filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return nil
		case d.IsDir() && path != t.root && (strings.HasPrefix(name, ".") || slices.Contains(left, name)):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(name)) || tests(name):
			return nil
		case len(t.all) == mostFiles || total >= mostOfAll:
			return fs.SkipAll
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
}

// tests reports whether a file is named as those of tests are.
func tests(name string) bool {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(base, "_test") || strings.HasSuffix(base, ".test") || strings.HasSuffix(base, ".spec")
}
