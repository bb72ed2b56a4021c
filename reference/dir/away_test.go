package dir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// sentences are what whoever runs the server is told.
type sentences struct {
	mu  sync.Mutex
	all []string
}

func (s *sentences) tell(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, sentence)
}

// has reports whether the newest sentence has a text in it, and how many there are.
func (s *sentences) has(text string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all) == n && strings.Contains(s.all[n-1], text)
}

// served is a directory of some files that is watched.
func served(t *testing.T, top string, said *sentences) (*Dir, *recorder) {
	t.Helper()
	d := open(t, top, Options{Debounce: 5 * time.Millisecond, Tell: said.tell})
	if d.watcher == nil || runtime.GOOS == "windows" {
		t.Skip("files are not watched here, or an open directory cannot be moved")
	}
	return d, watching(t, d)
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestFilesThatComeBack: somebody may have subscribed to the file that was deleted.
func TestFilesThatComeBack(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
	_, r := served(t, top, &sentences{})
	if err := os.Remove(filepath.Join(top, "a.txt")); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "a deleted file", func() bool { return r.removed["file:///a.txt"] == 1 })
	write(t, top, map[string]string{"a.txt": "again"})
	r.wait(t, "a file made again", func() bool {
		return r.puts["file:///a.txt"] > 0 && r.touched["file:///a.txt"] > 0
	})

	away := filepath.Join(t.TempDir(), "away")
	rename(t, filepath.Join(top, "sub"), away)
	r.wait(t, "a directory moved out", func() bool { return r.removed["file:///sub/b.txt"] == 1 })
	write(t, away, map[string]string{"deep/c.txt": "c"})
	rename(t, away, filepath.Join(top, "sub"))
	r.wait(t, "a directory moved in", func() bool {
		return r.touched["file:///sub/b.txt"] > 0 && r.puts["file:///sub/deep/c.txt"] > 0
	})
	write(t, top, map[string]string{"sub/deep/c.txt": "longer"})
	r.wait(t, "a file in a directory moved in", func() bool {
		return *r.put["file:///sub/deep/c.txt"].Size == 6
	})
}

// TestDirectoriesThatTakeTheNameOfOthers: what lies in the one that was moved has been watched by the name
// that the other one has now.
func TestDirectoriesThatTakeTheNameOfOthers(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"z/deep/1": ""})
	_, r := served(t, top, &sentences{})
	rename(t, filepath.Join(top, "z"), filepath.Join(top, "b"))
	write(t, top, map[string]string{"z/deep/2": ""})
	r.wait(t, "both", func() bool {
		return r.puts["file:///b/deep/1"] > 0 && r.puts["file:///z/deep/2"] > 0 &&
			r.removed["file:///z/deep/1"] == 1
	})
	write(t, top, map[string]string{"b/deep/3": "", "z/deep/4": ""})
	r.wait(t, "files in both", func() bool {
		return r.puts["file:///b/deep/3"] > 0 && r.puts["file:///z/deep/4"] > 0
	})
}

// TestDirectoryThatGoesAndComesBack: it may be deleted, moved, or lie in one that is moved, and another one
// may come in its place.
func TestDirectoryThatGoesAndComesBack(t *testing.T) {
	for name, move := range map[string]struct {
		away, back func(t *testing.T, top string)
	}{
		"moved": {
			func(t *testing.T, top string) { rename(t, top, top+"-away") },
			func(t *testing.T, top string) { rename(t, top+"-away", top) },
		},
		"deleted": {
			func(t *testing.T, top string) {
				if err := os.RemoveAll(top); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, top string) {
				write(t, top,
					map[string]string{"a.txt": "a", "sub/b.txt": "b"})
			},
		},
		"within another": {
			func(t *testing.T, top string) { rename(t, filepath.Dir(top), filepath.Dir(top)+"-away") },
			func(t *testing.T, top string) { rename(t, filepath.Dir(top)+"-away", filepath.Dir(top)) },
		},
		"a file in its place": {
			func(t *testing.T, top string) {
				rename(t, top, top+"-away")
				if err := os.WriteFile(top, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, top string) {
				if err := os.Remove(top); err != nil {
					t.Fatal(err)
				}
				rename(t, top+"-away", top)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := filepath.Join(t.TempDir(), "parent", "top")
			write(t, top, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
			var said sentences
			d, r := served(t, top, &said)
			for round := range 2 {
				move.away(t, top)
				r.wait(t, "no files", func() bool {
					return len(r.put) == 0 && r.removed["file:///a.txt"] == 1 &&
						r.removed["file:///sub/b.txt"] == 1
				})
				if !said.has("has been moved away or deleted", 2*round+1) {
					t.Errorf("told %q", said.all)
				}
				if _, err := fetch(d, "a.txt"); err == nil || len(listed(d)) > 0 {
					t.Errorf("%v, listed %q", err, listed(d))
				}
				move.back(t, top)
				r.wait(t, "all files", func() bool {
					return r.touched["file:///a.txt"] > round && r.touched["file:///sub/b.txt"] > round &&
						len(r.put) == 2
				})
				if !said.has("is there again", 2*round+2) {
					t.Errorf("told %q", said.all)
				}
				if c, err := fetch(d, "sub/b.txt"); err != nil || string(c.Data) != "b" {
					t.Errorf("%q, %v", c.Data, err)
				}
				write(t, top, map[string]string{"sub/c.txt": "new"})
				r.wait(t, "a new file", func() bool { return r.puts["file:///sub/c.txt"] > round })
				if err := os.Remove(filepath.Join(top, "sub", "c.txt")); err != nil {
					t.Fatal(err)
				}
				r.wait(t, "its end", func() bool { return r.removed["file:///sub/c.txt"] == 1 })
			}
		})
	}
}

// TestLinkToAnotherDirectory: releases are often changed by changing a link.
func TestLinkToAnotherDirectory(t *testing.T) {
	parent := t.TempDir()
	write(t, parent, map[string]string{"1/a.txt": "a", "1/old": "", "2/a.txt": "a", "2/new": ""})
	link := filepath.Join(parent, "current")
	if err := os.Symlink("1", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	var said sentences
	d, r := served(t, link, &said)
	if err := errors.Join(os.Symlink("2", link+"-next"), os.Rename(link+"-next", link)); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "the other directory", func() bool {
		return r.puts["file:///a.txt"] > 0 && r.puts["file:///new"] > 0 && r.removed["file:///old"] == 1
	})
	if got := listed(d); !slices.Equal(got, []string{"file:///a.txt", "file:///new"}) ||
		!said.has("another directory", 1) {
		t.Errorf("listed %q, told %q", got, said.all)
	}
	write(t, parent, map[string]string{"1/unseen": "", "2/seen": ""})
	r.wait(t, "a file in the other directory", func() bool { return r.puts["file:///seen"] > 0 })
}

// TestLinkInThePlaceOfTheDirectory: a link that was not there at the start leads nowhere, wherever it is put.
// One that was there may lead to another directory, but over no further link.
func TestLinkInThePlaceOfTheDirectory(t *testing.T) {
	for name, c := range map[string]struct{ serve, moved, to string }{
		"the directory":        {"p/top", "p/top", "theirs/top"},
		"relative":             {"p/top", "p/top", "../theirs/top"},
		"one above it":         {"p/top", "p", "theirs"},
		"behind a link":        {"link/top", "p/top", "../theirs/top"},
		"what a link leads to": {"link/top", "p", "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			at := func(name string) string { return filepath.Join(parent, filepath.FromSlash(name)) }
			write(t, parent, map[string]string{"p/top/a.txt": "a", "theirs/top/a.txt": "secret",
				"theirs/top/b.txt": "secret"})
			to := filepath.FromSlash(c.to)
			if !strings.HasPrefix(c.to, ".") {
				to = at(c.to)
			}
			if err := os.Symlink("p", at("link")); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
			var said sentences
			d, r := served(t, at(c.serve), &said)
			rename(t, at(c.moved), at("away"))
			if err := os.Symlink(to, at(c.moved)); err != nil {
				t.Fatal(err)
			}
			r.wait(t, "no files", func() bool { return r.removed["file:///a.txt"] == 1 })
			if _, err := fetch(d, "a.txt"); err == nil || len(listed(d)) > 0 ||
				!said.has("a link put in its place", 1) {
				t.Errorf("%v, listed %q, told %q", err, listed(d), said.all)
			}
			if err := os.Remove(at(c.moved)); err != nil {
				t.Fatal(err)
			}
			rename(t, at("away"), at(c.moved))
			r.wait(t, "the files", func() bool { return r.touched["file:///a.txt"] == 1 })
			r.mu.Lock()
			defer r.mu.Unlock()
			if c, err := fetch(d, "a.txt"); err != nil || string(c.Data) != "a" ||
				r.touched["file:///b.txt"] > 0 {
				t.Errorf("%q, %v, told of %v", c.Data, err, r.touched)
			}
		})
	}
}

// TestClosedWhileAway: nothing is waited for, and nothing comes back.
func TestClosedWhileAway(t *testing.T) {
	top := filepath.Join(t.TempDir(), "top")
	write(t, top, map[string]string{"a.txt": "a"})
	d, err := Open(t.Context(), top, Options{Debounce: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if d.watcher == nil || runtime.GOOS == "windows" {
		t.Skip("files are not watched here, or an open directory cannot be moved")
	}
	r := &recorder{removed: map[string]int{}, news: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Watch(t.Context(), r)
	}()
	rename(t, top, top+"-away")
	r.wait(t, "no files", func() bool { return r.removed["file:///a.txt"] == 1 })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	<-done
	rename(t, top+"-away", top)
	if err := d.enter(); err == nil {
		t.Error("it is opened after it has been closed")
	}
}
