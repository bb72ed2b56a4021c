package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// The checks of the URIs that the target is given:
// server/resources#security-considerations.
func init() {
	add(Check{
		Requirement: "URI-08",
		From:        []recording.Name{recording.MalformedReads, recording.TemplateSweep},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			v.Sampled(r)
			if r.Scenario == recording.TemplateSweep {
				sweptTemplates(r, v)
				return
			}
			for _, x := range r.Steps("malformed") {
				if x.Tags["served"] == "" && withstood(v, x, readOf(x)) {
					refusedRead(v, x, readOf(x), v.That)
				}
			}
			for _, x := range r.Steps("odd", "variant") {
				if withstood(v, x, readOf(x)) {
					likeOthers(v, x)
				}
			}
			otherSpellings(r, v)
			leakedPaths(v, everyExchange(v))
		},
	}, Check{
		Requirement: "URI-09",
		From:        []recording.Name{recording.MalformedReads},
		Needs:       []Gate{resources},
		Judge:       strangers,
	}, Check{
		Requirement: "URI-10",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r, v, "dots") },
	}, Check{
		Requirement: "URI-11",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r, v, "encoded") },
	}, Check{
		Requirement: "URI-12",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r, v, "template") },
	}, Check{
		Requirement: "URI-13",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			keptIn(r, v, "trick", "system")
			systemFiles(r, v)
		},
	}, Check{
		Requirement: "URI-14",
		From:        []recording.Name{recording.URISubscriptions},
		Needs:       []Gate{resources, subscribe},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("subscribe") {
				about := "a subscription to " + Brief(gjson.Parse(fmt.Sprintf("%q", x.Tags["uri"])))
				if !withstood(v, x, about) {
					continue
				}
				taken := x.Tags["accepted"] != "" && x.Tags["served"] == "" && x.Tags["form"] != "climbing"
				v.Ought(!taken, "a refusal", about+", which is no URI, was accepted", x.Evidence()...)
				v.Mild(lenient)
				v.Hint("validate the URI of a subscription like that of a read")
			}
		},
	})
}

// readOf names a read by the URI as it was sent.
func readOf(x *recording.Exchange) string { return "a read of " + Brief(x.Param("uri")) }

// withstood notes a violation if a probe took the target down or was never
// answered, and reports whether there is an answer to look at.
func withstood(v *Verdict, x *recording.Exchange, about string) bool {
	switch {
	case x.Fatal:
		v.That(false, "an error, and a target that goes on serving", "the target was lost over "+about+", twice"+inBrackets(x.Reason), x.Evidence()...)
		v.Hint("catch what goes wrong while a request is handled, and answer it with an error")
		return false
	case x.Outcome == recording.Silent:
		v.That(false, "an answer", Describe(x)+" to "+about, x.Evidence()...)
		v.Hint("answer every request, if need be with an error")
		return false
	}
	return v.Answered(x)
}

// refusedRead holds a read to a refusal. Up to 2025-11-25 empty contents may
// stand for one, and an HTTP status of 5xx is a clumsy one.
func refusedRead(v *Verdict, x *recording.Exchange, about string, state func(bool, string, string, ...int) bool) {
	switch {
	case asksForInput(x):
		v.Skip(recording.CodeNotExercised, "the target asks for input first")
	case Refused(x), !v.Modern() && emptyContents(x):
		v.Saw()
	case x.Outcome == recording.HTTPOnly:
		v.Ought(false, BeRefused().Expected, Describe(x)+" to "+about, x.Evidence()...)
		v.Mild("it is refused, but not in a form that clients understand")
		v.Hint("answer a uri that cannot be read with a JSON-RPC error")
	default:
		state(false, BeRefused().Expected, Describe(x)+" to "+about, x.Evidence()...)
		v.Hint("check the uri of a read before anything is looked up, and answer with an error")
	}
}

// emptyContents reports whether a read succeeded with nothing in it.
func emptyContents(x *recording.Exchange) bool {
	c := x.Result().Get("contents")
	return x.Succeeded() && c.IsArray() && len(c.Array()) == 0
}

// yields reports whether a read succeeded with something in it.
func yields(x *recording.Exchange) bool {
	return x.Succeeded() && len(x.Result().Get("contents").Array()) > 0
}

// strangers: a made-up scheme is refused, unless the target answers every read.
func strangers(r *recording.Recording, v *Verdict) {
	v.Sampled(r)
	guesses := r.Steps("guessed")
	everything := len(guesses) == 0 || slices.ContainsFunc(guesses, yields)
	var answered sightings
	for _, x := range r.Steps("stranger") {
		switch about := "a read with a scheme that nobody serves"; {
		case x.Tags["served"] != "" || !withstood(v, x, about):
		case emptyContents(x):
			v.Skip(recording.CodeNotExercised, "the target answers with empty contents, which ERR-09 judges")
		case everything && yields(x):
			answered.add(Brief(x.Param("uri")), x.Evidence()...)
			v.Saw()
		default:
			refusedRead(v, x, about, v.That)
		}
	}
	answered.observe(v, "catch-all-read", "%d of a made-up scheme yield contents: %s")
}

// likeOthers: what a strange URI yields has the form of what others yield. That none
// has is judged by READ-01, READ-02 and READ-03.
func likeOthers(v *Verdict, x *recording.Exchange) {
	what := misshapen(x)
	if what == "" {
		return
	}
	if reads := v.recs[recording.Reads]; reads != nil {
		for _, y := range reads.Steps("read") {
			if misshapen(y) != "" {
				return
			}
		}
	}
	v.That(false, "an error, or contents like those of other reads", readOf(x)+" yields "+what, x.Evidence()...)
	v.Hint("answer with an error where there is nothing to be read")
}

// misshapen says what is wrong with the form of a successful read; empty if nothing.
func misshapen(x *recording.Exchange) string {
	if !x.Succeeded() || asksForInput(x) {
		return ""
	}
	if list := x.Result().Get("contents"); !list.IsArray() {
		return "contents as " + judge.TypeName(list)
	}
	for _, c := range contentsOf(x) {
		if uri := c.Get("uri"); !judge.IsString(uri) {
			return "contents whose uri is " + judge.TypeName(uri)
		}
		if text, blob := c.Get("text"), c.Get("blob"); !judge.IsString(text) && !judge.IsString(blob) {
			return "contents with text: " + judge.TypeName(text) + ", blob: " + judge.TypeName(blob)
		}
	}
	return ""
}

// otherSpellings remarks on URIs that are read like a listed one although they are
// others. Where everything can be read that says nothing.
func otherSpellings(r *recording.Recording, v *Verdict) {
	exact := r.Step("exact")
	if exact == nil || !yields(exact) || slices.ContainsFunc(r.Steps("guessed", "stranger"), yields) {
		return
	}
	same := bodies(exact)
	var seen [3]sightings
	kinds := [3]string{"case", "prefix", "loose"}
	for _, x := range r.Steps("variant") {
		if k := slices.Index(kinds[:], x.Tags["matching"]); k >= 0 && yields(x) && slices.Equal(bodies(x), same) {
			seen[k].add(Brief(x.Param("uri")), x.Evidence()...)
		}
	}
	listed := Brief(exact.Param("uri"))
	seen[0].observe(v, "uri-case-insensitive", "%d in other letters read like "+literally(listed)+", although paths tell capital letters from small ones: %s")
	seen[1].observe(v, "uri-prefix-match", "%d longer or shorter read like "+literally(listed)+", as if a part of the URI were enough: %s")
	seen[2].observe(v, "uri-loose-match", "%d different read like "+literally(listed)+": %s")
}

// literally keeps a text from being taken for a format.
func literally(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// bodies are the texts and blobs of a read.
func bodies(x *recording.Exchange) []string {
	var all []string
	for _, c := range contentsOf(x) {
		all = append(all, c.Get("text").Raw+" "+c.Get("blob").Raw)
	}
	return all
}

// everyExchange lists what was exchanged in all scenarios of the combination, each
// exchange once.
func everyExchange(v *Verdict) []*recording.Exchange {
	var names []recording.Name
	for name := range v.recs {
		names = append(names, name)
	}
	slices.Sort(names)
	var all []*recording.Exchange
	seen := map[*recording.Exchange]bool{}
	for _, name := range names {
		if v.recs[name] == nil {
			continue
		}
		for _, x := range v.recs[name].Exchanges {
			if !seen[x] {
				seen[x] = true
				all = append(all, x)
			}
		}
	}
	return all
}
