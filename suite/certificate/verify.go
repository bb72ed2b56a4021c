package certificate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"path"
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
	// Require is the outcome that a full run must have; empty means any outcome and scope.
	Require reports.Outcome
	// Sigstore verifies a Sigstore bundle over the statement and returns who signed. Nil refuses bundles.
	Sigstore func(ctx context.Context, statement, bundle []byte) (who string, err error)
}

// Verdict is what a verification has found. All holds if there are no problems.
type Verdict struct {
	// Problems and Notes are sentences. Signers says by whom the statement is signed.
	Problems  []string   `json:"problems"`
	Notes     []string   `json:"notes"`
	Signers   []string   `json:"signers"`
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
		v.problem("the result is %s in a %s run, and %s in a full run is required", r.Outcome, r.Scope, o.Require)
	}
	if err := v.content(c, o.Tool); err != nil {
		v.problem("%v", err)
	}
	return v
}

// signatures checks each signature.
func (v *Verdict) signatures(ctx context.Context, c *Certificate, o Options) {
	text, trusted := c.members[StatementMember], false
	for _, name := range c.Signatures() {
		who, err := "", errors.New("nothing here verifies Sigstore bundles")
		if path.Ext(name) == ".sshsig" {
			var key ed25519.PublicKey
			if key, err = signedBy(c.members[name], text); err == nil {
				who = Fingerprint(key)
			}
			for _, t := range o.Trust {
				if err == nil && key.Equal(t.Key) {
					who, trusted = strings.TrimSpace(t.Who+" "+Fingerprint(key)), true
				}
			}
		} else if o.Sigstore != nil {
			who, err = o.Sigstore(ctx, text, c.members[name])
			trusted = trusted || err == nil
		}
		if err != nil {
			v.problem("%s: %v", name, err)
		} else {
			v.Signers = append(v.Signers, who)
		}
	}
	by := strings.Join(v.Signers, ", ")
	switch {
	case by == "" && (o.RequireSignature || len(o.Trust) > 0):
		v.problem("a signature is required, and the certificate has none that holds")
	case by == "":
		v.note("nobody has signed the certificate: whoever had it could write another one that fits itself")
	case !trusted && len(o.Trust) > 0:
		v.problem("the certificate is signed by none of the keys that are trusted, but by %s", by)
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
	case err != nil || err2 != nil:
		v.problem("%s has no dates: judged is %q, certified is %q", StatementMember, s.Judged, s.Certified)
	case certified.Before(judged):
		v.problem("it was certified on %s, before the run began on %s", s.Certified, s.Judged)
	case certified.After(o.Now.Add(skew)):
		v.problem("it was certified on %s, which is in the future", s.Certified)
	case o.MaxAge > 0 && age > o.MaxAge:
		v.problem("it is out of date: the run began on %s, %s ago, and at most %s are allowed", s.Judged,
			Days(age), Days(o.MaxAge))
	}
}

// Days says how long a time is, in whole days, or in hours if it is less than two days.
func Days(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 2*day {
		return plural.Count(int(d/time.Hour), "hour")
	}
	return plural.Count(int(d/day), "day")
}

// content judges again and compares. The error says why that is not possible.
func (v *Verdict) content(c *Certificate, tool reports.Tool) error {
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
		v.note("judged by the requirement set %.12s, and this mcpcheck has %.12s", c.Statement.Suite.Rows,
			digest(ours))
	}
	v.complete(report, rows.Catalogue)
	recording, err := c.Recording()
	if err != nil {
		return fmt.Errorf("%s: %w", RecordingMember, err)
	}
	again, servers, err := engine.RejudgeBy(recording, report.Tool, rows)
	if err != nil {
		return fmt.Errorf("%s cannot be judged again: %w", RecordingMember, err)
	}
	for _, e := range report.Target.Endpoints {
		if e.Server != nil && !slices.Contains(servers, *e.Server) {
			v.problem("the report is about %s %s, and no recorded message says that the server is that",
				e.Server.Name, e.Server.Version)
		}
	}
	differ := Differences(report, again)
	for _, d := range differ {
		v.problem("%s", d)
	}
	var text bytes.Buffer
	if err := reports.WriteJSON(&text, again); err != nil {
		return err
	}
	switch same := bytes.Equal(text.Bytes(), c.members[ReportMember]); {
	case same || len(differ) > 0:
	case tool == report.Tool:
		v.problem("%s has the verdicts that the recording has, and not its words: it was changed", ReportMember)
	default:
		v.note("%s %s has put the verdicts into other words than this one does", report.Tool.Name,
			report.Tool.Version)
	}
	return nil
}

// statement compares a statement with what follows from the report.
func (v *Verdict) statement(s *Statement, r *reports.Report) {
	follows := derived(r)
	follows.Suite.Rows, follows.Suite.Program = s.Members[1].SHA256, s.Suite.Program
	follows.Packages, follows.Artifacts, follows.Publisher = s.Packages, s.Artifacts, s.Publisher
	follows.Certified, follows.Assumptions, follows.Members = s.Certified, s.Assumptions, s.Members
	says, is := reflect.ValueOf(*s), reflect.ValueOf(follows)
	for i := range says.NumField() {
		if one, other := encoded(says.Field(i).Interface()), encoded(is.Field(i).Interface()); one != other {
			name, _, _ := strings.Cut(says.Type().Field(i).Tag.Get("json"), ",")
			v.problem("%s: %s is %s, and by %s it is %s", StatementMember, name, safe.Shorten(one, 150),
				ReportMember, safe.Shorten(other, 150))
		}
	}
	if r.Summary.Scope == reports.Full && len(follows.LeftOut) > 0 {
		v.problem("the run is called full, and something was left out: %s", strings.Join(follows.LeftOut, "; "))
	}
}

// complete checks that the report of a full run has all that the rows demand of the revisions that the target
// serves.
func (v *Verdict) complete(r *reports.Report, rows *requirement.Catalogue) {
	if r.Summary.Scope != reports.Full {
		return
	}
	has := map[place]bool{}
	for _, x := range r.Rows() {
		has[at(x)] = true
	}
	for _, e := range r.Target.Endpoints {
		for _, rev := range e.Revisions {
			c := requirement.Combination{Revision: requirement.Revision(rev),
				Transport: requirement.Transport(e.Transport)}
			var missing []string
			for _, q := range rows.Requirements() {
				if q.Names(c) && !has[place{q.ID, rev, e.Transport}] {
					missing = append(missing, q.ID)
				}
			}
			if len(missing) > 0 {
				v.problem("a full run judges %s in %s, and the report does not", plural.List(missing, 5), c)
			}
		}
	}
}

// place tells results apart.
type place struct{ id, revision, transport string }

func at(x *reports.Result) place { return place{x.ID, x.Revision, x.Transport} }

// Differences says, a sentence each, in what a report differs from what judging its recording again gives:
// target, settings, and verdicts with all that they depend on.
func Differences(says, is *reports.Report) (all []string) {
	for _, m := range []struct {
		name      string
		says, are any
	}{{"target", says.Target, is.Target}, {"config", says.Config, is.Config},
		{"summary.outcome", says.Summary.Outcome, is.Summary.Outcome},
		{"summary.scope", says.Summary.Scope, is.Summary.Scope},
		{"summary.started", says.Summary.Started, is.Summary.Started}} {
		if one, other := encoded(m.says), encoded(m.are); one != other {
			all = append(all, fmt.Sprintf("%s: the report says %s, and by the recording it is %s", m.name,
				safe.Shorten(one, 200), safe.Shorten(other, 200)))
		}
	}
	results := map[place][2]string{}
	for i, r := range []*reports.Report{says, is} {
		for _, x := range r.Rows() {
			words := results[at(x)]
			words[i] = fmt.Sprintf("%s (%s), %s of the grade %s", x.Verdict, cmp.Or(x.ReasonCode, "judged"),
				x.Level, x.Grade)
			if i == 1 && x.ReasonCode == "no-check" {
				words[i] = "not judged, as this mcpcheck has no check for it"
			}
			results[at(x)] = words
		}
	}
	for p, words := range results {
		if words[0] != words[1] {
			all = append(all, fmt.Sprintf("%s in %s on %s: the report says %s, and by the recording it is %s", p.id,
				p.revision, p.transport, cmp.Or(words[0], "nothing"), cmp.Or(words[1], "nothing")))
		}
	}
	slices.Sort(all)
	return all
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
