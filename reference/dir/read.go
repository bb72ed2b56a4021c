package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// source is the content of a file.
type source struct {
	dir  *Dir
	path string
}

// The errors that clients get to see. None names a path.
var errUnreadable = errors.New("the file cannot be read")

// Fetch implements world.Source.
func (s source) Fetch(ctx context.Context) (world.Content, error) {
	if err := ctx.Err(); err != nil {
		return world.Content{}, err
	}
	data, err := s.dir.read(s.path)
	if err != nil {
		return world.Content{}, err
	}
	return world.Content{Data: data, Binary: !world.IsText(data), MIMEType: world.DetectMIMEType(s.path,
		data)}, nil
}

// maxLinks bounds a chain of links.
const maxLinks = 40

// follow follows a path link by link. It returns where the links are, and where the last one leads.
func follow(readlink func(string) (string, error), at string) (links []string, end string) {
	for i := 1; i <= len(at) && len(links) < maxLinks; i++ {
		if i < len(at) && at[i] != '/' {
			continue
		}
		if target, err := readlink(at[:i]); err == nil {
			links = append(links, at[:i])
			if target = filepath.ToSlash(target); !filepath.IsAbs(target) {
				target = path.Join(path.Dir(at[:i]), target)
			}
			at, i = path.Join(target, at[i:]), 0
		}
	}
	return links, at
}

// openDir opens a directory by a path without links. What has taken the place of one on the way does not
// exist.
func openDir(root *os.Root, dir string) (*os.Root, error) {
	root, err := root.OpenRoot(".")
	for name := range strings.SplitSeq(dir, "/") {
		if err != nil || dir == "." {
			break
		}
		outer := root
		if root, err = outer.OpenRoot(name + "/."); err == nil { // which does not wait at a pipe
			is, _ := outer.Lstat(name)
			if now, _ := root.Stat("."); !os.SameFile(is, now) {
				err = errors.Join(fs.ErrNotExist, root.Close())
			}
		}
		_ = outer.Close() // nothing has been written
	}
	return root, err
}

// open opens the regular file that a path leads to. What is none, is hidden, or takes its place, does not
// exist. There is something to say about a file that cannot be read, too.
func (d *Dir) open(root *os.Root, file string) (*os.File, fs.FileInfo, error) {
	links, end := follow(root.Readlink, file)
	in, err := openDir(root, path.Dir(end))
	if err != nil {
		return nil, nil, fs.ErrNotExist
	}
	defer in.Close() //nolint:errcheck // nothing has been written
	name := path.Base(end)
	if before, err := in.Lstat(name); err == nil && before.Mode().IsRegular() &&
		!slices.ContainsFunc(append(links, end), d.hidden) {
		f, err := in.OpenFile(name, os.O_RDONLY|nonblocking, 0)
		if err != nil {
			return nil, before, errUnreadable
		}
		if info, _ := f.Stat(); os.SameFile(info, before) {
			return f, info, nil
		}
		_ = f.Close() // nothing has been written
	}
	return nil, nil, fs.ErrNotExist
}

// read is the content of a file. What is not to be shown does not exist.
func (d *Dir) read(path string) ([]byte, error) {
	if !d.admissible(path) {
		return nil, fs.ErrNotExist
	}
	f, _, err := d.open(d.root.Load(), path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, d.options.MaxSize+1))
	if err != nil {
		return nil, errUnreadable
	}
	if int64(len(data)) > d.options.MaxSize {
		return nil, fmt.Errorf("the file is larger than the %d bytes that are served", d.options.MaxSize)
	}
	return data, nil
}

// finder finds files by the template.
type finder struct{ dir *Dir }

// Find implements world.Finder.
func (f finder) Find(_ context.Context, values map[string]string) (world.Resource, bool) {
	path := values["path"]
	if !f.dir.admissible(path) {
		return world.Resource{}, false
	}
	s, ok := f.dir.look(f.dir.root.Load(), path)
	return f.dir.resource(path, s), ok
}

// Suggest implements world.Finder: the paths of files that are listed.
func (f finder) Suggest(_ context.Context, _, typed string) []string {
	f.dir.mu.Lock()
	defer f.dir.mu.Unlock()
	var paths []string
	for path := range f.dir.files.values {
		if len(path) >= len(typed) && strings.EqualFold(path[:len(typed)], typed) && readable(path) == path {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	return paths
}
