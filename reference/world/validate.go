package world

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

const (
	maxGenerated  = 64 << 20
	maxDelay      = time.Hour
	maxSteps      = 1000
	maxIdentities = 100
)

// problem is something that is wrong with a part of a world. The member is relative to
// the part: blob, caching.scope; empty for the part as a whole.
type problem struct{ member, text string }

func (p problem) String() string {
	if p.member == "" {
		return p.text
	}
	return p.member + ": " + p.text
}

// below are the problems of a part from the point of view of what it is a part of.
func below(member string, all []problem) []problem {
	for i := range all {
		all[i].member = strings.TrimSuffix(join(member, all[i].member), ".")
	}
	return all
}

// first makes an error of the first problem; nil if there is none.
func first(what string, all []problem) error {
	if len(all) == 0 {
		return nil
	}
	if what == "" {
		return errors.New(all[0].String())
	}
	return fmt.Errorf("%s: %s", what, all[0])
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
	return first("", w.own())
}

// problems are all that is wrong with the world and its parts.
func (w World) problems() []problem {
	found := w.own()
	for i, r := range w.Resources {
		if all := r.problems(); len(all) > 0 {
			found = append(found, below(fmt.Sprintf("resources[%d]", i), all)...)
		}
	}
	for i, t := range w.Templates {
		found = append(found, below(fmt.Sprintf("templates[%d]", i), t.problems())...)
	}
	return found
}

// own are the problems of the world beside those of its resources and templates.
func (w World) own() []problem {
	var found []problem
	if w.PageSize < 0 {
		found = append(found, problem{"pageSize", "must not be negative"})
	}
	found = append(found, below("caching", w.Caching.problems())...)
	index := make(map[string]int, len(w.Resources))
	for i, r := range w.Resources {
		if _, twice := index[r.URI]; twice && r.URI == "" {
			found = append(found, problem{fmt.Sprintf("resources[%d].uri", i), "is missing"})
		} else if twice {
			found = append(found, problem{fmt.Sprintf("resources[%d].uri", i), fmt.Sprintf("%s is listed twice", r.URI)})
		}
		index[r.URI] = i
	}
	for i, r := range w.Resources {
		for j, child := range r.Contains {
			if at, ok := index[child]; !ok || w.Resources[at].Directory() {
				found = append(found, problem{fmt.Sprintf("resources[%d].contains[%d]", i, j), fmt.Sprintf("%s is no file of this world", child)})
			}
		}
	}
	if len(w.Timeline) > maxTimeline {
		found = append(found, problem{"timeline", fmt.Sprintf("has more than %d steps", maxTimeline)})
	}
	for i, s := range w.Timeline {
		found = append(found, below(fmt.Sprintf("timeline[%d]", i), s.problems())...)
	}
	if from := []string{"start", FromFirstRequest}; w.TimelineFrom != "" && !slices.Contains(from, w.TimelineFrom) {
		found = append(found, problem{"timelineFrom", fmt.Sprintf("is %q, not %s%s", clip(w.TimelineFrom), strings.Join(from, " or "), nearest.Question(w.TimelineFrom, from))})
	}
	for _, p := range operation.CheckStates(w.States) {
		found = append(found, below("states", []problem{{p.Member, p.Text}})...)
	}
	return append(found, w.ruleProblems()...)
}

// FromFirstRequest is the World.TimelineFrom of a timeline that begins with the first request of a client.
const FromFirstRequest = "first-request"

// maxRules bounds the rules of a world.
const maxRules = 100

func (w World) ruleProblems() []problem {
	var found []problem
	if len(w.Rules) > maxRules {
		found = append(found, problem{"rules", fmt.Sprintf("has more than %d rules", maxRules)})
	}
	ids := map[string]bool{}
	for i := range w.Rules {
		at := fmt.Sprintf("rules[%d]", i)
		for _, p := range w.Rules[i].Check() {
			found = append(found, below(at, []problem{{p.Member, p.Text}})...)
		}
		if id := w.Rules[i].ID; id != "" && ids[id] {
			found = append(found, problem{at + ".id", fmt.Sprintf("is %q, as that of a rule before it", clip(id))})
		}
		ids[w.Rules[i].ID] = true
	}
	return found
}

// Validate says what is wrong with the resource; nil if it can be served.
func (r Resource) Validate() error {
	if r.File != "" {
		return fmt.Errorf("resource %s: file: only resources in world files can name files", r.URI)
	}
	return first("resource "+r.URI, r.problems())
}

// maxRounds bounds the inputs that a read asks for after each other.
const maxRounds = 10

// problems are those of an input and its further rounds.
func (in *Input) problems() []problem {
	var found []problem
	at := "input"
	for round := 0; in != nil; round, at, in = round+1, at+".then", in.Then {
		kinds := InputKinds()
		switch {
		case round == maxRounds:
			return append(found, problem{at, fmt.Sprintf("is a round too many: there are %d at the most", maxRounds)})
		case !slices.Contains(kinds, in.Asks()):
			found = append(found, problem{at + ".kind", fmt.Sprintf("is %q: known are %s%s", clip(in.Kind), strings.Join(kinds, ", "), nearest.Question(in.Kind, kinds))})
		case in.Key == "" || in.Asks() == InputForm && len(in.Fields) == 0:
			found = append(found, problem{at, "needs a key and, if it is a form, at least one field"})
		case in.Asks() != InputForm && len(in.Fields) > 0:
			found = append(found, problem{at + ".fields", "belong to a form"})
		case (in.Asks() == InputURL) != (in.URL != ""):
			found = append(found, problem{at + ".url", "is there for the kind url, and for that only"})
		}
	}
	return found
}

// contents are the names of the members that give the content.
func (r Resource) contents() []string {
	is := [...]bool{r.Text != nil, r.Blob != nil, r.Contains != nil, r.Generate != nil, r.File != "", r.Source != nil}
	var given []string
	for i, name := range [...]string{"text", "blob", "contains", "generate", "file", "source"} {
		if is[i] {
			given = append(given, name)
		}
	}
	return given
}

func (r Resource) problems() []problem {
	var found []problem
	if given := r.contents(); len(given) > 1 {
		found = append(found, problem{"", strings.Join(given, " and ") + " exclude each other"})
	}
	if g := r.Generate; g != nil && (g.Bytes < 0 || g.Bytes > maxGenerated) {
		found = append(found, problem{"generate.bytes", fmt.Sprintf("must be between 0 and %d", maxGenerated)})
	}
	if r.Input != nil {
		found = append(found, r.Input.problems()...)
		if r.Text == nil && r.File == "" {
			found = append(found, problem{"input", "needs a text to put the answers into"})
		}
	}
	if r.Blob != nil {
		if _, err := base64.StdEncoding.Strict().DecodeString(*r.Blob); err != nil {
			found = append(found, problem{"blob", "no standard base64: " + err.Error()})
		}
	}
	if len(r.Identities) > maxIdentities {
		found = append(found, problem{"identities", fmt.Sprintf("more than %d", maxIdentities)})
	}
	for i, identity := range r.Identities {
		if identity == "" {
			found = append(found, problem{fmt.Sprintf("identities[%d]", i), "must not be empty"})
		}
	}
	found = append(found, answering(r.Delay, r.Steps, r.Fails, r.FailCode, r.Caching)...)
	return append(found, r.repeatProblems()...)
}

// answering checks the members that resources and templates share.
func answering(delay time.Duration, steps int, fails string, failCode int, caching *Caching) []problem {
	var found []problem
	if delay < 0 || delay > maxDelay {
		found = append(found, problem{"delay", fmt.Sprintf("must be between 0 and %s", maxDelay)})
	}
	if steps < 0 || steps > maxSteps {
		found = append(found, problem{"steps", fmt.Sprintf("must be between 0 and %d", maxSteps)})
	}
	if failCode != 0 && fails == "" {
		found = append(found, problem{"failCode", "needs fails, the message of the error"})
	}
	return append(found, below("caching", caching.problems())...)
}

func (c *Caching) problems() []problem {
	var found []problem
	if c != nil && c.Scope != "public" && c.Scope != "private" {
		found = append(found, problem{"scope", fmt.Sprintf("is %q, not public or private", clip(c.Scope))})
	}
	if c != nil && c.TTL < 0 {
		found = append(found, problem{"ttl", "must not be negative"})
	}
	return found
}

var findsForm = regexp.MustCompile(`^([^{}]|\{\+?[A-Za-z0-9_.]+\})+$`)

// Validate says what is wrong with the template; nil if it can be served.
func (t Template) Validate() error { return first("template "+t.URITemplate, t.problems()) }

func (t Template) problems() []problem {
	var found []problem
	if operation.Given(t.Text != nil, t.Finds != "", t.Source != nil) != 1 {
		found = append(found, problem{"", "needs either text or finds"})
	}
	if t.Finds != "" && !findsForm.MatchString(t.Finds) {
		found = append(found, problem{"finds", fmt.Sprintf("is %q, where only {name} and {+name} may stand in braces", clip(t.Finds))})
	}
	if t.Binary && t.Text == nil {
		found = append(found, problem{"binary", "needs text"})
	}
	for i, v := range t.Variables {
		at := fmt.Sprintf("variables[%d]", i)
		if v.Days != nil && len(v.Days.All()) == 0 {
			found = append(found, problem{at + ".days", fmt.Sprintf("no days from %q to %q", clip(v.Days.From), clip(v.Days.To))})
		}
		if v.ValuesBy != nil && v.DependsOn == "" {
			found = append(found, problem{at + ".valuesBy", "needs dependsOn, the other variable"})
		}
	}
	return append(found, answering(t.Delay, t.Steps, t.Fails, t.FailCode, t.Caching)...)
}
