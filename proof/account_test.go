package proof

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestEveryCheckIsKilled: for every check there is a fault of its own that makes it
// speak against the server. The goldens of TestKill say so, and nothing is excepted.
func TestEveryCheckIsKilled(t *testing.T) {
	killed := map[string]bool{}
	files, err := filepath.Glob("testdata/kill/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		effects, err := readEffects(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, lines := range effects {
			f, ok := fault.Find(name)
			if !ok {
				t.Errorf("%s has the effect of %s, which does not exist", file, name)
				continue
			}
			for _, word := range []string{" fail", " warn", " observed"} {
				if slices.ContainsFunc(lines, func(line string) bool {
					return strings.HasSuffix(line, " | "+f.Requirement+word)
				}) {
					killed[f.Requirement] = true
				}
			}
		}
	}
	for _, f := range fault.All() {
		if _, ok := area.BuiltIn().Check(f.Requirement); !ok {
			t.Errorf("the fault %s is about %s, which has no check", f.Name, f.Requirement)
		}
	}
	for _, q := range area.Catalogue().Requirements() {
		if _, ok := area.BuiltIn().Check(q.ID); ok && !killed[q.ID] {
			t.Errorf("no fault kills the check of %s", q.ID)
		}
	}
}

// TestEveryRowIsAccountedFor: every requirement has a check, or is a permission of
// which a quirk makes use, or says why it cannot be judged.
func TestEveryRowIsAccountedFor(t *testing.T) {
	permits := map[string][]string{}
	for _, q := range quirk.All() {
		for _, id := range q.Permits {
			if _, ok := area.Catalogue().Find(id); !ok {
				t.Errorf("the quirk %s is permitted by %s, which does not exist", q.Name, id)
			}
			permits[id] = append(permits[id], q.Name)
		}
	}
	for _, r := range area.Catalogue().Requirements() {
		_, checked := area.BuiltIn().Check(r.ID)
		switch {
		case r.Untestable != "":
			if checked {
				t.Errorf("%s has a check although it cannot be tested", r.ID)
			}
		case r.Grade == requirement.Control:
			if len(permits[r.ID]) == 0 {
				t.Errorf("%s is a permission of which no quirk makes use", r.ID)
			}
		case !checked:
			t.Errorf("%s has neither a check nor a reason", r.ID)
		}
	}
}
