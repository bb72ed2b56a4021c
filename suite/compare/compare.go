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
	"context"
	"errors"
	"fmt"
	"slices"
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
	if c.Reads == 0 {
		c.Reads = 50
	}
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
	var err error
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

// address is the first address of a target, without secrets.
func (c *comparison) address(t *target.Target) string {
	return t.Endpoints[0].AddressWithout(c.hide.String)
}

// ends describes the endpoints of a side that were reached.
func (c *comparison) ends(s *side) []Endpoint {
	var all []Endpoint
	for _, r := range s.reached {
		e := Endpoint{Address: c.clean(r.AddressWithout(c.hide.String)), Transport: string(r.transport), Revisions: []string{}}
		for _, rev := range r.found.Served {
			e.Revisions = append(e.Revisions, string(rev))
		}
		all = append(all, e)
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
	words := make([]string, len(c.cfg.Revisions))
	for i, r := range c.cfg.Revisions {
		words[i] = string(r)
	}
	return "; asked for was " + strings.Join(words, ", ")
}

// close ends all sessions of both sides, side by side.
func (c *comparison) close() {
	var wg sync.WaitGroup
	for _, s := range []*side{c.direct, c.through} {
		wg.Go(s.close)
	}
	wg.Wait()
}
