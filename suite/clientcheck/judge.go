// Package clientcheck judges clients: from the journal of a mock server it says, requirement
// by requirement, what a client did right, what it did wrong, and what it had no occasion
// to do. In a test it takes one line, after the client has been closed:
//
//	clientcheck.Verify(t, server.Journal())
//
// [Judge] makes a report of a journal in its JSON form (JSON Lines, as "mockserver --journal"
// writes it), and is a pure function of it: nothing is sent, nothing is waited for.
//
//	journal, err := clientcheck.Read(file)
//	...
//	report := clientcheck.Judge(journal, clientcheck.Options{})
//	err = write.Console(os.Stdout, report, write.Options{Areas: clientcheck.Catalogue().Titles()})
//
// The result is a report as mcpcheck writes it about servers, with the same verdicts, reason
// codes and exit statuses; every writer and tool for reports takes it.
//
// # How entries become verdicts
//
// Entries are sorted into conversations: a connection over stdio or HTTP+SSE, a session of
// Streamable HTTP, all requests of 2026-07-28 over HTTP. A connection over stdio on which
// both eras are spoken counts as two. A conversation has a revision, the one that was
// negotiated, and a transport; a requirement is judged once for each combination of the
// two, over all of its conversations.
//
// A conversation is a recording. Its exchanges are the requests of the server, with the responses
// of the client; what the client said stands beside them as messages, each with its answer. The
// checks are those of package verdict: pure functions, called for one conversation after the other.
//
// A client is held only to what the server in fact said. Where the server was told to
// break a rule, what cannot be told apart from a right reaction is not held against the
// client.
//
// The requirements stand in rows.yaml. One that the specification states with MUST, or by
// its schema, fails a client; one stated with SHOULD, or only implied, warns; what the
// specification leaves to the client is an observation at the most.
package clientcheck

import (
	"cmp"
	_ "embed"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The reason codes that only verdicts on clients have, and the ids of observations about the client as
// a whole.
const (
	// codeIncomplete is that of a verdict which needs what the journal no longer has.
	codeIncomplete = "journal-incomplete"
	// codeNothingDone is that of a client that did nothing with resources.
	codeNothingDone = "nothing-done"
	// codeCrashed is that the client did not end well.
	codeCrashed = "client-crashed"
)

// Options are what the journal does not tell. The zero value judges a client that may still
// be running, under no name.
type Options struct {
	// Tool introduces the program that judges; an empty name means mockserver.
	Tool reports.Tool
	// Name is what the client is called in the report, Address how it was started;
	// empty means what it says of itself.
	Name, Address string
	// Config is put into the report as it stands.
	Config reports.Config
	// Strict counts warnings as failures.
	Strict bool
	// Only limits the verdicts to these ids.
	Only []string
	// Ended says that the client has ended, so that what it has not done it never will.
	Ended bool
	// SingleClient says that all entries are of one client. Otherwise it is not known
	// who has given up after a session was lost, and nobody is blamed for it.
	SingleClient bool
	// Interrupted says in a few words why the client did not come to its end.
	Interrupted string
	// Crashed says in a few words how the client ended if it did not end well ("exit status 70").
	// What it had not done by then is not held against it, and unless it broke something before,
	// nothing is established.
	Crashed string
	// Duration is how long it ran; 0 means the time from the first entry to the last.
	Duration time.Duration
	// Secrets are texts that must not appear in the report.
	Secrets []string
}

// Judge says what a client did. The report has been summarized. Without any message of a
// client it has no results, and nothing is established.
func Judge(j Journal, o Options) *reports.Report {
	o.Tool.Name = cmp.Or(o.Tool.Name, "mockserver")
	o.Tool.Catalogue = cmp.Or(o.Tool.Catalogue, "client "+requirement.CatalogueVersion)
	o.Config.Strict, o.Config.Only = o.Strict, o.Only
	o.Ended = o.Ended && o.Crashed == ""
	r := newRecord(j.entries, o)
	idle := len(r.conversations) > 0 && !r.atWork()
	var rows []row
	for _, g := range r.groups() {
		for _, k := range checks() {
			q, _ := Catalogue().Find(k.requirement) // a test holds that each check has a row
			if q.Names(g.Combination) && (len(o.Only) == 0 || slices.Contains(o.Only, q.ID)) {
				v := g.judge(&k, q)
				if idle {
					withhold(q, g.Revision, &v)
				}
				rows = append(rows, row{v, q, g.Combination})
			}
		}
	}
	return r.report(rows, idle)
}

// row is the verdict on a requirement in a combination.
type row struct {
	verdict.Result
	*requirement.Requirement
	in requirement.Combination
}

// check judges one requirement on a conversation.
type check struct {
	requirement string
	// occasion says what did not happen where there is nothing to judge.
	occasion string
	judge    func(*judging)
}

// together judges all conversations of a combination at once.
func together(judge func(*judging)) func(*judging) {
	return func(v *judging) {
		if v.conversation == v.members[0] {
			judge(v)
		}
	}
}

// checks lists the checks of all requirements.
func checks() []check {
	return slices.Concat(lifecycleChecks, messageChecks, paramsChecks, httpChecks, listChecks, resourceChecks,
		serverChecks, modernChecks, authorizationChecks)
}

// cited is what a verdict can rest on: an entry, a message, an exchange.
type cited = verdict.Cited

// judging is a verdict on a conversation in the making.
type judging struct {
	*conversation
	*verdict.Verdict
}

// pass notes an occasion at which all was in order.
func (v *judging) pass(seen ...cited) { v.Holds(seen...) }

// violated notes a violation, and what to change in the client.
func (v *judging) violated(expected, actual, hint string, seen ...cited) {
	v.that(false, expected, actual, hint, seen...)
}

// that notes a violation unless something holds.
func (v *judging) that(ok bool, expected, actual, hint string, seen ...cited) {
	if ok {
		v.pass(seen...)
	} else {
		v.warn("", expected, actual, hint, seen...)
	}
}

// warn notes a violation that is worth a warning at most, and says why; without a reason the row decides.
func (v *judging) warn(why, expected, actual, hint string, seen ...cited) {
	v.Fail(verdict.Several(seen), expected, "%s", naming(actual, seen)).
		WarnIf(why != "").Downgraded(why).Hint(hint)
}

// naming adds to a sentence about messages that a member of one may have the wrong name.
func naming(actual string, seen []cited) string {
	for _, x := range seen {
		if m, ok := x.(*message); ok && m != nil {
			if said := m.misnaming(); said != "" {
				return actual + "; " + said
			}
		}
	}
	return actual
}

// remark notes a habit that breaks no rule.
func (v *judging) remark(habit string, seen ...cited) {
	v.Holds()
	v.Observe(verdict.Several(seen), "client-habit", "%s", habit)
}

// incomplete says that the journal lacks what has to be known.
func (v *judging) incomplete(reason string) { v.Block(nil, codeIncomplete, "%s", reason) }

//go:embed rows.yaml
var rows string

// Catalogue is the requirements on clients, read at the first call. It panics on rows
// that cannot be read: that is an error of this package, which every use of it shows.
func Catalogue() *requirement.Catalogue { return builtIn() }

var builtIn = sync.OnceValue(func() *requirement.Catalogue {
	area, err := requirement.ReadArea("suite/clientcheck/rows.yaml", rows)
	if err != nil {
		panic(err)
	}
	c, err := requirement.NewCatalogue(area)
	if err != nil {
		panic(err)
	}
	return c
})

// TB is what Verify needs of a test.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// How long Verify waits for the server to note that clients have gone, and how often it looks.
const (
	noticing = time.Second
	looks    = 100
)

// Verify fails the test for every requirement that the client under test broke so far;
// warnings count as well. The journal is that of a mock server, in its JSON form. All of it
// is of one client, which is taken to have done all that it wants to do: call it last, after
// the client has been closed. A client that sent nothing fails the test, too. A connection that
// the client has just closed is waited for, up to a second. For a milder judgement use [Judge].
func Verify(t TB, journal io.WriterTo) {
	t.Helper()
	j, err := From(journal)
	for look := 0; err == nil && j.open() && look < looks; look++ {
		time.Sleep(noticing / looks)
		var later Journal
		if later, err = From(journal); len(later.entries) > len(j.entries) {
			j = later
		}
	}
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	r := Judge(j, Options{Ended: true, SingleClient: true, Strict: true})
	if len(r.Results) == 0 {
		t.Errorf("no client has sent anything")
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Red() {
			t.Errorf("%s: %s", x.Verdict, write.Finding(r, x))
		}
	}
}

// open reports whether a connection with the framing of stdio is not noted as closed: a client
// that has closed its end cannot know when the server has read what came before.
func (j Journal) open() bool {
	open := map[string]bool{}
	for _, e := range j.entries {
		if e.Transport == requirement.Stdio {
			open[e.Session] = e.Kind != kindClosed || e.Scope != "connection"
		}
	}
	return slices.Contains(slices.Collect(maps.Values(open)), true)
}
