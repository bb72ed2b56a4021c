package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
)

// The sides that notice a fault, and the area of the failures that break no requirement.
const (
	sideClient     = "client"
	sideServer     = "server"
	areaConnection = "connection"
)

// listed is a fault or a quirk as it is found.
type listed struct {
	Name string `json:"name"`
	// Requirement is what a fault breaks; empty for failures of the connection, which break none.
	Requirement string   `json:"requirement,omitempty"`
	Permits     []string `json:"permits,omitempty"`
	Area        string   `json:"area,omitempty"`
	Summary     string   `json:"summary"`
	Needs       []string `json:"needs,omitempty"`
	Side        string   `json:"side"`
	// Client is what a good client does; empty if it notices nothing.
	Client string `json:"client,omitempty"`

	needs fault.Needs
}

// catalogue lists the faults by name, and then the failures of the connection.
func catalogue() []listed {
	var all []listed
	for _, f := range fault.All() {
		area, _, _ := strings.Cut(f.Requirement, "-")
		one := listed{Name: f.Name, Requirement: f.Requirement, Area: strings.ToLower(area),
			Summary: f.Summary, Needs: phrases("needs", f.Needs), Side: sideClient, Client: f.Client(),
			needs: f.Needs}
		if one.Client == "" {
			one.Side = sideServer
		}
		all = append(all, one)
	}
	for _, c := range control.ConnectionFailures() {
		needs := fault.Needs{Transports: c.Transports}
		all = append(all, listed{Name: c.Name, Area: areaConnection, Summary: c.Summary,
			Needs: phrases("needs", needs),
			Side:  sideClient, Client: c.Client, needs: needs})
	}
	return all
}

// oddities lists the quirks by name.
func oddities() []listed {
	var all []listed
	for _, q := range quirk.All() {
		all = append(all, listed{Name: q.Name, Permits: q.Permits, Summary: q.Summary,
			Needs: phrases("needs", q.Needs),
			Side:  sideClient, Client: "Works as it does without the quirk."})
	}
	return all
}

// text is all that is said, for words to be found in.
func (l *listed) text() string {
	return strings.ToLower(strings.Join([]string{l.Name, l.Requirement, strings.Join(l.Permits, " "), l.Area,
		l.Summary, strings.Join(l.Needs, " "), l.Client}, " "))
}

// having are those that have all the words.
func having(all []listed, words []string) []listed {
	return slices.DeleteFunc(slices.Clone(all), func(l listed) bool {
		text := l.text()
		return slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(text, strings.ToLower(word))
		})
	})
}

// unknown says that nothing is found, and what the words may have been meant to be.
func unknown(what string, from []listed, words []string) error {
	var known []string
	for _, l := range from {
		known = append(known, l.Name, l.Area)
		known = append(known, strings.FieldsFunc(l.text(), func(r rune) bool {
			return r < 'a' || r > 'z'
		})...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, word := range words {
		if len(having(from, []string{word})) == 0 {
			return usagef("no %s has %q in what is said of it%s", what, word, nearest.Question(word, known))
		}
	}
	return usagef("no %s has all of these words", what)
}

func (s *settings) faultsCommand() *cobra.Command {
	var area, side string
	var asJSON bool
	return helpcmd.New(help, "faults", nil, func(_ *cobra.Command, words []string) error {
		all := catalogue()
		if area != "" {
			all = slices.DeleteFunc(all, func(l listed) bool { return !strings.EqualFold(l.Area, area) })
			if len(all) == 0 {
				return usagef("--area: there are no faults of %q%s", area,
					nearest.Question(area, areas(catalogue())))
			}
		}
		if side != "" {
			if side != sideClient && side != sideServer {
				return usagef("--side is client or server, not %q%s", side,
					nearest.Question(side, []string{sideClient, sideServer}))
			}
			all = slices.DeleteFunc(all, func(l listed) bool { return l.Side != side })
		}
		return s.search("fault", all, words, asJSON)
	}, helpcmd.Flags{
		{&area, "area", "only faults of this `AREA` of the requirements, say page, or connection"},
		{&side, "side",
			"only faults that this `SIDE` notices: client, or server for those that only who " +
				"tests servers does"},
		{&asJSON, "json", "print them as JSON"},
	})
}

// areas are those of faults.
func areas(all []listed) []string {
	var names []string
	for _, l := range all {
		names = append(names, l.Area)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *settings) quirksCommand() *cobra.Command {
	var asJSON bool
	return helpcmd.New(help, "quirks", nil, func(_ *cobra.Command, words []string) error {
		return s.search("quirk", oddities(), words, asJSON)
	}, helpcmd.Flags{{&asJSON, "json", "print them as JSON"}})
}

// search prints those that have all the words.
func (s *settings) search(what string, from []listed, words []string, asJSON bool) error {
	all := having(from, words)
	if len(all) == 0 {
		return unknown(what, from, words)
	}
	if asJSON {
		return output.JSON(s.stdout, all)
	}
	return texts.ExecuteTemplate(s.stdout, "found", all)
}

// suit sets the page size, the world and the revisions that the chosen faults and quirks need
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
	// what shows in which page size is known of the world that is built in
	own, size := set["world"], s.options.PageSize
	if own && s.dir.path == "" && !set["page-size"] && !slices.Contains(reference.WorldNames(), s.world) {
		// serving the world says what is wrong with it
		if w, _, err := inspect(s.world); err == nil && w.PageSize > 0 {
			size, set["page-size"] = w.PageSize, true
		}
	}
	for _, rule := range s.options.Rules {
		if s.stdio && rule.Fail != nil && rule.Fail.Code == 0 {
			tell("over stdio there is no HTTP status: what would get %d is answered with the error -32603",
				rule.Fail.Status)
		}
		name, needs := cmp.Or(rule.Fault, rule.Quirk), rule.Needs()
		if n := needs.PageSize; n > 0 && n != size {
			switch {
			case !set["page-size"]:
				s.options.PageSize, size, set["page-size"] = n, n, true
				tell("the page size is %d, which %s needs", n, name)
			case rule.Quirk != "":
				if q, _ := quirk.Find(name); q.Aspect == "pages" {
					tell("%s is a page size of %d, in place of which one of %d is taken", name, n, size)
				}
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
				tell("%s shows only where nothing but %s is served: add --revision %[2]s", name,
					strings.Join(r, ","))
			} else {
				s.options.Revisions, set["revision"] = r, true
				tell("only %s is served, which %s needs", strings.Join(r, ", "), name)
			}
		}
		s.hindrances(tell, name, needs)
	}
	return told
}

// hindrances tells of the needs of a fault that no flag can meet, or that the choice of
// revisions or of the transport excludes.
func (s *settings) hindrances(tell func(format string, args ...any), name string, needs fault.Needs) {
	if len(s.options.Revisions) > 0 && excluded(needs.Revisions, s.options.Revisions) {
		tell("%s shows in %s only", name, strings.Join(needs.Revisions, ", "))
	}
	served := []string{hook.HTTP, hook.SSE}
	if s.stdio {
		served = []string{hook.Stdio}
	}
	if excluded(needs.Transports, served) {
		tell("%s shows over %s only", name, strings.Join(needs.Transports, ", "))
	}
	if needs.Trigger {
		tell("%s shows when a resource or the list changes meanwhile", name)
	}
	if needs.Authorization && s.options.Guard == nil {
		tell("%s demands a bearer token: %s may do everything, %s not read %s; --token-env gives other "+
			"tokens", name, hook.TokenFull, hook.TokenWeak, hook.ProtectedURI)
	}
}

// excluded reports whether something is needed, and nothing of that is served.
func excluded(needed, served []string) bool {
	return len(needed) > 0 && !slices.ContainsFunc(needed, func(one string) bool {
		return slices.Contains(served, one)
	})
}
