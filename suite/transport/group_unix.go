//go:build unix

package transport

import (
	"errors"
	"os/exec"
	"syscall"
)

// Caveats says what this system cannot promise about processes, in sentences to
// show to the user; empty if everything holds.
func Caveats() []string { return nil }

// setGroup makes the command the leader of a process group of its own, so that
// everything it starts can be ended with it, and so that an interrupt typed at
// the terminal reaches us alone.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminateGroup sends SIGTERM and reports whether that is possible here at all.
func terminateGroup(pid int) bool {
	_ = syscall.Kill(-pid, syscall.SIGTERM) // ESRCH: nobody is left, fine
	return true
}

// killGroup sends SIGKILL.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // ESRCH: nobody is left, fine
}

// groupAlive reports whether the group has a member, be it one that we may not
// signal, or a zombie that nobody has reaped yet.
func groupAlive(pid int) bool {
	return !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH)
}

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
