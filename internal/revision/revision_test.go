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
	table, err := read("f",
		text+"  9998-01-01:\n    inherits: 2026-07-28\n  9998-02-02:\n    inherits: 2025-11-25\n    "+
			"transports: [stdio]\n")
	if err != nil {
		t.Fatal(err)
	}
	latest, other := table.entries["9998-01-01"], table.entries["9998-02-02"]
	if latest.Era != Modern || !slices.Equal(latest.Transports, []string{Stdio, HTTP}) ||
		!slices.Contains(latest.Line, "2024-11-05") {
		t.Errorf("9998-01-01 is %+v", latest)
	}
	if other.Era != legacy || len(other.Transports) != 1 || slices.Contains(other.Line, "2026-07-28") ||
		!slices.Contains(other.Line, "9998-02-02") {
		t.Errorf("9998-02-02 is %+v", other)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	const first = "revisions:\n  2024-11-05: {era: legacy, transports: [stdio]}\n"
	for given, want := range map[string]string{
		"":                       `f: no revisions`,
		"revisions: {}":          `f:1:1: no revisions`,
		"revision: {}":           `f:1:1: unknown field "revision": did you mean "revisions"?`,
		first + "  x: {}":        `f:3:3: x is not a date, such as 2024-11-05`,
		first + "  2025-1-1: {}": `f:3:3: 2025-1-1 is not a date, such as 2024-11-05`,
		first + "  2025-01-01: {era: modern, transports: [stdio]}": `f:3:3: 2025-01-01: ` +
			`only the first revision inherits from none`,
		first + "  2024-11-05: {era: modern, transports: [http]}": `f:3:3: mapping key ` +
			`"2024-11-05" already defined at [2:3]`,
		first + "  2025-01-01: {inherits: 2024-11-06}": `f:3:16: 2025-01-01: no ` +
			`earlier revision "2024-11-06" to inherit from`,
		first + "  2024-01-01: {inherits: 2024-11-05}": `f:3:16: 2024-01-01: no ` +
			`earlier revision "2024-11-05" to inherit from`,
		first + "  2025-01-01: {inherits: 2025-01-01}": `f:3:16: 2025-01-01: no ` +
			`earlier revision "2025-01-01" to inherit from`,
		first + "  2025-01-01: {inherits: 2024-11-05, era: modren}": `f:3:38: era must be ` +
			`one of legacy, modern, not "modren": did you mean "modern"?`,
		first + "  2025-01-01: {inherits: 2024-11-05," +
			" transports: []}": `f:3:3: 2025-01-01: no transports`,
		first + "  2025-01-01: {inherits: 2024-11-05, transports: [tcp]}": `f:3:38: transports ` +
			`must be one of stdio, http, sse, not "tcp"`,
		first + "  2025-01-01: {inherits: 2024-11-05, transports: [http, http]}": `f:3:38: 2025-01-01: ` +
			`the transport http twice`,
		first + "  2025-01-01: {inherit: 2024-11-05}": `f:3:16: unknown field ` +
			`"inherit" in revisions.2025-01-01: did you mean "inherits"?`,
	} {
		if _, err := read("f", given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", given, err, want)
		}
	}
}

// What is unknown goes by its date.
func TestOfUnknown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"1900-01-01": "2024-11-05", "2025-04-01": "2025-03-26",
		"2026-07-27": "2025-11-25", "2026-07-29": "2026-07-28"} {
		if Known().Has(name) {
			t.Errorf("%s is known", name)
		}
		if line := Known().Of(name).Line; line[len(line)-1] != want {
			t.Errorf("%s goes by %v", name, line)
		}
	}
}
