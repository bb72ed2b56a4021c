package write

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestFinding: what fails a test says which requirement, where, why, and shows the messages; so
// does what could not be judged.
func TestFinding(t *testing.T) {
	r := sample()
	r.NoteReruns(func(id, _, _ string) string { return "go test -run " + id })
	for _, x := range r.Results {
		wants := map[string][]string{
			"PAGE-9": {"PAGE-9 A cursor is a string (MUST, " + x.Revision + " on " + x.Transport + ", ",
				"\nexpected: a string", "\nactual:   an integer, 5",
				"\nchange:   send the cursor", "\nrepeat:   go test -run PAGE-9", "\n#1 → {\"jsonrpc\"",
				"\n#4 ← HTTP 404"},
			"SUB-01": {"\nblocked:  the process ended in the middle", "\nrepeat:   go test -run SUB-01"},
		}[x.ID]
		for _, want := range wants {
			if got := Finding(r, &x); !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
	inert(t, Finding(hostileReport(), &hostileReport().Results[0]))
	x := r.Results[slices.IndexFunc(r.Results, func(x reports.Result) bool { return x.ID == "PAGE-9" })]
	told := map[any]string{}
	first, x2 := FindingOnce(r, &x, told), x
	x2.Revision = "2099-01-01"
	again := FindingOnce(r, &x2, told)
	if where := "\nactual:   as in " + x.Revision + " on " + x.Transport + "\nrepeat: "; first != Finding(r,
		&x) ||
		strings.Contains(again, "expected:") || !strings.Contains(again, where) {
		t.Errorf("told first as\n%s\nand then as\n%s", first, again)
	}
}

// TestDemand: findings say what the rule demands, as text.
func TestDemand(t *testing.T) {
	r := sample()
	o := Options{Demand: func(x *reports.Result) string {
		return "The server <b>MUST</b> do what " + x.ID + " says."
	}}
	type writer func(io.Writer, *reports.Report, Options) error
	for name, write := range map[string]writer{"console": Console, "page": HTML, "Markdown": Markdown} {
		var b strings.Builder
		if err := write(&b, r, o); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(text, "do what ") || name != "console" &&
			strings.Contains(text, "server <b>MUST") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
