package control

import (
	"fmt"
	"reflect"
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
var kinds = []string{operation.KindFixed, operation.KindUniform, operation.KindLognormal,
	operation.KindDribble}

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
		return Rule{}, fmt.Errorf("failure %q: %q is neither the code of an error nor http and a status, "+
			"as -32603 and http503 are%s", s, text, hint)
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
var limits = strings.Fields("method count skip every chance while become session identity")

// limit is the member of the limits that a key means, which is named as in a file; it is not valid if there
// is none.
func (r *Rule) limit(key string) reflect.Value {
	if key != "uri" && !slices.Contains(limits, key) {
		return reflect.Value{}
	}
	return reflect.ValueOf(&r.Limits).Elem().FieldByNameFunc(func(name string) bool {
		return strings.EqualFold(name, key)
	})
}

func (r *Rule) set(part string) error {
	key, value, ok := strings.Cut(part, "=")
	if !ok || value == "" {
		return fmt.Errorf("%s: the limit %q is not written key=value", r.name(), part)
	}
	to := r.limit(key)
	wrong := func(what string) error {
		return fmt.Errorf("%s: the limit %s is %q, which is %s", r.name(), key, value, what)
	}
	switch {
	case key == "message" && r.Fail == nil:
		return fmt.Errorf("%s: only a failure has a message", r.name())
	case key == "message":
		r.Fail.Message = value
	case !to.IsValid():
		return fmt.Errorf("%s: unknown limit %q: known are %s and uri%s", r.name(), key,
			strings.Join(limits, ", "), nearest.Question(key, append(limits, "uri")))
	case to.Kind() == reflect.String:
		to.SetString(value)
	case to.CanInt():
		n, err := strconv.Atoi(value)
		if err != nil || key == "count" && n < 1 {
			return wrong("no number from 1 on")
		}
		to.SetInt(int64(n))
	case to.CanFloat():
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return wrong("no number between 0 and 1")
		}
		to.SetFloat(n)
	default: // states, as in "while=link=down"
		scenario, state, ok := strings.Cut(value, "=")
		if !ok {
			return wrong("not written SCENARIO=STATE")
		}
		if to.IsNil() {
			to.Set(reflect.MakeMap(to.Type()))
		}
		to.SetMapIndex(reflect.ValueOf(scenario), reflect.ValueOf(state))
	}
	return nil
}
