package certificate

import (
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
)

// Options says what a certificate has to hold beside what it binds. The zero value asks for nothing more.
type Options struct {
	// Trust lists the keys by one of which it has to be signed; none means that any may sign.
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
	// Problems and Notes are sentences.
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
	// Signers says by whom the statement is signed, where the signature holds.
	Signers []string `json:"signers"`
	// Statement is what the certificate says.
	Statement *Statement `json:"statement,omitempty"`
}

// Verified reports whether all holds.
func (v *Verdict) Verified() bool { return len(v.Problems) == 0 }

func (v *Verdict) problem(format string, args ...any) {
	v.Problems = append(v.Problems, safe.Clean(fmt.Sprintf(format, args...), 500))
}

func (v *Verdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, safe.Clean(fmt.Sprintf(format, args...), 500))
}

// Verify judges the recording of a certificate again, by the requirements in the certificate and the checks
// of this release, and compares what comes out with the report and the statement. It checks signatures, dates
// and what the options ask for.
func Verify(ctx context.Context, c *Certificate, o Options) Verdict {
	v := Verdict{Problems: []string{}, Notes: []string{}, Signers: []string{}, Statement: &c.Statement}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	v.signatures(ctx, c, o)
	v.dates(&c.Statement, o)
	if r := &c.Statement.Result; o.Require != "" && (r.Outcome != o.Require || r.Scope != reports.Full) {
		v.problem("the result is %s of a %s run, and %s of a full run is required", r.Outcome, r.Scope, o.Require)
	}
	v.content(c)
	return v
}

// signatures checks each signature.
func (v *Verdict) signatures(ctx context.Context, c *Certificate, o Options) {
	text, vouched := c.members[StatementMember], false
	for _, name := range c.Signatures() {
		who, trusted, err := "", false, error(nil)
		switch {
		case path.Ext(name) == ".sshsig":
			var key ed25519.PublicKey
			if key, err = signedBy(c.members[name], text); err == nil {
				who, trusted = v.signer(key, o)
			}
		case o.Sigstore == nil:
			err = errors.New("nothing verifies Sigstore bundles here")
		default:
			who, err = o.Sigstore(ctx, text, c.members[name])
			trusted = err == nil
		}
		if err != nil {
			v.problem("%s: %v", name, err)
			continue
		}
		v.Signers, vouched = append(v.Signers, who), vouched || trusted
	}
	switch {
	case len(c.Signatures()) == 0:
		v.note("nobody has signed the certificate: whoever had it could write another one that fits as well")
	case o.Trust == nil && !vouched && len(v.Signers) > 0:
		v.note("the signature fits its key, and nobody vouched for the key: --trust names keys that you trust")
	}
	if (o.RequireSignature || o.Trust != nil) && len(v.Signers) == 0 {
		v.problem("a signature is required, and the certificate has none that holds")
	} else if o.Trust != nil && !vouched {
		v.problem("it is signed by none of the keys that are trusted, but by %s", strings.Join(v.Signers, ", "))
	}
}

// signer names the owner of a key, and says whether it is trusted.
func (v *Verdict) signer(key ed25519.PublicKey, o Options) (who string, trusted bool) {
	who = Fingerprint(key)
	for _, t := range o.Trust {
		switch {
		case !key.Equal(t.Key):
		case !t.From.IsZero() && o.Now.Before(t.From) || !t.Until.IsZero() && !o.Now.Before(t.Until):
			v.note("the key %s is not trusted at this time, by its valid-after or valid-before", who)
		case t.Who != "":
			return t.Who + " (" + who + ")", true
		default:
			return who, true
		}
	}
	return who, false
}

// dates checks that the dates are possible, and not too old.
func (v *Verdict) dates(s *Statement, o Options) {
	const skew = 5 * time.Minute
	judged, err := time.Parse(time.RFC3339, s.Judged)
	if err != nil {
		v.problem("judged is %q, and no time", s.Judged)
		return
	}
	certified, err := time.Parse(time.RFC3339, s.Certified)
	switch {
	case err != nil:
		v.problem("certified is %q, and no time", s.Certified)
	case certified.Before(judged):
		v.problem("it was certified on %s, before the run began on %s", s.Certified, s.Judged)
	case certified.After(o.Now.Add(skew)):
		v.problem("it was certified on %s, which is in the future", s.Certified)
	}
	if age := o.Now.Sub(judged); o.MaxAge > 0 && age > o.MaxAge {
		v.problem("it is out of date: the run began on %s, %s ago, and at most %s are allowed", s.Judged,
			Days(age), Days(o.MaxAge))
	}
}

// Days says how long a time is in whole days, or hours if it is less than two days.
func Days(d time.Duration) string {
	if d < 48*time.Hour {
		return plural.Count(int(d.Hours()), "hour")
	}
	return plural.Count(int(d.Hours()/24), "day")
}

// content judges again and compares.
func (v *Verdict) content(c *Certificate) {
	report, err := c.Report()
	if err != nil {
		v.problem("%s: %v", ReportMember, err)
		return
	}
	v.statement(&c.Statement, report)
	rows, err := c.Rows()
	if err != nil {
		v.problem("%s cannot be judged by: %v", RowsMember, err)
		return
	}
	if ours, err := area.Catalogue().MarshalRows(); err != nil || digest(ours) != c.Statement.Suite.Rows {
		v.note("it was judged by the requirement set %.12s, and this mcpcheck has %.12s",
			c.Statement.Suite.Rows, digest(ours))
	}
	recording, err := c.Recording()
	if err != nil {
		v.problem("%v", err)
		return
	}
	again, err := engine.RejudgeBy(recording, report.Tool, rows)
	if err != nil {
		v.problem("%s cannot be judged again: %v", RecordingMember, err)
		return
	}
	if len(again.Unchecked) > 0 {
		v.problem("this mcpcheck has no check for %s, which the certificate judges",
			plural.List(again.Unchecked, 5))
	}
	v.complete(report, again)
	v.compare(report, again.Report, report.Tool.Version)
}

// statement compares a statement with what follows from the report.
func (v *Verdict) statement(s *Statement, r *reports.Report) {
	if s.Suite.Rows != s.Members[1].SHA256 {
		v.problem("suite.rows_sha256 of %s is not the digest of %s", StatementMember, RowsMember)
	}
	follows := derived(r)
	follows.Suite.Rows, follows.Suite.Program = s.Suite.Rows, s.Suite.Program
	follows.Package, follows.Artifacts, follows.Publisher = s.Package, s.Artifacts, s.Publisher
	follows.Certified, follows.Assumptions, follows.Members = s.Certified, s.Assumptions, s.Members
	says, is := reflect.ValueOf(*s), reflect.ValueOf(follows)
	for i := range says.NumField() {
		one, other := encoded(says.Field(i).Interface()), encoded(is.Field(i).Interface())
		if one != other {
			name, _, _ := strings.Cut(says.Type().Field(i).Tag.Get("json"), ",")
			v.problem("%s of %s is %s, and by %s it is %s", name, StatementMember, safe.Shorten(one, 150),
				ReportMember, safe.Shorten(other, 150))
		}
	}
	if r.Summary.Scope == reports.Full && len(follows.LeftOut) > 0 {
		v.problem("the run is called full, and it left something out: %s", strings.Join(follows.LeftOut, "; "))
	}
}

// complete checks that the recording has what a full run judges, and that its messages are by the server that
// the report names.
func (v *Verdict) complete(r *reports.Report, again *engine.Rejudged) {
	if r.Summary.Scope == reports.Full {
		for c, missing := range again.Unrecorded {
			v.problem("a full run judges %s in %s, and the recording does not name them: it was cut",
				plural.List(missing, 5), c)
		}
		slices.Sort(v.Problems[len(v.Problems)-len(again.Unrecorded):])
	}
	for _, e := range r.Target.Endpoints {
		if e.Server != nil && !slices.Contains(again.Servers, *e.Server) {
			v.problem("the report is about the server %s %s, and no message of the recording names it",
				e.Server.Name, e.Server.Version)
		}
		for _, rev := range e.Revisions {
			if !slices.ContainsFunc(r.Rows(), func(x *reports.Result) bool {
				return x.Revision == rev && x.Transport == e.Transport
			}) && r.Summary.Scope == reports.Full {
				v.problem("the server serves %s on %s, and a full run judges it: there are no results", rev,
					e.Transport)
			}
		}
	}
}

// compare compares the report with what comes out now: verdicts, the result and the target whatever release
// judged, every word if it was this one.
func (v *Verdict) compare(says, is *reports.Report, _ string) {
	type place struct{ id, revision, transport string }
	verdicts := map[place]*reports.Result{}
	at := func(x *reports.Result) place { return place{x.ID, x.Revision, x.Transport} }
	for _, x := range is.Rows() {
		verdicts[at(x)] = x
	}
	for _, x := range says.Rows() {
		y := verdicts[at(x)]
		delete(verdicts, at(x))
		where := fmt.Sprintf("%s in %s on %s", x.ID, x.Revision, x.Transport)
		switch {
		case y == nil:
			v.problem("%s: the report says %s, and the recording does not name it", where, x.Verdict)
		case x.Verdict != y.Verdict || x.ReasonCode != y.ReasonCode || x.Level != y.Level || x.Grade != y.Grade:
			v.problem("%s: the report says %s, and judged again it is %s", where, told(x), told(y))
		}
	}
	for p := range verdicts {
		v.problem("%s in %s on %s: the recording is judged %s, and the report leaves it out", p.id, p.revision,
			p.transport, told(verdicts[p]))
	}
}

// told is a verdict with what it depends on.
func told(x *reports.Result) string {
	words := string(x.Verdict)
	if x.ReasonCode != "" {
		words += " (" + x.ReasonCode + ")"
	}
	return words + ", " + x.Level + " of the grade " + x.Grade
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
