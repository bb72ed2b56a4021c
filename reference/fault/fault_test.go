package fault

import (
	"slices"
	"strings"
	"testing"
)

func TestRegisteredFaultsAreComplete(t *testing.T) {
	all := All()
	if len(all) == 0 {
		t.Fatal("none")
	}
	if !slices.IsSortedFunc(all, func(a, b Fault) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for _, f := range all {
		if found, ok := Find(f.Name); !ok || found.Requirement != f.Requirement {
			t.Errorf("%s is not found", f.Name)
		}
		if !slices.Contains(Names(f.Requirement), f.Name) {
			t.Errorf("%s is not listed for %s", f.Name, f.Requirement)
		}
	}
}

func TestCheckRefusesBadFaults(t *testing.T) {
	known := All()[0]
	for what, f := range map[string]Fault{
		"a bad name":             {Name: "Page 01", Requirement: "PAGE-01", Summary: "s"},
		"another requirement":    {Name: "page-01-x", Requirement: "PAGE-02", Summary: "s"},
		"a longer number":        {Name: "page-011-x", Requirement: "PAGE-01", Summary: "s"},
		"no requirement":         {Name: "page-01-x", Summary: "s"},
		"no summary":             {Name: "page-01-x", Requirement: "PAGE-01"},
		"a second registration ": known,
	} {
		if registered.Check(f) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
