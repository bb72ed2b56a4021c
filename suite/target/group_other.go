//go:build !unix

package target

import "os/exec"

// separate leaves the command as it is: this system has no process groups, so
// only the command itself is killed when its time is over, not its children.
func separate(*exec.Cmd) {}

// end has nothing to do here.
func end(*exec.Cmd) {}
