package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/suite/engine"
)

// progress shows on one line of a terminal what is going on. Where nobody is at a
// terminal, as in CI, long runs get a line now and then, so that they do not look dead.
type progress struct {
	w            io.Writer
	on, terminal bool
	began        time.Time

	mu     sync.Mutex
	now    engine.Event   // the latest
	atWork []engine.Event // what has begun and not ended, in that order
	beat   *time.Timer    // when a line is due that is no terminal's; nil before the first event
	last   time.Time
	shown  bool
	phase  string // what is being played, if it is not the first time
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, on: !quiet, terminal: output.Terminal(w), began: time.Now()}
}

// heartbeat is how often a run that nobody watches says that it goes on.
const heartbeat = 30 * time.Second

// pulse writes such a line.
func (p *progress) pulse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.beat == nil {
		return // it is over
	}
	p.line()
	p.beat.Reset(heartbeat)
}

// line writes what is going on as a line of its own.
func (p *progress) line() { fmt.Fprintf(p.w, "mcpcheck: %s\n", safe.Line(p.text())) }

// tell shows an event. Events that follow each other faster than an eye can read
// are left out.
func (p *progress) tell(e engine.Event) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	shown := p.last
	p.note(e)
	if !p.terminal {
		if p.beat == nil {
			p.beat = time.AfterFunc(heartbeat, p.pulse)
		}
		if e.Nonsense != "" {
			p.line()
		}
		return
	}
	if p.now.Kind == engine.Playing && time.Since(shown) < 50*time.Millisecond {
		return
	}
	p.last = time.Now()
	columns := cmp.Or(output.Width(p.w), 80)
	fmt.Fprint(p.w, "\x1b[2K\r"+safe.Shorten(safe.Line(p.text()), columns-1))
	p.shown = true
}

// note makes an event what is going on: of the scenarios at work the one that began first,
// because it may be what everything waits for.
func (p *progress) note(e engine.Event) {
	same := func(x engine.Event) bool { return x.Combination == e.Combination && x.Title == e.Title }
	switch e.Kind {
	case engine.Playing:
		p.atWork = append(p.atWork, e)
	case engine.Played:
		if i := slices.IndexFunc(p.atWork, same); i >= 0 {
			p.atWork = slices.Delete(p.atWork, i, i+1)
		}
	case engine.Confirming:
		p.phase = confirming(e.Total) + ": "
		fallthrough
	default:
		p.now, p.atWork = e, nil
		return
	}
	p.now = e
	if len(p.atWork) > 0 {
		p.now = p.atWork[0]
	}
	p.now.Kind, p.now.Done, p.now.Total = engine.Playing, e.Done, e.Total
}

// text is the line for what is going on. What is played after the findings are known is
// played to confirm them, and counted anew.
func (p *progress) text() string {
	e := p.now
	switch e.Kind {
	case engine.Connecting:
		if e.Nonsense != "" {
			return "still waiting, as long as --start-timeout says: so far the target has " + e.Nonsense
		}
		return "connecting to " + e.Title
	case engine.Playing:
		title := e.Title
		if n := len(p.atWork) - 1; n > 0 {
			title += fmt.Sprintf(" and %d more", n)
		}
		if !p.terminal {
			return fmt.Sprintf("%s%d of %d scenarios done after %s: %s, %s", p.phase, e.Done, e.Total,
				p.elapsed(), e.Combination, title)
		}
		return fmt.Sprintf("%s%s %d of %d scenarios, %s  %s: %s", p.phase, bar(e.Done, e.Total), e.Done,
			e.Total, p.elapsed(), e.Combination, title)
	case engine.Judging:
		return "judging"
	case engine.Confirming:
		return confirming(e.Total)
	}
	return ""
}

func confirming(verdicts int) string {
	return "confirming " + plural.Count(verdicts, "red verdict")
}

// elapsed is the time since the beginning, in whole seconds.
func (p *progress) elapsed() time.Duration { return time.Since(p.began).Truncate(time.Second) }

func bar(done, total int) string {
	const cells = 12
	n := 0
	if total > 0 {
		n = done * cells / total
	}
	return "[" + strings.Repeat("=", n) + strings.Repeat(" ", cells-n) + "]"
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.beat != nil {
		p.beat.Stop()
		p.beat = nil
	}
	if p.shown {
		fmt.Fprint(p.w, "\x1b[2K\r")
		p.shown = false
	}
}
