// Package dir makes a world of a directory: its files are listed as file resources,
// and can all be read by way of the template file:///{+path}.
//
// The root of the URIs is the directory itself: docs/a.txt in it is
// file:///docs/a.txt, wherever the directory lies. So a URI means the same on every
// machine, and nothing tells clients where on the server the files are.
//
// All access goes through an os.Root. Neither a path in a URI nor a symbolic link leads
// out of the directory, also if someone changes it meanwhile. Links to files within it
// are followed; directories behind links are not listed, but their files can be read. Names that begin
// with a dot are left out, like everything below such a directory and every link on whose way
// one stands, unless Options.Hidden says otherwise. A hard link cannot be told from its file.
//
//	d, err := dir.Open(ctx, "docs", dir.Options{})
//	...
//	defer d.Close()
//	server, err := reference.New(d.World(), reference.Options{})
//	...
//	defer server.Close()
//	go d.Watch(ctx, server) // until ctx ends: changes of files become notifications
//
// What is served is always the directory that its path leads to. When that is moved
// away or deleted there are no files, until there is a directory at the path again. A link
// that was not on the path at first leads to none.
package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// The bounds that hold unless Options say otherwise.
const (
	DefaultMaxFiles   = 10_000
	DefaultMaxSize    = 16 << 20
	DefaultMaxWatches = 4096
	DefaultDebounce   = 50 * time.Millisecond
	DefaultPageSize   = 1000
)

// Options are the choices. The zero value is sensible.
type Options struct {
	// Hidden shows files and directories whose names begin with a dot.
	Hidden bool
	// MaxFiles is how many files are listed; 0 means DefaultMaxFiles. The others can be
	// read all the same.
	MaxFiles int
	// MaxSize is how many bytes a file may have in order to be read; 0 means
	// DefaultMaxSize.
	MaxSize int64
	// MaxWatches is how many directories are watched for changes; 0 means
	// DefaultMaxWatches.
	MaxWatches int
	// Debounce is how long nothing must happen before changes are told of, but for at
	// most ten times as long; 0 means DefaultDebounce.
	Debounce time.Duration
	// PageSize is the number of files on a page of the list; 0 means DefaultPageSize.
	PageSize int
	// Tell takes sentences for whoever runs the server: what is left out, and why. It may
	// be called from any goroutine; nil drops them.
	Tell func(sentence string)
}

func (o *Options) complete() error {
	if o.MaxFiles < 0 || o.MaxSize < 0 || o.MaxWatches < 0 || o.Debounce < 0 || o.PageSize < 0 {
		return errors.New("bounds must not be negative")
	}
	o.MaxFiles = cmp.Or(o.MaxFiles, DefaultMaxFiles)
	o.MaxSize = cmp.Or(o.MaxSize, DefaultMaxSize)
	o.MaxWatches = cmp.Or(o.MaxWatches, DefaultMaxWatches)
	o.Debounce = cmp.Or(o.Debounce, DefaultDebounce)
	o.PageSize = cmp.Or(o.PageSize, DefaultPageSize)
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	return nil
}

// Dir is an open directory. Its methods may be used from several goroutines.
type Dir struct {
	name    string                  // its path as it was given, for sentences
	path    string                  // absolute, with links in it
	links   []string                // those that it led over at first
	root    atomic.Pointer[os.Root] // closed while there is none
	options Options
	opened  context.Context // ends with Close
	end     context.CancelFunc

	mu      sync.Mutex
	real    string            // where the directory is, for the watcher alone
	watcher *fsnotify.Watcher // nil if the system has none, or there is no directory
	files   tree[state]       // what is listed
	watched tree[struct{}]    // directories
	told    map[string]bool   // sentences that have been told
	away    bool              // there is no directory at the path
}

// Open opens a directory and looks at everything in it. Its error is that of the context if
// that ends meanwhile.
func Open(ctx context.Context, path string, o Options) (*Dir, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if path == "" {
		return nil, plainly(path, fs.ErrNotExist)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, plainly(path, fs.ErrNotExist) // the working directory has gone
	}
	d := &Dir{
		name: path, path: absolute, options: o,
		files: newTree[state](), watched: newTree[struct{}](), told: map[string]bool{},
	}
	d.opened, d.end = context.WithCancel(context.Background())
	if err := d.enter(); err != nil {
		return nil, plainly(path, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.scan(ctx, ".") {
		d.files.put(f.path, f.state)
	}
	if err := ctx.Err(); err != nil {
		d.end()
		return nil, errors.Join(err, d.leave())
	}
	return d, nil
}

// enter opens the directory that the path leads to, in place of the one that is open.
func (d *Dir) enter() error {
	root, err := d.reach()
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	watcher, unwatched := fsnotify.NewWatcher()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened.Err() != nil {
		if unwatched == nil {
			unwatched = watcher.Close()
		}
		return errors.Join(fs.ErrClosed, root.Close(), unwatched)
	}
	err = d.leave()
	d.root.Store(root)
	d.real, d.away = real, false
	if unwatched == nil {
		d.watcher = watcher
	} else {
		d.tell(fmt.Sprintf("changes of files are not noticed: %v%s", unwatched, raise("instances")))
	}
	return err
}

// reach opens the directory that the path leads to: over no link that was not there when it was first opened.
func (d *Dir) reach() (*os.Root, error) {
	links, end := follow(os.Readlink, filepath.ToSlash(d.path))
	if d.root.Load() == nil {
		d.links = links
		return os.OpenRoot(d.path + "/.") // which does not wait at a pipe
	}
	if slices.ContainsFunc(links, func(link string) bool { return !slices.Contains(d.links, link) }) {
		return nil, fs.ErrNotExist
	}
	top, dir, _ := strings.Cut(end, "/")
	root, err := os.OpenRoot(top + "/")
	if err == nil {
		defer root.Close() //nolint:errcheck // nothing has been written
		root, err = openDir(root, dir)
	}
	return root, err
}

// leave lets go of the directory that is open. The caller holds mu.
func (d *Dir) leave() error {
	var err error
	if d.watcher != nil {
		err = d.watcher.Close()
		d.watcher = nil
	}
	d.watched.clear()
	if root := d.root.Load(); root != nil {
		err = errors.Join(err, root.Close())
	}
	return err
}

// plainly makes a sentence of an error that has to do with the directory as a whole.
func plainly(path string, err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("the directory %s cannot be served: %w", path, err)
}

// Close ends access to the files, and Watch, which does not finish looking at them. It is called once.
func (d *Dir) Close() error {
	d.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.leave()
}

// tell says a sentence, but only once.
func (d *Dir) tell(sentence string) {
	if !d.told[sentence] && len(d.told) < 1000 {
		d.told[sentence] = true
		d.options.Tell(sentence)
	}
}

// World is the world of the files as they are known.
func (d *Dir) World() world.World {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := world.World{
		Name:        "dir",
		Description: "The files of a directory",
		Server: world.Implementation{Name: "mockserver", Title: "Files", Version: "1.0.0",
			Description: "The files of a directory."},
		Instructions: "Files have the URIs file:///PATH, where PATH is relative to the directory that is " +
			"served and percent-encoded. Subscribe to a file in order to hear of its changes.",
		PageSize: d.options.PageSize,
		Caching:  fresh(),
		Templates: []world.Template{{
			URITemplate: "file:///{+path}",
			Name:        "file",
			Title:       "A file",
			Description: "The file at a path relative to the directory that is served",
			Source:      finder{d},
		}},
	}
	for _, path := range slices.Sorted(maps.Keys(d.files.values)) {
		w.Resources = append(w.Resources, d.resource(path, d.files.values[path]))
	}
	return w
}

// fresh are the hints for what can change at any time.
func fresh() *world.Caching { return &world.Caching{Scope: "private"} }
