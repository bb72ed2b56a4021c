package control

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// ParseFault reads a fault and its limits from text:
//
//	NAME[:method=M][:count=N][:skip=N][:session=ID][:identity=TOKEN][:uri=PATTERN]
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
	switch text {
	case operation.KindFixed, operation.KindUniform, operation.KindLognormal, operation.KindDribble:
		var value string
		value, limits, _ = strings.Cut(limits, ":")
		text += ":" + value
	}
	d, err := ParseDelay(text)
	if err != nil {
		return Rule{}, err
	}
	return parse(Rule{Delay: d}, limits)
}

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
		return Rule{}, fmt.Errorf("failure %q: %q is neither the code of an error nor http and a status, as -32603 and http503 are", s, text)
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
	case "message":
		if r.Fail == nil {
			return fmt.Errorf("%s: only a failure has a message", r.name())
		}
		r.Fail.Message = value
	default:
		return fmt.Errorf("%s: unknown limit %q: known are method, count, skip, session, identity and uri", r.name(), key)
	}
	if err != nil {
		return fmt.Errorf("%s: the limit %s is %q, which is no number from 1 on", r.name(), key, value)
	}
	return nil
}
