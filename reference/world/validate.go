package world

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

const (
	maxGenerated  = 64 << 20
	maxDelay      = time.Hour
	maxSteps      = 1000
	maxIdentities = 100
)

// problems are what is wrong with a part of a world, whose members are relative to the part: blob,
// caching.scope.
type problems = operation.Problems

// first makes an error of the first problem; nil if there is none.
func first(what string, all problems) error {
	if err := all.First(); err != nil {
		return fmt.Errorf("%s: %v", what, err)
	}
	return nil
}

// Validate says what is wrong with the world; nil if it can be served. Faults
// may serve worlds that break the protocol, so members that only the protocol
// cares about (an empty name, a priority of 7) are not looked at: see Lint.
func (w World) Validate() error {
	for _, r := range w.Resources {
		if err := r.Validate(); err != nil {
			return err
		}
	}
	for _, t := range w.Templates {
		if err := t.Validate(); err != nil {
			return err
		}
	}
	return collect(w, mistakes).First()
}

// problems are those of the world beside those of its parts.
func (w World) problems() (found problems) {
	if w.PageSize < 0 {
		found.Say("pageSize", "must not be negative")
	}
	index := make(map[string]int, len(w.Resources))
	for i, r := range w.Resources {
		if _, twice := index[r.URI]; twice && r.URI == "" {
			found.Say(fmt.Sprintf("resources[%d].uri", i), "is missing")
		} else if twice {
			found.Say(fmt.Sprintf("resources[%d].uri", i), "%s is listed twice", r.URI)
		}
		index[r.URI] = i
	}
	for i, r := range w.Resources {
		for j, child := range r.Contains {
			if at, ok := index[child]; !ok || w.Resources[at].Directory() {
				found.Say(fmt.Sprintf("resources[%d].contains[%d]", i, j), "%s is no file of this world",
					child)
			}
		}
	}
	if len(w.Timeline) > maxTimeline {
		found.Say("timeline", "has more than %d steps", maxTimeline)
	}
	if from := []string{"start", FromFirstRequest}; w.TimelineFrom != "" &&
		!slices.Contains(from, w.TimelineFrom) {
		found.Say("timelineFrom", "is %q, not %s%s", clip(w.TimelineFrom), strings.Join(from, " or "),
			nearest.Question(w.TimelineFrom, from))
	}
	found.Below("states", operation.CheckStates(w.States))
	found = append(found, w.featureProblems()...)
	return append(found, w.ruleProblems()...)
}

// FromFirstRequest is the World.TimelineFrom of a timeline that begins with the first request of a client.
const FromFirstRequest = "first-request"

// maxRules bounds the rules of a world.
const maxRules = 100

func (w World) ruleProblems() (found problems) {
	if len(w.Rules) > maxRules {
		found.Say("rules", "has more than %d rules", maxRules)
	}
	ids := map[string]bool{}
	for at, r := range yamlfile.Items("rules", w.Rules) {
		if r.ID != "" && ids[r.ID] {
			found.Say(at+".id", "is %q, as that of a rule before it", clip(r.ID))
		}
		ids[r.ID] = true
	}
	return found
}

// Validate says what is wrong with the resource; nil if it can be served.
func (r Resource) Validate() error {
	if r.File != "" {
		return fmt.Errorf("resource %s: file: only resources in world files can name files", r.URI)
	}
	return first("resource "+r.URI, collect(r, mistakes))
}

// maxRounds bounds the inputs that a read asks for after each other.
const maxRounds = 10

func (in Input) problems() (found problems) {
	switch kinds := InputKinds(); {
	case !slices.Contains(kinds, in.Asks()):
		found.OneOf("kind", clip(in.Kind), kinds)
	case in.Key == "" || in.Asks() == InputForm && len(in.Fields) == 0:
		found.Say("", "needs a key and, if it is a form, at least one field")
	case in.Asks() != InputForm && len(in.Fields) > 0:
		found.Say("fields", "belong to a form")
	case (in.Asks() == InputURL) != (in.URL != ""):
		found.Say("url", "is there for the kind url, and for that only")
	case in.Default != "" && in.Asks() != InputSampling && in.Asks() != InputRoots:
		found.Say("default",
			"belongs to a model or to roots: the fields of a form have one each, and a URL has no answer")
	}
	return found
}

// contents are the names of the members that give the content.
func (r Resource) contents() []string {
	is := [...]bool{r.Text != nil, r.Blob != nil, r.Contains != nil, r.Generate != nil, r.File != "",
		r.Source != nil}
	var given []string
	for i, name := range [...]string{"text", "blob", "contains", "generate", "file", "source"} {
		if is[i] {
			given = append(given, name)
		}
	}
	return given
}

func (r Resource) problems() (found problems) {
	if given := r.contents(); len(given) > 1 {
		found.Say("", "%s exclude each other", strings.Join(given, " and "))
	}
	if r.Generate != nil {
		operation.Between(&found, "generate.bytes", r.Generate.Bytes, 0, maxGenerated)
	}
	if r.Input != nil && r.Text == nil && r.File == "" {
		found.Say("input", "needs a text to put the answers into")
	}
	rounds := 0
	for in := r.Input; in != nil; in = in.Then {
		rounds++
	}
	if rounds > maxRounds {
		found.Say("input"+strings.Repeat(".then", maxRounds), "is a round too many: there are %d at the most",
			maxRounds)
	}
	if r.Blob != nil {
		if _, err := base64.StdEncoding.Strict().DecodeString(*r.Blob); err != nil {
			found.Say("blob", "no standard base64: %v", err)
		}
	}
	if len(r.Identities) > maxIdentities {
		found.Say("identities", "more than %d", maxIdentities)
	}
	for at, identity := range yamlfile.Items("identities", r.Identities) {
		if *identity == "" {
			found.Say(at, "must not be empty")
		}
	}
	found = append(found, answering(r.Delay, r.Steps, r.Fails, r.FailCode)...)
	return append(found, r.repeatProblems()...)
}

// answering checks the members that resources and templates share.
func answering(delay time.Duration, steps int, fails string, failCode int) (found problems) {
	operation.Between(&found, "delay", delay, 0, maxDelay)
	operation.Between(&found, "steps", steps, 0, maxSteps)
	if failCode != 0 && fails == "" {
		found.Say("failCode", "needs fails, the message of the error")
	}
	return found
}

func (c Caching) problems() (found problems) {
	if c.Scope != "" && c.Scope != "public" && c.Scope != "private" {
		found.Say("scope", "is %q, not public or private", clip(c.Scope))
	}
	if c.TTL < 0 {
		found.Say("ttl", "must not be negative")
	}
	return found
}

var findsForm = regexp.MustCompile(`^([^{}]|\{\+?[A-Za-z0-9_.]+\})+$`)

// Validate says what is wrong with the template; nil if it can be served.
func (t Template) Validate() error { return first("template "+t.URITemplate, collect(t, mistakes)) }

func (t Template) problems() (found problems) {
	if operation.Given(t.Text != nil, t.Finds != "", t.Source != nil) != 1 {
		found.Say("", "needs either text or finds")
	}
	if t.Finds != "" && !findsForm.MatchString(t.Finds) {
		found.Say("finds", "is %q, where only {name} and {+name} may stand in braces", clip(t.Finds))
	}
	if t.Binary && t.Text == nil {
		found.Say("binary", "needs text")
	}
	for at, v := range yamlfile.Items("variables", t.Variables) {
		if v.Days != nil && len(v.Days.All()) == 0 {
			found.Say(at+".days", "no days from %q to %q", clip(v.Days.From), clip(v.Days.To))
		}
		if v.ValuesBy != nil && v.DependsOn == "" {
			found.Say(at+".valuesBy", "needs dependsOn, the other variable")
		}
	}
	return append(found, answering(t.Delay, t.Steps, t.Fails, t.FailCode)...)
}
