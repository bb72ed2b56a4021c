//go:build unix

package target

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// separate gives the command a process group of its own and has the whole
// group killed when its time is over: a shell between us and the work must not
// leave the work behind.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// end kills what is left of the command's process group after the command has
// ended. That there is nothing left is the ordinary case.
func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
