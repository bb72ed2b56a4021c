package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// place is where a path leads: to a name in a directory. Whatever else is put there later is not written to.
type place struct {
	path, name string
	dir        string      // empty for what is written to as it stands: a device or a pipe
	in, is     fs.FileInfo // the directory, and what is there; nil for nothing
}

// places are those that [Writable] has found, by path.
var places sync.Map

// maxLinks bounds a chain of symbolic links.
const maxLinks = 40

var (
	errReplaced = errors.New("the file or its directory has been replaced since the start")
	errTrial    = errors.New("only a trial")
)

// find follows a path. The error says in a clause why nothing can be written there.
func find(path string) (p place, err error) {
	p.path = path
	if p.is, err = os.Stat(path); err == nil && p.is.IsDir() {
		return p, errors.New("it is a directory")
	}
	if err == nil && !p.is.Mode().IsRegular() {
		return p, nil
	}
	for range maxLinks {
		p.dir, p.name = filepath.Split(path)
		link, err := os.Readlink(path)
		if err != nil { // it is none
			p.dir = cmp.Or(p.dir, ".")
			if p.in, err = os.Stat(p.dir); err != nil || !p.in.IsDir() {
				return p, fmt.Errorf("there is no directory %s", filepath.Clean(p.dir))
			}
			if at, _ := os.Lstat(path); p.is != nil && !os.SameFile(at, p.is) {
				p.dir = "" // an open file, say, without a name
			}
			return p, nil
		}
		if path = link; !filepath.IsAbs(link) {
			path = p.dir + link
		}
	}
	return p, syscall.ELOOP
}

// Writable finds out whether [File] can write to a path, and remembers where it leads. The error says in a
// clause why not.
func Writable(path string) error {
	p, err := find(path)
	if err != nil {
		return err
	}
	if places.Store(path, p); p.dir == "" {
		return nil
	}
	err = p.write(0o600, func(io.Writer) error { return errTrial })
	if errors.Is(err, errTrial) {
		return nil
	}
	return fmt.Errorf("no file can be written there: %w", cause(err))
}

// File writes a file whole or not at all: what stood there before is only replaced by a complete one.
// Symbolic links stay, and so do the permissions of a file. A link that was put there after [Writable] had
// looked is replaced, and a directory that it leads to is not written to.
func File(path string, write func(io.Writer) error) error {
	return to(path, nil, 0o666, write) // less what the user's mask takes away
}

// To writes to a file as [File] does, or to standard output if the path is "-". Nothing in the file
// commands a CI system whose log shows it; standard output is [terminal.Harmless] already.
func To(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return Buffered(stdout, write)
	}
	return File(path, func(w io.Writer) error { return write(terminal.Harmless(w)) })
}

// Private is [To] for what may hold a secret: nobody else can read a file that is new.
func Private(path string, stdout io.Writer, write func(io.Writer) error) error {
	return to(path, stdout, 0o600, write)
}

func to(path string, stdout io.Writer, mode fs.FileMode, write func(io.Writer) error) (err error) {
	if path == "-" {
		return Buffered(stdout, write)
	}
	known, _ := places.LoadAndDelete(path)
	p, found := known.(place)
	if !found {
		p, err = find(path)
	}
	if err == nil {
		err = p.write(mode, write)
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: cause(err)}
	}
	return nil
}

// cause is an error without names that nobody has chosen.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

func (p place) write(mode fs.FileMode, write func(io.Writer) error) (err error) {
	if p.dir != "" {
		err = p.replace(mode, write)
	}
	// The file may be open to us where its directory is not.
	if p.is != nil && (p.dir == "" || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		err = p.over(write)
	}
	return err
}

// replace puts a new file in place of what is there. It has the permissions of the one that was there.
func (p place) replace(mode fs.FileMode, write func(io.Writer) error) error {
	root, err := os.OpenRoot(p.dir + "/.") // which does not wait at a pipe
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // what is written has been closed
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, p.in) {
		return errReplaced
	}
	if p.is != nil {
		mode = p.is.Mode().Perm()
	}
	// #nosec G404 -- nobody gains by guessing it: what is there is not opened
	name := fmt.Sprintf(".mcpcheck.%016x", rand.Uint64())
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = Buffered(f, write)
	if p.is != nil && err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(name, p.name)
	}
	if err != nil {
		_ = root.Remove(name) // the first error is returned
	}
	return err
}

// over writes to what is there, once everything is there to be written.
func (p place) over(write func(io.Writer) error) error {
	f, err := os.OpenFile(p.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	if now, _ := f.Stat(); !os.SameFile(now, p.is) {
		err = errReplaced
	} else if err = write(&all); err == nil && p.is.Mode().IsRegular() {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = all.WriteTo(f)
	}
	return errors.Join(err, f.Close())
}
