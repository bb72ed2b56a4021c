package certificate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Options says what a certificate has to fulfil beside that it fits itself. The zero value asks for no more.
type Options struct {
	// Tool is the program that verifies. Of a report that it has written itself it compares every byte.
	Tool reports.Tool
	// Trust lists the keys by one of which the statement has to be signed; empty means that any may sign.
	Trust []Trusted
	// RequireSignature refuses a certificate without a signature that holds.
	RequireSignature bool
	// Now is the time of the verification; zero is that of the clock. MaxAge is how long ago the run may have
	// begun; 0 sets no bound.
	Now    time.Time
	MaxAge time.Duration
	// Require is the outcome that a full run must have, by the rows of this release; empty means any outcome,
	// scope and rows.
	Require reports.Outcome
	// OwnRows refuses the rows of another release.
	OwnRows bool
	// Sigstore verifies a Sigstore bundle over the statement and returns who signed. Nil checks none; else a
	// bundle that it accepts or a key of Trust has to sign.
	Sigstore func(ctx context.Context, statement, bundle []byte) (who string, err error)
}

// Verdict is what a verification has found. All holds if there are no problems.
type Verdict struct {
	// Problems and Notes are sentences. Signers says by whom the statement is signed, whoever vouches for it.
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
	Signers  []string `json:"signers"`
	// Expired is the problem that the run began too long ago; empty if it did not.
	Expired   string     `json:"expired,omitempty"`
	Statement *Statement `json:"statement,omitempty"`
}

func (v *Verdict) problem(format string, args ...any) {
	v.Problems = append(v.Problems, safe.Clean(fmt.Sprintf(format, args...), 500))
}

func (v *Verdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, safe.Clean(fmt.Sprintf(format, args...), 500))
}

// Verify judges the recording of a certificate again, by the rows in the certificate and the checks of this
// release, and compares what comes out with the report and the statement. It checks signatures, dates and
// what the options ask for.
func Verify(ctx context.Context, c *Certificate, o Options) Verdict {
	v := Verdict{Problems: []string{}, Notes: []string{}, Signers: []string{}, Statement: &c.Statement}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	v.signatures(ctx, c, o)
	v.dates(&c.Statement, o)
	r := &c.Statement.Result
	if o.Require != "" && (r.Outcome != o.Require || r.Scope != reports.Full) {
		v.problem("the result is %s in a %s run, and %s in a full run is required", r.Outcome, r.Scope,
			o.Require)
	}
	if err := v.content(c, o); err != nil {
		v.problem("%v", err)
	}
	return v
}

// signatures checks each signature.
func (v *Verdict) signatures(ctx context.Context, c *Certificate, o Options) {
	text, trusted := c.members[StatementMember], false
	for _, name := range c.Signatures() {
		who, key, known, err := "", ed25519.PublicKey(nil), false, error(nil)
		switch {
		case strings.HasSuffix(name, ssh):
			if key, err = signedBy(c.members[name], text); err == nil {
				who = Fingerprint(key)
			}
		case o.Sigstore == nil:
			v.note("%s was not checked: nobody said by whom it has to be", name)
			continue
		default:
			who, err = o.Sigstore(ctx, text, c.members[name])
			known = err == nil
		}
		for _, t := range o.Trust {
			if key.Equal(t.Key) {
				who, known = strings.TrimSpace(t.Who+" "+who), true
			}
		}
		switch {
		case err != nil:
			v.problem("%s: %v", name, err)
		case known:
			v.Signers = slices.Insert(v.Signers, 0, who)
		default:
			v.Signers = append(v.Signers, who)
		}
		trusted = trusted || known
	}
	by, demanded := strings.Join(v.Signers, ", "), o.Trust != nil || o.Sigstore != nil
	switch {
	case by == "" && (o.RequireSignature || demanded):
		v.problem("a signature is required, and the certificate has none that holds")
	case by == "":
		v.note("nobody is known to have signed the certificate: whoever had it could write another one " +
			"that fits itself")
	case !trusted && demanded:
		v.problem("the certificate is signed by nobody who is trusted, but by %s", by)
	case trusted && len(v.Signers) > 1 && demanded:
		v.note("the first signature is by somebody whom you trust; all of them: %s", by)
	case !trusted:
		v.note("nobody vouches for the key %s: --trust names the keys that you trust", by)
	}
}

// dates checks that the dates are possible, and not too old.
func (v *Verdict) dates(s *Statement, o Options) {
	const skew = 5 * time.Minute
	judged, err := time.Parse(time.RFC3339, s.Judged)
	certified, err2 := time.Parse(time.RFC3339, s.Certified)
	age := o.Now.Sub(judged)
	switch {
	case err != nil || err2 != nil || certified.Before(judged) || certified.After(o.Now.Add(skew)):
		v.problem("the dates are impossible: the run began on %s, and was certified on %s", s.Judged,
			s.Certified)
	case o.MaxAge > 0 && age > o.MaxAge:
		v.Expired = fmt.Sprintf("it is out of date: the run began on %s, %s ago, and at most %s are allowed",
			s.Judged, Days(age), Days(o.MaxAge))
		v.Problems = append(v.Problems, v.Expired)
	}
}

// Days says how long a time is, in whole days.
func Days(d time.Duration) string {
	const day = 24 * time.Hour
	return plural.Count(int(d/day), "day")
}

// content judges again and compares. The error says why that is not possible.
func (v *Verdict) content(c *Certificate, o Options) error {
	report, err := c.Report()
	if err != nil {
		return fmt.Errorf("%s: %w", ReportMember, err)
	}
	v.statement(&c.Statement, report)
	rows, err := area.ReadRows(c.members[RowsMember])
	if err != nil {
		return fmt.Errorf("%s: %w", RowsMember, err)
	}
	if ours, err := area.Portable(); err != nil || digest(ours) != c.Statement.Suite.Rows {
		tell := v.note
		// whoever writes rows can write lenient ones
		if o.OwnRows || o.Require != "" || report.Tool == o.Tool {
			tell = v.problem
		}
		tell("judged by the requirement set %.12s, and this mcpcheck has %.12s: the other one may be lenient",
			c.Statement.Suite.Rows, digest(ours))
	}
	v.complete(report, rows.Catalogue)
	recording, err := c.Recording()
	if err != nil {
		return fmt.Errorf("%s: %w", RecordingMember, err)
	}
	again, servers, err := engine.RejudgeBy(bytes.NewReader(recording), report.Tool, rows)
	if err != nil {
		return fmt.Errorf("%s cannot be judged again: %w", RecordingMember, err)
	}
	for _, e := range report.Target.Endpoints {
		if e.Server != nil && !slices.Contains(servers, *e.Server) {
			v.problem("the report is about %s %s, and no recorded message says that the server is that",
				e.Server.Name, e.Server.Version)
		}
	}
	differences := Differences(report, again)
	for _, d := range differences {
		v.problem("%s", strings.Replace(d, "(no-check)", "(this mcpcheck has no check for it)", 1))
	}
	var text bytes.Buffer
	if err := reports.WriteJSON(&text, again); err != nil {
		return err
	}
	switch same := bytes.Equal(text.Bytes(), c.members[ReportMember]); {
	case same || len(differences) > 0:
	case o.Tool == report.Tool && o.Tool.Version != "devel": // which any change may have made
		v.problem("%s has the verdicts that the recording has, and not its words: it was changed",
			ReportMember)
	default:
		v.note("%s %s wrote the report: its sentences, frames and times were not compared", report.Tool.Name,
			report.Tool.Version)
	}
	return nil
}

// statement compares a statement with what follows from the report.
func (v *Verdict) statement(s *Statement, r *reports.Report) {
	follows := derived(r)
	follows.Suite.Rows, follows.Suite.Program = s.Members[1].SHA256, s.Suite.Program
	follows.Packages, follows.Artifacts, follows.Publisher = s.Packages, s.Artifacts, s.Publisher
	follows.Certified, follows.Members = s.Certified, s.Members
	says, is := reflect.ValueOf(*s), reflect.ValueOf(follows)
	for i := range says.NumField() {
		if d := differ(says.Field(i).Interface(), is.Field(i).Interface()); d != "" {
			name, _, _ := strings.Cut(says.Type().Field(i).Tag.Get("json"), ",")
			v.problem("%s, %s: it is %s", StatementMember, name, d)
		}
	}
}

// complete checks that the report of a full run has all that the rows demand in each combination that it is
// about, and in the revisions that the target serves.
func (v *Verdict) complete(r *reports.Report, rows *requirement.Catalogue) {
	has, about := map[string]bool{}, map[string]requirement.Combination{}
	note := func(revision, transport string) string {
		c := requirement.Combination{Revision: requirement.Revision(revision),
			Transport: requirement.Transport(transport)}
		about[c.String()] = c
		return c.String()
	}
	for _, x := range r.Rows() {
		has[x.ID+" in "+note(x.Revision, x.Transport)] = true
	}
	for _, e := range r.Target.Endpoints {
		for _, rev := range e.Revisions {
			note(rev, e.Transport)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(about)) {
		var missing []string
		for _, q := range rows.Requirements() {
			if what := q.ID + " in " + name; q.Names(about[name]) && !has[what] {
				missing = append(missing, what)
			}
		}
		if r.Summary.Scope == reports.Full && missing != nil {
			v.problem("a full run judges %s, and the report does not", plural.List(missing, 3))
			return // hostile reports are about any number of combinations
		}
	}
}

// Differences says, a sentence each, in what a report differs from what its recording gives:
// target, settings, and verdicts with all that they depend on.
func Differences(report, again *reports.Report) (all []string) {
	says, is := facts(report), facts(again)
	for what := range is {
		says[what] = cmp.Or(says[what], any("nothing"))
	}
	for _, what := range slices.Sorted(maps.Keys(says)) {
		if d := differ(says[what], cmp.Or(is[what], any("nothing"))); d != "" {
			all = append(all, what+": the report says "+d)
		}
	}
	return all
}

// facts are the parts of a report that have to be those of the recording.
func facts(r *reports.Report) map[string]any {
	s := &r.Summary
	observed := []string{}
	for _, o := range r.Observations {
		observed = append(observed, strings.Join([]string{o.ID, o.Requirement, o.Revision, o.Transport}, " "))
	}
	all := map[string]any{"target": r.Target, "config": r.Config, "observations": observed,
		"summary": []any{s.Outcome, s.Scope, s.Started, s.Profiles}}
	for _, x := range r.Rows() {
		all[x.ID+" in "+x.Revision+" on "+x.Transport] = fmt.Sprintf("%s (%s), a %s of the grade %s",
			x.Verdict,
			cmp.Or(x.ReasonCode, "judged"), x.Level, x.Grade)
	}
	return all
}

// differ says what a value is by the certificate, and what it is by what that rests on, from a little before
// the first difference on; empty if it is the same.
func differ(says, is any) string {
	const before, most = 60, 200
	one, err := json.Marshal(says)
	other, err2 := json.Marshal(is)
	if err == nil && err2 == nil && bytes.Equal(one, other) {
		return ""
	}
	n := 0
	for n < min(len(one), len(other)) && one[n] == other[n] {
		n++
	}
	n = max(0, n-before)
	return fmt.Sprintf("%s, and by what it rests on %s", safe.Shorten(string(one[n:]), most),
		safe.Shorten(string(other[n:]), most))
}
