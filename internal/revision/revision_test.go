package revision

import (
	"slices"
	"strings"
	"testing"
)

// A table in which a later revision inherits from the latest, and another one from the
// one before.
func TestReadInherits(t *testing.T) {
	t.Parallel()
	table, err := Read("f", text+"  9998-01-01:\n    inherits: 2026-07-28\n  9998-02-02:\n    inherits: 2025-11-25\n    transports: [stdio]\n")
	if err != nil {
		t.Fatal(err)
	}
	latest, other := table.entries["9998-01-01"], table.entries["9998-02-02"]
	if latest.Era != Modern || !slices.Equal(latest.Transports, []string{Stdio, HTTP}) || !slices.Contains(latest.Line, "2024-11-05") {
		t.Errorf("9998-01-01 is %+v", latest)
	}
	if other.Era != Legacy || len(other.Transports) != 1 || slices.Contains(other.Line, "2026-07-28") || !slices.Contains(other.Line, "9998-02-02") {
		t.Errorf("9998-02-02 is %+v", other)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	const first = "revisions:\n  2024-11-05: {era: legacy, transports: [stdio]}\n"
	for given, want := range map[string]string{
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
		if _, err := Read("f", given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", given, err, want)
		}
	}
}
