//go:build !unix

package transport

import (
	"os"
	"os/exec"
)

// Caveats says what this system cannot promise about processes, in sentences to
// show to the user; empty if everything holds.
func Caveats() []string {
	return []string{
		"This system has no process groups: processes that the target starts itself may be left behind when it is ended.",
		"This system has no SIGTERM: a target that does not exit at the end of its input is killed at once.",
	}
}

func setGroup(*exec.Cmd) {}

// terminateGroup reports that there is no polite way to end a process here.
func terminateGroup(int) bool { return false }

// killGroup kills the process alone.
func killGroup(pid int) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return // it is gone
	}
	_ = p.Kill() // fails if it has ended, which is what we want
	_ = p.Release()
}

// groupAlive cannot be known here: the process itself was reaped.
func groupAlive(int) bool { return false }

func brokenPipe(error) bool { return false }
