package requirement

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const head = "area: DEMO\ntitle: Demo\nprofile: core\nrows:\n"

// read reads an area of one row, DEMO-01, whose fields stand on lines of their own.
func read(t *testing.T, fields ...string) Requirement {
	t.Helper()
	a, err := ReadArea("demo.yaml", demo(fields...))
	if err != nil {
		t.Fatal(err)
	}
	return a.Rows[0]
}

func demo(fields ...string) string {
	return head + "  DEMO-01:\n    title: A demo\n    text: It is shown.\n    " + strings.Join(fields,
		"\n    ") + "\n"
}

const anySection = "section: server/resources"

func TestReadArea(t *testing.T) {
	t.Parallel()
	a, err := ReadArea("demo.yaml", `area: DEMO
title: Demo
profile: security
documents: {House rules: [schemes]}
rows:
  DEMO-10: {title: B, text: B., level: MAY, section: House rules#schemes}
  DEMO-02:
    title: A
    text: It is.
    level: SHOULD
    basis: implied
    implied: something else
    since: 2025-03-26
    until: 2025-11-25
    transports: [http]
    section:
      - {at: basic/transports#stdio, until: 2025-03-26}
      - basic/transports#session-management
      - RFC 9110
    tolerated: Nothing.
    needs: a subject
    config: [subjects.texts]
    added: "0.3"
`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Name != "DEMO" || a.Title != "Demo" || a.Profile != "security" || len(a.Rows) != 2 ||
		a.Rows[1].ID != "DEMO-10" {
		t.Fatalf("got %+v", a)
	}
	r := &a.Rows[0]
	if r.ID != "DEMO-02" || r.Area() != "DEMO" || r.Title != "A" || r.Text != "It is." ||
		r.Implied != "something else" || r.Tolerated != "Nothing." || r.Needs != "a subject" ||
		!slices.Equal(r.Config, []string{"subjects.texts"}) || r.Since != "0.3" {
		t.Errorf("got %+v", r)
	}
	if !slices.Equal(r.Revisions, []Revision{R20250326, R20250618, R20251125}) ||
		!slices.Equal(r.Transports, []Transport{HTTP}) {
		t.Errorf("revisions %v, transports %v", r.Revisions, r.Transports)
	}
	for rev, want := range map[Revision]string{
		R20250326: "basic/transports#stdio", R20250618: "basic/transports#session-management",
		R20260728: "RFC 9110",
	} {
		if got, _ := r.SectionIn(rev); got.Ref() != want || got.Outside != (rev == R20260728) {
			t.Errorf("%s: cited is %q, want %q", rev, got.Ref(), want)
		}
	}
	if got, _ := a.Rows[1].SectionIn(R20260728); got.Ref() != "House rules#schemes" {
		t.Errorf("a document of the area is cited as %q", got.Ref())
	}
}

// What follows from the rest of a row where it is left out.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fields string
		want   Terms
	}{
		{"level: MUST", Terms{Must, Fail, Normative}},
		{"level: MUST\n    basis: schema", Terms{Must, Fail, Schema}},
		{"level: MUST\n    basis: implied\n    implied: a rule", Terms{Must, Warn, Implied}},
		{"level: MUST\n    basis: external\n    implied: a rule", Terms{Must, Warn, External}},
		{"level: MUST\n    basis: schema-doc", Terms{Must, Warn, SchemaDoc}},
		{"level: MUST\n    basis: implied\n    implied: a rule\n    grade: fail", Terms{Must, Fail, Implied}},
		{"level: SHOULD", Terms{Should, Warn, Normative}},
		{"level: SHOULD\n    grade: info", Terms{Should, Info, Normative}},
		{"level: MAY", Terms{May, Control, Normative}},
	} {
		r := read(t, c.fields, anySection)
		if r.Terms != c.want || r.GradeIn(R20260728) != c.want.Grade || r.Since != "0.1" {
			t.Errorf("%s: got %+v, want %+v", c.fields, r.Terms, c.want)
		}
		if !slices.Equal(r.Revisions, Revisions()) || !slices.Equal(r.Transports, Transports()) {
			t.Errorf("%s: revisions %v, transports %v", c.fields, r.Revisions, r.Transports)
		}
	}
	if r := read(t, "level: MUST", "since: 2025-03-26", anySection); slices.Contains(r.Transports, SSE) {
		t.Errorf("transports %v, of which its revisions have no sse", r.Transports)
	}
}

func TestFromARevisionOn(t *testing.T) {
	t.Parallel()
	r := read(t, "level: MUST", "basis: implied", "implied: a rule", "grade: fail", anySection, "from:",
		"  2025-03-26: {level: SHOULD}", "  2025-11-25: {basis: schema}",
		"  2026-07-28: {level: MAY, grade: control}")
	for rev, want := range map[Revision]Terms{
		R20241105: {Must, Fail, Implied}, R20250326: {Should, Warn, Implied},
		R20250618: {Should, Warn, Implied},
		R20251125: {Must, Fail, Schema}, R20260728: {May, Control, Implied},
	} {
		if got := (Terms{r.LevelIn(rev), r.GradeIn(rev), r.BasisIn(rev)}); got != want {
			t.Errorf("%s: got %+v, want %+v", rev, got, want)
		}
	}
	if r.Terms != (Terms{Must, Fail, Implied}) {
		t.Errorf("the row itself: %+v", r.Terms)
	}
}

// A demand names who has to do it, the keyword and the heading, and what implies it where nothing says it.
func TestDemand(t *testing.T) {
	t.Parallel()
	const see = ` It is shown. See the page "Resources".`
	for fields, want := range map[string]string{
		"level: MUST": "A MUST for servers:" + see,
		"level: MAY":  "A MAY for servers:" + see,
		"level: SHOULD\n    basis: schema-doc": "A SHOULD for servers:" + see +
			" No sentence with a keyword says so, but a comment in the published schema.",
		"level: MUST\n    basis: external\n    implied: the RFC": "A MUST for servers:" + see +
			" No sentence with a keyword says so; it is implied by the RFC.",
		"level: MUST\n    from: {2025-11-25: {level: SHOULD}}":     "A SHOULD for servers:" + see,
		"level: MUST\n    until: 2025-11-25\n    grade: warn":      "A MUST for servers:" + see,
		"level: MUST\n    from: {2026-07-28: {basis: schema-doc}}": "A MUST for servers:" + see,
		"level: SHOULD\n    basis: implied\n    implied: its sense": "A SHOULD for servers:" + see +
			" No sentence with a keyword says so; it is implied by its sense.",
	} {
		r := read(t, fields, anySection)
		if got := r.Demand(Combination{R20251125, Stdio}); got != want {
			t.Errorf("%s:\n got %s\nwant %s", fields, got, want)
		}
	}
}

// A new row warns at most, so that an upgrade breaks nobody's pipeline.
func TestProvisional(t *testing.T) {
	t.Parallel()
	r := read(t, "level: SHOULD", anySection, "added: \"0.2\"", "provisional: true", "from:",
		"  2025-11-25: {level: MUST}")
	if !r.Provisional || r.Since != "0.2" || r.LevelIn(R20251125) != Must || r.GradeIn(R20251125) != Warn ||
		r.Grade != Warn {
		t.Errorf("got %+v, grade %s", r, r.GradeIn(R20251125))
	}
	if r := read(t, "level: MAY", anySection, "added: \"0.2\"", "provisional: true"); r.Grade != Control ||
		r.GradeIn(R20241105) != Control {
		t.Errorf("a control has become %s", r.Grade)
	}
	if r := read(t, "level: MUST", anySection, "added: \"0.2\"", "provisional: true"); r.Grade != Warn ||
		r.GradeIn(R20241105) != Warn {
		t.Errorf("a MUST is of grade %s", r.Grade)
	}
}

func TestNamesCombinationsOffTheGrid(t *testing.T) {
	t.Parallel()
	off := Combination{R20251125, SSE}
	everywhere, one := read(t, "level: MUST", anySection), read(t, "level: MUST", "transports: [stdio]",
		anySection)
	a, err := ReadArea("demo.yaml", "grid-only: true\n"+demo("level: MUST", anySection))
	if err != nil {
		t.Fatal(err)
	}
	if !everywhere.Names(off) || one.Names(off) || a.Rows[0].Names(off) ||
		!a.Rows[0].Names(Combination{R20251125, HTTP}) {
		t.Error("a combination off the grid is judged by what holds on all transports of its revision")
	}
}

// A row may leave revisions out, cite a section for one transport only, and name a profile of
// its area's own.
func TestRowsOfClients(t *testing.T) {
	t.Parallel()
	const text = `area: DEMO
title: Demo
profiles: [one, other]
rows:
  DEMO-01:
    title: A title
    text: A sentence.
    profile: other
    level: MUST
    except: [2025-03-26]
    transports: [stdio, http]
    from:
      2024-11-05: {level: SHOULD}
      2025-06-18: {level: MUST}
    section:
      - {at: server/resources#subscriptions, transport: http}
      - server/resources
  DEMO-02:
    title: A title
    text: A sentence.
    profile: one
    level: MAY
    grade: info
    section: server/resources
`
	a, err := ReadArea("demo.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	r := &a.Rows[0]
	if r.Profile != "other" || len(a.Profiles) != 2 || a.Rows[1].Grade != Info {
		t.Errorf("%+v", a)
	}
	if r.Names(Combination{R20250326, HTTP}) || !r.Names(Combination{R20241105, Stdio}) ||
		r.GradeIn(R20241105) != Warn || r.GradeIn(R20250618) != Fail {
		t.Errorf("%+v", r)
	}
	for transport, want := range map[Transport]string{HTTP: "server/resources#subscriptions",
		Stdio: "server/resources"} {
		if s, ok := r.SectionOn(Combination{R20251125, transport}); !ok || s.Ref() != want {
			t.Errorf("on %s: %s", transport, s.Ref())
		}
	}
	for was, want := range map[string][2]string{
		"profile: other": {"profile: another",
			`demo.yaml:8:5: profile must be one of one, other, not "another"`},
		"except: [2025-03-26]": {"except: [2024-11-05]",
			`the row does not apply both before and after "2024-11-05"`},
		"transport: http": {"transport: sse", `transport must be one of stdio, http, not "sse"`},
	} {
		_, err := ReadArea("demo.yaml", strings.Replace(text, was, want[0], 1))
		if err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s:\n got %v\nwant %s", want[0], err, want[1])
		}
	}
}

func TestReadAreaErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"": `area must be a name of capital letters such as PAGE,` +
			` not ""`,
		"area: DEMO\nprofile: corr": `demo.yaml:2:1: profile must be one of core, `,
		"title: Demo\narea: DEMO":   `rows is empty`,
		"area: DEMO\ntitel: Demo": `demo.yaml:2:1: unknown field "titel": did you mean ` +
			`"title"?`,
		head + "  PAGE-01: {}": `demo.yaml:5:3: the id of a row in area DEMO is DEMO, a ` +
			`hyphen and two digits, not "PAGE-01"`,
		head + "  DEMO-1: {}":                   `not "DEMO-1"`,
		head + "  DEMO-01: {}":                  `demo.yaml:5:3: DEMO-01: title is missing`,
		demo("level: MUST") + "  DEMO-01: {}\n": `demo.yaml:9:`,
	}
	const must = "level: MUST"
	for fields, want := range map[string]string{
		"lvel: MUST": `demo.yaml:8:5: unknown field "lvel" in rows.DEMO-01: did you mean "level"?`,
		anySection:   `level must be one of MUST, SHOULD, MAY, not ""`,
		must:         `no section for 2024-11-05, where the row applies`,
		must + "\n    basis: normativ\n    " +
			anySection: `demo.yaml:9:5: basis must be one of normative, schema, schema-doc, external,` +
			` implied, not "normativ": did you mean "normative"?`,
		"level: SHOULD\n    grade: fail\n    " +
			anySection: `demo.yaml:9:5: the grade fail does not fit the level SHOULD`,
		"level: MAY\n    grade: warn\n    " +
			anySection: `the grade warn does not fit the level MAY`,
		must + "\n    grade: control\n    " +
			anySection: `the grade control does not fit the level MUST`,
		must +
			"\n    section: server/resource": `demo.yaml:9:5: there is no section "server/resource": did ` +
			`you mean "server/resources"?`,
		must + "\n    section:\n      - server/resources\n      - server/" +
			"resources#capabilites": `demo.yaml:11:9: there is no section "server/resources#capabilites": ` +
			`did you mean "capabilities"?`,
		must +
			"\n    section: RFC 9110#section-1": `there is no section "RFC 9110#section-1"`,
		must +
			"\n    section: schema#Icon": `demo.yaml:9:5: no section for 2025-06-18, where the row applies`,
		must + "\n    until: 2025-06-18\n    section: " +
			"schema#Icon": `schema#Icon stands in none of the row's revisions`,
		must + "\n    section: [{at: schema#Icon, since: " +
			"2025-03-26}]": `schema#Icon does not stand in 2025-03-26`,
		must + "\n    section: [server/resources, {at: server/resources, since: " +
			"2025-03-26}]": `server/resources is cited twice`,
		must + "\n    since: 2025-03-25\n    " +
			anySection: `demo.yaml:9:5: "2025-03-25" is no revision`,
		must + "\n    since: 2025-11-25\n    until: 2025-03-26\n    " +
			anySection: `demo.yaml:10:5: no revision is since 2025-11-25 and until 2025-03-26`,
		must + "\n    transports: [http]\n    " +
			anySection: `demo.yaml:9:5: revision 2024-11-05 has none of the transports`,
		must + "\n    transports: [stdio, htp]\n    " +
			anySection: `transports must be one of stdio, http, sse, not "htp"`,
		must + "\n    transports: [stdio, stdio]\n    " +
			anySection: `stdio is listed twice`,
		must + "\n    since: 2025-03-26\n    transports: [stdio, sse]\n    " +
			anySection: `no revision of the row has the transport sse`,
		must + "\n    until: 2025-11-25\n    " + anySection +
			"\n    from: {2026-07-28: {basis: schema}}": `the row does not apply in "2026-07-28": its ` +
			`revisions are 2024-11-05, `,
		must + "\n    " + anySection +
			"\n    from: {2025-03-26: {level: MUST}}": `nothing changes with 2025-03-26`,
		must + "\n    " + anySection +
			"\n    from: {2025-03-26: {levl: MUST}}": `unknown field "levl"`,
		must + "\n    " + anySection +
			"\n    from: {2025-03-26: {grade: control}}": `the grade control does not fit the level MUST`,
		must + "\n    basis: implied\n    " +
			anySection: `DEMO-01: implied says what it follows from where, and only where`,
		must + "\n    implied: a rule\n    " +
			anySection: `demo.yaml:9:5: DEMO-01: implied says what it follows from where, and only where`,
		must + "\n    " + anySection +
			"\n    from: {2026-07-28: {basis: external}}": `DEMO-01: implied says`,
		must + "\n    " + anySection +
			"\n    provisional: true": `demo.yaml:10:5: DEMO-01: a provisional row says in added which ` +
			`release brings it`,
		must + "\n    " + anySection +
			"\n    needs: a\n    untestable: b": `DEMO-01: what is untestable needs nothing`,
		must + "\n    " + anySection +
			"\n    config: [subjects.texts]": `DEMO-01: what it names is said in needs`,
	} {
		cases[demo(fields)] = want
	}
	for _, text := range slices.Sorted(maps.Keys(cases)) {
		if _, err := ReadArea("demo.yaml", text); err == nil || !strings.Contains(err.Error(), cases[text]) {
			t.Errorf("%s\n got %v\nwant %s", text, err, cases[text])
		}
	}
}
