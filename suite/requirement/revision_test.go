package requirement

import (
	"slices"
	"strings"
	"testing"
)

func TestRevisions(t *testing.T) {
	t.Parallel()
	if got := Revisions(); !slices.Equal(got[:5], []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}) {
		t.Errorf("revisions %v", got)
	}
	if got := Legacy(); !slices.Equal(got, []Revision{R20241105, R20250326, R20250618, R20251125}) {
		t.Errorf("legacy revisions %v", got)
	}
	if got := Grid(); len(got) < 10 || got[1] != (Combination{R20241105, SSE}) || got[9] != (Combination{R20260728, HTTP}) {
		t.Errorf("grid %v", got)
	}
}

func TestUnknownRevisionsGoByTheirDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rev           Revision
		modern, since bool
	}{
		{"", false, false}, {"2024-10-07", false, false}, {"2025-06-17", false, false}, {"2025-07-01", false, true},
		{"2026-07-27", false, true}, {"2026-07-29", true, true}, {"9999-99-99", true, true}, {"nonsense", true, true},
	} {
		if c.rev.Known() || c.rev.Modern() != c.modern || c.rev.Since(R20250618) != c.since || c.rev.Before(R20250618) == c.since {
			t.Errorf("%q: known %t, modern %t, since 2025-06-18 %t", c.rev, c.rev.Known(), c.rev.Modern(), c.rev.Since(R20250618))
		}
	}
}

// A table in which a later revision inherits from the latest, and another one from the
// one before.
func TestReadRevisionsInherits(t *testing.T) {
	t.Parallel()
	table, err := readRevisions("f", revisionsText+"  9998-01-01:\n    inherits: 2026-07-28\n  9998-02-02:\n    inherits: 2025-11-25\n    transports: [stdio]\n")
	if err != nil {
		t.Fatal(err)
	}
	latest, other := table.entries["9998-01-01"], table.entries["9998-02-02"]
	if latest.Era != eraModern || !slices.Equal(latest.Transports, []Transport{Stdio, HTTP}) || !slices.Contains(latest.line, R20241105) {
		t.Errorf("9998-01-01 is %+v", latest)
	}
	if other.Era != eraLegacy || len(other.Transports) != 1 || slices.Contains(other.line, R20260728) || !slices.Contains(other.line, "9998-02-02") {
		t.Errorf("9998-02-02 is %+v", other)
	}
}

func TestReadRevisionsErrors(t *testing.T) {
	t.Parallel()
	const first = "revisions:\n  2024-11-05: {era: legacy, transports: [stdio]}\n"
	for text, want := range map[string]string{
		"":                `no revisions`,
		"revisions: {}":   `no revisions`,
		first + "  x: {}": `f:3:3: x: only the first revision inherits from none`,
		first + "  2025-01-01: {inherits: 2024-11-06}":                    `f:3:16: 2025-01-01: no earlier revision "2024-11-06" to inherit from`,
		first + "  2024-01-01: {inherits: 2024-11-05}":                    `2024-01-01: no earlier revision "2024-11-05" to inherit from`,
		first + "  2025-01-01: {inherits: 2024-11-05, era: modren}":       `era must be one of legacy, modern, not "modren": did you mean "modern"?`,
		first + "  2025-01-01: {inherits: 2024-11-05, transports: []}":    `2025-01-01: no transports`,
		first + "  2025-01-01: {inherits: 2024-11-05, transports: [tcp]}": `transports must be one of stdio, http, sse, not "tcp"`,
		first + "  2025-01-01: {inherit: 2024-11-05}":                     `unknown field "inherit" in revisions.2025-01-01: did you mean "inherits"?`,
	} {
		if _, err := readRevisions("f", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
