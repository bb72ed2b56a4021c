//go:build !linux

package procgroup

import "time"

// Adopts says whether this system gives orphans to [Adopt].
const Adopts = false

// Adopt does nothing: only Linux gives orphans to one of their ancestors.
func Adopt() error { return nil }

// marked starts a process.
func marked(start func() error) error { return start() }

// EndStrays finds nothing here.
func EndStrays(time.Duration) []string { return nil }

// Working cannot be known here.
func (w *Work) Working() bool { return false }
