package uri

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of the URIs that the target is given:
// server/resources#security-considerations.
var uriAskedChecks = verdict.Checks{
	"URI-08": {From: recording.Names{recording.MalformedReads, recording.TemplateSweep},
		With: verdict.Every, Judge: func(v *verdict.Verdict) {
			v.Sampled()
			if v.Scenario == recording.TemplateSweep {
				sweptTemplates(v)
				return
			}
			for _, x := range v.Steps(scenario.StepMalformed) {
				if x.Tags[scenario.TagServed] == "" &&
					(forbidden(v, x) || v.Withstood(x, verdict.ReadOf(x))) {
					refusedRead(v, x, verdict.ReadOf(x))
				}
			}
			for _, x := range v.Steps(scenario.StepOdd, scenario.StepVariant) {
				if v.Withstood(x, verdict.ReadOf(x)) {
					likeOthers(v, x)
				}
			}
			otherSpellings(v)
			leakedPaths(v, everyExchange(v))
		}},
	"URI-09": {From: recording.Names{recording.MalformedReads},
		Judge: strangers},
	"URI-16": {From: recording.Names{recording.MalformedReads},
		Judge: noPatterns},
	"URI-10": leaving(scenario.StepDots), "URI-11": leaving(scenario.StepEncoded),
	"URI-12": leaving(scenario.StepTemplate),
	"URI-13": {From: recording.Names{recording.Traversal}, With: verdict.PlainReads,
		Judge: func(v *verdict.Verdict) {
			keptIn(v, scenario.StepTrick, scenario.StepSystem)
			systemFiles(v)
		}},
	"URI-14": {From: recording.Names{recording.URISubscriptions},
		Needs: verdict.Subscribe,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(recording.StepSubscribe) {
				about := "a subscription to " +
					judge.Brief(gjson.Parse(fmt.Sprintf("%q", x.URI())))
				if !v.Withstood(x, about) {
					continue
				}
				taken := x.Tags[scenario.TagAccepted] != "" && x.Tags[scenario.TagServed] == "" &&
					x.Tags[scenario.TagForm] != "climbing"
				v.That(v.ListenEvidence(x), !taken, "a refusal", "%s, which is no URI, was accepted", about).
					Warn(verdict.Lenient)
			}
		}},
}

// leaving is a check that the ways out of some steps yield nothing.
func leaving(steps ...recording.Step) verdict.Check {
	return verdict.Check{From: recording.Names{recording.Traversal},
		With:  verdict.PlainReads,
		Judge: func(v *verdict.Verdict) { keptIn(v, steps...) }}
}

// refusedRead holds a read to a refusal. Up to 2025-11-25 empty contents may
// stand for one, and an HTTP status of 5xx is a clumsy one.
func refusedRead(v *verdict.Verdict, x *recording.Exchange, about string) {
	switch {
	case verdict.AsksForInput(x):
		v.NotExercised("the target asks for input first")
	case matcher.Refused(x), !v.Modern() && verdict.EmptyContents(x):
		v.Holds()
	case x.Outcome == recording.HTTPOnly:
		v.Fail(x, matcher.BeRefused().Expected(), "%v to %s", x, about).
			Warn("it is refused, but not in a form that clients understand").RefusalDue().
			Hint("answer a uri that cannot be read with a JSON-RPC error")
	default:
		v.Fail(x, matcher.BeRefused().Expected(), "%v to %s", x, about)
	}
}

// strangers: a made-up scheme is refused, unless the target answers every read.
func strangers(v *verdict.Verdict) {
	v.Sampled()
	guesses := v.Steps(recording.StepGuessed)
	everything := len(guesses) == 0 || slices.ContainsFunc(guesses, verdict.Yields)
	var answered verdict.Sightings
	for _, x := range v.Steps(scenario.StepStranger) {
		switch about := "a read with a scheme that nobody serves"; {
		case x.Tags[scenario.TagServed] != "" || !v.Withstood(x, about):
		case verdict.Hollow(x):
			v.NotExercised("the target answers with a result that holds nothing, which ERR-09 judges")
		case everything && verdict.Yields(x):
			answered.Add(x, "%v", x.Param("uri"))
			v.Holds()
		default:
			refusedRead(v, x, about)
		}
	}
	answered.Observe(v, "catch-all-read", "%d of a made-up scheme {yields|yield} contents: %s")
}

// noPatterns: what no URI of the list is yields nothing for being like one under a pattern. Where everything
// can be read that says nothing.
func noPatterns(v *verdict.Verdict) {
	guesses := v.Steps(recording.StepGuessed)
	if len(guesses) == 0 || slices.ContainsFunc(guesses, verdict.Yields) {
		v.NotExercised("no read beside a listed resource was refused, so one that is served shows nothing")
		return
	}
	for _, x := range v.Steps(scenario.StepPattern) {
		if v.Answered(x) && !verdict.AsksForInput(x) {
			v.That(verdict.Several{guesses[0], x}, !verdict.Yields(x), "an error: it is not listed, and no "+
				"template stands for it", "%s, made of the listed %s, yields contents", verdict.ReadOf(x),
				x.Tags[scenario.TagOf]).Warn()
		}
	}
}

// likeOthers: what a strange URI yields has the form of what others yield. That none
// has is judged by READ-01, READ-02 and READ-03.
func likeOthers(v *verdict.Verdict, x *recording.Exchange) {
	what := misshapen(x)
	if what == "" {
		return
	}
	if reads := v.Input(recording.Reads); reads != nil {
		for _, y := range reads.Steps(recording.StepRead) {
			if misshapen(y) != "" {
				return
			}
		}
	}
	v.Fail(x, "an error, or contents like those of other reads", "%s yields %s", verdict.ReadOf(x), what).
		Hint("answer with an error where there is nothing to be read")
}

// misshapen says what is wrong with the form of a successful read; empty if nothing.
func misshapen(x *recording.Exchange) string {
	if !x.Succeeded() || verdict.AsksForInput(x) {
		return ""
	}
	if list := x.Value("contents"); !list.IsArray() {
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
func otherSpellings(v *verdict.Verdict) {
	exact := v.Step(scenario.StepExact)
	if exact == nil || !verdict.Yields(exact) ||
		slices.ContainsFunc(v.Steps(recording.StepGuessed, scenario.StepStranger), verdict.Yields) {
		return
	}
	same := verdict.Bodies(exact)
	var seen [3]verdict.Sightings
	kinds := [3]string{"case", "prefix", "loose"}
	for _, x := range v.Steps(scenario.StepVariant) {
		if k := slices.Index(kinds[:], x.Tags[scenario.TagMatching]); k >= 0 && verdict.Yields(x) &&
			slices.Equal(verdict.Bodies(x), same) {
			seen[k].Add(x, "%v", x.Param("uri"))
		}
	}
	listed := judge.Brief(exact.Param("uri"))
	seen[0].Observe(v, "uri-case-insensitive", "%d in other letters {reads|read} like "+literally(listed)+
		", although paths tell capital letters from small ones: %s")
	seen[1].Observe(v, "uri-prefix-match", "%d longer or shorter {reads|read} like "+literally(listed)+
		", as if a part of the URI were enough: %s")
	seen[2].Observe(v, "uri-loose-match", "%d different {reads|read} like "+literally(listed)+": %s")
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

// keptIn: no read yields what lies outside of the root. Where the root is not known
// but guessed, there is nothing to find but files that every system has; that none
// came says nothing then. A target that gives them away under their plain names is told
// so once, unless it offers them: it lists them, or has a template for any path.
func keptIn(v *verdict.Verdict, names ...recording.Step) {
	v.Sampled()
	open, through, tried, known, told, unserved := servesSystem(v), templatesLeadingOut(v), false, false,
		false, ""
	for _, x := range v.Steps(names...) {
		about := verdict.ReadOf(x)
		// yields nothing: that it is no answer is judged elsewhere
		if x.Outcome == recording.Silent && !x.Fatal {
			v.Answered(x)
			continue
		}
		if !forbidden(v, x) && !v.Withstood(x, about) {
			continue
		}
		what, _ := verdict.Leaked(x)
		guessed := x.Tags[scenario.TagGuessed] != ""
		if guessed && (what == "" || offered(x) || open && x.Step != scenario.StepSystem) {
			tried, known = true, known || what != ""
			continue // see systemFiles
		}
		if what == "" && x.Tags[scenario.TagUnserved] != "" && !slices.ContainsFunc(v.Exchanges,
			verdict.Yields) {
			unserved = x.Tags[scenario.TagRoot]
			continue
		}
		if what != "" && x.Step != scenario.StepTemplate &&
			slices.ContainsFunc(through, func(t string) bool {
				return judge.Matches(t, x.Param("uri").String())
			}) {
			told = true // one way out is one finding, in all revisions, however few of the ways were tried
			continue
		}
		hint := "decode the path once, resolve it with all its links, and serve it only if it then lies " +
			"below the root" +
			map[bool]string{true: "; if the whole machine is meant to be served, say so in the target file " +
				"(subjects.roots: file:///)"}[x.Step == scenario.StepSystem || guessed &&
				x.Step == scenario.StepTemplate] +
			map[bool]string{true: "; once mended this becomes not applicable, and passes only if the " +
				"target file names the root and a canary (subjects.roots)"}[guessed]
		v.That(x, what == "", "nothing from outside of "+x.Tags[scenario.TagRoot], "%s yields %s", about,
			what).WarnIf(x.Tags[scenario.TagForm] == "link" && x.Tags[scenario.TagLinks] != "forbidden").
			SharedCause(wayOut(v, x)).Hint(hint)
	}
	switch {
	case told:
		v.NotExercised("judged under URI-12: the way out is one by a template")
	case known && leaksSystem(v):
		v.NotExercised("judged under URI-13: files of the system are given away under their plain names, too")
	case known:
		v.Skip(recording.CodeNeedsConfig, "the target offers files of the system: if only some directory "+
			"is meant to be served, %s", nameRoot)
	case unserved != "":
		v.NeedsSubject("the target serves nothing below %s: no URI of it is listed, and no template leads "+
			"there; if one does, name it in the target file (subjects.roots, template)", unserved)
	case tried:
		v.Skip(recording.CodeNeedsConfig, "nothing came of the ways out that were tried, which proves "+
			"nothing yet: %s", nameRoot)
	}
}

// forbidden reports whether a read was refused by HTTP 403 where others are served: what its URI says is the
// reason then, and not that credentials are missing.
func forbidden(v *verdict.Verdict, x *recording.Exchange) bool {
	return x.Status == http.StatusForbidden && !x.Succeeded() && slices.ContainsFunc(verdict.PlainReads,
		func(name recording.Name) bool {
			r := v.Input(name)
			return r != nil && slices.ContainsFunc(r.Calls("resources/read"), (*recording.Exchange).Succeeded)
		})
}

// templatesLeadingOut are the templates that lead out of the root, other than by a link.
func templatesLeadingOut(v *verdict.Verdict) []string {
	var all []string
	for _, x := range v.Steps(scenario.StepTemplate) {
		if what, _ := verdict.Leaked(x); what != "" && x.Tags[scenario.TagForm] != "link" {
			all = append(all, x.Tags[recording.TagTemplate])
		}
	}
	return all
}

// wayOut is the cause that ways out of the same kind have in common, and out of the same root: each kind is
// mended in a place of its own. The root itself is not named, as a cause is not masked.
func wayOut(v *verdict.Verdict, x *recording.Exchange) string {
	kind := "by its path"
	switch {
	case x.Step == scenario.StepSystem:
		kind = "a file of the system"
	case x.Tags[scenario.TagForm] == "link":
		kind = "by a link"
	}
	var roots []string
	for _, y := range v.Exchanges {
		if root := y.Tags[scenario.TagRoot]; root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return fmt.Sprintf("nothing from outside of root %d, %s", slices.Index(roots, x.Tags[scenario.TagRoot])+1,
		kind)
}

// nameRoot is what a target file has to say for ways out to be judged.
const nameRoot = "name the root and a canary to have it judged (subjects.roots, docs/target-files.md)"

// offered reports whether a file of the system is what the target says that it serves.
func offered(x *recording.Exchange) bool {
	return x.Step == scenario.StepSystem && x.Tags[scenario.TagServed] != ""
}

// servesSystem reports whether the target serves files of the system under their
// plain names: then other ways to them are no ways out.
func servesSystem(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Steps(scenario.StepSystem), guessedLeak)
}

// leaksSystem is servesSystem of files that the target does not offer.
func leaksSystem(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Steps(scenario.StepSystem), func(x *recording.Exchange) bool {
		return guessedLeak(x) && !offered(x)
	})
}

// guessedLeak reports whether a way out of a root that is not known yields a file of the system.
func guessedLeak(x *recording.Exchange) bool {
	what, _ := verdict.Leaked(x)
	return what != "" && x.Tags[scenario.TagGuessed] != ""
}

// systemFiles remarks on files of the system that can be read where the target offers
// them, and no root says that they must not.
func systemFiles(v *verdict.Verdict) {
	var seen verdict.Sightings
	for _, x := range v.Exchanges {
		if what, _ := verdict.Leaked(x); guessedLeak(x) && offered(x) {
			seen.Add(x, "%s yields %s", verdict.ReadOf(x), what)
		}
	}
	seen.Observe(v, "system-file",
		"%d {file|files} of the system can be read; if only some directory is meant to be served, name it "+
			"in the target file (subjects.roots): %s")
}

// What an error message should not tell a stranger: the places of files on the
// server's machine, and where in the program something went wrong.
var (
	rootFolders = []string{"/home/", "/root/", "/usr/", "/var/", "/srv/", "/opt/", "/etc/", "/tmp/", "/app/",
		"/mnt/", "/private/", "/Users/", "/workspace/", "/nix/"}
	serverPath = regexp.MustCompile(`(?:^|[\s"'(=:\[])((?:` + strings.Join(rootFolders, "|") +
		`|[A-Za-z]:\\)[^\s"'()]{2,200})`)
	traceParts = []string{"Traceback ", "goroutine ", "at ", `File "`}
	stackTrace = regexp.MustCompile(`Traceback \(most recent call last\)|goroutine \d+ \[|\n\s+at .{1,` +
		`200}:\d+|File "[^"]{1,200}", line \d+|\bat [\w.$<>]+ ?\([^()]{1,200}:\d+(?::\d+)?\)`)
)

// leakedPaths remarks on errors that show paths or stack traces of the server, once
// for all of them. What the request itself named is no secret.
func leakedPaths(v *verdict.Verdict, exchanges []*recording.Exchange) {
	var seen verdict.Sightings
	for _, x := range exchanges {
		if what := leak(x); what != "" {
			seen.Add(x, "%s in the answer to %s", what, v.What(x))
		}
	}
	seen.Observe(v, "leaked-path", "%d {error tells|errors tell} about the inside of the server: %s")
}

// leak is what an error shows of the inside of the server; empty if nothing.
func leak(x *recording.Exchange) string {
	if !x.Failed() {
		return ""
	}
	message, data := x.Error().Get("message"), x.Error().Get("data")
	// a slash may be escaped in the JSON of an object
	text := message.String() + "\n" + strings.ReplaceAll(data.String(), `\/`, "/")
	found, asked := "", ""
	if containsAny(text, traceParts) {
		found = stackTrace.FindString(text)
	}
	if !strings.Contains(text, `:\`) && !containsAny(text, rootFolders) {
		text = ""
	}
	for _, m := range serverPath.FindAllStringSubmatch(text, 8) {
		if asked == "" {
			asked = plainly(string(x.Params)) + " " + plainly(x.Param("uri").String())
		}
		if !strings.Contains(asked, plainly(strings.TrimRight(m[1], ".,;:"))) {
			found = m[1]
		}
	}
	found = strings.Join(strings.Fields(found), " ")
	if found == "" {
		return ""
	}
	return "\"" + strings.Trim(found, "\"") + "\""
}

// containsAny reports whether one of some parts is in a text. Without a part of each of
// its matches a pattern finds nothing, at a fraction of the cost.
func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// plainly is a text without what quoting and encoding add to it, so that it can be
// found again in another form.
func plainly(s string) string {
	for range 2 { // some servers decode twice
		if d, err := url.PathUnescape(s); err == nil {
			s = d
		}
	}
	return strings.ToLower(strings.NewReplacer(`\`, "/", `//`, "/", `"`, "").Replace(s))
}
