package fault

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCatalogue: the rows can be read, and what they say can be done.
func TestCatalogue(t *testing.T) {
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	all := All()
	if len(all) == 0 ||
		!slices.IsSortedFunc(all, func(a, b Fault) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d faults, or not sorted", len(all))
	}
	for _, f := range all {
		if found, ok := Find(f.Name); !ok || found.Requirement != f.Requirement ||
			!strings.HasPrefix(f.Name, strings.ToLower(f.Requirement)+"-") {
			t.Errorf("%s is not found, or breaks %q", f.Name, f.Requirement)
		}
		f.HooksFor(rand.New(rand.NewPCG(0, 0)))
	}
	if _, ok := Find("none"); ok {
		t.Error("a fault of no name is found")
	}
}

// TestWhatClientsDo: for each requirement that a fault breaks there is either a sentence or the word that
// clients notice nothing, in the table or in the row of the fault, and for no other. What the row says comes
// first.
func TestWhatClientsDo(t *testing.T) {
	all, err := advice()
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	for _, f := range All() {
		broken[f.Requirement] = true
		if _, told := all[f.Requirement]; !told && f.Client() == "" {
			t.Errorf("%s: nothing is said of %s", f.Name, f.Requirement)
		}
	}
	for id := range all {
		if !broken[id] {
			t.Errorf("no fault breaks %s", id)
		}
	}
	f, _ := Find("comp-15-ignores-value")
	if f.Client() != "Shows what it gets, and lets its user choose." || f.Client() == all[f.Requirement] {
		t.Errorf("%q, where the table has %q", f.Client(), all[f.Requirement])
	}
}
