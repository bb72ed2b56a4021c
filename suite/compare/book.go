package compare

import (
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// key is what both sides were asked: the subject, in the words of the direct side. What a walk
// found holds each entry under a separate key, by its name.
type key struct {
	*part
	subject string
	entry   bool
}

// question returns what was asked about a key.
func (k key) question() key {
	if k.entry {
		return key{part: k.part, subject: k.method}
	}
	return k
}

// answer is what one side answered.
type answer struct {
	// none is why there is no answer; void says that this proves nothing about the
	// side: the run was interrupted, or we were asked to come back later.
	none   string
	void   bool
	failed bool         // body is an error
	body   gjson.Result // the result, the error, or the entry of a list
	// Of a walk: how it ended, and the names of the entries. Of an entry: whether the walk came to
	// its end. Of both: how often an entry is there.
	end   string
	order []string
	times int
	whole bool
}

// good reports whether an answer is a result.
func (a answer) good() bool { return a.none == "" && !a.failed }

// book is what a side answered.
type book struct {
	takes
	keys    []key
	answers map[key]answer
}

func (b *book) put(k key, a answer) {
	if _, ok := b.answers[k]; !ok {
		b.keys = append(b.keys, k)
	}
	b.answers[k] = a
}

// unasked is why there is no answer where there was no occasion to ask.
const unasked = "it was not asked"

// of is the answer to a question. An entry is absent, and there 0 times, where a walk that came to its end
// did not find it.
func (b *book) of(k key) answer {
	a, ok := b.answers[k]
	rec := b.takes[k.name]
	switch {
	case ok:
	case k.entry:
		a.void = b.answers[k.question()].end != endDone
	case rec != nil && rec.Broken != nil && k.part != updating:
		a = answer{none: rec.Broken.Reason, void: rec.Broken.Code == recording.CodeInterrupted}
	default:
		a = answer{none: unasked, void: true}
	}
	return a
}

// read reads what a side answered in recordings.
func (t *talk) read(recorded takes) *book {
	b := &book{takes: recorded, answers: map[key]answer{}}
	for _, p := range parts {
		rec := recorded[p.name]
		if rec == nil {
			continue
		}
		if p.named != "" {
			b.walk(key{part: p, subject: p.method}, rec.Steps(recording.StepPage), t.words.uri)
			continue
		}
		for _, x := range p.exchanges(rec) {
			b.put(key{part: p, subject: subject(x)}, reply(x))
		}
		if k := (key{part: p, subject: declaration}); p == declaring {
			b.put(k, b.of(k))
		}
	}
	return b
}

// nameless is the prefix of the names that compare gives to entries without one.
const nameless = "entry without "

// walk reads a list. Names are put into the words of the direct side.
func (b *book) walk(list key, pages []*recording.Exchange, words renames) {
	all := b.of(list)
	if len(pages) > 0 {
		all = reply(pages[0])
	}
	if all.good() {
		last := pages[len(pages)-1]
		all.end, all.void = ends[last.Tags[recording.TagEnd]], last.CutOff()
		for _, x := range pages {
			for _, item := range x.Value(list.member).Array() {
				named := item.Get(list.named)
				name := words.back(named.Str)
				if named.Type != gjson.String {
					name = nameless + list.named + ": " + item.Raw
				}
				all.times++
				k := key{list.part, name, true}
				e := b.answers[k]
				if e.times++; e.times == 1 {
					e.body, e.void, e.whole = item, all.void, all.end == endDone
					all.order = append(all.order, name)
				}
				b.put(k, e)
			}
		}
	}
	b.put(list, all)
}

// How a walk ended.
const (
	endDone  = "done"
	endBound = "the walk was not followed any further"
)

var ends = map[string]string{
	"done": endDone, "cycle": "a page came back that was there before", "idle": endBound, "bound": endBound,
	"refused": "a page was refused",
}

// reply is the answer in an exchange.
func reply(x *recording.Exchange) answer {
	switch {
	case x.Succeeded():
		return answer{body: x.Result()}
	case x.Failed():
		return answer{failed: true, body: x.Error()}
	case x.CutOff():
		return answer{none: x.Reason, void: true}
	case x.Reason != "":
		return answer{none: x.Reason}
	}
	return answer{none: "no answer (" + string(x.Outcome) + ")"}
}

// quoted is a value of ours as JSON.
func quoted(v any) gjson.Result {
	b, err := json.Marshal(v)
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
	key
	path            []string // names of members; "[2]" is an element of an array
	kind            Kind
	direct, through gjson.Result // what does not exist on a side that has nothing there
}

// about reports whether two findings are about the same place, or one about a part
// of what the other is about.
func (f *finding) about(g *finding) bool {
	n := min(len(f.path), len(g.path))
	return f.key == g.key && slices.Equal(f.path[:n], g.path[:n])
}

// is reports whether a difference is about the answer as a whole, in the one way or the
// other.
func (f *finding) is(place string) bool { return len(f.path) == 1 && f.path[0] == place }

// The places of differences that are about an answer as a whole.
const (
	whether  = "answer"       // there is one, or a result and no error
	standing = "subscription" // it stands
)

// compare compares what two sides answered, as far as both were asked.
func (n names) compare(a, b *book) (all []finding) {
	for _, k := range a.keys {
		all = append(all, n.answers(k, a.answers[k], b.of(k))...)
	}
	for _, k := range b.keys {
		if k.entry && a.of(k).times == 0 {
			all = append(all, n.answers(k, a.of(k), b.answers[k])...)
		}
	}
	return all
}

// answers compares two answers to a question.
func (n names) answers(k key, a, b answer) (all []finding) {
	f := finding{key: k, path: []string{whether}, kind: Changed, direct: a.shown(), through: b.shown()}
	switch {
	case a.good() && !b.good():
		f.kind = Dropped
	case b.good() && !a.good():
		f.kind = Added
	}
	switch {
	case a.void || b.void || a.none != "" && b.none != "":
		return nil
	case k.entry:
		all = n.diff(k, a.body, b.body)
		// What a walk that did not come to its end lacks is no difference.
		if a.times*b.times > 0 && (b.times > a.times && a.whole || a.times > b.times && b.whole) {
			all = append(all, n.diff(k, quoted(a.times), quoted(b.times), "occurrences")...)
		}
		return all
	case a.failed && b.failed:
		// The message is for people, and a gateway may add its own words.
		return append(n.diff(k, a.body.Get("code"), b.body.Get("code"), "error", "code"),
			n.diff(k, a.body.Get("data"), b.body.Get("data"), "error", "data")...)
	case k.part == watching && f.kind == Changed:
		return nil // what is granted is the same; what else an acknowledgment says is up to the session
	case k.part == watching && a.none == "" && b.none == "":
		f.path = []string{standing}
	case k.part == updating && f.kind == Changed:
		return n.diff(k, a.body, b.body, updated)
	case k.part == updating:
		f.path, f.direct, f.through = []string{updated}, arrived(a), arrived(b)
	case f.kind == Changed && a.good() && k.named == "":
		return n.diff(k, a.body, b.body)
	case f.kind == Changed && a.good():
		all = n.diff(k, without(a.body, k.member, "nextCursor"), without(b.body, k.member, "nextCursor"))
		if a.end != b.end && a.end != endBound && b.end != endBound {
			all = append(all, n.diff(k, quoted(a.end), quoted(b.end), "end")...)
		}
		return append(all, n.sequence(k, a.order, b.order)...)
	}
	return []finding{f}
}

func arrived(a answer) gjson.Result {
	if a.good() {
		return quoted("it arrived")
	}
	return gjson.Result{}
}

// without is an object without some members.
func without(o gjson.Result, names ...string) gjson.Result {
	kept := map[string]json.RawMessage{}
	for name, value := range members(o) {
		if !slices.Contains(names, name) {
			kept[name] = json.RawMessage(value.Raw)
		}
	}
	if v := quoted(kept); v.Exists() {
		return v
	}
	return o
}

// sequence compares the order of what both sides list, and shows where it parts.
func (n names) sequence(k key, a, b []string) []finding {
	common := func(all, other []string) []string {
		there := map[string]bool{}
		for _, name := range other {
			there[name] = true
		}
		return recording.Keep(all, func(name string) bool { return there[name] })
	}
	p, q := common(a, b), common(b, a)
	for i := range p {
		if p[i] != q[i] {
			const few = 3
			show := func(all []string) gjson.Result { return quoted(all[i:min(len(all), i+few)]) }
			f := finding{key: k, path: []string{"order"}, kind: Changed, direct: show(p), through: show(q)}
			return []finding{f}
		}
	}
	return nil
}
