//go:build !linux

package procgroup

import "time"

// Adopt does nothing: only Linux gives orphans to one of their ancestors.
func Adopt() error { return nil }

// EndStrays finds nothing here.
func EndStrays(time.Duration) []string { return nil }
