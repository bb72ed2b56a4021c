package quirk

import (
	"math/rand/v2"
	"testing"
)

// TestCatalogue: the rows can be read, and what they say can be done.
func TestCatalogue(t *testing.T) {
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	all := All()
	for _, q := range all {
		if _, ok := Find(q.Name); !ok {
			t.Errorf("%s is not found", q.Name)
		}
		q.HooksFor(rand.New(rand.NewPCG(0, 0)))
	}
	if _, ok := Find("none"); ok || len(all) == 0 {
		t.Errorf("%d quirks, or one of no name is found", len(all))
	}
}
