package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine"
)

// progress shows on one line of a terminal what is going on. Where nobody is at a
// terminal, as in CI, long runs get a line now and then, so that they do not look dead.
type progress struct {
	w            io.Writer
	on, terminal bool
	began        time.Time

	mu    sync.Mutex
	now   engine.Event // the latest
	beat  *time.Timer  // when a line is due that is no terminal's; nil before the first event
	last  time.Time
	shown bool
	phase string // what is being played, if it is not the first time
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
	fmt.Fprintf(p.w, "mcpcheck: %s\n", reports.Sanitize(p.text(p.now)))
	p.beat.Reset(heartbeat)
}

// tell shows an event. Events that follow each other faster than an eye can read
// are left out.
func (p *progress) tell(e engine.Event) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case engine.Played:
	case engine.Confirming:
		p.now, p.phase = e, confirming(e.Total)+": "
	default:
		p.now = e
	}
	if !p.terminal {
		if p.beat == nil {
			p.beat = time.AfterFunc(heartbeat, p.pulse)
		}
		return
	}
	if e.Kind == engine.Played || (time.Since(p.last) < 50*time.Millisecond && e.Kind == engine.Playing) {
		return
	}
	p.last = time.Now()
	text := p.text(e)
	columns := output.Width(p.w)
	if columns == 0 {
		columns = 80
	}
	fmt.Fprint(p.w, "\r\x1b[K"+reports.Shorten(reports.Sanitize(text), columns-1))
	p.shown = true
}

// text is the line for an event. What is played after the findings are known is played
// to confirm them, and counted anew.
func (p *progress) text(e engine.Event) string {
	switch e.Kind {
	case engine.Connecting:
		return "connecting to " + e.Title
	case engine.Playing:
		if !p.terminal {
			return fmt.Sprintf("%s%d of %d scenarios played after %s: %s, %s", p.phase, e.Done, e.Total, p.elapsed(), e.Combination, e.Title)
		}
		return fmt.Sprintf("%s%s %d/%d %s  %s: %s", p.phase, bar(e.Done, e.Total), e.Done, e.Total, p.elapsed(), e.Combination, e.Title)
	case engine.Judging:
		return "judging"
	case engine.Confirming:
		return confirming(e.Total)
	}
	return ""
}

func confirming(verdicts int) string {
	if verdicts == 1 {
		return "confirming 1 red verdict"
	}
	return fmt.Sprintf("confirming %d red verdicts", verdicts)
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
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
