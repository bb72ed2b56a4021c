package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// answer is what one side answered to a question.
type answer struct {
	// none is why there is no answer; void says that this proves nothing about the
	// side: the run was interrupted, or we were asked to come back later.
	none   string
	void   bool
	failed bool         // body is an error
	stands bool         // it is the answer to a subscription, which stands
	body   gjson.Result // the result, or the error
	// Of a walk: what was listed on all pages, and how it ended.
	entries []entry
	end     string
}

// entry is one entry of a list, with its name in the words of the direct side.
type entry struct {
	name string
	raw  gjson.Result
}

// unnamed is how the name of an entry begins that has none of its own.
const unnamed = "entry without "

func nameless(name string) bool { return strings.HasPrefix(name, unnamed) }

// reply is the answer in an exchange.
func reply(x *recording.Exchange) answer {
	switch {
	case x.Succeeded():
		return answer{body: x.Result(), stands: x.Tags[tagStands] != ""}
	case x.Failed():
		return answer{failed: true, body: x.Error()}
	case x.CutOff():
		return answer{none: x.Reason, void: true}
	case x.Reason != "":
		return answer{none: x.Reason}
	}
	return answer{none: "no answer (" + string(x.Outcome) + ")"}
}

// quoted is a text of ours as a value.
func quoted(s string) gjson.Result {
	b, err := json.Marshal(s)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.ParseBytes(b)
}

// shown is an answer as one value, where there being one is the difference.
func (a answer) shown() gjson.Result {
	switch {
	case a.none != "":
		return quoted(a.none)
	case a.failed:
		return gjson.Parse(`{"error":` + a.body.Raw + `}`)
	}
	return gjson.Parse(`{"result":` + a.body.Raw + `}`)
}

// finding is a difference between two answers to one question.
type finding struct {
	subject         string
	path            []string // names of members; "[2]" is an element of an array
	kind            Kind
	direct, through gjson.Result // what does not exist on a side that has nothing there
}

// about reports whether two findings are about the same place, or one about a part
// of what the other is about.
func (f *finding) about(g *finding) bool {
	n := min(len(f.path), len(g.path))
	return f.subject == g.subject && slices.Equal(f.path[:n], g.path[:n])
}

// is reports whether a difference is about the answer as a whole, in the one way or the
// other.
func (f *finding) is(place string) bool { return len(f.path) == 1 && f.path[0] == place }

// The places of differences that are about an answer as a whole.
const (
	whether  = "answer"       // there is one, or a result and no error
	standing = "subscription" // it stands
)

// question is one thing that both sides were asked.
type question struct {
	part
	subject         string
	direct, through answer
	found           []finding
}

// compare compares two answers to the question.
func (q *question) compare(n names, a, b answer) []finding {
	f := finding{subject: q.subject, path: []string{whether}, kind: Changed, direct: a.shown(), through: b.shown()}
	good := func(x answer) bool { return x.none == "" && !x.failed }
	stands := a.stands != b.stands && a.none == "" && b.none == ""
	switch {
	case a.void || b.void || a.none != "" && b.none != "":
		return nil
	case a.stands && b.stands:
		return nil // what is granted is the same; what else an acknowledgment says is up to the session
	case stands:
		f.path, f.kind = []string{standing}, Dropped
		if b.stands {
			f.kind = Added
		}
	case good(a) && good(b) && q.key != "":
		return matchLists(n, q.method, q.member, a, b)
	case good(a) && good(b) && q.method == updated:
		return n.diff(q.subject, a.body, b.body, updated)
	case q.method == updated && good(a):
		f.path, f.kind, f.direct, f.through = []string{updated}, Dropped, quoted("it arrived"), gjson.Result{}
	case q.method == updated:
		f.path, f.kind, f.direct, f.through = []string{updated}, Added, gjson.Result{}, quoted("it arrived")
	case good(a) && good(b):
		return n.diff(q.subject, a.body, b.body)
	case good(a):
		f.kind = Dropped
	case good(b):
		f.kind = Added
	case a.failed && b.failed:
		// The message is for people, and a gateway may add its own words.
		return append(n.diff(q.subject, a.body.Get("code"), b.body.Get("code"), "error", "code"),
			n.diff(q.subject, a.body.Get("data"), b.body.Get("data"), "error", "data")...)
	}
	return []finding{f}
}

// answers are what a side answered in a scenario: the subjects in the order in which they
// were asked, and the answer by subject.
func (p part) answers(rec *recording.Recording, t *talk) (subjects []string, by func(string) answer) {
	all := map[string]answer{}
	switch {
	case p.key != "":
		subjects = []string{p.method}
		if pages := rec.Steps(recording.StepPage); len(pages) > 0 {
			all[p.method] = p.walked(pages, t)
		}
	case p.method == "":
		subjects = []string{declaration}
		for _, x := range p.exchanges(rec) {
			all[declaration] = reply(x)
		}
	default:
		for _, x := range p.exchanges(rec) {
			s := subject(x)
			if !slices.Contains(subjects, s) {
				subjects = append(subjects, s)
			}
			all[s] = reply(x)
		}
	}
	return subjects, func(s string) answer {
		a, asked := all[s]
		switch {
		case asked:
		case rec.Broken != nil && p.method != updated:
			a = answer{none: rec.Broken.Reason, void: rec.Broken.Code == recording.CodeInterrupted}
		default:
			a = answer{none: unasked, void: true}
		}
		return a
	}
}

// unasked is why there is no answer where there was no occasion to ask.
const unasked = "it was not asked"

// How a walk ended.
const (
	endDone    = "done"
	endCycle   = "a page came back that was there before"
	endBound   = "the walk was not followed any further"
	endRefused = "a page was refused"
)

var ends = map[string]string{"done": endDone, "cycle": endCycle, "idle": endBound, "bound": endBound, "refused": endRefused}

// walked is what came of a walk. Names are put into the words of the direct side.
func (p part) walked(pages []*recording.Exchange, t *talk) answer {
	all := reply(pages[0])
	if all.none != "" || all.failed {
		return all
	}
	for _, x := range pages {
		for _, item := range x.Result().Get(p.member).Array() {
			name := item.Get(p.key)
			e := entry{name: t.words.uri.back(name.String()), raw: item}
			if name.Type != gjson.String {
				e.name = unnamed + p.key + ": " + item.Raw
			}
			all.entries = append(all.entries, e)
		}
	}
	last := pages[len(pages)-1]
	all.end, all.void = ends[last.Tags[recording.TagEnd]], last.CutOff()
	return all
}

// matchLists compares two walks: entries by name, then their order, and how the walks
// ended. What a walk that did not come to its end lacks is no difference.
func matchLists(n names, method, member string, a, b answer) []finding {
	all := n.diff(method, without(a.body, member, "nextCursor"), without(b.body, member, "nextCursor"))
	if a.end != b.end && a.end != endBound && b.end != endBound {
		all = append(all, finding{subject: method, path: []string{"end"}, kind: Changed, direct: quoted(a.end), through: quoted(b.end)})
	}
	x, y := byName(a.entries), byName(b.entries)
	for _, name := range order(a.entries) {
		d, t := x[name], y[name]
		switch {
		case len(t) == 0 && b.end == endDone:
			all = append(all, finding{subject: name, kind: Dropped, direct: d[0]})
		case len(t) == 0:
		case len(t) > len(d) && a.end == endDone, len(d) > len(t) && b.end == endDone:
			all = append(all, finding{subject: name, path: []string{"occurrences"}, kind: Changed, direct: number(len(d)), through: number(len(t))})
			fallthrough
		default:
			all = append(all, n.diff(name, d[0], t[0])...)
		}
	}
	for _, name := range order(b.entries) {
		if len(x[name]) == 0 && a.end == endDone {
			all = append(all, finding{subject: name, kind: Added, through: y[name][0]})
		}
	}
	return append(all, sequence(method, a.entries, b.entries, x, y)...)
}

func number(n int) gjson.Result { return gjson.Parse(strconv.Itoa(n)) }

// without is an object without some members.
func without(o gjson.Result, names ...string) gjson.Result {
	kept := map[string]json.RawMessage{}
	for name, value := range members(o) {
		if !slices.Contains(names, name) {
			kept[name] = json.RawMessage(value.Raw)
		}
	}
	b, err := json.Marshal(kept)
	if err != nil {
		return o
	}
	return gjson.ParseBytes(b)
}

func byName(all []entry) map[string][]gjson.Result {
	m := map[string][]gjson.Result{}
	for _, e := range all {
		m[e.name] = append(m[e.name], e.raw)
	}
	return m
}

// order lists the names of entries, each once, as they came.
func order(all []entry) []string {
	seen := map[string]bool{}
	var list []string
	for _, e := range all {
		if !seen[e.name] {
			seen[e.name] = true
			list = append(list, e.name)
		}
	}
	return list
}

// sequence compares the order of what both sides list, and shows where it parts.
func sequence(method string, a, b []entry, x, y map[string][]gjson.Result) []finding {
	common := func(all []entry, other map[string][]gjson.Result) []string {
		return slices.DeleteFunc(order(all), func(name string) bool { return len(other[name]) == 0 })
	}
	p, q := common(a, y), common(b, x)
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			show := func(all []string) gjson.Result {
				const few = 3
				b, err := json.Marshal(all[i:min(len(all), i+few)])
				if err != nil {
					return quoted(fmt.Sprint(err))
				}
				return gjson.ParseBytes(b)
			}
			return []finding{{subject: method, path: []string{"order"}, kind: Changed, direct: show(p), through: show(q)}}
		}
	}
	return nil
}
