//go:build unix

package dir

import "syscall"

// nonblocking opens a pipe that has taken the place of a file without waiting for
// whoever writes it.
const nonblocking = syscall.O_NONBLOCK
