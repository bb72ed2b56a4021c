package world

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

const (
	maxTimeline = 10_000
	minEvery    = 10 * time.Millisecond
	maxAt       = 24 * time.Hour
)

// Step is something that happens to a world while it is served: exactly one of
// Put, Update, Remove, Touch, ListChanged, PutTemplate, RemoveTemplate, Ask, PutRule, RemoveRule, Become,
// EndSessions, Refuse, ExpireTokens and Revisions.
type Step struct {
	// At is when it happens, counted from when the timeline begins, or from what it waits for. Steps of the
	// same time happen in their order.
	At time.Duration `yaml:"at"`
	// After has the step wait for a message of a client, once it has been answered; On has it
	// happen for each such message, Times times at the most.
	After *Cue `yaml:"after"`
	On    *Cue `yaml:"on"`
	// Every repeats it at this interval, first at At or, without that, after one
	// interval; Times bounds how often it happens in all, 0 does not.
	Every time.Duration `yaml:"every"`
	Times int           `yaml:"times"`

	// Put adds a resource, or replaces the one with its URI.
	Put *Resource `yaml:"put"`
	// Update changes members of a resource.
	Update *Change `yaml:"update"`
	// Remove takes the resource with this URI away.
	Remove string `yaml:"remove"`
	// Touch notifies the subscribers of the resource with this URI.
	Touch string `yaml:"touch"`
	// ListChanged tells clients that the list has changed.
	ListChanged bool `yaml:"listChanged"`
	// PutTemplate adds or replaces a template, RemoveTemplate takes away the one with
	// this URI template.
	PutTemplate    *Template `yaml:"putTemplate"`
	RemoveTemplate string    `yaml:"removeTemplate"`
	// Ask sends a request to the client of each open session that can be asked.
	Ask *Request `yaml:"ask"`
	// PutRule switches a rule on, in place of the one with its ID; RemoveRule switches the one with this
	// ID off.
	PutRule    *operation.Rule `yaml:"putRule"`
	RemoveRule string          `yaml:"removeRule"`
	// Become gives scenarios other states, as rules do.
	Become map[string]string `yaml:"become"`
	// EndSessions ends all sessions.
	EndSessions bool `yaml:"endSessions"`
	// Refuse has the HTTP server be gone for this time: it closes its connections and its port.
	Refuse time.Duration `yaml:"refuse"`
	// ExpireTokens are names of owners whose bearer tokens are good for nothing any more; "*" is all.
	ExpireTokens []string `yaml:"expireTokens"`
	// Revisions are those that are served from then on. Sessions keep theirs.
	Revisions []string `yaml:"revisions"`
}

// Cue is a message of a client that a step waits for.
type Cue struct {
	// Method, URI, When, Identity and Session say which messages are meant, as in rules.
	Method   string           `yaml:"method"`
	URI      string           `yaml:"uri"`
	When     []operation.Test `yaml:"when"`
	Identity string           `yaml:"identity"`
	Session  string           `yaml:"session"`
	// Count is the number of the message that is waited for; 0 means the first. On begins with it.
	Count int `yaml:"count"`
}

// Limits are the messages of the cue.
func (c *Cue) Limits() operation.Limits {
	return operation.Limits{Method: c.Method, URI: c.URI, When: c.When, Identity: c.Identity,
		Session: c.Session}
}

// String says what is waited for.
func (c *Cue) String() string {
	parts := []string{cmp.Or(c.Method, "any message")}
	for _, part := range [][2]string{{"uri", c.URI}, {"identity", c.Identity}, {"session", c.Session}} {
		if part[1] != "" {
			parts = append(parts, part[0]+"="+part[1])
		}
	}
	for _, t := range c.When {
		parts = append(parts, "when "+t.At)
	}
	if c.Count > 1 {
		parts = append(parts, fmt.Sprintf("#%d", c.Count))
	}
	return strings.Join(parts, " ")
}

// Request is a request of the server's. Only the revisions with a handshake have any.
type Request struct {
	// Method is ping, roots/list, sampling/createMessage, elicitation/create or any other.
	Method string `yaml:"method"`
	// Params is a JSON object; empty leaves it out.
	Params map[string]any `yaml:"params"`
	// Undeclared also asks clients that have not declared that they can be asked this.
	Undeclared bool `yaml:"undeclared"`
}

// Change is new values for members of a resource; those that are absent stay.
type Change struct {
	URI         string       `yaml:"uri"`
	Name        *string      `yaml:"name"`
	Title       *string      `yaml:"title"`
	Description *string      `yaml:"description"`
	MIMEType    *string      `yaml:"mimeType"`
	Annotations *Annotations `yaml:"annotations"`
	Hidden      *bool        `yaml:"hidden"`
	// A new content replaces the old one, of whatever kind that was.
	Text *string `yaml:"text"`
	Blob *string `yaml:"blob"`
	// Fails is the message of the error with which reads are answered from now
	// on; empty ends that.
	Fails *string        `yaml:"fails"`
	Delay *time.Duration `yaml:"delay"`
}

// Apply changes a resource.
func (c Change) Apply(r *Resource) {
	set(&r.Name, c.Name)
	set(&r.Title, c.Title)
	set(&r.Description, c.Description)
	set(&r.MIMEType, c.MIMEType)
	set(&r.Hidden, c.Hidden)
	set(&r.Fails, c.Fails)
	set(&r.Delay, c.Delay)
	if c.Annotations != nil {
		r.Annotations = cloned(c.Annotations)
	}
	if c.Text != nil || c.Blob != nil {
		r.Text, r.Blob, r.Contains, r.Generate, r.Source, r.Size = cloned(c.Text), cloned(c.Blob), nil, nil,
			nil, nil
	}
}

func set[T any](member, value *T) {
	if value != nil {
		*member = *value
	}
}

// First is when the step happens for the first time.
func (s Step) First() time.Duration { return cmp.Or(s.At, s.Every) }

// actions are the names of all that a step can do, and of what it does.
func (s Step) actions() (all, given []string) {
	v := reflect.ValueOf(s)
	for _, f := range reflect.VisibleFields(v.Type()) {
		switch name := f.Tag.Get("yaml"); name {
		case "at", "after", "on", "every", "times": // say when
		default:
			if all = append(all, name); !v.FieldByIndex(f.Index).IsZero() {
				given = append(given, name)
			}
		}
	}
	return all, given
}

// String says what the step does, for messages.
func (s Step) String() string {
	_, given := s.actions()
	if len(given) == 0 {
		return ""
	}
	switch given[0] {
	case "put":
		return "put " + s.Put.URI
	case "update":
		return "update " + s.Update.URI
	case "remove":
		return "remove " + s.Remove
	case "touch":
		return "touch " + s.Touch
	case "putTemplate":
		return "put template " + s.PutTemplate.URITemplate
	case "removeTemplate":
		return "remove template " + s.RemoveTemplate
	case "ask":
		return "ask " + s.Ask.Method
	case "putRule":
		return strings.TrimSpace("put rule " + s.PutRule.ID)
	case "removeRule":
		return "remove rule " + s.RemoveRule
	case "become":
		var states []string
		for _, scenario := range slices.Sorted(maps.Keys(s.Become)) {
			states = append(states, scenario+" becomes "+s.Become[scenario])
		}
		return strings.Join(states, ", ")
	case "endSessions":
		return "end sessions"
	case "refuse":
		return "refuse connections for " + s.Refuse.String()
	case "expireTokens":
		return "expire tokens of " + strings.Join(s.ExpireTokens, ", ")
	case "revisions":
		return "serve " + strings.Join(s.Revisions, ", ")
	}
	return given[0]
}

func (s Step) problems() (found problems) {
	names, given := s.actions()
	if last := len(names) - 1; len(given) != 1 {
		found.Say("", "needs exactly one of %s and %s", strings.Join(names[:last], ", "), names[last])
		return found
	}
	operation.Between(&found, "at", s.At, 0, maxAt)
	if s.Every != 0 {
		operation.Between(&found, "every", s.Every, minEvery, maxAt)
	}
	switch {
	case s.Times < 0:
		found.Say("times", "must not be negative")
	case s.Times > 1 && s.Every == 0 && s.On == nil:
		found.Say("times", "needs every or on")
	case s.On != nil && (s.After != nil || s.Every != 0):
		found.Say("on", "is each time by itself: after and every exclude it")
	}
	found = append(found, s.steeringProblems()...)
	if s.Put != nil && s.Put.Repeat != nil {
		found.Say("put.repeat", "cannot be used in a timeline")
	}
	if s.Ask != nil && s.Ask.Method == "" {
		found.Say("ask.method", "is missing: ping, roots/list, sampling/createMessage, or any other")
	}
	return found
}

// steeringProblems are those of what happens to the server.
func (s Step) steeringProblems() (found problems) {
	found.Below("become", operation.CheckStates(s.Become))
	operation.Between(&found, "refuse", s.Refuse, 0, maxAt)
	for at, name := range yamlfile.Items("expireTokens", s.ExpireTokens) {
		if *name == "" {
			found.Say(at, `must not be empty: the name of an owner, or "*"`)
		}
	}
	for at, revision := range yamlfile.Items("revisions", s.Revisions) {
		if known := hook.Revisions(); !slices.Contains(known, *revision) {
			found.Say(at, "%q is unknown: known are %s%s", clip(*revision), strings.Join(known, ", "),
				nearest.Question(*revision, known))
		}
	}
	return found
}

func (c Cue) warnings() problems { return c.Limits().Warnings() }

func (c Cue) problems() problems {
	found := c.Limits().Check()
	if c.Limits().None() {
		found.Say("", "says of no message which it is: give method, uri, when, identity or session")
	}
	if c.Count < 0 {
		found.Say("count", "must not be negative")
	}
	return found
}

func (c Change) problems() (found problems) {
	if c.URI == "" {
		found.Say("uri", "is missing: which resource?")
	}
	if c.Text != nil && c.Blob != nil {
		found.Say("", "text and blob exclude each other")
	}
	if c.Blob != nil {
		if err := (Resource{Blob: c.Blob}).Validate(); err != nil {
			found.Say("blob", "no standard base64")
		}
	}
	if c.Delay != nil {
		operation.Between(&found, "delay", *c.Delay, 0, maxDelay)
	}
	return found
}
