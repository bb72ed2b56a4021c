package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	return world.Content{Data: data, Binary: !world.IsText(data), MIMEType: world.DetectMIMEType(s.path, data)}, nil
}

// openRegular opens a regular file; what is none does not exist. There is something to say about a file that
// cannot be read, too.
func openRegular(root *os.Root, path string) (*os.File, fs.FileInfo, error) {
	before, err := root.Stat(path)
	if err != nil || !before.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	f, err := root.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, before, errUnreadable
	}
	// It may have become something else since it was looked at.
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil, fs.ErrNotExist
	}
	return f, info, nil
}

// read is the content of a file. What is not to be shown does not exist.
func (d *Dir) read(path string) ([]byte, error) {
	if !d.admissible(path) {
		return nil, fs.ErrNotExist
	}
	f, _, err := openRegular(d.root.Load(), path)
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
	info, err := f.dir.root.Load().Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return world.Resource{}, false
	}
	return f.dir.resource(path, state{size: info.Size(), modified: info.ModTime()}), true
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
