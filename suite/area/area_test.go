package area

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// maxTitle is the longest title, in characters.
const maxTitle = 70

// Rows are never taken away: their ids are permanent.
func TestNoRowIsLost(t *testing.T) {
	t.Parallel()
	if n := len(Catalogue().Requirements()); n < 343 {
		t.Errorf("%d rows, there were 343", n)
	}
}

// markup is emphasis or code in Markdown.
var markup = regexp.MustCompile("\\*\\w+\\*|`[^`]+`")

func TestWords(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for _, r := range Catalogue().Requirements() {
		if n := utf8.RuneCountInString(r.Title); n == 0 || n > maxTitle {
			t.Errorf("%s: title of %d characters, want 1 to %d", r.ID, n, maxTitle)
		}
		if strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: title ends in a full stop", r.ID)
		}
		if other, dup := titles[r.Title]; dup {
			t.Errorf("%s: same title as %s", r.ID, other)
		}
		titles[r.Title] = r.ID
		if !strings.HasSuffix(r.Text, ".") {
			t.Errorf("%s: text is not a sentence: %q", r.ID, r.Text)
		}
		if r.Tolerated != "" && !strings.HasSuffix(r.Tolerated, ".") {
			t.Errorf("%s: tolerance is not a sentence: %q", r.ID, r.Tolerated)
		}
		// Consoles and pages show it as it is.
		if mark := markup.FindString(r.Title + " " + r.Text + " " + r.Change + " " +
			r.Tolerated); mark != "" {
			t.Errorf("%s: %s is Markdown, which is shown as it stands", r.ID, mark)
		}
	}
}

// TestObservedByName: what is only remarked upon has a name of its own, so that nobody has to read
// on to tell one remark from another.
func TestObservedByName(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, r := range Catalogue().Requirements() {
		remark := slices.ContainsFunc(r.Revisions, func(rev requirement.Revision) bool {
			return r.GradeIn(rev) == requirement.Info
		})
		if remark && r.Untestable == "" != (r.Observed != "") || !remark && r.Observed != "" {
			t.Errorf("%s: observed is %q, its grade %s", r.ID, r.Observed, r.Grade)
		}
		if other := names[r.Observed]; other != "" && r.Observed != "" {
			t.Errorf("%s: observed under the name of %s", r.ID, other)
		}
		names[r.Observed] = r.ID
	}
}

// TestEveryRowSaysWhatToChange: whoever is accused is told what to do about it.
func TestEveryRowSaysWhatToChange(t *testing.T) {
	t.Parallel()
	for _, r := range slices.Concat(Catalogue().Requirements(), clientcheck.Catalogue().Requirements()) {
		red := slices.ContainsFunc(r.Revisions, func(rev requirement.Revision) bool {
			return r.GradeIn(rev) == requirement.Fail || r.GradeIn(rev) == requirement.Warn
		})
		switch {
		case red && r.Untestable == "" && r.Change == "":
			t.Errorf("%s: change is missing: what is to be done where it is broken?", r.ID)
		case r.Change == "":
		case strings.HasSuffix(r.Change, ".") || r.Change[0] >= 'A' && r.Change[0] <= 'Z':
			t.Errorf("%s: change is an instruction that begins small and ends without a full stop: %q", r.ID,
				r.Change)
		}
	}
}

// contradictions lists the rows that may fail without a keyword or a rule of
// the schema, because a violation contradicts the server's own declaration,
// acknowledgment or data, or does harm that was seen to be done.
var contradictions = []string{
	"CAP-08", "CAP-09", "DISC-03", "HTTP-28", "HTTP-32", "LCH-06", "LIFE-10", "LIFE-18", "LIFE-19",
	"LIST-15", "PAGE-02", "PAGE-03", "PAGE-04", "PAGE-08", "PAGE-09", "PAGE-12",
	"READ-13", "SEC-62", "SEC-63", "SESS-09", "STDIO-03", "STDIO-05", "SUB-01", "SUB-03", "SUB-24",
	"SUB-25", "SUB-27", "SUB-28", "SUB-31", "SUB-37", "SUB-60", "TMPL-11",
}

func TestOnlyFirmGroundFails(t *testing.T) {
	t.Parallel()
	for _, r := range Catalogue().Requirements() {
		for _, rev := range r.Revisions {
			basis := r.BasisIn(rev)
			firm := basis == requirement.Normative || basis == requirement.Schema ||
				slices.Contains(contradictions, r.ID)
			if r.GradeIn(rev) == requirement.Fail && !firm {
				t.Errorf("%s in %s: fails although its basis is %s", r.ID, rev, basis)
			}
		}
	}
	for _, id := range contradictions {
		if r, ok := Catalogue().Find(id); !ok || r.Grade != requirement.Fail {
			t.Errorf("%s: listed as a contradiction, but does not fail", id)
		}
	}
}

// Rows that need a change, another caller or a known subject cannot be judged
// from what a server lists; they say what the target file must add.
func TestNeeds(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../target/annotations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	template := string(file)
	for _, r := range Catalogue().Requirements() {
		if strings.TrimSpace(r.Needs) != r.Needs || strings.HasSuffix(r.Needs, ".") {
			t.Errorf("%s: needs are not a phrase: %q", r.ID, r.Needs)
		}
		for _, name := range r.Config {
			if !strings.Contains(r.Needs, name) || !strings.Contains(template, "\n  "+name+":\n") {
				t.Errorf("%s: needs %q, which is not in its sentence or not in target files", r.ID, name)
			}
		}
	}
	for _, id := range []string{"SUB-03", "LCH-01", "CACHE-12", "MRTR-11", "CANC-05", "SEC-12", "SEC-61"} {
		if r, ok := Catalogue().Find(id); !ok || r.Needs == "" {
			t.Errorf("%s: does not say what it needs", id)
		}
	}
}

func TestAreasAndProfiles(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	used := map[string]bool{}
	for _, a := range Catalogue().Areas() {
		if seen[a.Name] || a.Title == "" {
			t.Errorf("area %+v", a)
		}
		seen[a.Name] = true
		used[a.Profile] = true
	}
	if len(seen) != 26 {
		t.Errorf("%d areas, want 26", len(seen))
	}
	for _, p := range requirement.Profiles() {
		if !used[p] {
			t.Errorf("profile %s has no area", p)
		}
		delete(used, p)
	}
	if len(used) != 0 {
		t.Errorf("areas with unknown profiles: %v", used)
	}
}
