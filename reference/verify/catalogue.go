package verify

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The grades: what a violation is worth. Info is an observation at the most.
const (
	Fail = "fail"
	Warn = "warn"
	Info = "info"
)

// The bases of requirements: a keyword sentence, a rule of the published schema or of
// its comments, a standard outside the specification, or no more than an implication.
const (
	Normative = "normative"
	Schema    = "schema"
	SchemaDoc = "schema-doc"
	External  = "external"
	Implied   = "implied"
)

// Section is a place in the specification, or in another document.
type Section struct {
	// From and To are the first and last revision that have it; both empty for a
	// document outside the specification.
	From, To string
	// Transport is empty for all.
	Transport string
	// Page lies below /specification/REVISION/; Anchor is a heading in it.
	Page, Anchor string
}

// Ref is the place in writing, page#anchor.
func (s Section) Ref() string { return strings.TrimSuffix(s.Page+"#"+s.Anchor, "#") }

// URL is where the section can be read in a revision; empty outside the specification.
func (s Section) URL(revision string) string {
	if s.From == "" {
		return ""
	}
	s.Page = strings.TrimSuffix(s.Page, "/index")
	return "https://modelcontextprotocol.io/specification/" + revision + "/" + s.Ref()
}

// Exception changes a rule in one revision; empty members change nothing.
type Exception struct{ Level, Grade string }

// Rule is one requirement that a client is held to.
type Rule struct {
	// ID is permanent: "CL-" and a number.
	ID string
	// Title is the requirement in a few words, Text in full.
	Title, Text string
	// Profile is the group in the summary.
	Profile string
	// Level is MUST, SHOULD or MAY; Grade what a violation is worth.
	Level, Grade string
	// Basis says what the requirement rests on.
	Basis string
	// In lists the revisions in which level or grade differ.
	In map[string]Exception
	// Revisions and Transports say where it applies.
	Revisions, Transports []string
	Sections              []Section
	// Tolerated says what is let pass, and why.
	Tolerated string
	// Occasion says what has to happen before it can be judged.
	Occasion string

	judge func(g *group, v *ruling)
}

// LevelIn is the level in a revision.
func (r *Rule) LevelIn(revision string) string { return cmp.Or(r.In[revision].Level, r.Level) }

// GradeIn is the grade in a revision.
func (r *Rule) GradeIn(revision string) string { return cmp.Or(r.In[revision].Grade, r.Grade) }

// SectionIn is the source for a revision on a transport.
func (r *Rule) SectionIn(revision, transport string) (Section, bool) {
	for _, s := range r.Sections {
		if s.From == "" || s.From <= revision && revision <= s.To && (s.Transport == "" || s.Transport == transport) {
			return s, true
		}
	}
	return Section{}, false
}

// Names reports whether the rule applies to a combination. In one that the specification
// does not define (say 2025-11-25 over HTTP+SSE) all rules apply that hold on all
// transports of the revision.
func (r *Rule) Names(revision, transport string) bool {
	if !slices.Contains(r.Revisions, revision) {
		return false
	}
	defined := transportsOf(revision)
	if slices.Contains(defined, transport) {
		return slices.Contains(r.Transports, transport)
	}
	return !slices.ContainsFunc(defined, func(t string) bool { return !slices.Contains(r.Transports, t) })
}

// transportsOf lists the transports that the specification defines for a revision.
func transportsOf(revision string) []string {
	if revision == hook.R20241105 {
		return []string{hook.Stdio, hook.SSE}
	}
	return []string{hook.Stdio, hook.HTTP}
}

// Catalogue lists all rules, in the order of their ids.
func Catalogue() []Rule {
	var all []Rule
	for _, rows := range [][]Rule{lifecycleRules(), messageRules(), paramsRules(), httpRules(), listRules(), resourceRules(), serverRules(), modernRules(), authorizationRules()} {
		all = append(all, rows...)
	}
	slices.SortFunc(all, func(a, b Rule) int { return reports.CompareIDs(a.ID, b.ID) })
	return all
}

// Find finds a rule by its id.
func Find(id string) (Rule, bool) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
}

// Describe gives the full text of a rule and what its check lets pass, for the writers of
// reports.
func Describe(id string) (text, tolerated string) {
	r, ok := Find(id)
	if !ok {
		return "", ""
	}
	return r.Text, r.Tolerated
}

// Areas lists the areas of the ids, with titles.
func Areas() []reports.Area { return []reports.Area{{Name: "CL", Title: "Client"}} }

// The profiles, in the order of the summary.
const (
	profileLifecycle = "lifecycle"
	profileMessages  = "messages"
	profileTransport = "transport"
	profileLists     = "pagination"
	profileResources = "resources"
	profileRequests  = "server-requests"
	profileSecurity  = "authorization"
)

func profiles() []string {
	return []string{profileLifecycle, profileMessages, profileTransport, profileLists, profileResources, profileRequests, profileSecurity}
}

// digest identifies the catalogue in reports.
func digest(all []Rule) string {
	h := sha256.New()
	for i := range all {
		r := &all[i]
		for _, s := range slices.Concat([]string{r.ID, r.Level, r.Grade, r.Text}, r.Revisions, r.Transports) {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
	}
	return "client " + hex.EncodeToString(h.Sum(nil))[:12]
}

// The sets of revisions and transports that rows use.
var (
	legacy       = []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}
	everyOne     = append(slices.Clone(legacy), hook.R20260728)
	modernOnly   = []string{hook.R20260728}
	sinceHTTP    = everyOne[1:]
	legacyHTTP   = legacy[1:]
	sinceVersion = legacy[2:]

	onAll  = []string{hook.Stdio, hook.HTTP, hook.SSE}
	onHTTP = []string{hook.HTTP}
	onBoth = []string{hook.Stdio, hook.HTTP}
)

const (
	first      = hook.R20241105
	lastLegacy = hook.R20251125
	modern     = hook.R20260728
)

// in is a section of all legacy revisions, inModern one of the modern revision.
func in(page, anchor string) Section {
	return Section{From: first, To: lastLegacy, Page: page, Anchor: anchor}
}

func inModern(page, anchor string) Section {
	return Section{From: modern, To: modern, Page: page, Anchor: anchor}
}

// base is a section about messages, which moved to another page after the first revision.
func base(inFirst, anchor string) []Section {
	return []Section{
		{From: first, To: first, Page: "basic/messages", Anchor: inFirst},
		{From: hook.R20250326, To: modern, Page: "basic/index", Anchor: anchor},
	}
}

func outside(document, anchor string) Section { return Section{Page: document, Anchor: anchor} }
