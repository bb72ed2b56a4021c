//go:build unix

package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLinksThatCameLater: what the user had put in the way of a report is followed, what came after the start
// is not. Each case begins with a file out/old, one elsewhere/report that must not be written to, and empty
// directories a/b and c.
func TestLinksThatCameLater(t *testing.T) {
	link := func(to, at string) func() error { return func() error { return os.Symlink(to, at) } }
	relink := func(to, at string) func() error {
		return func() error { return errors.Join(os.RemoveAll(at), os.Symlink(to, at)) }
	}
	replaced := "replaced since the start"
	for name, c := range map[string]struct {
		before, later func() error
		path          string // out/report where none is given
		want          string // where the report is; empty for nowhere
		err           string
	}{
		"nothing": {want: "out/report"},
		"a link":  {later: link("../elsewhere/report", "out/report"), want: "out/report"},
		"an absolute link": {later: func() error {
			return relinkAbsolute("elsewhere/report", "out/report")
		}, want: "out/report"},
		"a link for a file": {later: relink("../elsewhere/report", "out/old"), path: "out/old",
			want: "out/old"},
		"a dangling link":       {later: link("../elsewhere/new", "out/report"), want: "out/report"},
		"a link to a directory": {later: link("../elsewhere", "out/report"), want: "out/report"},
		"a chain": {later: func() error {
			return errors.Join(os.Symlink("x", "out/report"), os.Symlink("../elsewhere/report", "out/x"))
		}, want: "out/report"},
		"a pipe": {later: func() error {
			return syscall.Mkfifo("out/report", 0o600)
		}, want: "out/report"},
		"a directory": {later: func() error {
			return os.Mkdir("out/report", 0o700)
		}, err: "file exists"},
		"the directory": {later: relink("elsewhere", "out"), err: replaced},
		"one above it": {later: relink("../elsewhere", "a"), path: "a/b/report",
			err: "no such file"},
		"another one above it": {later: func() error {
			return errors.Join(os.Mkdir("c/b", 0o700), os.RemoveAll("a"), os.Symlink("c", "a"))
		}, path: "a/b/report", err: replaced},
		"a pipe for a directory": {later: func() error {
			return errors.Join(os.RemoveAll("out"), syscall.Mkfifo("out", 0o600))
		}, err: "not a directory"},
		"a directory gone": {later: func() error { return os.RemoveAll("out") }, err: "no such file"},
		"a directory moved": {later: func() error {
			return errors.Join(os.Rename("out", "x"), os.Symlink("x", "out"))
		}, want: "x/report"},
		"the user's link": {before: link("../c/r", "out/report"), want: "c/r"},
		"replaced by another": {before: link("../c/r", "out/report"), later: relink("../elsewhere/report",
			"out/report"), want: "c/r"},
		"with a link at its end": {before: link("../c/r", "out/report"), later: link("../elsewhere/report",
			"c/r"), want: "c/r"},
		"the user's chain": {before: func() error {
			return errors.Join(os.Symlink("x", "out/report"), os.Symlink("../a/b/r", "out/x"))
		}, want: "a/b/r"},
		"the user's directory": {before: link("a/b", "ws"), path: "ws/report", want: "a/b/report"},
		"up from the user's":   {before: link("a/b", "ws"), path: "ws/../report", want: "a/report"},
		"a link up from there": {before: func() error {
			return errors.Join(os.Symlink("a/b", "ws"), os.Symlink("../r", "a/b/report"))
		}, path: "ws/report", want: "a/r"},
		"the user's, replaced": {before: link("a/b", "ws"), later: relink("elsewhere", "ws"),
			path: "ws/report", err: replaced},
		"links in a circle": {before: link("report", "out/report"), err: "too many levels"},
		"the user's pipe, a link": {before: func() error {
			return syscall.Mkfifo("out/report", 0o600)
		}, later: relink("../elsewhere/report", "out/report"), err: replaced},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := func(s string) func(io.Writer) error {
				return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
			}
			err := errors.Join(os.MkdirAll("a/b", 0o700), os.Mkdir("c", 0o700), os.Mkdir("out", 0o700),
				os.Mkdir("elsewhere", 0o700),
				os.WriteFile("out/old", []byte("old"), 0o600), os.WriteFile("elsewhere/report",
					[]byte("theirs"), 0o600))
			if c.before != nil {
				err = errors.Join(err, c.before())
			}
			if err != nil {
				t.Fatal(err)
			}
			path := "out/report"
			if c.path != "" {
				path = c.path
			}
			err = Writable(path)
			if err == nil && c.later != nil {
				if err := c.later(); err != nil {
					t.Fatal(err)
				}
			}
			if err == nil {
				err = withoutWaiting(t, func() error { return File(path, text("new")) })
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, not %q", err, c.err)
			}
			left, err := os.ReadDir("elsewhere")
			if got, e := os.ReadFile("elsewhere/report"); string(got) != "theirs" || len(left) != 1 ||
				errors.Join(err, e) != nil {
				t.Errorf("elsewhere are %v, and %q: %v, %v", left, got, err, e)
			}
			if c.want == "" {
				return
			}
			if info, err := os.Lstat(c.want); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v", c.want, info, err)
			}
			if got, err := os.ReadFile(c.want); err != nil || string(got) != "new" {
				t.Errorf("%s holds %q, %v", c.want, got, err)
			}
			if left, err := filepath.Glob("*/.mcpcheck*"); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func relinkAbsolute(to, at string) error {
	to, err := filepath.Abs(to)
	return errors.Join(err, os.Symlink(to, at))
}

// withoutWaiting fails the test if a function waits, for whoever reads a pipe, say.
func withoutWaiting(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("it is waited for somebody")
		return nil
	}
}

// TestWhatIsNoFile: a pipe and an open file are written to as they are.
func TestWhatIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	unnamed, err := os.Create("unnamed")
	if err != nil {
		t.Fatal(err)
	}
	defer unnamed.Close()
	if err := errors.Join(os.Remove("unnamed"), syscall.Mkfifo("pipe", 0o600)); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile("pipe", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	read := func(f *os.File) string {
		data := make([]byte, 3)
		_, _ = f.Seek(0, io.SeekStart) // a pipe has no beginning
		if _, err := io.ReadFull(f, data); err != nil {
			t.Error(err)
		}
		return string(data)
	}
	for path, f := range map[string]*os.File{"pipe": pipe, fmt.Sprint("/dev/fd/", unnamed.Fd()): unnamed} {
		if _, err := os.Stat(path); err != nil {
			t.Log("there is no ", path)
			continue
		}
		err := Writable(path)
		if err == nil {
			err = withoutWaiting(t, func() error {
				return File(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
			})
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if got := read(f); got != "new" {
			t.Errorf("%s got %q", path, got)
		}
	}
}
