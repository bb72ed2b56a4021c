package dir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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
// listed in all, and watches the directories. The caller holds mu.
func (d *Dir) scan(top string) []found {
	var files []found
	visited := 0
	dirs := []string{top}
	for len(dirs) > 0 {
		at := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		d.watch(at) // before it is read, so that nothing is missed
		var within []string
		for _, name := range d.names(at, &visited) {
			file := join(at, name)
			if d.hidden(file) || !lies(file) {
				continue
			}
			info, err := d.root.Load().Lstat(file)
			if err != nil {
				continue // it has gone meanwhile
			}
			if info.IsDir() {
				within = append(within, file)
				continue
			}
			s, ok := d.look(file)
			if !ok {
				continue
			}
			if len(files) >= d.options.MaxFiles {
				d.tell(tooMany(d.options.MaxFiles))
				return ordered(files)
			}
			files = append(files, found{file, s})
		}
		slices.Reverse(within)
		dirs = append(dirs, within...)
	}
	return ordered(files)
}

func tooMany(n int) string {
	return fmt.Sprintf("there are more than %d files: the others are not listed, but can be read", n)
}

func ordered(files []found) []found {
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return files
}

// names lists what is in a directory. The caller holds mu.
func (d *Dir) names(at string, visited *int) []string {
	f, err := d.root.Load().Open(at)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			d.tell(fmt.Sprintf("the directory %s cannot be read: its files are left out", at))
		}
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	var all []string
	for {
		entries, err := f.ReadDir(chunk)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		if *visited += len(entries); *visited > d.maxVisited() {
			d.tell(fmt.Sprintf("there are more than %d entries: the others are left out", d.maxVisited()))
			break
		}
		if err != nil {
			break // io.EOF, or the directory goes away
		}
	}
	slices.Sort(all)
	return all
}

// look is the state of a file; false if it is none that is served.
func (d *Dir) look(file string) (state, bool) {
	info, err := d.root.Load().Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return state{}, false
	}
	return state{size: info.Size(), modified: info.ModTime(), mimeType: world.DetectMIMEType(file, d.sniff(file))}, true
}

// sniff is how a file begins; nothing if it cannot be read.
func (d *Dir) sniff(file string) []byte {
	f, err := d.open(file)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, world.Sniffed))
	if err != nil {
		return nil
	}
	return data
}

// resource is the entry of a file in the list.
func (d *Dir) resource(file string, s state) world.Resource {
	return world.Resource{
		URI:         URI(file),
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

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
