package control

import (
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/fault"
)

// Warnings lists, in sentences, what a set takes although it is most likely a mistake:
// limits that no message of the protocol meets.
func (r Rule) Warnings() []string {
	var found []string
	for _, p := range r.Limits.Warnings() {
		found = append(found, r.name()+": "+p.Text)
	}
	for _, key := range append([]string{"message"}, limits...) {
		if strings.Contains(r.URI, ":"+key+"=") {
			found = append(found, fmt.Sprintf("%s: the pattern %q has %s= in it: uri takes the rest, so the other limits come before it", r.name(), r.URI, key))
		}
	}
	return found
}

// Needs are the conditions under which the fault of a rule shows; nothing for others.
func (r Rule) Needs() fault.Needs {
	if r.Fault == "" {
		return fault.Needs{}
	}
	f, _ := fault.Find(r.Fault) // an unknown one needs nothing
	return f.Needs
}
