//go:build !unix

package badtarget

import "os/exec"

// detach does nothing: there are no sessions.
func detach(*exec.Cmd) {}
