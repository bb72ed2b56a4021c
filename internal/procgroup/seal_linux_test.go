package procgroup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSeal: a file that whoever started us has left open is not open in a program that we start.
func TestSeal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "left-open")
	// As one that is inherited, it is not closed on exec.
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	cmd := exec.Command("ls", "-l", "/proc/self/fd")
	cmd.Env = os.Environ()
	Separate(cmd)
	out, err := cmd.Output()
	if open := string(out); err != nil || !strings.Contains(open, " 1 -> ") || strings.Contains(open, path) {
		t.Errorf("%v, these are open:\n%s", err, out)
	}
}
