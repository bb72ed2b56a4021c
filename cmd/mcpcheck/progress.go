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

// progress shows on one line of a terminal what is going on; on anything else it
// shows nothing.
type progress struct {
	w  io.Writer
	on bool

	mu    sync.Mutex
	last  time.Time
	shown bool
	phase string // what is being played, if it is not the first time
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, on: !quiet && output.Terminal(w)}
}

// tell shows an event. Events that follow each other faster than an eye can read
// are left out.
func (p *progress) tell(e engine.Event) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
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
		return fmt.Sprintf("%s%s %d/%d  %s: %s", p.phase, bar(e.Done, e.Total), e.Done, e.Total, e.Combination, e.Title)
	case engine.Judging:
		return "judging"
	case engine.Confirming:
		verdicts := "verdicts"
		if e.Total == 1 {
			verdicts = "verdict"
		}
		p.phase = fmt.Sprintf("confirming %d red %s ", e.Total, verdicts)
		return strings.TrimSpace(p.phase)
	}
	return ""
}

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
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
