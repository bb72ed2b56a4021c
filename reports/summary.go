package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
)

// Outcome is the overall result of a run.
type Outcome string

// The outcomes. NotEstablished means that no violation was seen, but that
// something that had to be judged could not be; NoResources that the target declares no resources in any
// revision that was judged, so that only the base protocol was.
const (
	Conformant     Outcome = "conformant"
	NonConformant  Outcome = "non-conformant"
	NotEstablished Outcome = "not-established"
	NoResources    Outcome = "no-resources"
)

// As is the verdict whose colour an outcome has.
func (o Outcome) As() Verdict {
	return cmp.Or(map[Outcome]Verdict{Conformant: Pass, NonConformant: Fail, NoResources: NotApplicable}[o],
		Blocked)
}

// Scope says whether everything that applies to the target was selected.
type Scope string

// The scopes. A partial run was narrowed by the user.
const (
	Full    Scope = "full"
	Partial Scope = "partial"
)

// ProfileStatus is the result of one group of requirements.
type ProfileStatus string

// The states of a profile. NotSelected means that a partial run left all of its
// requirements out, NotOffered that the target does not declare the feature or
// that nothing of it could apply. A profile that passed may have requirements
// that had no occasion: see [ProfileSummary.MustsNotExercised]; but where the target
// offers a feature and a MUST about it could not be judged for want of configuration
// or of anything to judge it on, the profile is not established.
const (
	ProfilePassed         ProfileStatus = "passed"
	ProfileFailed         ProfileStatus = "failed"
	ProfileNotEstablished ProfileStatus = "not-established"
	ProfileNotOffered     ProfileStatus = "not-offered"
	ProfileNotSelected    ProfileStatus = "not-selected"
)

// Counts counts verdicts.
type Counts struct {
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Warn          int `json:"warn"`
	NotApplicable int `json:"not_applicable"`
	Blocked       int `json:"blocked"`
}

// Add counts one verdict.
func (c *Counts) Add(v Verdict) { *c.of(v)++ }

// Of is how often there is a verdict.
func (c Counts) Of(v Verdict) int { return *c.of(v) }

// of is where a verdict is counted. One that is not known is counted nowhere.
func (c *Counts) of(v Verdict) *int {
	switch v {
	case Pass:
		return &c.Pass
	case Fail:
		return &c.Fail
	case Warn:
		return &c.Warn
	case NotApplicable:
		return &c.NotApplicable
	case Blocked:
		return &c.Blocked
	}
	return new(int)
}

// Total is the number of verdicts counted.
func (c Counts) Total() int { return c.Pass + c.Fail + c.Warn + c.NotApplicable + c.Blocked }

// Judged is the number of verdicts that hold a requirement against the target.
func (c Counts) Judged() int { return c.Pass + c.Fail + c.Warn }

// Summary is the result of the run in numbers.
type Summary struct {
	Counts
	// Security counts those of the red verdicts that are about security.
	Security     SecurityCounts `json:"security"`
	Observations int            `json:"observations"`
	// Excused counts the red verdicts that a baseline lists as known. They
	// count among fail and warn too: an excuse spares the exit status, it
	// makes nothing conformant.
	Excused int `json:"excused"`
	// Baseline says what became of the entries of the baseline; nil if there
	// was none.
	Baseline *BaselineSummary `json:"baseline,omitempty"`
	Outcome  Outcome          `json:"outcome"`
	Scope    Scope            `json:"scope"`
	// Conformant is true only for a full run with the outcome conformant.
	Conformant bool `json:"conformant"`
	// Revisions is the result by revision, the oldest first.
	Revisions    []RevisionSummary    `json:"revisions,omitempty"`
	Combinations []CombinationSummary `json:"combinations"`
	Profiles     []ProfileSummary     `json:"profiles"`
	// Started is when the run began, in UTC and RFC 3339; empty in reports of earlier
	// versions. DurationMS is how long it took.
	Started    string  `json:"started,omitempty"`
	DurationMS float64 `json:"duration_ms"`
	// Slow tells, of a long run, what took most of it.
	Slow []Slow `json:"slow,omitempty"`
	// Interrupted says why the run ended early: "budget", "volume", "interrupted", or in
	// words; empty if it did not.
	Interrupted string `json:"interrupted,omitempty"`
	// LeftBehind are the command lines of processes that the target had left in sessions of
	// their own, and that were ended after the run. Only Linux tells them.
	LeftBehind []string `json:"left_behind,omitempty"`
}

// Slow is requests for a method that ended alike, by a result, an error or silence: how many there were, and
// how long they took in all, in milliseconds. Some are under way at once.
type Slow struct {
	Method  string  `json:"method"`
	Ended   string  `json:"ended"`
	Times   int     `json:"times"`
	TotalMS float64 `json:"total_ms"`
}

// String is what happened, in a sentence.
func (s Slow) String() string {
	ended := map[string]string{"result": "got a result", "error": "got an error",
		"silence": "got no answer"}[s.Ended]
	return fmt.Sprintf("%s for %s that %s took %.1f s each, %.0f s in all", plural.Count(s.Times, "request"),
		s.Method, ended,
		s.TotalMS/1000/float64(max(s.Times, 1)), s.TotalMS/1000)
}

// CombinationSummary is the result in one revision on one transport.
type CombinationSummary struct {
	Revision  string `json:"revision"`
	Transport string `json:"transport"`
	Counts
	Outcome Outcome `json:"outcome"`
	// NotOffered lists the profiles whose feature the target does not declare
	// here.
	NotOffered []string `json:"not_offered,omitempty"`
}

// ProfileSummary is the result of one group of requirements.
type ProfileSummary struct {
	Name   string        `json:"name"`
	Status ProfileStatus `json:"status"`
	Counts
	// MustsNotExercised lists the ids of MUST requirements that were judged
	// in no combination for want of an occasion.
	MustsNotExercised []string `json:"musts_not_exercised"`
}

// SummaryOptions says what [Report.Summarize] cannot see in the results.
type SummaryOptions struct {
	// Strict counts warnings as failures.
	Strict bool
	// Partial says that the user narrowed the run.
	Partial bool
	// Interrupted says in a few words why the run ended early, if it did.
	Interrupted string
	Started     time.Time // zero if it is not known
	Duration    time.Duration
	// Profile gives the profile of a requirement, such as "pagination" for "PAGE-02";
	// an empty name belongs to none. A nil function makes no profiles.
	Profile func(id string) string
	// Profiles lists the profiles that the summary always shows, in order;
	// others follow in order of their names.
	Profiles []string
	// Offered says whether the target declares the feature of a profile in a
	// combination, or may do so as far as is known. What is judged where it
	// is not offered, such as a refusal that is due, does not make the
	// profile pass. A nil function offers everything.
	Offered func(profile, revision, transport string) bool

	unjudged bool // nothing at all was judged
}

// DefaultProfiles lists the profiles of this release in the order of reports.
func DefaultProfiles() []string {
	return []string{"core", "pagination", "templates", "completion", "subscriptions", "caching", "transport",
		"security"}
}

// Summarize sorts the report and computes its summary from the results.
func (r *Report) Summarize(o SummaryOptions) {
	r.Sort()
	s := r.counted()
	s.Scope, s.Baseline, s.Slow, s.Interrupted = Full, r.Summary.Baseline, r.Summary.Slow, o.Interrupted
	s.DurationMS, s.Revisions = Milliseconds(o.Duration), r.revisions(o.Strict)
	s.Combinations, s.Profiles = r.combinations(o), []ProfileSummary{}
	if !o.Started.IsZero() {
		s.Started = o.Started.UTC().Format(time.RFC3339)
	}
	if o.Partial {
		s.Scope = Partial
	}
	s.Outcome = outcome(r.Rows(), o.Strict)
	unfinished := o.Interrupted != "" || len(r.Unreachable()) > 0
	switch {
	case s.Outcome == Conformant && unfinished:
		s.Outcome = NotEstablished
	case s.Outcome != NotEstablished && !unfinished && r.DeclaresNoResources():
		s.Outcome = NoResources
	}
	s.Conformant = s.Outcome == Conformant && s.Scope == Full
	o.unjudged = len(r.Results) == 0
	if o.Profile != nil {
		s.Profiles = r.profiles(o)
	}
	r.Summary = s
}

// counted is what of a summary is a number.
func (r *Report) counted() Summary {
	s := Summary{Observations: len(r.Observations)}
	for _, x := range r.Rows() {
		s.Add(x.Verdict)
		s.Security.add(x)
		if x.Excused && x.Verdict.Red() {
			s.Excused++
		}
	}
	return s
}

// outcome judges a set of results: a finding outweighs what is not known, and
// where nothing at all was judged nothing is established.
func outcome(results []*Result, strict bool) Outcome {
	judged, blocked := false, false
	for _, x := range results {
		if x.Breaks(strict) {
			return NonConformant
		}
		judged = judged || x.Verdict.Judged()
		blocked = blocked || x.Verdict == Blocked && x.Level == LevelMust
	}
	if blocked || !judged {
		return NotEstablished
	}
	return Conformant
}

func (r *Report) combinations(o SummaryOptions) []CombinationSummary {
	list := []CombinationSummary{}
	for _, results := range r.ByCombination() {
		k := results[0].Combination()
		c := CombinationSummary{Revision: k.Revision, Transport: k.Transport,
			Outcome: outcome(results, o.Strict)}
		for _, x := range results {
			c.Add(x.Verdict)
		}
		for _, name := range o.Profiles {
			if o.Offered != nil && !o.Offered(name, k.Revision, k.Transport) {
				c.NotOffered = append(c.NotOffered, name)
			}
		}
		list = append(list, c)
	}
	return list
}

func (r *Report) profiles(o SummaryOptions) []ProfileSummary {
	groups := map[string][]*Result{}
	for _, x := range r.Rows() {
		if name := o.Profile(x.ID); name != "" {
			groups[name] = append(groups[name], x)
		}
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(groups)), func(name string) bool {
		return slices.Contains(o.Profiles, name)
	})
	list := []ProfileSummary{}
	for _, name := range slices.Concat(o.Profiles, others) {
		list = append(list, profile(name, groups[name], o))
	}
	return list
}

// declared reports whether a profile is about a feature that a server offers or
// not: what it offers has to be seen at work before the profile is passed. The
// other profiles hold of every server, with rules for occasions that may never come.
func declared(profile string) bool {
	switch profile {
	case "pagination", "templates", "completion", "subscriptions", "caching":
		return true
	}
	return false
}

func profile(name string, results []*Result, o SummaryOptions) ProfileSummary {
	p := ProfileSummary{Name: name, MustsNotExercised: []string{}}
	judged, gaps, idle, lacking := map[string]bool{}, map[string]bool{}, []string{}, false
	var offered []*Result
	for _, x := range results {
		p.Add(x.Verdict)
		if o.Offered != nil && !o.Offered(name, x.Revision, x.Transport) {
			continue
		}
		offered = append(offered, x)
		if x.Verdict.Judged() {
			judged[x.ID] = true
		}
		if x.Idle() {
			lacking = true
			if x.Level == LevelMust {
				idle = append(idle, x.ID)
				gaps[x.ID] = gaps[x.ID] || x.ReasonCode == CodeNeedsConfig || x.ReasonCode == CodeNeedsSubject
			}
		}
	}
	idle = slices.DeleteFunc(idle, func(id string) bool { return judged[id] })
	slices.SortFunc(idle, CompareIDs)
	p.MustsNotExercised = slices.Compact(idle)
	blocked := slices.ContainsFunc(offered, func(x *Result) bool { return x.Verdict == Blocked })
	switch {
	case len(results) == 0 && o.Partial:
		p.Status = ProfileNotSelected
	case len(results) == 0 && o.unjudged:
		p.Status = ProfileNotEstablished
	case outcome(results, o.Strict) == NonConformant:
		p.Status = ProfileFailed
	case declared(name) && slices.ContainsFunc(p.MustsNotExercised, func(id string) bool { return gaps[id] }):
		p.Status = ProfileNotEstablished
	case outcome(offered, o.Strict) == Conformant:
		p.Status = ProfilePassed
	case blocked || lacking:
		p.Status = ProfileNotEstablished
	default:
		p.Status = ProfileNotOffered
	}
	return p
}

// The exit statuses of a run that was started.
const (
	ExitOK             = 0
	ExitFindings       = 1
	ExitUsage          = 2
	ExitNotEstablished = 3
)

// ExitCode is the status with which a program ends after the run: 3 if it was
// interrupted, an endpoint could not be reached, nothing was selected or nothing judged, 1 for a red verdict
// that counts and is not excused or for a stale baseline (an entry that now passes), 3 for a
// blocked MUST, else 0. The report must have been summarized.
func (r *Report) ExitCode(strict, staleBaseline bool) int {
	if r.Summary.Interrupted != "" || len(r.Results) == 0 || len(r.Unreachable()) > 0 {
		return ExitNotEstablished
	}
	blocked := false
	for _, x := range r.Rows() {
		if !x.Excused && x.Breaks(strict) {
			return ExitFindings
		}
		blocked = blocked || x.Verdict == Blocked && x.Level == LevelMust
	}
	switch {
	case staleBaseline:
		return ExitFindings
	case blocked, r.Summary.Judged() == 0:
		return ExitNotEstablished
	}
	return ExitOK
}
