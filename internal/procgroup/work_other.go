//go:build !linux

package procgroup

// Works cannot be known here.
func (w *Work) Works() bool { return false }
