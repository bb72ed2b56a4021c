package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
)

// rounds is how many times the debounce pass until it is looked again whether the
// directory is where it was. No watch tells of that in all cases: not if it is
// deleted while it is open here, nor if a directory above it is renamed.
const rounds = 10

// where is what a path leads to.
type where int

const (
	here    where = iota // the directory that is served
	another              // another directory
	nowhere              // none
)

func (d *Dir) where() where {
	now, err := os.Stat(d.path)
	switch {
	case err == nil && now.IsDir():
		if served, err := d.root.Load().Stat("."); err != nil || !os.SameFile(now, served) {
			return another
		}
		return here
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nowhere
	}
	return here // it cannot be seen, which does not mean that it has gone
}

// attend sees to it that what is served is the directory that the path leads to. A
// directory that has been shaken, moved away and back, say, has to be watched anew.
func (d *Dir) attend(ctx context.Context, s Server, shaken bool) {
	d.mu.Lock()
	away := d.away
	d.mu.Unlock()
	switch at := d.where(); {
	case at == nowhere && !away:
		d.part(s)
	case at == another, at == here && shaken:
		if err := d.enter(); err != nil {
			if !away && d.opened.Err() == nil {
				d.part(s) // what is there now cannot be served
			}
			return
		}
		d.arrive(ctx, s, at, away)
	}
}

// part takes all files away, because there is no directory any more.
func (d *Dir) part(s Server) {
	d.mu.Lock()
	var remove []string
	for _, path := range slices.Sorted(maps.Keys(d.files.values)) {
		remove = append(remove, fileURI(path))
	}
	d.files.clear()
	d.away = true
	_ = d.leave() // what is closed has only been read
	d.options.Tell(fmt.Sprintf("the directory %s has been moved away or deleted, or a link put in its "+
		"place: nothing is served until there is one at this path again", d.name))
	d.mu.Unlock()
	if len(remove) > 0 {
		_ = s.Change(nil, remove) // nothing is put that could be refused
	}
}

// arrive serves the files of a directory that has been entered.
func (d *Dir) arrive(ctx context.Context, s Server, at where, away bool) {
	d.mu.Lock()
	switch {
	case away:
		d.options.Tell(fmt.Sprintf("the directory %s is there again: its files are served", d.name))
	case at == another:
		d.options.Tell(fmt.Sprintf("the path %s leads to another directory now: the files of that one "+
			"are served", d.name))
		for path := range d.files.values {
			d.files.values[path] = state{} // whatever is there by this name is another file
		}
	}
	d.mu.Unlock()
	d.settle(ctx, pending{".": true}, s)
}
