//go:build unix

package dir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipes: nobody waits at a pipe in place of a file, or of a directory.
func TestPipes(t *testing.T) {
	top := t.TempDir()
	pipe := filepath.Join(top, "pipe")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600),
		os.Symlink("pipe", filepath.Join(top, "link"))); err != nil {
		t.Fatal(err)
	}
	d := open(t, top, Options{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, path := range []string{"pipe", "link", "pipe/x"} {
			if _, err := (source{d, path}).Fetch(t.Context()); err == nil {
				t.Errorf("%s is read", path)
			}
		}
		d.mu.Lock()
		found := d.scan(t.Context(), "pipe") // as if it had still been a directory when it was looked at
		d.mu.Unlock()
		if len(found)+len(listed(d)) > 0 {
			t.Errorf("found %v, listed %v", found, listed(d))
		}
		if other, err := Open(t.Context(), pipe, Options{}); err == nil {
			t.Error("a pipe is served", other.Close())
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it is waited at a pipe")
	}
}
