// Package compare asks a server the same things directly and through a gateway, and
// says what the gateway drops, changes or adds.
//
// Both sides are played by the engine. The direct side is played first, by the scenarios of the
// suite; the other one is asked the same things, in its own words. What is compared are the two
// recordings, exchange by exchange.
//
// What a server changes by itself must not be laid at the gateway's door: whatever
// differs is played again, on the server twice before and once after the gateway and
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
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine"
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
	// MapURI and MapName are prefixes that the gateway replaces on purpose.
	MapURI, MapName []Rename
	// Ignore lists differences that are known: a group, a member, or GROUP:MEMBER.
	Ignore []string

	// Limits stand above those of both targets, of which the larger bound holds. Budget is for everything.
	target.Limits

	// Progress gets the progress of both sides; nil means that nobody wants it.
	Progress func(engine.Event)
}

// ErrBudget is the cause when the time for everything is spent.
var ErrBudget = errors.New("the time for the whole comparison is spent (--budget)")

// errVolume is the cause when a side has sent more than is kept.
var errVolume = errors.New("one side has sent more than is kept of it")

func (c Config) withDefaults() Config {
	a, b, d := c.Direct.Limits, c.Through.Limits, target.DefaultLimits
	c.Limits = c.Limits.Over(target.Limits{
		Timeout:      cmp.Or(max(a.Timeout, b.Timeout), d.Timeout),
		StartTimeout: cmp.Or(max(a.StartTimeout, b.StartTimeout), d.StartTimeout),
		Budget:       cmp.Or(max(a.Budget, b.Budget), d.Budget), Reads: d.Reads,
	})
	if c.Progress == nil {
		c.Progress = func(engine.Event) {}
	}
	return c
}

// comparison is one comparison under way.
type comparison struct {
	cfg             Config
	direct, through *side
	end             context.CancelCauseFunc
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
	c := &comparison{
		cfg: cfg, hide: mask.NewMasker(slices.Concat(cfg.Direct.Secrets(), cfg.Through.Secrets())),
		index: map[string]int{}, direct: &side{name: "direct", target: cfg.Direct},
		through: &side{name: "through", target: behind(cfg)},
	}
	for _, s := range c.sides() {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("the %s side: %w", s.name, err)
		}
	}
	began := time.Now()
	c.report = c.newReport(began)
	ctx, stop := context.WithDeadlineCause(ctx, began.Add(cfg.Budget), ErrBudget)
	defer stop()
	ctx, c.end = context.WithCancelCause(ctx)
	defer c.end(nil)
	if err := c.play(ctx); err != nil {
		return nil, err
	}
	if cause := context.Cause(ctx); cause != nil {
		c.gap("", "", "", cause.Error())
		c.report.Summary.Interrupted = true
	}
	c.report.DurationMS = reports.Milliseconds(time.Since(began))
	c.finish()
	return c.report, nil
}

// play finds out what the two sides speak, side by side, and compares them in each revision that
// both offer.
func (c *comparison) play(ctx context.Context) error {
	var errs [2]error
	c.both(func(i int, s *side) { s.run, errs[i] = engine.Prepare(ctx, c.config(s)) })
	defer c.both(func(_ int, s *side) {
		if s.run != nil {
			s.run.Close()
		}
	})
	reached := true
	for i, s := range c.sides() {
		if errs[i] != nil {
			return fmt.Errorf("the %s side: %w", s.name, errs[i])
		}
		c.over(s)
		reached = c.reached(ctx, s) && reached
	}
	if !reached {
		return nil
	}
	for _, at := range c.common() {
		if ctx.Err() == nil {
			c.revision(ctx, at)
		}
	}
	return nil
}

// over ends the comparison if that of a side had to end early.
func (c *comparison) over(s *side) {
	switch err := s.run.Ended(); {
	case errors.Is(err, engine.ErrVolume):
		c.end(errVolume)
	case err != nil:
		c.end(err)
	}
}

// behind is the target behind the gateway, with what is known of the direct one in its words.
func behind(cfg Config) *target.Target {
	t := *cfg.Through
	t.Triggers = target.Triggers{}
	if update := cfg.Direct.Triggers.Update; update != nil {
		mapped := *update
		mapped.URI = renames(cfg.MapURI).forward(update.URI)
		if update.Tool != nil {
			tool := *update.Tool
			tool.Name, mapped.Tool = renames(cfg.MapName).forward(tool.Name), &tool
		}
		t.Triggers.Update = &mapped
	}
	return &t
}

func (c *comparison) sides() []*side { return []*side{c.direct, c.through} }

// both does something with both sides, side by side.
func (c *comparison) both(do func(int, *side)) {
	var wg sync.WaitGroup
	for i, s := range c.sides() {
		wg.Go(func() { do(i, s) })
	}
	wg.Wait()
}

// check checks what can be checked before anything is sent: that all values of the
// environment are there.
func (s *side) check() error {
	if len(s.target.Endpoints) == 0 {
		return errors.New("it has no endpoint")
	}
	for i := range s.target.Endpoints {
		e := &s.target.Endpoints[i]
		if e.Started() && e.Server() == nil {
			continue // its address is not known
		}
		if _, err := e.Dialer(target.DialOptions{Transport: e.Candidates()[0]}); err != nil {
			return err
		}
	}
	return nil
}

// reached describes the endpoints of a side that were reached, and says which were not, and why. It
// reports whether one was.
func (c *comparison) reached(ctx context.Context, s *side) bool {
	var lost, why []string
	for _, a := range s.run.Asked() {
		address := c.clean(a.AddressWithout(c.hide.String))
		if a.Unreachable != nil {
			lost, why = append(lost, address), append(why, a.Unreachable.Error())
			continue
		}
		s.shown.Endpoints = append(s.shown.Endpoints, Endpoint{address, string(a.Transport),
			requirement.Texts(a.Served)})
	}
	if ctx.Err() != nil {
		return false
	}
	if len(s.shown.Endpoints) == 0 {
		all := cmp.Or(strings.Join(why, "; "),
			"its target file leaves none of the revisions that were asked for")
		c.gap("", "", s.name, "the "+s.name+" side could not be reached: "+all)
		return false
	}
	for i, address := range lost {
		c.gap("", "", s.name, "the endpoint "+address+" could not be reached: "+why[i])
	}
	return true
}

// config is how the engine plays a side. The time for everything is kept here.
func (c *comparison) config(s *side) engine.Config {
	const pages = 200
	t, limits := *s.target, c.cfg.Limits.Over(s.target.Limits).Over(target.Limits{Pages: pages})
	limits.Budget *= 2
	if only := c.cfg.Revisions; len(only) > 0 {
		t.Revisions = slices.DeleteFunc(slices.Clone(only), func(rev requirement.Revision) bool {
			return len(t.Revisions) > 0 && !slices.Contains(t.Revisions, rev)
		})
		if len(t.Revisions) == 0 {
			t.Revisions = []requirement.Revision{"none"}
		}
	}
	return engine.Config{Target: &t, Limits: limits, Progress: c.cfg.Progress}
}

// offers is where a side offers a revision: at the first endpoint that does.
func (s *side) offers(rev requirement.Revision) (at requirement.Combination, ok bool) {
	for _, a := range s.run.Asked() {
		if slices.Contains(a.Served, rev) {
			return requirement.Combination{Revision: rev, Transport: a.Transport}, true
		}
	}
	return at, false
}

// lacks says why a side does not offer a revision. open says that an endpoint might which could
// not be reached, undefined that the revision is not defined on a transport of the side.
func (s *side) lacks(rev requirement.Revision) (why string, open, undefined bool) {
	why, undefined = "not offered", true
	for _, a := range s.run.Asked() {
		if a.Unreachable != nil {
			open = open || s.target.Wants(a.Endpoint, rev)
			continue
		}
		undefined = undefined && !slices.Contains(rev.Transports(), a.Transport)
		if reason := a.Reasons[rev]; reason != "" {
			why = "not offered: " + reason
		}
	}
	return why, open, undefined
}

// common lists where both sides offer a revision, and notes those that only one
// does. A revision that none of the other side's transports is defined for is no
// difference: no gateway could keep it.
func (c *comparison) common() (both [][2]requirement.Combination) {
	for _, rev := range requirement.Revisions() {
		d, direct := c.direct.offers(rev)
		t, through := c.through.offers(rev)
		if direct == through {
			if direct {
				both = append(both, [2]requirement.Combination{d, t})
			}
			continue
		}
		f := finding{key: key{part: declaring, subject: "revision " + string(rev)}, kind: Dropped}
		f.direct = quoted("offered")
		other, lacking, only, name := c.through, &f.through, "by the direct side", "other"
		if through {
			f.kind, f.through = Added, f.direct
			other, lacking, only, name = c.direct, &f.direct, "through the gateway", "direct"
		}
		switch why, open, undefined := other.lacks(rev); {
		case open:
			c.gap(rev, Declared, f.subject,
				"only one side offers it, and an endpoint of the other that might could not be reached")
		case undefined:
			c.note(f.subject + " is offered " + only + " only: it is not defined on the transports of the " +
				name + " side, and so not counted")
		default:
			*lacking = quoted(why)
			c.add(rev, f)
		}
	}
	if len(both) == 0 {
		asked := ""
		if len(c.cfg.Revisions) > 0 {
			asked = "; asked for was " + strings.Join(requirement.Texts(c.cfg.Revisions), ", ")
		}
		c.gap("", "", "", "there is no revision that both sides offer"+asked)
	}
	return both
}
