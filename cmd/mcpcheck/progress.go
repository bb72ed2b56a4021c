package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine"
)

// progress shows on one line of a terminal what is going on; on anything else it
// shows nothing.
type progress struct {
	w     io.Writer
	on    bool
	color bool

	mu    sync.Mutex
	last  time.Time
	shown bool
}

func newProgress(w io.Writer, quiet, color bool) *progress {
	return &progress{w: w, on: !quiet && isTerminal(w), color: color}
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
	text := ""
	switch e.Kind {
	case engine.Connecting:
		text = "connecting to " + e.Title
	case engine.Playing:
		text = fmt.Sprintf("%s %d/%d  %s: %s", bar(e.Done, e.Total), e.Done, e.Total, e.Combination, e.Title)
	case engine.Judging:
		text = "judging"
	case engine.Confirming:
		text = fmt.Sprintf("confirming %d findings", e.Total)
	}
	columns := width(p.w)
	if columns == 0 {
		columns = 80
	}
	fmt.Fprint(p.w, "\r\x1b[K"+reports.Shorten(reports.Sanitize(text), columns-1))
	p.shown = true
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
