package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/spf13/cobra"
)

// suit sets the page size, the world and the revisions that the chosen faults need
// in order to be seen, where the user has set none, and returns a sentence for each
// thing that was set or that is still in the way.
func (s *settings) suit(cmd *cobra.Command) []string {
	var told []string
	tell := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	set := map[string]bool{}
	for _, name := range []string{"page-size", "world", "revision"} {
		set[name] = cmd.Flags().Changed(name)
	}
	set["world"] = set["world"] || s.dir.path != ""
	own := set["world"] // what shows in which page size is known of the world that is built in
	for _, rule := range s.options.Rules {
		if s.stdio && rule.Fail != nil && rule.Fail.Code == 0 {
			tell("over stdio there is no HTTP status: what would get %d is answered with the error -32603", rule.Fail.Status)
		}
		name := rule.Fault
		f, ok := fault.Find(name)
		if !ok {
			continue // a quirk, a delay, or a failure that needs nothing
		}
		needs := f.Needs
		if n := needs.PageSize; n > 0 && n != s.options.PageSize {
			switch {
			case !set["page-size"]:
				s.options.PageSize, set["page-size"] = n, true
				tell("the page size is %d, which %s needs", n, name)
			case !own:
				tell("%s shows with a page size of %d only: add --page-size %[2]d", name, n)
			}
		}
		if w := needs.World; w != "" && w != s.world {
			if set["world"] {
				tell("%s shows in the world %q only: add --world %[2]s", name, w)
			} else {
				s.world, set["world"] = w, true
				tell("the world is %q, which %s needs", w, name)
			}
		}
		if r := needs.Served; len(r) > 0 && !slices.Equal(r, s.options.Revisions) {
			if set["revision"] {
				tell("%s shows only where nothing but %s is served: add --revision %[2]s", name, strings.Join(r, ","))
			} else {
				s.options.Revisions, set["revision"] = r, true
				tell("only %s is served, which %s needs", strings.Join(r, ", "), name)
			}
		}
		told = append(told, s.hindrances(name, needs)...)
	}
	return told
}

// hindrances are the needs of a fault that no flag can meet, or that the choice of
// revisions or of the transport excludes.
func (s *settings) hindrances(name string, needs fault.Needs) []string {
	var told []string
	if len(needs.Revisions) > 0 && len(s.options.Revisions) > 0 &&
		!slices.ContainsFunc(needs.Revisions, func(r string) bool { return slices.Contains(s.options.Revisions, r) }) {
		told = append(told, fmt.Sprintf("%s shows in %s only", name, strings.Join(needs.Revisions, ", ")))
	}
	served := []string{hook.HTTP, hook.SSE}
	if s.stdio {
		served = []string{hook.Stdio}
	}
	if len(needs.Transports) > 0 && !slices.ContainsFunc(needs.Transports, func(t string) bool { return slices.Contains(served, t) }) {
		told = append(told, fmt.Sprintf("%s shows over %s only", name, strings.Join(needs.Transports, ", ")))
	}
	if needs.Trigger {
		told = append(told, fmt.Sprintf("%s shows when a resource or the list changes meanwhile", name))
	}
	if needs.Authorization && s.options.Guard == nil {
		told = append(told, fmt.Sprintf("%s demands a bearer token: %s may do everything, %s not read %s; --token-env gives other tokens", name, hook.TokenFull, hook.TokenWeak, hook.ProtectedURI))
	}
	return told
}
