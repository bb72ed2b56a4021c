// Package procgroup ends programs together with everything that they have started: a
// wrapper or a shell between us and the work must not leave the work behind.
//
// Where a system has no process groups ([Supported] is false) only the program itself is
// ended, and only the hard way.
package procgroup
