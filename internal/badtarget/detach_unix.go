//go:build unix

package badtarget

import (
	"os/exec"
	"syscall"
)

// detach has a command begin a session of its own, as daemons do.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
