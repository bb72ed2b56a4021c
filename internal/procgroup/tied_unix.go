//go:build unix && !linux

package procgroup

import "syscall"

// tied does nothing: this system does not tell children that their parent died.
func tied(*syscall.SysProcAttr) {}
