package requirement

import (
	"slices"
	"testing"
)

func TestRevisions(t *testing.T) {
	t.Parallel()
	if got := Revisions(); !slices.Equal(got[:5], []Revision{R20241105, R20250326, R20250618, R20251125,
		R20260728}) {
		t.Errorf("revisions %v", got)
	}
	if got := Legacy(); !slices.Equal(got, []Revision{R20241105, R20250326, R20250618, R20251125}) {
		t.Errorf("legacy revisions %v", got)
	}
	if got := Grid(); len(got) < 10 || got[1] != (Combination{R20241105, SSE}) ||
		got[9] != (Combination{R20260728, HTTP}) {
		t.Errorf("grid %v", got)
	}
}

func TestUnknownRevisionsGoByTheirDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rev           Revision
		modern, since bool
	}{
		{"", false, false}, {"2024-10-07", false, false}, {"2025-06-17", false, false},
		{"2025-07-01", false, true},
		{"2026-07-27", false, true}, {"2026-07-29", true, true}, {"9999-99-99", true, true},
		{"nonsense", true, true},
	} {
		if c.rev.Known() || c.rev.Modern() != c.modern || c.rev.Since(R20250618) != c.since ||
			c.rev.Before(R20250618) == c.since {
			t.Errorf("%q: known %t, modern %t, since 2025-06-18 %t", c.rev, c.rev.Known(), c.rev.Modern(),
				c.rev.Since(R20250618))
		}
	}
}
