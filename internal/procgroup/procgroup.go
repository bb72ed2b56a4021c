// Package procgroup ends programs together with everything that they have started: a
// wrapper or a shell between us and the work must not leave the work behind. It also tells
// whether they are at work, where the system says so.
//
// Where a system has no process groups ([Supported] is false) only the program itself is
// ended, and only the hard way.
package procgroup

// Work looks at what the group of a leader does. It is for one goroutine at a time.
type Work struct {
	Leader int
	looked bool
	used   uint64 // processor time at the last look, in clock ticks
}
