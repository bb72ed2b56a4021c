package uri

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of the URIs that the target is given:
// server/resources#security-considerations.
var uriAskedChecks = []verdict.Check{
	{Requirement: "URI-08", From: []recording.Name{recording.MalformedReads, recording.TemplateSweep}, With: []recording.Name{recording.Every},
		Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
			v.Sampled(r)
			if r.Scenario == recording.TemplateSweep {
				sweptTemplates(r, v)
				return
			}
			for _, x := range r.Steps(recording.StepMalformed) {
				if x.Tags[recording.TagServed] == "" && verdict.Withstood(v, x, verdict.ReadOf(x)) {
					refusedRead(v, x, verdict.ReadOf(x), v.That)
				}
			}
			for _, x := range r.Steps(recording.StepOdd, recording.StepVariant) {
				if verdict.Withstood(v, x, verdict.ReadOf(x)) {
					likeOthers(v, x)
				}
			}
			otherSpellings(r, v)
			leakedPaths(v, everyExchange(v))
		}},
	{Requirement: "URI-09", From: []recording.Name{recording.MalformedReads}, Needs: []verdict.Gate{verdict.Resources}, Judge: strangers},
	{Requirement: "URI-10", From: []recording.Name{recording.Traversal}, Needs: []verdict.Gate{verdict.Resources},
		Judge: func(r *recording.Recording, v *verdict.Verdict) { keptIn(r, v, recording.StepDots) }},
	{Requirement: "URI-11", From: []recording.Name{recording.Traversal}, Needs: []verdict.Gate{verdict.Resources},
		Judge: func(r *recording.Recording, v *verdict.Verdict) { keptIn(r, v, recording.StepEncoded) }},
	{Requirement: "URI-12", From: []recording.Name{recording.Traversal}, Needs: []verdict.Gate{verdict.Resources},
		Judge: func(r *recording.Recording, v *verdict.Verdict) { keptIn(r, v, recording.StepTemplate) }},
	{Requirement: "URI-13", From: []recording.Name{recording.Traversal}, Needs: []verdict.Gate{verdict.Resources},
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			keptIn(r, v, recording.StepTrick, recording.StepSystem)
			systemFiles(r, v)
		}},
	{Requirement: "URI-14", From: []recording.Name{recording.URISubscriptions}, Needs: []verdict.Gate{verdict.Resources, verdict.Subscribe},
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			for _, x := range r.Steps(recording.StepSubscribe) {
				about := "a subscription to " + judge.Brief(gjson.Parse(fmt.Sprintf("%q", x.Tags[recording.TagURI])))
				if !verdict.Withstood(v, x, about) {
					continue
				}
				taken := x.Tags[recording.TagAccepted] != "" && x.Tags[recording.TagServed] == "" && x.Tags[recording.TagForm] != "climbing"
				v.WarnUnless(!taken, "a refusal", about+", which is no URI, was accepted", x.Evidence()...)
				v.Downgrade(verdict.Lenient)
				v.Hint("validate the URI of a subscription like that of a read")
			}
		}},
}

// refusedRead holds a read to a refusal. Up to 2025-11-25 empty contents may
// stand for one, and an HTTP status of 5xx is a clumsy one.
func refusedRead(v *verdict.Verdict, x *recording.Exchange, about string, state func(bool, string, string, ...int) bool) {
	switch {
	case verdict.AsksForInput(x):
		v.Skip(recording.CodeNotExercised, "the target asks for input first")
	case matcher.Refused(x), !v.Modern() && verdict.EmptyContents(x):
		v.Holds()
	case x.Outcome == recording.HTTPOnly:
		v.WarnUnless(false, matcher.BeRefused().Expected(), matcher.Describe(x)+" to "+about, x.Evidence()...)
		v.Downgrade("it is refused, but not in a form that clients understand")
		v.Hint("answer a uri that cannot be read with a JSON-RPC error")
	default:
		state(false, matcher.BeRefused().Expected(), matcher.Describe(x)+" to "+about, x.Evidence()...)
		v.Hint("check the uri of a read before anything is looked up, and answer with an error")
	}
}

// strangers: a made-up scheme is refused, unless the target answers every read.
func strangers(r *recording.Recording, v *verdict.Verdict) {
	v.Sampled(r)
	guesses := r.Steps(recording.StepGuessed)
	everything := len(guesses) == 0 || slices.ContainsFunc(guesses, verdict.Yields)
	var answered verdict.Sightings
	for _, x := range r.Steps(recording.StepStranger) {
		switch about := "a read with a scheme that nobody serves"; {
		case x.Tags[recording.TagServed] != "" || !verdict.Withstood(v, x, about):
		case verdict.EmptyContents(x):
			v.Skip(recording.CodeNotExercised, "the target answers with empty contents, which ERR-09 judges")
		case everything && verdict.Yields(x):
			answered.Add(judge.Brief(x.Param("uri")), x.Evidence()...)
			v.Holds()
		default:
			refusedRead(v, x, about, v.That)
		}
	}
	answered.Observe(v, "catch-all-read", "%d of a made-up scheme yield contents: %s")
}

// likeOthers: what a strange URI yields has the form of what others yield. That none
// has is judged by READ-01, READ-02 and READ-03.
func likeOthers(v *verdict.Verdict, x *recording.Exchange) {
	what := misshapen(x)
	if what == "" {
		return
	}
	if reads := v.Recording(recording.Reads); reads != nil {
		for _, y := range reads.Steps(recording.StepRead) {
			if misshapen(y) != "" {
				return
			}
		}
	}
	v.That(false, "an error, or contents like those of other reads", verdict.ReadOf(x)+" yields "+what, x.Evidence()...)
	v.Hint("answer with an error where there is nothing to be read")
}

// misshapen says what is wrong with the form of a successful read; empty if nothing.
func misshapen(x *recording.Exchange) string {
	if !x.Succeeded() || verdict.AsksForInput(x) {
		return ""
	}
	if list := x.Result().Get("contents"); !list.IsArray() {
		return "contents as " + judge.TypeName(list)
	}
	for _, c := range verdict.ContentsOf(x) {
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
func otherSpellings(r *recording.Recording, v *verdict.Verdict) {
	exact := r.Step(recording.StepExact)
	if exact == nil || !verdict.Yields(exact) || slices.ContainsFunc(r.Steps(recording.StepGuessed, recording.StepStranger), verdict.Yields) {
		return
	}
	same := verdict.Bodies(exact)
	var seen [3]verdict.Sightings
	kinds := [3]string{"case", "prefix", "loose"}
	for _, x := range r.Steps(recording.StepVariant) {
		if k := slices.Index(kinds[:], x.Tags[recording.TagMatching]); k >= 0 && verdict.Yields(x) && slices.Equal(verdict.Bodies(x), same) {
			seen[k].Add(judge.Brief(x.Param("uri")), x.Evidence()...)
		}
	}
	listed := judge.Brief(exact.Param("uri"))
	seen[0].Observe(v, "uri-case-insensitive", "%d in other letters read like "+literally(listed)+", although paths tell capital letters from small ones: %s")
	seen[1].Observe(v, "uri-prefix-match", "%d longer or shorter read like "+literally(listed)+", as if a part of the URI were enough: %s")
	seen[2].Observe(v, "uri-loose-match", "%d different read like "+literally(listed)+": %s")
}

// literally keeps a text from being taken for a format.
func literally(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// everyExchange lists what was exchanged in all scenarios of the combination, each
// exchange once.
func everyExchange(v *verdict.Verdict) []*recording.Exchange {
	var all []*recording.Exchange
	seen := map[*recording.Exchange]bool{}
	for _, r := range v.Recordings() {
		for _, x := range r.Exchanges {
			if !seen[x] {
				seen[x] = true
				all = append(all, x)
			}
		}
	}
	return all
}
