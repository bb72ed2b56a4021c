package requirement

import "testing"

func TestSectionURL(t *testing.T) {
	t.Parallel()
	const site = "https://modelcontextprotocol.io/specification/"
	for _, c := range []struct {
		section Section
		rev     Revision
		want    string
	}{
		{secAll("server/resources", "error-handling"), R20251125, site + "2025-11-25/server/resources#error-handling"},
		{secAll("basic/index", "messages"), R20250326, site + "2025-03-26/basic#messages"},
		{schemaAll("ReadResourceResult"), R20260728, site + "2026-07-28/schema#readresourceresult"},
		{schemaAll("ReadResourceResult"), R20241105, "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts"},
		{secAll("server/resources", ""), R20241105, site + "2024-11-05/server/resources"},
		{doc("RFC 6570", "2.3"), R20251125, ""},
	} {
		if got := c.section.URL(c.rev); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.section, got, c.want)
		}
	}
}
