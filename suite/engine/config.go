// Package engine carries out a run: it finds out what the target speaks, plans
// which requirements can be judged and so which scenarios have to be played,
// plays them in phases, judges what they recorded, plays in rounds what red verdicts rest on until they were
// seen often enough (see [weigh]), and writes the report.
//
// Over stdio a session is a process, and starting one is what a run costs: scripts share
// sessions, one expendable session is used until a probe takes it down, and what a script
// opened for itself it may leave to another one (package pool).
//
// With [Config.Quick] all this is done for one combination, without the last phase.
//
// # When verdicts are given
//
// [Run.Await] waits for the verdict on one row. A verdict is final when it is given, and
// the same whether anybody waits for it or not. So a row is judged before the run is over
// only where nothing that is still to come could change the verdict:
//
//   - at the beginning, where nothing has to be played: what is opted out of or cannot be
//     tested, what a capability that is not declared makes not applicable, and what is
//     judged on the declaration alone;
//   - as soon as its recordings are complete, where these hold only sessions that their
//     scripts had to themselves, and all of these have ended; but not where the server is
//     started for the run: if it dies, everything is played once more.
//
// What happened in sessions that scripts share is judged when these have ended: a second response, a
// notification or the loss of the connection may follow what a script saw of an exchange. At a URL, without
// triggers and limits, that is before the last phase, as another session costs little there. Over stdio,
// where processes of ours share nothing (no triggers, no limit), it is when their combination was played,
// whatever goes on in others; else when the run was. The requirements about everything that was received come
// then as well (at a URL at the end), and those few whose checks look at the recordings of all scenarios: for
// one such row everything is played.
//
// Verdicts that are red or blocked, or passes on a sample, are given last. They depend on whether the target
// was still there at the end, on how its processes ended in sessions without a fault of ours,
// and on the rounds, in which one revision speaks for others. A round plays one scenario after the other
// while nothing else is under way. At such a URL rounds come before the last phase, which may cost the
// target, but take no more than a part of the time; all others come at the end.
package engine

import (
	"errors"
	"fmt"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Config says what to run. The zero value of a member means its default.
type Config struct {
	Target *target.Target
	// Tool is the program that the report names.
	Tool reports.Tool
	// Shown is the configuration that the report shows; the engine fills in
	// the limits.
	Shown reports.Config
	// Embedded says that the target is the reference that is built in.
	Embedded bool
	// Transports limits the run; empty means all.
	Transports []requirement.Transport
	// Areas is what is judged; nil means [area.BuiltIn].
	Areas *area.Set
	// Select says which rows are wanted; nil means all.
	Select func(Row) bool
	// Asked says which rows were asked for, where the caller picks them and Select does not; nil means all.
	// Of what a quick run leaves out it tells no others.
	Asked func(Row) bool
	// Partial says that Select leaves requirements out, so that the report
	// is of partial scope.
	Partial bool
	// Quick looks at one combination, that of the newest revision, and leaves out what
	// needs the destructive phase.
	Quick bool
	// SecurityProbes switches on the probes of the security group.
	SecurityProbes bool

	target.Limits // stand above those of the target
	// Progress is told what is going on; nil means nobody is.
	Progress func(Event)
}

// Event tells a progress display what is going on.
type Event struct {
	Kind        EventKind
	Combination requirement.Combination
	// Title says what is being done; Done and Total count scenarios.
	Title       string
	Done, Total int
	// Nonsense is, while an endpoint is being asked, what it has done instead of an answer for
	// some seconds, such as: written "Hello", which is no MCP message; else it is empty.
	Nonsense string
}

// EventKind tells events apart.
type EventKind int

// The events.
const (
	Connecting EventKind = iota // an endpoint is being asked what it speaks
	Playing                     // a scenario has begun
	Played                      // a scenario has ended
	Judging                     // everything was played
	Confirming                  // red verdicts are being confirmed
)

// The causes for which a run ends early.
var (
	ErrBudget      = errors.New("the time for the whole run is spent (--budget)")
	ErrInterrupted = errors.New("the run was interrupted")
	ErrVolume      = errors.New("the target has sent more than is kept of a run (--run-bytes)")
)

// endedBy is which of these causes an error stands for, with its code; nil for none.
func endedBy(err error) (recording.Code, error) {
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, ErrBudget):
		return recording.CodeBudget, ErrBudget
	case errors.Is(err, ErrVolume):
		return recording.CodeVolume, ErrVolume
	}
	return recording.CodeInterrupted, ErrInterrupted
}

// UsageError is a configuration that cannot be run.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

func usage(format string, args ...any) error {
	return &UsageError{Reason: fmt.Sprintf(format, args...)}
}

func (c Config) withDefaults() Config {
	if c.Areas == nil {
		c.Areas = area.BuiltIn()
	}
	if c.Progress == nil {
		c.Progress = func(Event) {}
	}
	c.Limits = c.Limits.Over(c.Target.Limits).Over(target.DefaultLimits)
	c.Rate = c.Target.Pace(c.Rate)
	return c
}
