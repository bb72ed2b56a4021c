//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/badtarget"
	"github.com/rogpeppe/go-internal/testscript"
)

// noneleft: no process of the target is left.
func noneLeft(ts *testscript.TestScript, _ bool, _ []string) {
	files, err := os.ReadDir(ts.Getenv(badtarget.EnvDir))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no process was started")
	}
	for _, f := range files {
		pid, err := strconv.Atoi(f.Name())
		ts.Check(err)
		gone := func() bool { return errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) || zombie(pid) }
		// A process whose parent was in a hurry is reaped by somebody else.
		for end := time.Now().Add(15 * time.Second); !gone() &&
			time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		if !gone() {
			ts.Fatalf("the process group %d is still there", pid)
		}
	}
}

// zombie reports whether a process has ended, but nobody has asked how.
func zombie(pid int) bool {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(data), ") Z ")
}

// TestNoDirectory: that the directory has gone is told in words.
func TestNoDirectory(t *testing.T) {
	dir := t.TempDir() + "/gone"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skip("it cannot be removed while it is in use:", err)
	}
	var out, told strings.Builder
	if status := run(t.Context(), []string{"run", "--only", "LIST-01"}, strings.NewReader(""), &out,
		&told); status != exitUsage || !strings.Contains(told.String(),
		"does not exist any more; change to another one") {
		t.Errorf("status %d: %s%s", status, &out, &told)
	}
}
