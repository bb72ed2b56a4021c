// Package registry holds what is registered under a name while packages are
// initialised, such as faults and quirks.
package registry

import (
	"fmt"
	"maps"
	"slices"
)

// Registry holds entries by name. It is filled by init functions and only read
// afterwards.
type Registry[T any] struct {
	kind    string
	name    func(T) string
	flaw    func(T) error
	entries map[string]T
}

// New makes an empty registry. The kind, in one word, stands in messages; name
// tells the name of an entry, and flaw what is wrong with one, if anything is.
func New[T any](kind string, name func(T) string, flaw func(T) error) *Registry[T] {
	return &Registry[T]{kind: kind, name: name, flaw: flaw, entries: map[string]T{}}
}

// Check says why an entry cannot be added; nil if it can.
func (r *Registry[T]) Check(entry T) error {
	if err := r.flaw(entry); err != nil {
		return err
	}
	if _, twice := r.entries[r.name(entry)]; twice {
		return fmt.Errorf("%s is registered twice", r.name(entry))
	}
	return nil
}

// Add adds entries. It panics on one that cannot be added: that is an error of the
// program, not of its input.
func (r *Registry[T]) Add(entries ...T) {
	for _, entry := range entries {
		if err := r.Check(entry); err != nil {
			panic(r.kind + ": " + err.Error())
		}
		r.entries[r.name(entry)] = entry
	}
}

// All lists the entries by name.
func (r *Registry[T]) All() []T {
	all := make([]T, 0, len(r.entries))
	for _, name := range slices.Sorted(maps.Keys(r.entries)) {
		all = append(all, r.entries[name])
	}
	return all
}

// Find returns the entry of that name.
func (r *Registry[T]) Find(name string) (T, bool) {
	entry, ok := r.entries[name]
	return entry, ok
}
