package interop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/sdk"
)

var update = flag.Bool("update", false, "write anew what mcpcheck explain knows of released servers")

// sighting is what a release of a server was seen to do, as mcpcheck explain reads it.
type sighting struct {
	Server string `json:"server"`
	Does   string `json:"does"`

	newest requirement.Revision
	sdk    bool
}

// TestSeen: mcpcheck explain names the servers that broke a requirement by the rulings. Those of the newest
// revision come first, among them SDKs.
func TestSeen(t *testing.T) {
	const file, most = "../cmd/mcpcheck/seen.json", 5
	all := map[string][]sighting{}
	for _, s := range servers(t) {
		name, _, _ := strings.Cut(cmp.Or(s.Npm, s.Installed, s.Go), "/examples/")
		name, _, _ = strings.Cut(name, "/conformance/")
		isSDK := slices.ContainsFunc(sdk.All(), func(k sdk.SDK) bool { return k.Package == name })
		for _, r := range s.Rulings {
			if r.Verdict.Red() {
				all[r.ID] = append(all[r.ID], sighting{name + " " + s.Version, r.Seen,
					slices.Max(r.Revisions), isSDK})
			}
		}
	}
	for id, list := range all {
		slices.SortStableFunc(list, func(a, b sighting) int {
			if a.newest == b.newest && a.sdk != b.sdk {
				return map[bool]int{true: -1, false: 1}[a.sdk]
			}
			return cmp.Compare(b.newest, a.newest)
		})
		var first []sighting
		for _, x := range list { // the example servers of an SDK are one package
			if !slices.ContainsFunc(first, func(y sighting) bool { return x.Server == y.Server }) {
				first = append(first, x)
			}
		}
		all[id] = first[:min(len(first), most)]
	}
	want, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	is, err := os.ReadFile(file)
	switch {
	case bytes.Equal(is, want):
	case !*update:
		t.Errorf("%s is out of date: call make docs (%v)", file, err)
	default:
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
