package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// state is what the list shows of a file.
type state struct {
	size     int64
	modified time.Time
	mimeType string
}

func (s state) equal(o state) bool {
	return s.size == o.size && s.mimeType == o.mimeType && s.modified.Equal(o.modified)
}

// found is a file that a scan has come across.
type found struct {
	path string
	state
}

// chunk is how many entries of a directory are read at once.
const chunk = 1024

// maxVisited bounds what a scan looks at.
func (d *Dir) maxVisited() int { return 100_000 + 10*d.options.MaxFiles }

// scan lists the files below a directory in the order of their paths, as many as may be
// listed in all, and watches the directories. It ends early with the context. The caller holds mu.
func (d *Dir) scan(ctx context.Context, top string) []found {
	var files []found
	visited := 0
	dirs := []string{top}
	for len(dirs) > 0 {
		at := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		d.watch(at) // before it is read, so that nothing is missed
		within, more := d.list(ctx, at, &visited, d.options.MaxFiles-len(files), &files)
		switch {
		case ctx.Err() != nil:
			return nil
		case more:
			d.tell(tooMany(d.options.MaxFiles))
			return ordered(files)
		}
		slices.Reverse(within)
		dirs = append(dirs, within...)
	}
	return ordered(files)
}

// list adds up to n files of a directory, and says which directories lie in it and whether there are more
// files. The caller holds mu.
func (d *Dir) list(ctx context.Context, at string, visited *int, n int, files *[]found) (within []string,
	more bool) {
	root, err := openDir(d.root.Load(), at)
	if err != nil {
		d.unreadable(at, err)
		return nil, false
	}
	defer root.Close() //nolint:errcheck // nothing has been written
	for _, e := range d.entries(root, at, visited) {
		file := path.Join(at, e.Name())
		switch {
		case ctx.Err() != nil:
			return nil, false
		case d.hidden(file) || !lies(file):
			continue
		case e.IsDir():
			within = append(within, file)
			continue
		}
		s, ok := d.glance(root, e, file)
		if !ok {
			continue
		}
		if n--; n < 0 {
			return nil, true
		}
		*files = append(*files, found{file, s})
	}
	return within, false
}

func (d *Dir) unreadable(at string, err error) {
	if errors.Is(err, fs.ErrPermission) {
		d.tell(fmt.Sprintf("the directory %s cannot be read: its files are left out", at))
	}
}

func tooMany(n int) string {
	return fmt.Sprintf("there are more than %d files: the others are not listed, but can be read", n)
}

func ordered(files []found) []found {
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return files
}

// entries are what is in a directory. The caller holds mu.
func (d *Dir) entries(root *os.Root, at string, visited *int) []fs.DirEntry {
	f, err := root.Open(".")
	if err != nil {
		d.unreadable(at, err)
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	var all []fs.DirEntry
	for {
		entries, err := f.ReadDir(chunk)
		all = append(all, entries...)
		if *visited += len(entries); *visited > d.maxVisited() {
			d.tell(fmt.Sprintf("there are more than %d entries: the others are left out", d.maxVisited()))
			break
		}
		if err != nil {
			break // io.EOF, or the directory goes away
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// glance is look for an entry of a directory, with few calls of the system: there may be many. What looks
// as it did is what it was.
func (d *Dir) glance(in *os.Root, e fs.DirEntry, file string) (state, bool) {
	if !e.Type().IsRegular() {
		return d.look(d.root.Load(), file) // a link may lead anywhere in the directory
	}
	if before, known := d.files.values[file]; known {
		info, err := in.Lstat(e.Name())
		if err == nil && info.Mode().IsRegular() && info.Size() == before.size &&
			info.ModTime().Equal(before.modified) {
			return before, true
		}
	}
	return d.look(in, e.Name())
}

// look is the state of a file; false if it is none that is served.
func (d *Dir) look(root *os.Root, file string) (state, bool) {
	f, info, err := d.open(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, false
	}
	var begin []byte // nothing if it cannot be read
	if err == nil {
		defer f.Close() //nolint:errcheck // nothing has been written
		begin = make([]byte, min(info.Size(), world.Sniffed))
		n, _ := io.ReadFull(f, begin)
		begin = begin[:n]
	}
	return state{size: info.Size(), modified: info.ModTime(), mimeType: world.DetectMIMEType(file, begin)},
		true
}

// resource is the entry of a file in the list.
func (d *Dir) resource(file string, s state) world.Resource {
	return world.Resource{
		URI:         fileURI(file),
		Name:        readable(path.Base(file)),
		Description: "The file " + readable(file),
		MIMEType:    s.mimeType,
		Size:        &s.size,
		Annotations: annotations(s),
		Source:      source{d, file},
		Caching:     fresh(),
	}
}

// readable is a name without what a text cannot hold.
func readable(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

func annotations(s state) *world.Annotations {
	t := s.modified.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return nil // has no such timestamp
	}
	return &world.Annotations{LastModified: t.Format(time.RFC3339)}
}

// tree keeps values by path, and knows what lies below one without looking at the rest.
type tree[V any] struct {
	values map[string]V
	// by directory: what lies in it, files and directories with values below
	within map[string]map[string]bool
	looked int // how many paths below has looked at, for tests
}

func newTree[V any]() tree[V] {
	return tree[V]{values: map[string]V{}, within: map[string]map[string]bool{}}
}

func (t *tree[V]) put(at string, v V) {
	t.values[at] = v
	for at != "." {
		in := path.Dir(at)
		if t.within[in][at] {
			return
		}
		if t.within[in] == nil {
			t.within[in] = map[string]bool{}
		}
		t.within[in][at] = true
		at = in
	}
}

func (t *tree[V]) remove(at string) {
	delete(t.values, at)
	for at != "." && !t.has(at) && t.within[at] == nil {
		in := path.Dir(at)
		if delete(t.within[in], at); len(t.within[in]) == 0 {
			delete(t.within, in)
		}
		at = in
	}
}

func (t *tree[V]) has(path string) bool {
	_, has := t.values[path]
	return has
}

// below are the paths with values at a path and below it, in no order.
func (t *tree[V]) below(path string) []string {
	var all []string
	t.looked++
	if t.has(path) {
		all = append(all, path)
	}
	for inner := range t.within[path] {
		all = append(all, t.below(inner)...)
	}
	return all
}

func (t *tree[V]) clear() {
	clear(t.values)
	clear(t.within)
}

// fileURI is the URI of a file: its path relative to the directory, with slashes.
func fileURI(path string) string { return "file:///" + world.Escape(path, world.Unreserved+"/") }

// admissible reports whether a path can be that of a file which is shown.
func (d *Dir) admissible(path string) bool {
	return path != "." && lies(path) && !d.hidden(path)
}

// lies reports whether a path names something in the directory, in the one way in which
// it is written here.
func lies(path string) bool {
	if runtime.GOOS == "windows" && strings.ContainsAny(path, `\:`) {
		return false // another separator, a drive, a stream of a file
	}
	// Names need not be UTF-8.
	return fs.ValidPath(strings.ToValidUTF8(path, "?")) && !strings.ContainsRune(path, 0) &&
		filepath.IsLocal(filepath.FromSlash(path))
}

func (d *Dir) hidden(path string) bool {
	return !d.options.Hidden && path != "." && (strings.HasPrefix(path, ".") || strings.Contains(path, "/."))
}
