package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// The extents of runs that are no full ones.
const (
	ExtentPartial = "partial run"
	ExtentQuick   = "quick run"
	ExtentEarly   = "ended early"
	ExtentNowhere = "unreachable"
	ExtentTrace   = "partial: a trace"
)

// Extent says in two words what a run was if it was not a full one; empty if it was.
func (r *Report) Extent() string {
	switch {
	case r.Summary.Interrupted != "":
		return ExtentEarly
	case len(r.Results) == 0 && len(r.Target.Endpoints) > 0 &&
		len(r.Unreachable()) == len(r.Target.Endpoints):
		return ExtentNowhere // whatever was selected
	case r.Summary.Scope == Full:
		return ""
	case r.Config.Trace != "":
		return ExtentTrace
	case r.Config.Quick != nil:
		return ExtentQuick
	}
	return ExtentPartial
}

// DeclaresNoResources reports whether the target was reached and declares no
// resources in any revision that it serves: then only the base protocol can be
// judged.
func (r *Report) DeclaresNoResources() bool {
	served := 0
	for _, e := range r.Target.Endpoints {
		served += len(e.Revisions)
		if len(e.WithoutResources) < len(e.Revisions) {
			return false
		}
	}
	return served > 0
}

// Unreachable lists the endpoints that could not be reached.
func (r *Report) Unreachable() []Endpoint {
	return slices.DeleteFunc(slices.Clone(r.Target.Endpoints), func(e Endpoint) bool {
		return e.Unreachable == ""
	})
}

// Narrowed says by what a run was narrowed down; empty in reports that do not tell it.
func (r *Report) Narrowed(limit int) string {
	parts := r.LeftOut("", limit)
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// LeftOut lists by what a run was narrowed down, with so many names each. The ids that were asked for stand
// behind some words.
func (r *Report) LeftOut(only string, limit int) []string {
	c, parts := &r.Config, []string{}
	add := func(words string, ids []string) {
		if len(ids) > 0 {
			parts = append(parts, words+safe.Clean(plural.List(ids, limit), maxText))
		}
	}
	add(only, c.Only)
	add("without ", c.Skip)
	if c.LabelFilter != "" {
		add("labels ", []string{c.LabelFilter})
	}
	add("revisions ", c.Revisions)
	add("on ", c.Transports)
	if c.Trace != "" {
		parts = append(parts, "a trace")
	}
	if c.NoSecurityProbes {
		parts = append(parts, "no security probes")
	}
	var out []string
	for _, x := range r.Only(func(x *Result) bool { return x.ReasonCode == CodeOptedOut }) {
		out = append(out, x.ID)
	}
	add("opted out of ", slices.Compact(out))
	return parts
}

// EndedEarly says why the run ended early; empty if it did not.
func (r *Report) EndedEarly() string {
	switch why := r.Summary.Interrupted; why {
	case "budget":
		more, seen := "; --budget allows more", ""
		for i := range r.Target.Endpoints {
			e := &r.Target.Endpoints[i]
			if e.OneAtATime != "" {
				seen += "; " + safe.Clean(e.OneAtATime, maxText)
			}
			if e.Hung != "" {
				more, seen = "", seen+"; "+safe.Clean(e.Hung, maxText)
			}
		}
		return fmt.Sprintf("the time for the whole run, %s, was spent",
			time.Duration(r.Config.BudgetMS)*time.Millisecond) + more + seen
	case "volume":
		if r.Lost() != "" { // before there was anything to select
			return "the target sent more than a run keeps; --run-bytes allows more"
		}
		return "what was sent and received is more than a run keeps; --only and --revision make it less"
	case "interrupted":
		return "it was interrupted"
	default:
		return safe.Clean(why, maxText)
	}
}

// Lost says which endpoints could not be reached, or gave no answer with which a session could be opened;
// empty if all could.
func (r *Report) Lost() string {
	var addresses []string
	reached := true // all of them
	for _, e := range r.Unreachable() {
		addresses = append(addresses, e.Place())
		reached = reached && e.Reached
	}
	if len(addresses) == 0 {
		return ""
	}
	if r.Summary.Interrupted == "budget" && len(r.Results) == 0 {
		return strings.Join(addresses, ", ") + " gave no answer that could be used before the time was spent"
	}
	if reached {
		return strings.Join(addresses, ", ") + " gave no answer that can be used"
	}
	return strings.Join(addresses, ", ") + " could not be reached"
}

// Place is where an endpoint is, as a sentence names it.
func (e *Endpoint) Place() string {
	if e.Started != "" { // its port may never have been known
		return "the server to be started for " + e.Transport
	}
	return safe.Clean(e.Address, 200)
}

// Unreached says why endpoints could not be reached; empty if all could.
func (r *Report) Unreached() string {
	var reasons []string
	for _, e := range r.Unreachable() {
		reasons = append(reasons, safe.Clean(e.Unreachable, maxText))
	}
	return strings.Join(reasons, "; ")
}
