package control

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// ParseFault reads a fault and its limits from text:
//
//	NAME[:method=M][:count=N][:skip=N][:every=N][:chance=P][:while=SCENARIO=STATE][:become=SCENARIO=STATE]
//	    [:session=ID][:identity=TOKEN][:uri=PATTERN]
//
// The pattern may have colons in it: it comes last and takes the rest.
func ParseFault(s string) (Rule, error) {
	name, limits, _ := strings.Cut(s, ":")
	return parse(Rule{Fault: name}, limits)
}

// ParseQuirk reads a quirk and its limits as ParseFault does.
func ParseQuirk(s string) (Rule, error) {
	name, limits, _ := strings.Cut(s, ":")
	return parse(Rule{Quirk: name}, limits)
}

// ParseLatency reads a delay, as ParseDelay does, and its limits behind it, as
// ParseFault does: "uniform:10ms-90ms:method=resources/read".
func ParseLatency(s string) (Rule, error) {
	text, limits, _ := strings.Cut(s, ":")
	if slices.Contains(kinds, text) {
		var value string
		value, limits, _ = strings.Cut(limits, ":")
		text += ":" + value
	} else if near := nearest.Question(text, kinds); near != "" {
		return Rule{}, fmt.Errorf("unknown delay %q%s", text, near)
	}
	d, err := ParseDelay(text)
	if err != nil {
		return Rule{}, err
	}
	return parse(Rule{Delay: d}, limits)
}

// kinds are those of delays, which are written before the delay.
var kinds = []string{operation.KindFixed, operation.KindUniform, operation.KindLognormal, operation.KindDribble}

// ParseFailure reads a canned failure, the code of a JSON-RPC error or "http" and a status, and its
// limits as ParseFault does: "-32603:method=resources/read:count=2", "http503".
func ParseFailure(s string) (Rule, error) {
	text, limits, _ := strings.Cut(s, ":")
	f := &Failure{}
	var err error
	if status, ok := strings.CutPrefix(text, "http"); ok {
		f.Status, err = strconv.Atoi(status)
	} else {
		f.Code, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		hint := nearest.Question(text, FaultNames())
		if slices.Contains(FaultNames(), text) {
			hint = fmt.Sprintf(": it is a fault: --fault %s", s)
		}
		return Rule{}, fmt.Errorf("failure %q: %q is neither the code of an error nor http and a status, as -32603 and http503 are%s", s, text, hint)
	}
	return parse(Rule{Fail: f}, limits)
}

// parse reads limits and validates the rule.
func parse(r Rule, limits string) (Rule, error) {
	for limits != "" {
		var part string
		if strings.HasPrefix(limits, "uri=") {
			part, limits = limits, ""
		} else {
			part, limits, _ = strings.Cut(limits, ":")
		}
		if err := r.set(part); err != nil {
			return Rule{}, err
		}
	}
	if err := r.Validate(); err != nil {
		return Rule{}, err
	}
	return r, nil
}

// limits are the keys of limits, but for uri.
var limits = []string{"method", "count", "skip", "every", "chance", "while", "become", "session", "identity"}

// state reads the state of a scenario, as in "while=link=down".
func (r *Rule) state(into *map[string]string, key, value string) error {
	scenario, state, ok := strings.Cut(value, "=")
	if !ok {
		return fmt.Errorf("%s: the limit %s is %q, which is not written SCENARIO=STATE", r.name(), key, value)
	}
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[scenario] = state
	return nil
}

func (r *Rule) set(part string) error {
	key, value, ok := strings.Cut(part, "=")
	if !ok || value == "" {
		return fmt.Errorf("%s: the limit %q is not written key=value", r.name(), part)
	}
	var err error
	switch key {
	case "method":
		r.Method = value
	case "uri":
		r.URI = value
	case "session":
		r.Session = value
	case "identity":
		r.Identity = value
	case "count":
		r.Count, err = strconv.Atoi(value)
		if err == nil && r.Count < 1 {
			err = fmt.Errorf("must be at least 1")
		}
	case "skip":
		r.Skip, err = strconv.Atoi(value)
	case "every":
		r.Every, err = strconv.Atoi(value)
	case "chance":
		r.Chance, err = strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("%s: the limit chance is %q, which is no number between 0 and 1", r.name(), value)
		}
	case "while":
		return r.state(&r.While, key, value)
	case "become":
		return r.state(&r.Become, key, value)
	case "message":
		if r.Fail == nil {
			return fmt.Errorf("%s: only a failure has a message", r.name())
		}
		r.Fail.Message = value
	default:
		return fmt.Errorf("%s: unknown limit %q: known are %s and uri%s", r.name(), key, strings.Join(limits, ", "), nearest.Question(key, append(limits, "uri")))
	}
	if err != nil {
		return fmt.Errorf("%s: the limit %s is %q, which is no number from 1 on", r.name(), key, value)
	}
	return nil
}
