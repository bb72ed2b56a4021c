// Package compare asks a server the same things directly and through a gateway, and
// says what the gateway drops, changes or adds.
//
// What a server changes by itself must not be laid at the gateway's door: whatever
// differs is asked again, of the server twice before and once after the gateway and
// on fresh sessions. What the server's own answers do not agree about is listed apart
// ([Report.Unsteady]) and never counted. A difference that does not repeat though the
// server's answers agree, or that cannot be asked for again, is not established
// ([Report.Gaps]).
//
// What means the same is the same: the order of members, the spelling of numbers and
// strings, white space, the borders of pages, and base64 of the same bytes. Of errors
// the code and the data are compared, the message is not.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Config says what to compare. The zero value of a member means its default.
type Config struct {
	// Direct is the server itself, Through the same server behind a gateway. The
	// subjects and triggers are those of Direct.
	Direct, Through *target.Target
	// Tool is the program that the report names.
	Tool reports.Tool
	// Revisions limits what is compared; empty means all.
	Revisions []requirement.Revision
	// Reads is how many listed resources are read at most; 0 means 50, a negative
	// number all of them.
	Reads int
	// MapURI and MapName are prefixes that the gateway replaces on purpose.
	MapURI, MapName []Rename
	// Ignore lists differences that are known: a group, a member, or GROUP:MEMBER.
	Ignore []string

	Timeout time.Duration // one request; default 10 s
	Start   time.Duration // start-up and handshake; default 30 s
	Budget  time.Duration // everything; default 5 min

	// Progress is told what is going on; nil means nobody is.
	Progress func(Event)
}

// Event tells a progress display what is going on.
type Event struct {
	// Revision is empty while the two sides are being connected.
	Revision requirement.Revision
	Title    string
	// Done and Total count the questions of the revision that are known so far.
	Done, Total int
}

// ErrBudget is the cause when the time for everything is spent.
var ErrBudget = errors.New("the time for the whole comparison is spent (--budget)")

// errVolume is the cause when a side has sent more than is kept.
var errVolume = fmt.Errorf("one side has sent more than the %d MiB that are kept", transcriptBytes>>20)

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, given ...time.Duration) {
		for _, g := range given {
			if *d <= 0 {
				*d = g
			}
		}
	}
	a, b := c.Direct.Limits, c.Through.Limits
	set(&c.Timeout, max(a.Timeout, b.Timeout), 10*time.Second)
	set(&c.Start, max(a.StartTimeout, b.StartTimeout), 30*time.Second)
	set(&c.Budget, max(a.Budget, b.Budget), 5*time.Minute)
	c.Reads = cmp.Or(c.Reads, 50)
	if c.Progress == nil {
		c.Progress = func(Event) {}
	}
	return c
}

// comparison is one comparison under way.
type comparison struct {
	cfg             Config
	direct, through *side
	hide            *mask.Masker
	report          *Report
	index           map[string]int // of the differences, by what they are about
}

// Run compares. The error is a mistake in the configuration, and nothing was sent;
// whatever the two sides do, or do not, stands in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if cfg.Direct == nil || cfg.Through == nil {
		return nil, errors.New("a comparison needs two sides")
	}
	cfg = cfg.withDefaults()
	c := &comparison{cfg: cfg, hide: mask.NewMasker(slices.Concat(cfg.Direct.Secrets(), cfg.Through.Secrets())), index: map[string]int{}}
	began := time.Now()
	c.report = c.newReport(began)
	ctx, stop := context.WithDeadlineCause(ctx, began.Add(cfg.Budget), ErrBudget)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopServers, err := cfg.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer stopServers()
	if c.direct, err = newSide("direct", cfg.Direct, &cfg); err != nil {
		return nil, err
	}
	if c.through, err = newSide("through", cfg.Through, &cfg); err != nil {
		return nil, err
	}
	for _, s := range []*side{c.direct, c.through} {
		go s.watch(ctx, cancel)
	}
	defer c.close()
	if c.connect(ctx) {
		for _, rev := range c.common() {
			if ctx.Err() == nil {
				c.revision(ctx, rev)
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		c.gap("", "", "", cause.Error())
		c.report.Summary.Interrupted = true
	}
	c.close()
	c.report.DurationMS = reports.Milliseconds(time.Since(began))
	c.finish()
	return c.report, nil
}

// serve starts the servers of both sides that are to be started, and returns what ends them.
func (c *Config) serve(ctx context.Context) (stop func(), err error) {
	direct, stopDirect, err := c.Direct.Serve(ctx, c.Start, c.wants(c.Direct))
	if err != nil {
		return nil, fmt.Errorf("the direct side: %w", err)
	}
	through, stopThrough, err := c.Through.Serve(ctx, c.Start, c.wants(c.Through))
	if err != nil {
		stopDirect()
		return nil, fmt.Errorf("the through side: %w", err)
	}
	c.Direct, c.Through = direct, through
	return func() { stopThrough(); stopDirect() }, nil
}

// wants tells which endpoints of a target are asked for a revision.
func (c *Config) wants(t *target.Target) func(*target.Endpoint) bool {
	return func(e *target.Endpoint) bool { return len(asked(t, e, c.Revisions)) > 0 }
}

// connect finds out what the two sides speak, side by side.
func (c *comparison) connect(ctx context.Context) bool {
	c.cfg.Progress(Event{Title: c.address(c.cfg.Direct) + " and " + c.address(c.cfg.Through)})
	var wg sync.WaitGroup
	var errs [2]error
	for i, s := range []*side{c.direct, c.through} {
		wg.Go(func() { errs[i] = s.connect(ctx, c.cfg.Revisions) })
	}
	wg.Wait()
	c.report.Direct.Endpoints, c.report.Through.Endpoints = c.ends(c.direct), c.ends(c.through)
	for i, side := range []string{"direct", "through"} {
		if errs[i] != nil && ctx.Err() == nil {
			c.gap("", "", side, "the "+side+" side could not be reached: "+errs[i].Error())
		}
	}
	for _, s := range []*side{c.direct, c.through} {
		for _, u := range s.unreached {
			if len(s.reached) > 0 && ctx.Err() == nil {
				c.gap("", "", s.name, "the endpoint "+u.AddressWithout(c.hide.String)+" could not be reached: "+u.err.Error())
			}
		}
	}
	return errs[0] == nil && errs[1] == nil && ctx.Err() == nil
}

// address is the first command or address of a target, without secrets.
func (c *comparison) address(t *target.Target) string {
	return t.Endpoints[0].NameWithout(c.hide.String)
}

// ends describes the endpoints of a side that were reached.
func (c *comparison) ends(s *side) []Endpoint {
	var all []Endpoint
	for _, r := range s.reached {
		all = append(all, Endpoint{Address: c.clean(r.AddressWithout(c.hide.String)), Transport: string(r.transport), Revisions: requirement.Texts(r.found.Served)})
	}
	return all
}

// common lists the revisions that both sides offer, and notes those that only one
// does. A revision that none of the other side's transports is defined for is no
// difference: no gateway could keep it.
func (c *comparison) common() []requirement.Revision {
	var both []requirement.Revision
	for _, rev := range requirement.Revisions() {
		d, t := c.direct.offers(rev), c.through.offers(rev)
		switch {
		case d != nil && t != nil:
			both = append(both, rev)
		case d == nil && t == nil:
		case d == nil && c.direct.unknown(rev), t == nil && c.through.unknown(rev):
			c.gap(rev, Declared, "revision "+string(rev), "only one side offers it, and an endpoint of the other that might could not be reached")
		case d != nil && !c.through.could(rev):
			c.note("revision " + string(rev) + " is offered by the direct side only: it is not defined on the transports of the other side, and so not counted")
		case t != nil && !c.direct.could(rev):
			c.note("revision " + string(rev) + " is offered through the gateway only: it is not defined on the transports of the direct side, and so not counted")
		case d != nil:
			c.add(Declared, rev, finding{subject: "revision " + string(rev), kind: Dropped, direct: quoted("offered"), through: quoted(c.through.why(rev))})
		default:
			c.add(Declared, rev, finding{subject: "revision " + string(rev), kind: Added, direct: quoted(c.direct.why(rev)), through: quoted("offered")})
		}
	}
	if len(both) == 0 {
		c.gap("", "", "", "there is no revision that both sides offer"+c.asked())
	}
	return both
}

// asked says which revisions were asked for, if not all were.
func (c *comparison) asked() string {
	if len(c.cfg.Revisions) == 0 {
		return ""
	}
	return "; asked for was " + strings.Join(requirement.Texts(c.cfg.Revisions), ", ")
}

// close ends all sessions of both sides, side by side.
func (c *comparison) close() {
	var wg sync.WaitGroup
	for _, s := range []*side{c.direct, c.through} {
		wg.Go(s.close)
	}
	wg.Wait()
}

// confirm asks again what differed: the server on its session and on a fresh one, the
// gateway on a fresh one, and the server once more. A server may change by itself, and
// its copies need not agree.
func (r *round) confirm(ctx context.Context) {
	again := slices.DeleteFunc(slices.Clone(r.asked), func(q *question) bool { return len(q.found) == 0 })
	if ctx.Err() != nil {
		for _, q := range again {
			r.gap(r.rev, q.group, q.subject, "the answers differ, but they were not asked for again: the comparison ended before")
		}
		return
	}
	if len(again) == 0 {
		return
	}
	// Both repetitions start with patience and room, whatever was used up before them.
	r.afresh()
	before := make([]answer, len(again))
	for i, q := range again {
		r.cfg.Progress(Event{Revision: r.rev, Title: "asking again: " + q.subject, Done: i, Total: len(again)})
		before[i] = q.ask(ctx, r.direct)
	}
	r.direct.close()
	r.through.close()
	r.afresh()
	for i, q := range again {
		r.cfg.Progress(Event{Revision: r.rev, Title: "asking again on fresh sessions: " + q.subject, Done: i, Total: len(again)})
		fresh := q.ask(ctx, r.direct)
		through := q.ask(ctx, r.through)
		last := q.ask(ctx, r.direct)
		r.settle(ctx, q, through, []answer{q.direct, before[i], fresh, last})
	}
}

// afresh forgets what went unanswered and how much was read.
func (r *round) afresh() {
	r.direct.patient()
	r.through.patient()
	r.bytes.Store(0)
}

// settle adds what differed both times to the report, and parts from it what the
// server's own answers do not agree about. What could not be seen again, be it that there
// was no answer or that the gateway gave another one, is not established: that would be
// to call both sides the same.
func (r *round) settle(ctx context.Context, q *question, through answer, own []answer) {
	none, gone := "", own[0].none == "" && own[len(own)-1].none != ""
	for _, a := range append(slices.Clone(own[1:]), through) {
		switch {
		case a.void:
			r.gap(r.rev, q.group, q.subject, "what differs could not be asked again: "+a.none)
			return
		case a.none != "":
			none = a.none
		}
	}
	unsteady := places{}
	for i, a := range own {
		for _, b := range own[i+1:] {
			if ctx.Err() != nil {
				r.gap(r.rev, q.group, q.subject, "the answers differ, but the repeated ones were not compared: the comparison ended before")
				return
			}
			unsteady.put(q.compare(names{}, a, b))
		}
	}
	repeated := places{}
	repeated.put(q.compare(r.names, own[len(own)-1], through))
	// Where the server answers in another way altogether, no part of an answer is steady.
	altogether := slices.ContainsFunc(unsteady[q.subject], func(f finding) bool { return f.is(whether) || f.is(standing) })
	var unseen, flapping []finding
	for _, f := range q.found {
		switch {
		case none != "" && (!f.is(whether) || gone):
			unseen = append(unseen, f)
		case altogether || unsteady.has(&f):
			r.unsteady(q.group, r.rev, f, "the server's own answers differ")
		case !repeated.has(&f):
			flapping = append(flapping, f)
		default:
			r.add(q.group, r.rev, f)
		}
	}
	r.open(q, unseen, "what differs could not be asked again: "+none)
	r.open(q, flapping, "the gateway's answers differ from time to time")
}

// open notes that findings of a question could not be settled, once for all of them. What
// was said to be known stays so.
func (r *round) open(q *question, all []finding, why string) {
	var left []Difference
	for _, f := range all {
		d := r.difference(q.group, f)
		if r.ignored(&d) != "" {
			r.add(q.group, r.rev, f)
			continue
		}
		left = append(left, d)
	}
	if len(left) == 0 {
		return
	}
	if n := len(left) - 1; n > 0 {
		why += ", here and in " + strconv.Itoa(n) + " other places"
	}
	if left[0].Member != "" {
		why = left[0].Member + ": " + why
	}
	r.gap(r.rev, q.group, left[0].Subject, why)
}

// places are findings by subject: a long list has as many of them as entries.
type places map[string][]finding

func (p places) put(all []finding) {
	for _, f := range all {
		p[f.subject] = append(p[f.subject], f)
	}
}

// has reports whether one of the findings is about the same place as f.
func (p places) has(f *finding) bool {
	return slices.ContainsFunc(p[f.subject], func(g finding) bool { return f.about(&g) })
}

// account notes what was asked, and what neither side answered. That a comparison was
// cut short is said once, and not of each question.
func (r *round) account(ctx context.Context) {
	one := Compared{Revision: string(r.rev), Direct: string(r.direct.at.transport), Through: string(r.through.at.transport), Asked: map[Group]int{}}
	for _, q := range r.asked {
		d, t := q.direct, q.through
		switch {
		case d.void && d.none == unread || t.void && t.none == unread:
			continue // said in a note
		case (d.void || t.void) && ctx.Err() != nil:
		case d.void:
			r.gap(r.rev, q.group, q.subject, "direct: "+d.none)
		case t.void:
			r.gap(r.rev, q.group, q.subject, "through: "+t.none)
		case d.none != "" && t.none != "":
			r.gap(r.rev, q.group, q.subject, "neither side answered: direct: "+d.none+"; through: "+t.none)
		default:
			one.Asked[q.group]++
		}
	}
	r.report.Compared = append(r.report.Compared, one)
}
