package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// The checks of the URIs that the target gives: server/resources#common-uri-schemes
// and RFC 3986.
func init() {
	add(Check{
		Requirement: "URI-01",
		From:        resourceWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, i := range listedURIs(r, v) {
				sound(v, i, "an absolute URI, beginning with a scheme and a colon", judge.CodeEmpty, judge.CodeNoScheme)
				v.Hint("give each resource a URI of its own, such as file:///path or app://name")
			}
		},
	}, Check{
		Requirement: "URI-02",
		From:        bothWalks,
		Needs:       []Gate{resources},
		Judge:       schemes,
	}, Check{
		Requirement: "URI-03",
		From:        resourceWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, i := range listedURIs(r, v) {
				sound(v, i, "only characters that RFC 3986 allows, the others percent-encoded", judge.CodeBadCharacter, judge.CodeBadPercent)
				v.Hint("percent-encode what is no URI character: a space is %%20, ü is %%C3%%BC")
			}
		},
	}, Check{
		Requirement: "URI-05",
		From:        resourceWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, i := range listedURIs(r, v) {
				if strings.Contains(i.Str, "://") || strings.ContainsAny(i.Str, "[]") {
					sound(v, i, "an authority as RFC 3986 has it: digits as port, brackets around an IP address only",
						judge.CodeBadAuthority, judge.CodeBadPort, judge.CodeBadBracket)
				}
			}
			v.Skip(recording.CodeNeedsSubject, "no listed URI has an authority")
		},
	}, Check{
		Requirement: "URI-06",
		From:        []recording.Name{recording.Everything},
		Needs:       []Gate{resources},
		Judge:       givenURIs,
	})
}

// listedURIs lists the URIs of a walk through the resources; those that are no
// strings are judged elsewhere.
func listedURIs(r *recording.Recording, v *Verdict) []item {
	var all []item
	for _, i := range listedItems(r, v) {
		if u := i.Get("uri"); judge.IsString(u) {
			all = append(all, item{u, i.name, i.frames})
		}
	}
	return all
}

// sound notes a violation if a URI has one of the problems.
func sound(v *Verdict, i item, expected string, codes ...judge.Code) bool {
	p, bad := judge.First(judge.URI(i.Str), codes...)
	return v.That(!bad, expected, "the URI "+Brief(i.Result)+": "+p.String(), i.frames...)
}

// schemes: what stands before the first colon is a scheme, in URIs and, where
// the specification speaks of schemes, in templates.
func schemes(r *recording.Recording, v *Verdict) {
	const expected = "a scheme of letters, digits, plus, minus and dots that begins with a letter"
	if r.Scenario == recording.WalkResources {
		for _, i := range listedURIs(r, v) {
			if !judge.Has(judge.URI(i.Str), judge.CodeNoScheme, judge.CodeEmpty) {
				sound(v, i, expected, judge.CodeBadScheme)
			}
		}
		return
	}
	for _, i := range templateTexts(r, v) {
		name, ok := judge.LiteralScheme(i.Str)
		if !ok {
			continue
		}
		_, good := judge.Scheme(name + ":")
		state := v.Ought
		if v.Revision() >= requirement.R20250618 {
			state = v.That
		}
		state(good, expected, fmt.Sprintf("the scheme %q of the template %s", name, Brief(i.Result)), i.frames...)
	}
}

// givenURIs: contents and update notifications name URIs. Those that we had sent
// ourselves are what the target listed, and judged there.
func givenURIs(r *recording.Recording, v *Verdict) {
	ours := map[string]bool{}
	for _, x := range r.Exchanges {
		if u := x.Param("uri"); judge.IsString(u) {
			ours[u.Str] = true
		}
		for _, u := range x.Param("notifications.resourceSubscriptions").Array() {
			ours[u.String()] = true
		}
	}
	whole := func(uri gjson.Result, where string, frames ...int) {
		if !judge.IsString(uri) {
			return
		}
		p, bad := judge.First(judge.URI(uri.Str))
		v.That(!bad || ours[uri.Str], "a URI in the sense of RFC 3986", where+" is "+Brief(uri)+": "+p.String(), frames...)
	}
	for _, x := range r.Calls("resources/read") {
		if x.Succeeded() {
			for _, c := range contentsOf(x) {
				whole(c.Get("uri"), "the uri of "+c.name, c.frames...)
			}
		}
	}
	for _, f := range r.Notifications("notifications/resources/updated", 0) {
		whole(gjson.GetBytes(f.Raw, "params.uri"), "the uri of an update", f.Number)
	}
}

// The checks of the URIs that the target is given:
// server/resources#security-considerations.
func init() {
	add(Check{
		Requirement: "URI-08",
		From:        []recording.Name{recording.MalformedReads},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("malformed") {
				if x.Tags["served"] == "" && withstood(v, x, readOf(x)) {
					refusedRead(v, x, readOf(x), v.That)
				}
			}
			leakedPaths(v, r.Steps("malformed"))
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
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r.Steps("dots"), v) },
	}, Check{
		Requirement: "URI-11",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r.Steps("encoded"), v) },
	}, Check{
		Requirement: "URI-12",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r.Steps("template"), v) },
	}, Check{
		Requirement: "URI-13",
		From:        []recording.Name{recording.Traversal},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { keptIn(r.Steps("trick"), v) },
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
	guesses := r.Steps("guessed")
	everything := len(guesses) == 0 || slices.ContainsFunc(guesses, yields)
	for _, x := range r.Steps("stranger") {
		switch about := "a read with a scheme that nobody serves"; {
		case x.Tags["served"] != "" || !withstood(v, x, about):
		case emptyContents(x):
			v.Skip(recording.CodeNotExercised, "the target answers with empty contents, which ERR-09 judges")
		case everything && yields(x):
			v.Observe("catch-all-read", "a URI of a made-up scheme yields contents: "+Brief(x.Param("uri")), x.Evidence()...)
			v.Saw()
		default:
			refusedRead(v, x, about, v.That)
		}
	}
}

// keptIn: no read yields what lies outside of the root.
func keptIn(steps []*recording.Exchange, v *Verdict) {
	for _, x := range steps {
		if !v.Answered(x) {
			continue
		}
		marker, out := x.Tags["marker"], false
		for _, c := range contentsOf(x) {
			text := c.Get("text").String()
			if data, err := judge.Decode(c.Get("blob").String()); err == nil {
				text += string(data)
			}
			out = out || (marker != "" && strings.Contains(text, marker)) || (marker == "" && judge.LooksLikePasswd(text))
		}
		state := v.That
		if marker == "" || x.Tags["form"] == "link" && x.Tags["links"] != "forbidden" {
			state = v.Ought
		}
		state(!out, "nothing from outside of "+x.Tags["root"],
			readOf(x)+" ("+x.Tags["form"]+") yields a file outside of the root", x.Evidence()...)
		v.Hint("decode the path once, resolve it with all its links, and serve it only if it then lies below the root")
	}
}
