package requirement

import (
	"strings"
	"testing"
)

func TestSectionURL(t *testing.T) {
	t.Parallel()
	const site = "https://modelcontextprotocol.io/specification/"
	for _, c := range []struct {
		ref  string
		rev  Revision
		want string
	}{
		{"server/resources#error-handling", R20251125, site + "2025-11-25/server/resources#error-handling"},
		{"basic/index#messages", R20250326, site + "2025-03-26/basic#messages"},
		{"schema#ReadResourceResult", R20260728, site + "2026-07-28/schema#readresourceresult"},
		{"schema#ReadResourceResult", R20241105,
			"https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/" +
				"schema.ts"},
		{"server/resources", R20241105, site + "2024-11-05/server/resources"},
		{"RFC 6570#section-2.3", R20251125, ""},
	} {
		section, ok := sections().find(c.ref, nil)
		if got := section.URL(c.rev); !ok || got != c.want || section.Ref() != c.ref {
			t.Errorf("%s: got %q, want %q", c.ref, got, c.want)
		}
	}
}

func TestSectionsEndWithTheirPage(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]Span{
		"basic/lifecycle#operation":                          {Until: R20251125},
		"basic/authorization#error-handling":                 {Since: R20250326, Until: R20251125},
		"basic/transports#http-with-sse":                     {Until: R20241105},
		"basic/transports":                                   {Until: R20251125},
		"schema#Icon":                                        {Since: R20251125},
		"server/resources#capabilities":                      {},
		"basic/index#batching":                               {Since: R20250326, Until: R20250326},
		"basic/transports/streamable-http#security-endpoint": {Since: R20260728},
	} {
		if got, ok := sections().find(ref, nil); !ok || got.Span != want {
			t.Errorf("%s: got %+v, want %+v", ref, got.Span, want)
		}
	}
}

// Each page and each anchor of one has the heading that readers find there, and no other name has one.
func TestHeadings(t *testing.T) {
	t.Parallel()
	table, known := sections(), map[string]bool{}
	for page, p := range table.Pages {
		if page == schemaPage {
			continue
		}
		known[page] = true
		for anchor := range p.Anchors {
			known[anchor] = true
		}
	}
	for name := range known {
		if table.Headings[name] == "" {
			t.Errorf("%s has no heading", name)
		}
	}
	for name := range table.Headings {
		if !known[name] {
			t.Errorf("%s has a heading, and is neither a page nor an anchor", name)
		}
	}
	for ref, want := range map[string]string{
		"server/resources#error-handling": `"Error Handling" in "Resources"`,
		"server/resources":                `the page "Resources"`,
		"schema#Icon":                     "the type Icon in the published schema", "RFC 9110": "RFC 9110",
	} {
		if s, _ := table.find(ref, nil); s.Heading() != want {
			t.Errorf("%s: %s", ref, s.Heading())
		}
	}
}

func TestReadSectionsErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pages:\n  a: {sinse: 2025-03-26}": `f:2:7: unknown field "sinse" in pages.a: did you mean "since"?`,
		"pages:\n  a: {since: 2025-03-27}": `f:2:7: "2025-03-27" is no revision: the revisions are ` +
			`2024-11-05, `,
		"pages:\n  a: {since: 2025-06-18, until: 2025-03-26}": `no revision ` +
			`is since 2025-06-18 and until 2025-03-26`,
		"pages:\n  a:\n    until: 2025-11-25\n    anchors:\n      b: {since: " +
			"2026-07-28}": `f:5:7: a does not stand in 2026-07-28`,
		"pages:\n  a:\n  a:": `f:3:`,
	} {
		if _, err := readSections("f", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
