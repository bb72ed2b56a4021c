//go:build unix

package procgroup

import (
	"os"
	"strconv"
	"syscall"
)

// seal marks all open files but the three standard ones to be closed in programs that are started. Go does so
// with its own; this is for those that we have inherited. A system that does not list them keeps them open.
func seal() {
	const own = 3
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= own {
			syscall.CloseOnExec(fd)
		}
	}
}
