//go:build !unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
)

// Supported says whether this system has process groups.
const Supported = false

// Separate leaves the command as it is.
func Separate(*exec.Cmd) {}

// Terminate kills the process: there is no polite way here.
func Terminate(leader int) error { return Kill(leader) }

// Kill ends the process alone. The error is [os.ErrProcessDone] if it is gone.
func Kill(leader int) error {
	p, err := os.FindProcess(leader)
	if err != nil {
		return os.ErrProcessDone
	}
	return errors.Join(p.Kill(), p.Release())
}

// Alive cannot be known here once the process itself was waited for.
func Alive(int) bool { return false }
