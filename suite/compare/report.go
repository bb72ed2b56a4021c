package compare

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// JSONSchema is the JSON Schema (2020-12) of the contract [Schema].
//
//go:embed mcpcheck.compare-1.schema.json
var JSONSchema []byte

// Schema names the contract of [Report] in JSON. Members and codes are stable,
// sentences are not; the summary comes last.
const Schema = "mcpcheck.compare/1"

// Group is a part of what is compared.
type Group string

// The groups, in the order of a report.
const (
	Declared      Group = "declared"      // revisions, and the result of initialize or server/discover
	Listed        Group = "listed"        // resources/list
	Templates     Group = "templates"     // resources/templates/list, and reads of expanded templates
	Read          Group = "read"          // reads of listed resources
	Errors        Group = "errors"        // reads that must fail
	Completion    Group = "completion"    // values for the variables of templates
	Subscriptions Group = "subscriptions" // whether they are accepted, and updates arrive
)

// Groups lists the groups in the order of a report.
func Groups() []Group {
	return []Group{Declared, Listed, Templates, Read, Errors, Completion, Subscriptions}
}

// Kind says what became of something behind the gateway.
type Kind string

// The kinds.
const (
	Dropped Kind = "dropped"
	Changed Kind = "changed"
	Added   Kind = "added"
)

// Kinds lists the kinds in the order of a report.
func Kinds() []Kind { return []Kind{Dropped, Changed, Added} }

// Outcome is what a comparison came to.
type Outcome string

// The outcomes.
const (
	Same           Outcome = "same"
	Different      Outcome = "different"
	NotEstablished Outcome = "not-established"
)

// Report is what came out of a comparison.
type Report struct {
	Schema     string       `json:"schema"`
	Tool       reports.Tool `json:"tool"`
	Started    time.Time    `json:"started"`
	DurationMS float64      `json:"duration_ms"`
	Direct     Side         `json:"direct"`
	Through    Side         `json:"through"`
	Config     Settings     `json:"config"`
	// Compared lists the revisions that both sides offer, with what was asked.
	Compared []Compared `json:"compared"`
	// Differences are what the gateway drops, changes or adds. Ignored are those that
	// were said to be known, Unsteady those that the server makes by itself; neither are
	// counted.
	Differences []Difference `json:"differences"`
	Ignored     []Difference `json:"ignored"`
	Unsteady    []Difference `json:"unsteady"`
	// Notes say what was bounded or left out; Gaps what could not be established.
	Notes   []string `json:"notes"`
	Gaps    []Gap    `json:"not_established"`
	Summary Summary  `json:"summary"`
}

// Side is one of the two sides.
type Side struct {
	Name      string     `json:"name,omitempty"`
	Address   string     `json:"address"`
	File      string     `json:"file,omitempty"`
	Endpoints []Endpoint `json:"endpoints"` // those that answered
}

// Endpoint is an endpoint that answered, and the revisions that it offers.
type Endpoint struct {
	Address   string   `json:"address"`
	Transport string   `json:"transport"`
	Revisions []string `json:"revisions"`
}

// Settings are what was asked for.
type Settings struct {
	Revisions []string `json:"revisions,omitempty"`
	Read      string   `json:"read"`
	MapURI    []Rename `json:"map_uri,omitempty"`
	MapName   []Rename `json:"map_name,omitempty"`
	Ignore    []string `json:"ignore,omitempty"`
	TimeoutMS float64  `json:"timeout_ms"`
	BudgetMS  float64  `json:"budget_ms"`
}

// Compared is a revision that was compared, the transports that it was compared on, and
// how many questions of each group were answered.
type Compared struct {
	Revision string        `json:"revision"`
	Direct   string        `json:"direct"`
	Through  string        `json:"through"`
	Asked    map[Group]int `json:"asked"`
}

// Difference is something that the two sides do not agree about, in all the revisions
// in which it is the same.
type Difference struct {
	Group     Group    `json:"group"`
	Kind      Kind     `json:"kind"`
	Revisions []string `json:"revisions"`
	// Subject is what it is about, in the words of the direct side: a URI, a URI
	// template, a method. Member is where in it; empty means all of it.
	Subject string `json:"subject"`
	Member  string `json:"member,omitempty"`
	// Direct and Through are the values as JSON, cut to 2000 characters; the sizes
	// are those before. A side without the member has neither.
	Direct       string `json:"direct,omitempty"`
	DirectBytes  int    `json:"direct_bytes,omitempty"`
	Through      string `json:"through,omitempty"`
	ThroughBytes int    `json:"through_bytes,omitempty"`
	// Part is where two long texts part: the byte of the JSON text from which on
	// they differ. It is left out where it is among the first 40.
	Part int `json:"part,omitempty"`
	// Reason says why it is not counted.
	Reason string `json:"reason,omitempty"`

	path []string
}

// Gap is something that could not be established.
type Gap struct {
	Revision string `json:"revision,omitempty"`
	Group    Group  `json:"group,omitempty"`
	Subject  string `json:"subject,omitempty"`
	Reason   string `json:"reason"`
}

// Summary counts. Omitted is how many further differences were not kept.
type Summary struct {
	Dropped        int     `json:"dropped"`
	Changed        int     `json:"changed"`
	Added          int     `json:"added"`
	Ignored        int     `json:"ignored"`
	Unsteady       int     `json:"unsteady"`
	NotEstablished int     `json:"not_established"`
	Omitted        int     `json:"omitted,omitempty"`
	Interrupted    bool    `json:"interrupted,omitempty"`
	Outcome        Outcome `json:"outcome"`
}

// The bounds of a report.
const (
	maxDifferences = 5000
	maxGaps        = 500
	maxValue       = 2000
	maxName        = 500
	nearStart      = 40
)

func (c *comparison) newReport(began time.Time) *Report {
	r := &Report{
		Schema: Schema, Tool: c.cfg.Tool, Started: began.UTC(), Compared: []Compared{},
		Differences: []Difference{}, Ignored: []Difference{},
		Unsteady: []Difference{}, Notes: []string{}, Gaps: []Gap{},
		Config: Settings{Revisions: requirement.Texts(c.cfg.Revisions), Read: "all",
			TimeoutMS: reports.Milliseconds(c.cfg.Timeout), BudgetMS: reports.Milliseconds(c.cfg.Budget)},
	}
	if c.cfg.Reads > 0 {
		r.Config.Read = fmt.Sprint(c.cfg.Reads)
	}
	hidden := func(all []Rename) []Rename {
		var clean []Rename
		for _, x := range all {
			clean = append(clean, Rename{c.clean(x.From), c.clean(x.To)})
		}
		return clean
	}
	r.Config.MapURI, r.Config.MapName = hidden(c.cfg.MapURI), hidden(c.cfg.MapName)
	for _, s := range c.cfg.Ignore {
		r.Config.Ignore = append(r.Config.Ignore, c.clean(s))
	}
	c.direct.shown, c.through.shown = &r.Direct, &r.Through
	for _, s := range c.sides() {
		t := s.target
		address := t.Endpoints[0].NameWithout(c.hide.String)
		*s.shown = Side{Name: c.clean(t.Name), Address: address, File: t.File, Endpoints: []Endpoint{}}
	}
	return r
}

// clean is a text without secrets that is not too long for a sentence.
func (c *comparison) clean(s string) string { return safe.Shorten(c.hide.String(s), maxName) }

func (c *comparison) note(s string) {
	if s = c.clean(s); !slices.Contains(c.report.Notes, s) {
		c.report.Notes = append(c.report.Notes, s)
	}
}

// gap notes what could not be established.
func (c *comparison) gap(rev requirement.Revision, group Group, subject, reason string) {
	c.report.Summary.NotEstablished++
	if len(c.report.Gaps) < maxGaps {
		c.report.Gaps = append(c.report.Gaps, Gap{string(rev), group, c.clean(subject), c.clean(reason)})
	}
}

// add adds a difference that counts, unless it was said to be known.
func (c *comparison) add(rev requirement.Revision, f finding) {
	d := c.difference(f)
	list := &c.report.Differences
	if by := c.ignored(&d); by != "" {
		list, d.Reason = &c.report.Ignored, "--ignore "+by
	}
	c.keep(list, d, rev)
}

// unsteady adds a difference that is not the gateway's doing, or cannot be shown to be.
func (c *comparison) unsteady(rev requirement.Revision, f finding, reason string) {
	d := c.difference(f)
	d.Reason = reason
	c.keep(&c.report.Unsteady, d, rev)
}

// keep adds a difference, or the revision to one that is there already.
func (c *comparison) keep(list *[]Difference, d Difference, rev requirement.Revision) {
	about := []string{string(d.Group), d.Subject, d.Member, d.Reason}
	if list != &c.report.Unsteady { // what changes by itself has another value each time
		about = append(about, string(d.Kind), d.Direct, d.Through)
	}
	key := fmt.Sprintf("%p %q", list, about)
	if i, ok := c.index[key]; ok {
		if x := &(*list)[i]; !slices.Contains(x.Revisions, string(rev)) {
			x.Revisions = append(x.Revisions, string(rev))
		}
		return
	}
	if len(*list) >= maxDifferences {
		c.report.Summary.Omitted++
		return
	}
	c.index[key] = len(*list)
	d.Revisions = []string{string(rev)}
	*list = append(*list, d)
}

func (c *comparison) difference(f finding) Difference {
	d := Difference{Group: f.group, Kind: f.kind, Subject: c.clean(f.subject), path: f.path}
	d.Member = c.clean(pathText(f.path))
	a, b := c.hide.String(f.direct.Raw), c.hide.String(f.through.Raw)
	d.DirectBytes, d.ThroughBytes = len(a), len(b)
	if f.direct.Type == gjson.String && f.through.Type == gjson.String {
		if part := parting(a, b); part > nearStart {
			d.Part = part
		}
	}
	d.Direct, d.Through = excerpt(a, d.Part), excerpt(b, d.Part)
	return d
}

// parting is the byte from which on two texts differ.
func parting(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// excerpt is the beginning of a value, or, where it differs far from it, what stands
// around that place.
func excerpt(s string, part int) string {
	if len(s) <= maxValue {
		return s
	}
	if part > maxValue/2 {
		s = "…" + strings.ToValidUTF8(s[min(part, len(s))-nearStart:], "")
	}
	return safe.Shorten(s, maxValue)
}

// ignored is the entry of --ignore that a difference falls under; empty if there is none.
func (c *comparison) ignored(d *Difference) string {
	for _, entry := range c.cfg.Ignore {
		group, member, both := strings.Cut(entry, ":")
		grouped := slices.Contains(Groups(), Group(group))
		if !grouped {
			member = entry // which may have a colon in it
		}
		if (!grouped || d.Group == Group(group)) && (grouped && !both || slices.Contains(d.path, member)) {
			return entry
		}
	}
	return ""
}

// finish sorts and counts.
func (c *comparison) finish() {
	r := c.report
	for _, list := range [][]Difference{r.Differences, r.Ignored, r.Unsteady} {
		slices.SortStableFunc(list, func(a, b Difference) int {
			return cmp.Or(slices.Index(Groups(), a.Group)-slices.Index(Groups(), b.Group),
				slices.Index(Kinds(), a.Kind)-slices.Index(Kinds(), b.Kind))
		})
	}
	s := &r.Summary
	counts := map[Kind]*int{Dropped: &s.Dropped, Changed: &s.Changed, Added: &s.Added}
	for i := range r.Differences {
		*counts[r.Differences[i].Kind]++
	}
	s.Ignored, s.Unsteady = len(r.Ignored), len(r.Unsteady)
	for _, entry := range c.cfg.Ignore {
		if !slices.ContainsFunc(r.Ignored, func(d Difference) bool { return d.Reason == "--ignore "+entry }) {
			c.note("--ignore " + entry + " fits no difference")
		}
	}
	s.Outcome = NotEstablished
	switch {
	case s.Interrupted:
	case len(r.Differences) > 0:
		s.Outcome = Different
	case len(r.Compared) > 0 && s.NotEstablished == 0:
		s.Outcome = Same
	}
}

// WriteJSON writes the report as the contract [Schema] has it.
func WriteJSON(w io.Writer, r *Report) error { return output.JSON(w, r) }
