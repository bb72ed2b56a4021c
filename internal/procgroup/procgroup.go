// Package procgroup ends programs together with everything that they have started: a
// wrapper or a shell between us and the work must not leave the work behind. It also tells
// whether they are at work, where the system says so.
//
// Where a system has no process groups ([Supported] is false) only the program itself is
// ended, and only the hard way.
package procgroup

import "time"

// Work looks at what the group of a leader does. It is for one goroutine at a time.
type Work struct {
	Leader int
	looked bool
	used   int64 // processor time at the last look, in clock ticks
}

// clockTick is the unit of processor time in proc_pid_stat(5), sysconf(_SC_CLK_TCK), which is
// the same on all of Linux's architectures that Go knows.
const clockTick = 10 * time.Millisecond

// Used is the processor time that the group had used by the last look, as far as its processes
// were there then.
func (w *Work) Used() time.Duration { return time.Duration(w.used) * clockTick }
