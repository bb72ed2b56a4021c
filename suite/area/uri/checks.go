// Package uri is the area URI: the syntax of the URIs that a server gives, and how
// it treats those that it is given (server/resources#common-uri-schemes).
package uri

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// Checks lists the checks of the area.
var Checks = verdict.Join(uriChecks, uriAskedChecks).Needing(verdict.Resources)

// The checks of the URIs that the target gives: server/resources#common-uri-schemes
// and RFC 3986.
var uriChecks = verdict.Checks{
	"URI-01": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			for _, i := range verdict.ListedURIs(v) {
				sound(v, i, "an absolute URI, beginning with a scheme and a colon",
					judge.CodeEmpty, judge.CodeNoScheme)
			}
		}},
	"URI-02": {From: verdict.BothWalks, Judge: schemes},
	"URI-03": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			for _, i := range verdict.ListedURIs(v) {
				hint := ""
				if open := strings.IndexByte(i.Str, '{'); open >= 0 &&
					strings.IndexByte(i.Str[open:], '}') > 0 {
					hint = "list a URI template in resources/templates/list; what resources/list has is " +
						"read as it stands"
				}
				sound(v, i, "only characters that RFC 3986 allows, the others percent-encoded",
					judge.CodeBadCharacter, judge.CodeBadPercent).Hint(hint)
			}
		}},
	"URI-05": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			for _, i := range verdict.ListedURIs(v) {
				if strings.Contains(i.Str, "://") || strings.ContainsAny(i.Str, "[]") {
					sound(v, i, "an authority as RFC 3986 has it: digits as port, brackets around an IP "+
						"address only", judge.CodeBadAuthority, judge.CodeBadPort, judge.CodeBadBracket)
				}
			}
			v.NeedsSubject("no listed URI has an authority")
		}},
	"URI-06": {Judge: givenURIs},
}

// sound notes a violation if a URI has one of the problems.
func sound(v *verdict.Verdict, i verdict.Item, expected string, codes ...judge.Code) *verdict.Finding {
	p, bad := judge.First(judge.URI(i.Str), codes...)
	return v.That(i, !bad, expected, "the URI %v: %v", i.Result, p).Member("uri of " + i.Name)
}

// schemes: what stands before the first colon is a scheme, in URIs and, where
// the specification speaks of schemes, in templates.
func schemes(v *verdict.Verdict) {
	const expected = "a scheme of letters, digits, plus, minus and dots that begins with a letter"
	if v.Scenario == recording.WalkResources {
		for _, i := range verdict.ListedURIs(v) {
			if !judge.Has(judge.URI(i.Str), judge.CodeNoScheme, judge.CodeEmpty) {
				sound(v, i, expected, judge.CodeBadScheme)
			}
		}
		return
	}
	for _, i := range verdict.TemplateTexts(v) {
		name, ok := judge.LiteralScheme(i.Str)
		if !ok {
			continue
		}
		_, good := judge.Scheme(name + ":")
		v.That(i, good, expected, "the scheme %q of the template %v", name, i.Result).
			WarnIf(v.Revision() < requirement.R20250618)
	}
}

// givenURIs: contents and update notifications name URIs. Those that we had sent
// ourselves are what the target listed, and judged there.
func givenURIs(v *verdict.Verdict) {
	ours := map[string]bool{}
	for _, x := range v.Exchanges {
		if u := x.Param("uri"); judge.IsString(u) {
			ours[u.Str] = true
		}
		for _, u := range x.Param("notifications.resourceSubscriptions").Array() {
			ours[u.String()] = true
		}
	}
	whole := func(uri gjson.Result, where string, on verdict.Cited) {
		if !judge.IsString(uri) {
			return
		}
		p, bad := judge.First(judge.URI(uri.Str))
		v.That(on, !bad || ours[uri.Str], "a URI in the sense of RFC 3986", "%s is %v: %v", where, uri, p)
	}
	for _, x := range v.Calls("resources/read") {
		if x.Succeeded() {
			for _, c := range verdict.ContentsOf(x) {
				whole(c.Get("uri"), "the uri of "+c.Name, c)
			}
		}
	}
	for _, f := range v.Notifications("notifications/resources/updated", 0) {
		whole(gjson.GetBytes(f.Raw, "params.uri"), "the uri of an update", f)
	}
}
