package badtarget

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Build puts the program of package program into a directory, under each of its names. It needs the Go
// tool, as tests do anyway.
func Build(dir string) error {
	first := executable(dir, "badtarget")
	// #nosec G204 -- of this module, into the directory of a test
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", first,
		"github.com/mcpcheck/mcpcheck/internal/badtarget/program").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building badtarget: %w\n%s", err, out)
	}
	for _, name := range []string{"badserver", "badserved"} {
		if err := os.Link(first, executable(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func executable(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}
