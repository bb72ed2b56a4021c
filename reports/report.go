// Package reports holds the result of a run: the versioned JSON contract
// "mcpcheck.report/1" as Go types, its reader and its writer, the summary that follows from
// the verdicts, comparisons, and matrices of many targets. Package write shows it to people
// and to other programs.
//
// The types are plain strings and numbers on purpose: a report can be read,
// merged, compared and converted without the suite that wrote it. Codes, ids and
// member names are contract; titles, reasons and other sentences are not.
package reports

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The bounds of what a sentence quotes, in characters.
const (
	maxText  = 2000
	maxTitle = 300
)

// Schema names the contract. Later releases may add members to it; a change of
// the meaning or the loss of a member makes a new number.
const Schema = "mcpcheck.report/1"

// Verdict says what became of one requirement in one combination.
type Verdict string

// The verdicts.
const (
	Pass          Verdict = "pass"
	Fail          Verdict = "fail"
	Warn          Verdict = "warn"
	NotApplicable Verdict = "not-applicable"
	Blocked       Verdict = "blocked"
)

// Verdicts lists all verdicts, the gravest first.
func Verdicts() []Verdict { return []Verdict{Fail, Warn, Blocked, NotApplicable, Pass} }

// Red reports whether the verdict is a finding against the target.
func (v Verdict) Red() bool { return v == Fail || v == Warn }

// Judged reports whether the requirement was held against what the target did.
func (v Verdict) Judged() bool { return v == Pass || v.Red() }

// Sign stands before results.
func (v Verdict) Sign() string {
	return map[Verdict]string{Pass: "✓", Fail: "✗", Warn: "!", Blocked: "?", NotApplicable: "·"}[v]
}

// Known reports whether the verdict is one of the five.
func (v Verdict) Known() bool { return slices.Contains(Verdicts(), v) }

// The levels that writers and summaries distinguish.
const (
	LevelMust   = "MUST"
	LevelShould = "SHOULD"
	LevelMay    = "MAY"
)

// CodeUndeclared is the reason code of not-applicable verdicts on what the target does not declare.
const CodeUndeclared = "capability-undeclared"

// The reason codes of not-applicable verdicts that mean "nothing broke, there was
// no occasion": such requirements are listed as not exercised.
const (
	CodeNeedsSubject = "needs-subject"
	CodeNeedsConfig  = "needs-config"
	CodeNotExercised = "not-exercised"
	CodeOptedOut     = "opted-out"
)

// NotExercised reports whether a reason code says that a requirement could apply
// but had no occasion to be judged.
func NotExercised(code string) bool {
	switch code {
	case CodeNeedsSubject, CodeNeedsConfig, CodeNotExercised, CodeOptedOut:
		return true
	}
	return false
}

// Report is the result of one run against one target.
type Report struct {
	Schema       string        `json:"schema"`
	Tool         Tool          `json:"tool"`
	Target       Target        `json:"target"`
	Config       Config        `json:"config"`
	Frames       []Frame       `json:"frames"`
	Results      []Result      `json:"results"`
	Observations []Observation `json:"observations"`
	// Summary comes last, so that its absence shows a truncated file.
	Summary Summary `json:"summary"`
}

// Tool is the program that wrote the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Catalogue identifies the requirements judged: the version of the
	// catalogue, or a digest of it.
	Catalogue string `json:"catalogue"`
	Commit    string `json:"commit,omitempty"`
}

// Target is the server under test.
type Target struct {
	Name string `json:"name"`
	// Embedded says that no target was given and the reference server that
	// is built in was judged.
	Embedded bool `json:"embedded,omitempty"`
	// About is what the target file says of the product; nil if it says nothing.
	About *About `json:"about,omitempty"`
	// SDK is the SDK that the target is built on, as its errors show it; empty if it is not known.
	SDK       string     `json:"sdk,omitempty"`
	Endpoints []Endpoint `json:"endpoints"`
}

// About says in its maker's words what the target is.
type About struct {
	Vendor  string `json:"vendor,omitempty" yaml:"vendor"`
	Product string `json:"product,omitempty" yaml:"product"`
	Version string `json:"version,omitempty" yaml:"version"`
	Package string `json:"package,omitempty" yaml:"package"` // such as pkg:npm/example@1.2.3
	Contact string `json:"contact,omitempty" yaml:"contact"` // an address or a URL
}

// String is the product in a line; empty if nothing is said of it.
func (a *About) String() string {
	if a == nil {
		return ""
	}
	text := strings.TrimSpace(a.Product + " " + a.Version)
	if a.Vendor != "" {
		text += " by " + a.Vendor
	}
	for _, more := range []string{a.Package, a.Contact} {
		if more != "" {
			text += " (" + more + ")"
		}
	}
	return strings.TrimSpace(text)
}

// Endpoint is one way to reach the target.
type Endpoint struct {
	Transport string `json:"transport"`
	// Address is the command line or the URL, without secrets.
	Address string `json:"address"`
	// Started is the command line, without secrets, of the server that was started to
	// listen at the address; empty if none was. Where a free port was taken, the address
	// has {port} in its place.
	Started string `json:"started,omitempty"`
	// Log is the end of what a server that was started has written, if it could not be
	// started or has died.
	Log string `json:"log,omitempty"`
	// Revisions lists those that the endpoint was seen to serve, oldest first.
	Revisions []string `json:"revisions"`
	// Server is what the target says of itself; nil if it said nothing.
	Server *Server `json:"server,omitempty"`
	// Unreachable says in one sentence why the endpoint could not be
	// reached; empty if it could.
	Unreachable string `json:"unreachable,omitempty"`
	// Reached says of an endpoint that is unreachable that something is there: a program that started, or a
	// server that answered, but nothing with which a session could be opened.
	Reached bool `json:"reached,omitempty"`
	// Unoffered says, by what the endpoint answered, that it offers none of the revisions
	// that were asked for; empty if it does, or if all were asked for.
	Unoffered string `json:"unoffered,omitempty"`
	// Unanswered says, a sentence each, in which of the revisions asked for no session could be opened for
	// want of an answer, although others are served: whether they are is not known, and nothing was judged in
	// them.
	Unanswered []string `json:"unanswered,omitempty"`
	// Profile is what was learnt about the endpoint before anything was judged.
	Profile []Fact `json:"profile,omitempty"`
	// OneAtATime says by what was seen, where the time for the whole run was spent, that the endpoint handles
	// one request at a time; empty if it was not.
	OneAtATime string `json:"one_at_a_time,omitempty"`
	// Hung says by what was seen, where the time for the whole run was spent, that the endpoint answers
	// nothing any more; empty if it was not.
	Hung string `json:"hung,omitempty"`
	// WithoutResources lists the revisions, among those that are served, in
	// which the endpoint declares no resources.
	WithoutResources []string `json:"without_resources,omitempty"`
}

// Fact is something that was learnt about an endpoint, how it was seen, and what the run did differently for
// it.
type Fact struct {
	Name    string `json:"name"`
	Seen    string `json:"seen"`
	Follows string `json:"follows"`
}

// Server is the target's own description of itself.
type Server struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title,omitempty"`
}

// Config is how the run was set up, with secrets removed. Settings that people are shown have the name of the
// flag, as a tag.
type Config struct {
	// repeats the run; values that may be secret are left out
	Command           string   `json:"command,omitempty"`
	File              string   `json:"file,omitempty" flag:"config"` // target file
	Revisions         []string `json:"revisions,omitempty" flag:"revision"`
	Since             string   `json:"since,omitempty"` // the oldest revision of the declared scope
	Transports        []string `json:"transports,omitempty" flag:"transport"`
	LabelFilter       string   `json:"label_filter,omitempty" flag:"label-filter"`
	Only              []string `json:"only,omitempty" flag:"only"`
	Skip              []string `json:"skip,omitempty" flag:"skip"`
	Read              string   `json:"read,omitempty" flag:"read"` // a number, or "all"
	Strict            bool     `json:"strict" flag:"strict"`
	Baseline          string   `json:"baseline,omitempty" flag:"baseline"`
	Jobs              int      `json:"jobs,omitempty" flag:"jobs"`
	TimeoutMS         int64    `json:"timeout_ms,omitempty" flag:"timeout"`
	StartTimeoutMS    int64    `json:"start_timeout_ms,omitempty" flag:"start-timeout"`
	BudgetMS          int64    `json:"budget_ms,omitempty" flag:"budget"`
	QuietWindowMS     int64    `json:"quiet_window_ms,omitempty" flag:"quiet-window"`
	Seed              int64    `json:"seed" flag:"seed"` // of the mock in reports on clients, else 0
	RatePerSecond     float64  `json:"rate_per_second,omitempty" flag:"rate"`
	Headers           []string `json:"headers,omitempty" flag:"header"` // names only
	Environment       []string `json:"environment,omitempty" flag:"env"`
	NoSecurityProbes  bool     `json:"no_security_probes,omitempty" flag:"no-security-probes"`
	Quick             *Quick   `json:"quick,omitempty"`                   // nil for other runs
	AdditionalSetting []string `json:"additional,omitempty" flag:"other"` // "name=value", redacted
	// the format of the trace that was judged, such as "har"; empty for runs
	Trace string `json:"trace,omitempty"`
}

// Quick says what a quick run was about: one combination, without the requirements whose
// probes may harm the target.
type Quick struct {
	Revision  string `json:"revision"`
	Transport string `json:"transport"`
	LeftOut   int    `json:"left_out"` // requirements
	// LeftOutIDs are their ids, in the order of the catalogue; empty in reports of earlier versions.
	LeftOutIDs []string `json:"left_out_ids,omitempty"`
}

// The directions of a frame.
const (
	Out  = "out"  // from us to the target
	In   = "in"   // from the target to us
	Note = "note" // an event on the connection
)

// Frame is one thing that crossed a connection. In JSON its bytes stand as
// "text" if they are valid UTF-8, else as "base64".
type Frame struct {
	Number  int    `json:"number"`
	Session string `json:"session"`
	Channel string `json:"channel,omitempty"`
	// Direction is "out", "in" or "note".
	Direction string `json:"direction"`
	// AtMS is the time since the start of the run, in milliseconds.
	AtMS float64 `json:"at_ms"`
	// Size is the original length in bytes; Truncated says that fewer are kept.
	Size      int  `json:"size"`
	Truncated bool `json:"truncated,omitempty"`
	// Method and URL stand on HTTP requests, Status on HTTP responses.
	Method  string      `json:"method,omitempty"`
	URL     string      `json:"url,omitempty"`
	Status  int         `json:"status,omitempty"`
	Headers http.Header `json:"headers,omitempty"`
	// Event and EventID are the type and the id of a server-sent event; empty if it has none.
	Event   string `json:"event,omitempty"`
	EventID string `json:"event_id,omitempty"`
	// Note says what happened, on note frames, or what is wrong with the frame.
	Note string `json:"note,omitempty"`
	// Data holds the bytes.
	Data []byte `json:"-"`
}

// Result is the verdict on one requirement in one combination.
type Result struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Level is MUST, SHOULD or MAY; Grade says what a violation is worth in
	// this revision: fail, warn, info or control.
	Level     string  `json:"level"`
	Grade     string  `json:"grade"`
	Revision  string  `json:"revision"`
	Transport string  `json:"transport"`
	Verdict   Verdict `json:"verdict"`
	// Gravity says of a red verdict what it means to the users of the target: security,
	// failure, warning or codes. Empty in reports of earlier versions.
	Gravity Gravity `json:"gravity,omitempty"`
	// ReasonCode is empty on a pass, and Reason says of it at most that it rests on
	// a sample; on a warning Reason says why it is no more than that, where the
	// grade alone does not.
	ReasonCode string `json:"reason_code,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Expected   string `json:"expected,omitempty"`
	Actual     string `json:"actual,omitempty"`
	// Cause is a code for what is wrong, on red verdicts: those of one requirement
	// with the same reason code and cause are one finding in several combinations. Where it
	// is shared, those of all requirements with this cause are.
	Cause       string `json:"cause,omitempty"`
	SharedCause bool   `json:"shared_cause,omitempty"`
	// Under is the id of the requirement whose finding in this combination covers this one.
	Under string `json:"under,omitempty"`
	// Section is the place in the specification, page#anchor.
	Section string `json:"section"`
	// Link is the URL of the section; empty if that lies outside of the
	// specification.
	Link string `json:"link,omitempty"`
	// Hint says what to change in the target, or what to add to the target
	// file so that the requirement can be judged.
	Hint       string  `json:"hint,omitempty"`
	DurationMS float64 `json:"duration_ms"`
	// Evidence lists the numbers of the frames on which the verdict rests. The first of them, Deciding in
	// number, are about the violation that it speaks of, the others about more of the like; 0 if that is not
	// known.
	Evidence []int `json:"evidence,omitempty"`
	Deciding int   `json:"deciding,omitempty"`
	// Excused says that a baseline lists this red verdict as known.
	Excused bool `json:"excused,omitempty"`
	// ExcusedReason is the reason that the baseline gives.
	ExcusedReason string `json:"excused_reason,omitempty"`
	// SDK says, of a red verdict, that the SDK which the target is built on does so as it comes, with what
	// was reported of it; empty if that is not known.
	SDK string `json:"sdk,omitempty"`
	// Rerun is the command that repeats a red or blocked verdict, without secrets; empty
	// if it is not known.
	Rerun string `json:"rerun,omitempty"`
}

// Observation is something that breaks no rule but that the author of the
// target would want to know.
type Observation struct {
	// ID is the code of its kind, such as "inconsistent".
	ID string `json:"id"`
	// Title says in a line what was seen; of a kind that the catalogue lacks it is that of the requirement.
	Title string `json:"title"`
	// Requirement is the id of the requirement it came up with, if any.
	Requirement string `json:"requirement,omitempty"`
	Revision    string `json:"revision,omitempty"`
	Transport   string `json:"transport,omitempty"`
	Detail      string `json:"detail"`
	Evidence    []int  `json:"evidence,omitempty"`
}

// Area is a group of requirements: what their ids begin with, and what it is about.
type Area struct{ Name, Title string }

// New is an empty report of this contract.
func New(tool Tool, target Target, config Config) *Report {
	return &Report{
		Schema: Schema, Tool: tool, Target: target, Config: config,
		Frames: []Frame{}, Results: []Result{}, Observations: []Observation{},
	}
}

// Frame finds a frame by number, or nil. The frames must be sorted.
func (r *Report) Frame(number int) *Frame {
	i, ok := slices.BinarySearchFunc(r.Frames, number, func(f Frame, n int) int {
		return cmp.Compare(f.Number, n)
	})
	if !ok {
		return nil
	}
	return &r.Frames[i]
}

// Milliseconds is a duration in the unit of the report, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
