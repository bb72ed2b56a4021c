package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

var known = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// siteOf writes a site into memory.
func siteOf(t testing.TB, products []reports.Product) map[string]string {
	t.Helper()
	files := map[string]string{}
	create := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		files[name] = b.String()
		return err
	}
	if err := Site(&reports.Repository{Tool: reports.Tool{Name: "mcpcheck", Version: "v1.2.3"},
		Written: "2026-11-29T12:00:00Z", Revisions: append(slices.Clone(known), hostile), Products: products},
		create); err != nil {
		t.Fatal(err)
	}
	return files
}

// productOf is a product with a version that is not conformant, and one that is.
func productOf(name, expired string) reports.Product {
	p := reports.Product{Path: "example/" + name, About: reports.About{Vendor: "Example & Sons",
		Product: name,
		Package: "pkg:npm/x", Contact: "x@example.com"}}
	var before *reports.Report
	for _, version := range []string{"1.0.0", "1.1.0"} {
		r := reports.New(reports.Tool{Name: "mcpcheck", Version: "v1.2.3"}, reports.Target{},
			reports.Config{})
		for _, revision := range known {
			x := row("PAGE-02", reports.LevelMust, reports.Pass, "")
			x.Revision = revision
			if version == "1.0.0" && revision > "2025-06" {
				x.Verdict = reports.Fail
			}
			r.Results = append(r.Results, x)
		}
		r.Summarize(reports.SummaryOptions{})
		r.Summary.Started = "2026-11-1" + version[2:3] + "T01:02:03Z"
		r.Target.Endpoints = []reports.Endpoint{{Transport: "stdio", Address: "example --stdio"}}
		p.Add(reports.CertifiedVersion{Version: version, Path: p.Path + "/" + version, Expired: expired,
			Signed: []string{"ci@example.com"}}, before, r)
		before = r
	}
	return p
}

// TestSite: the index says since when each revision holds and has expired certificates apart, and each server
// has a page with its history, and badges.
func TestSite(t *testing.T) {
	files := siteOf(t, []reports.Product{productOf("files", ""), productOf("late", "judged 400 days ago")})
	for name, wants := range map[string][]string{
		"index.html": {"Certified servers", "since 1.0.0, 2026-11-10", "since 1.1.0, 2026-11-11",
			"judged 400 days ago",
			`href="servers/example/files/index.html"`, `href="certificates/example/files/1.1.0/report.html"`,
			`href="certificates/example/files/1.1.0/certificate.mcpcert"`},
		"servers/example/files/index.html": {"mcpcheck run -- example --stdio\n", "ci@example.com",
			`href="../../../certificates/example/files/1.1.0/report.html#PAGE-02"`},
		"badges/example/files.json": {`{"schemaVersion":1,"label":"mcp resources",` +
			`"message":"conformant 5/5","color":"1a6b34"}`},
		"badges/example/files.svg": {">conformant 5/5</text>"},
		"badges/example/late.json": {`"message":"certificate expired"`},
		"servers/example/late/index.html": {`<section class="banner" `,
			"<strong>expired: conformant</strong>"},
	} {
		for _, want := range wants {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s lacks %s:\n%s", name, want, files[name])
			}
		}
	}
	current, expired, _ := strings.Cut(files["index.html"], `<h2 id="expired-title">`)
	if strings.Contains(current, "example/late/") || strings.Contains(expired, "example/files/") {
		t.Error("what has expired does not stand apart")
	}
	var index reports.Repository
	if err := json.Unmarshal([]byte(files["index.json"]), &index); err != nil || len(index.Products) != 2 ||
		index.Products[0].Holds[4].Version != "1.1.0" || index.Products[0].Versions[0].Fixed[0] != "PAGE-02" {
		t.Errorf("the index is %+v, %v", index, err)
	}
}

// many are products, of which the first is hostile in every member.
func many(n int) []reports.Product {
	var all []reports.Product
	for i := range n {
		p := productOf(fmt.Sprintf("server-%d", i), "")
		if i%9 == 5 {
			p.Versions = p.Versions[1:]
			p.Holds = p.Holds[:2]
		}
		all = append(all, p)
	}
	p, v := &all[0], &all[0].Versions[0]
	p.About = reports.About{Vendor: hostile, Product: hostile, Package: hostile,
		Contact: "javascript:alert(1)" + hostile}
	*v = reports.CertifiedVersion{Version: hostile, Path: v.Path, Judged: hostile, Certified: hostile,
		Expired: hostile,
		Suite:   reports.Tool{Name: hostile, Version: hostile}, Signed: []string{hostile}, Outcome: hostile,
		Scope: hostile, Since: hostile, Extent: hostile, Broken: []string{hostile}, Fixed: []string{hostile},
		Revisions: []reports.RevisionSummary{{Revision: hostile, Outcome: hostile, By: []string{hostile}}},
		Endpoints: []reports.Endpoint{{Transport: "stdio", Address: hostile}, {Address: hostile,
			Started: hostile}}}
	p.Holds = []reports.Holding{{Revision: hostile, Version: hostile, Judged: hostile}}
	return all
}

// TestSiteHostile: nothing that a certificate says becomes markup or script, or is invisible.
func TestSiteHostile(t *testing.T) {
	files := siteOf(t, many(2000))
	keep(t, "site.html", files["index.html"])
	keep(t, "site-few.html", siteOf(t, many(20))["index.html"])
	keep(t, "site-server.html", files["servers/example/server-1/index.html"])
	keep(t, "site-hostile.html", files["servers/example/server-0/index.html"])
	for _, name := range []string{"index.html", "servers/example/server-0/index.html"} {
		page := files[name]
		inert(t, page)
		if strings.Count(page, "<script") != 1 || strings.Count(page, "</script") != 1 ||
			strings.Contains(page, `href="javascript:`) || !strings.Contains(page, `\x1b[31m`) {
			t.Errorf("%s is not inert", name)
		}
	}
	if n := len(files); n != 2+3*2000 {
		t.Errorf("%d files", n)
	}
}

func BenchmarkSite(b *testing.B) {
	products := many(2000)
	for b.Loop() {
		err := Site(&reports.Repository{Revisions: known, Products: products},
			func(_ string, write func(io.Writer) error) error { return write(io.Discard) })
		if err != nil {
			b.Fatal(err)
		}
	}
}
