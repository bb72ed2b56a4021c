package registry

import (
	"errors"
	"slices"
	"testing"
)

func numbers() *Registry[string] {
	return New("word", func(s string) string { return s }, func(s string) error {
		if s == "" {
			return errors.New("it is empty")
		}
		return nil
	})
}

func TestEntriesAreFoundByName(t *testing.T) {
	r := numbers()
	r.Add("two", "one")
	r.Add("three")
	if got := r.All(); !slices.Equal(got, []string{"one", "three", "two"}) {
		t.Errorf("got %q", got)
	}
	if got, ok := r.Find("two"); !ok || got != "two" {
		t.Errorf("got %q, %t", got, ok)
	}
	if _, ok := r.Find("four"); ok {
		t.Error("found what was not added")
	}
}

func TestBadEntriesPanic(t *testing.T) {
	for what, add := range map[string]func(r *Registry[string]){
		"word: it is empty":             func(r *Registry[string]) { r.Add("") },
		"word: one is registered twice": func(r *Registry[string]) { r.Add("one", "one") },
	} {
		func() {
			defer func() {
				if got := recover(); got != what {
					t.Errorf("got %v, not %q", got, what)
				}
			}()
			add(numbers())
		}()
	}
}
