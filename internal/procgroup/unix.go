//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Supported says whether this system has process groups.
const Supported = true

// Separate makes a command that is not started yet the leader of a group of its own, so
// that an interrupt typed at the terminal reaches us alone. On Linux it ends when we die. Files
// that whoever started us has left open are not passed on to it.
func Separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	tied(cmd.SysProcAttr)
	seal()
}

// Terminate asks the group of a leader to end. The error is [os.ErrProcessDone] if
// nobody is left.
func Terminate(leader int) error { return send(leader, syscall.SIGTERM) }

// Kill ends the group of a leader at once. The error is [os.ErrProcessDone] if nobody is
// left, which is the ordinary case when the leader has been waited for.
func Kill(leader int) error { return send(leader, syscall.SIGKILL) }

// Alive reports whether the group has a member, be it one that we may not signal, or a
// zombie that nobody has reaped yet.
func Alive(leader int) bool { return !errors.Is(send(leader, 0), os.ErrProcessDone) }

func send(leader int, s syscall.Signal) error {
	err := syscall.Kill(-leader, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
