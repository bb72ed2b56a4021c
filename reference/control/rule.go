package control

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Rule is one deviation: exactly one of Fault, Quirk, Fail, Delay and Do is set. The names in it are known.
type Rule operation.Rule

// Limits say to which messages a rule applies; see [operation.Limits].
type Limits = operation.Limits

// Failure is what requests are answered with; see [operation.Failure].
type Failure = operation.Failure

// Check says what is wrong with a rule of a world that operation.Rule.Check does not know: names, and limits
// of what cannot be limited.
func Check(r operation.Rule) []operation.Problem {
	if r.Fault == "" && r.Quirk == "" {
		return nil
	}
	err := Rule(r).Validate()
	if err == nil {
		return nil
	}
	member := "fault"
	if r.Fault == "" {
		member = "quirk"
	}
	return []operation.Problem{{Member: member, Text: err.Error()}}
}

// Validate says what is wrong with a rule; nil if a set takes it.
func (r Rule) Validate() error {
	if operation.Given(r.Fault != "", r.Quirk != "", r.Fail != nil, r.Delay != nil, len(r.Do) > 0) != 1 {
		return errors.New("a rule has exactly one of fault, quirk, fail, delay and do")
	}
	if err := r.Limits.Validate(); err != nil {
		return err
	}
	switch {
	case r.Fail != nil:
		return r.Fail.Validate()
	case r.Delay != nil:
		return r.Delay.Validate()
	}
	if err := operation.CheckAll(r.Do).First(); err != nil {
		return err
	}
	m, err := r.find()
	if err != nil {
		return err
	}
	return r.limitable(m)
}

// limitable refuses limits for what acts on no single message.
func (r Rule) limitable(m fault.Fault) error {
	if r.Limits.None() {
		return nil
	}
	h := m.HooksFor(stream(0, 0))
	var whole string
	switch {
	case !h.Idle() || h.EventStreams != nil || m.Needs.Authorization:
		return nil
	case h.Stdio != nil || h.Conn != nil:
		whole = "connections"
	case m.Overlay != nil:
		whole = "worlds"
	default:
		whole = "servers"
	}
	return fmt.Errorf("%s acts on whole %s and cannot be limited", r.name(), whole)
}

// find is what the rule consists of. What permits a quirk takes the place of a requirement.
func (r Rule) find() (fault.Fault, error) {
	var e fault.Fault
	switch {
	case r.Fault != "":
		if f, ok := fault.Find(r.Fault); ok {
			return f, nil
		}
		for _, c := range connectionFailures {
			if c.Name == r.Fault {
				e.Name, e.Summary, e.Requirement, e.Needs.Transports = c.Name, c.Summary, "connection", c.Transports
				return e.With(c.Hooks), nil
			}
		}
		if slices.Contains(QuirkNames(), r.Fault) {
			return e, fmt.Errorf("unknown fault %q: it is a quirk: --quirk %s", r.Fault, r.Fault)
		}
		return e, fmt.Errorf(
			"unknown fault %q%s",
			r.Fault,
			nearby(r.Fault, FaultNames(), "mockserver faults"),
		)
	case r.Quirk != "":
		if q, ok := quirk.Find(r.Quirk); ok {
			return q, nil
		}
		if slices.Contains(FaultNames(), r.Quirk) {
			return e, fmt.Errorf("unknown quirk %q: it is a fault: --fault %s", r.Quirk, r.Quirk)
		}
		return e, fmt.Errorf(
			"unknown quirk %q%s",
			r.Quirk,
			nearby(r.Quirk, QuirkNames(), "mockserver quirks"),
		)
	case r.Delay != nil && r.Delay.Kind == operation.KindDribble:
		return e.With(dribbling(r.Delay.Rate)), nil
	case r.Delay != nil:
		e.Do = []operation.Operation{{On: operation.OnRequest, Delay: r.Delay}}
	case r.Fail != nil:
		e.Do = r.Fail.Operations()
	default:
		e.Do = r.Do
	}
	return e, nil
}

// nearby says what a name may have been meant to be, or where all stand.
func nearby(name string, known []string, list string) string {
	if s := nearest.Question(name, known); s != "" {
		return s
	}
	return ": see " + list
}

// FaultNames lists the names of the faults and of the failures of the connection.
func FaultNames() []string {
	var names []string
	for _, f := range fault.All() {
		names = append(names, f.Name)
	}
	for _, c := range connectionFailures {
		names = append(names, c.Name)
	}
	return names
}

// QuirkNames lists the names of the quirks.
func QuirkNames() []string {
	var names []string
	for _, q := range quirk.All() {
		names = append(names, q.Name)
	}
	return names
}

// Overlay is how the rule changes the world that is served; nil if it does not.
func (r Rule) Overlay() func(*world.World) {
	if r.Fault == "" && r.Quirk == "" {
		return nil
	}
	m, _ := r.find() // an unknown one has none
	return m.Overlay
}

// name is what the journal calls the rule.
func (r Rule) name() string {
	switch {
	case r.Fault != "":
		return r.Fault
	case r.Quirk != "":
		return r.Quirk
	case r.Fail != nil && r.Fail.Code != 0:
		return fmt.Sprintf("fail %d", r.Fail.Code)
	case r.Fail != nil:
		return fmt.Sprintf("fail HTTP %d", r.Fail.Status)
	case r.Delay != nil:
		return "delay " + r.Delay.String()
	case len(r.Do) > 0:
		return r.Do[0].String()
	}
	return r.ID
}

// Warnings lists, in sentences, what a set takes although it is most likely a mistake:
// limits that no message of the protocol meets.
func (r Rule) Warnings() []string {
	var found []string
	for _, p := range r.Limits.Warnings() {
		found = append(found, r.name()+": "+p.Text)
	}
	for _, key := range append([]string{"message"}, limits...) {
		if strings.Contains(r.URI, ":"+key+"=") {
			found = append(
				found,
				fmt.Sprintf(
					"%s: the pattern %q has %s= in it: uri takes the rest, so the other limits come "+
						"before it",
					r.name(),
					r.URI,
					key,
				),
			)
		}
	}
	return found
}

// Needs are the conditions under which the fault or the quirk of a rule shows; nothing for others.
func (r Rule) Needs() fault.Needs {
	m, _ := r.find() // an unknown one needs nothing
	return m.Needs
}
