package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Server is what is told of changes: *reference.Server is one.
type Server interface {
	// Change puts and removes resources at once.
	Change(put []world.Resource, remove []string) error
	// Touch notifies the subscribers of a resource.
	Touch(uri string) bool
}

// maxPending bounds the changes that are kept until they are told of; beyond, the whole
// directory is looked at.
const maxPending = 10_000

// watch watches a directory. The caller holds mu.
func (d *Dir) watch(path string) {
	if d.watcher == nil || d.watched.has(path) {
		return
	}
	if len(d.watched.values) >= d.options.MaxWatches {
		d.tell(fmt.Sprintf("there are more than %d directories: changes in the others are not noticed",
			d.options.MaxWatches))
		return
	}
	err := d.watcher.Add(filepath.Join(d.real, filepath.FromSlash(path)))
	switch {
	case err == nil:
		d.watched.put(path, struct{}{})
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE):
		d.tell("the system lets no more directories be watched: changes in the others are not noticed" +
			raise("watches"))
	}
	// Any other error means that the directory has gone, or cannot be read, of
	// which the scan tells.
}

// raise is what to do about a limit of the system.
func raise(limit string) string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return "; raise fs.inotify.max_user_" + limit
}

// unwatch forgets the directories below a path that is no longer there, or no longer
// theirs; the directory itself is always watched. The caller holds mu.
func (d *Dir) unwatch(path string) {
	for _, watched := range d.watched.below(path) {
		if watched != "." {
			d.watched.remove(watched)
			// Where the directory itself has gone its watch has, too.
			_ = d.watcher.Remove(filepath.Join(d.real, filepath.FromSlash(watched)))
		}
	}
}

// pending are the paths at which something has happened; true if it is more than a
// change of attributes.
type pending map[string]bool

// add notes that something has happened at a path.
func (p pending) add(path string, content bool) {
	if len(p) >= maxPending {
		path, content = ".", true // look at everything
		clear(p)
	}
	p[path] = p[path] || content
}

// Watch tells a server of changes until the context ends or the directory is closed.
func (d *Dir) Watch(ctx context.Context, s Server) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.opened, cancel)()
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	round := time.NewTicker(rounds * d.options.Debounce)
	defer round.Stop()
	changes, shaken := pending{}, false
	var first time.Time
	note := func(path string, content bool) {
		if len(changes) == 0 {
			first = time.Now()
		}
		changes.add(path, content)
		timer.Reset(max(0, min(d.options.Debounce, time.Until(first.Add(10*d.options.Debounce)))))
	}
	for {
		events, failures := d.channels()
		select {
		case <-ctx.Done():
			return
		case event, open := <-events:
			if !open {
				return
			}
			if path, ok := d.pathOf(event.Name); ok {
				shaken = shaken || path == "." && event.Op&(fsnotify.Rename|fsnotify.Remove) != 0
				note(path, event.Op != fsnotify.Chmod)
			}
		case err, open := <-failures:
			if !open {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				note(".", true) // something is lost: look at everything
				continue
			}
			d.say(fmt.Sprintf("changes may go unnoticed: %v", err))
		case <-timer.C:
			d.attend(ctx, s, shaken)
			d.settle(ctx, changes, s)
			clear(changes)
			shaken = false
		case <-round.C:
			d.attend(ctx, s, false)
		}
	}
}

// channels are those of the watcher that there is at present.
func (d *Dir) channels() (<-chan fsnotify.Event, <-chan error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watcher == nil {
		return nil, nil
	}
	return d.watcher.Events, d.watcher.Errors
}

func (d *Dir) say(sentence string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tell(sentence)
}

// pathOf is the path of what an event is about; false if it is not shown.
func (d *Dir) pathOf(name string) (string, bool) {
	d.mu.Lock()
	path, err := filepath.Rel(d.real, name)
	d.mu.Unlock()
	if err != nil {
		return "", false
	}
	path = filepath.ToSlash(path)
	return path, path == "." || d.admissible(path)
}

// settle finds out what has become of the paths, and tells the server, unless the context ends
// meanwhile.
func (d *Dir) settle(ctx context.Context, changes pending, s Server) {
	var put []world.Resource
	var remove, touch []string
	d.mu.Lock()
	paths := slices.Sorted(maps.Keys(changes))
	d.forget(paths)
	for _, path := range paths {
		now, listed := d.present(ctx, path)
		if ctx.Err() != nil {
			d.mu.Unlock()
			return
		}
		for _, old := range d.files.below(path) {
			if !listed[old] {
				d.files.remove(old)
				remove = append(remove, fileURI(old))
			}
		}
		for _, f := range now {
			before, known := d.files.values[f.path]
			if !known {
				// It is new to the list only: who has subscribed to it did so before it was
				// deleted, or while it was not listed.
				touch = append(touch, fileURI(f.path))
			}
			switch {
			case !known && len(d.files.values) >= d.options.MaxFiles:
				d.tell(tooMany(d.options.MaxFiles))
			case !known || !before.equal(f.state) || f.path == path && changes[path]:
				d.files.put(f.path, f.state)
				put = append(put, d.resource(f.path, f.state))
			}
		}
	}
	d.mu.Unlock()
	slices.Sort(remove)
	if len(put)+len(remove) > 0 {
		// What is put has been made here and can be served.
		_ = s.Change(put, remove)
	}
	for _, uri := range touch {
		s.Touch(uri)
	}
}

// forget ends the watches of directories that have gone, or others have taken the place
// of, before those that may have come of them are looked at: both have the same watch.
// The caller holds mu.
func (d *Dir) forget(paths []string) {
	for _, path := range paths {
		if d.watched.has(path) {
			d.unwatch(path)
		}
	}
}

// present are the files at a path or below it, as they are now. The caller holds mu.
func (d *Dir) present(ctx context.Context, path string) (now []found, listed map[string]bool) {
	listed = map[string]bool{}
	info, err := d.root.Load().Lstat(path)
	switch {
	case err == nil && info.IsDir():
		d.unwatch(path) // they may be other directories than those of these names before
		now = d.scan(ctx, path)
	case err == nil && info.Mode().Type()&^fs.ModeSymlink == 0:
		if s, ok := d.look(d.root.Load(), path); ok {
			now = []found{{path, s}}
		}
	}
	for _, f := range now {
		listed[f.path] = true
	}
	return now, listed
}
