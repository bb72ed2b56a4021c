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
	d, err := r.find()
	if err != nil {
		return err
	}
	return r.limitable(d)
}

// limitable refuses limits for what acts on no single message.
func (r Rule) limitable(d deviation) error {
	if r.Limits.None() {
		return nil
	}
	h := d.HooksFor(stream(0, 0))
	var whole string
	switch {
	case !h.Idle() || h.EventStreams != nil || d.Needs.Authorization:
		return nil
	case h.Stdio != nil || h.Conn != nil:
		whole = "connections"
	case d.Overlay != nil:
		whole = "worlds"
	default:
		whole = "servers"
	}
	return fmt.Errorf("%s acts on whole %s and cannot be limited", d.label, whole)
}

// The sorts of rules, from outside to inside.
const (
	rankDelay = iota
	rankFailure
	rankFault
	rankQuirk
)

// deviation is what a rule consists of.
type deviation struct {
	fault.Fault
	rank  int
	label string // what the journal calls it
}

// find is what the rule consists of. Of what there is not it has the label.
func (r Rule) find() (d deviation, err error) {
	switch known := false; {
	case r.Fault != "":
		d.rank, d.label = rankFault, r.Fault
		if d.Fault, known = fault.Find(r.Fault); known {
			return d, nil
		}
		for _, c := range connectionFailures {
			if c.Name == r.Fault {
				d.Name, d.Summary, d.Requirement = c.Name, c.Summary, "connection"
				d.Needs.Transports = c.Transports
				d.rank, d.Fault = rankFailure, d.With(c.Hooks)
				return d, nil
			}
		}
		if slices.Contains(QuirkNames(), r.Fault) {
			return d, fmt.Errorf("unknown fault %q: it is a quirk: --quirk %s", r.Fault, r.Fault)
		}
		return d, fmt.Errorf("unknown fault %q%s", r.Fault,
			nearby(r.Fault, FaultNames(), "mockserver faults"))
	case r.Quirk != "":
		d.rank, d.label = rankQuirk, r.Quirk
		if d.Fault, known = quirk.Find(r.Quirk); known {
			return d, nil
		}
		if slices.Contains(FaultNames(), r.Quirk) {
			return d, fmt.Errorf("unknown quirk %q: it is a fault: --fault %s", r.Quirk, r.Quirk)
		}
		return d, fmt.Errorf("unknown quirk %q%s", r.Quirk,
			nearby(r.Quirk, QuirkNames(), "mockserver quirks"))
	case r.Delay != nil:
		d.rank, d.label = rankDelay, "delay "+r.Delay.String()
		if r.Delay.Kind == operation.KindDribble {
			d.Fault = d.With(dribbling(r.Delay.Rate))
		} else {
			d.Do = []operation.Operation{{On: operation.OnRequest, Delay: r.Delay}}
		}
	case r.Fail != nil:
		d.rank, d.label, d.Do = rankFailure, fmt.Sprintf("fail %d", r.Fail.Code), r.Fail.Operations()
		if r.Fail.Code == 0 {
			d.label = fmt.Sprintf("fail HTTP %d", r.Fail.Status)
		}
	default:
		d.rank, d.label, d.Do = rankFault, r.ID, r.Do
		if len(r.Do) > 0 {
			d.label = r.Do[0].String()
		}
	}
	return d, nil
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
	d, _ := r.find() // an unknown one has none
	return d.Overlay
}

// name is what the journal calls the rule.
func (r Rule) name() string {
	d, _ := r.find() // an unknown one has a name as well
	return d.label
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
			found = append(found, fmt.Sprintf("%s: the pattern %q has %s= in it: uri takes the rest, so the "+
				"other limits come before it", r.name(), r.URI, key))
		}
	}
	return found
}

// Needs are the conditions under which the fault or the quirk of a rule shows; nothing for others.
func (r Rule) Needs() fault.Needs {
	d, _ := r.find() // an unknown one needs nothing
	return d.Needs
}
