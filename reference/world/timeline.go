package world

import (
	"fmt"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/operation"
)

const (
	maxTimeline = 10_000
	minEvery    = 10 * time.Millisecond
	maxAt       = 24 * time.Hour
)

// Step is something that happens to a world while it is served: exactly one of
// Put, Update, Remove, Touch, ListChanged, PutTemplate, RemoveTemplate and Ask.
type Step struct {
	// At is when it happens, counted from when the timeline begins. Steps of the same
	// time happen in their order.
	At time.Duration `yaml:"at"`
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
		r.Text, r.Blob, r.Contains, r.Generate, r.Source, r.Size = cloned(c.Text), cloned(c.Blob), nil, nil, nil, nil
	}
}

func set[T any](member, value *T) {
	if value != nil {
		*member = *value
	}
}

// First is when the step happens for the first time.
func (s Step) First() time.Duration {
	if s.At == 0 {
		return s.Every
	}
	return s.At
}

// String says what the step does, for messages.
func (s Step) String() string {
	switch {
	case s.Put != nil:
		return "put " + s.Put.URI
	case s.Update != nil:
		return "update " + s.Update.URI
	case s.Remove != "":
		return "remove " + s.Remove
	case s.Touch != "":
		return "touch " + s.Touch
	case s.PutTemplate != nil:
		return "put template " + s.PutTemplate.URITemplate
	case s.RemoveTemplate != "":
		return "remove template " + s.RemoveTemplate
	case s.Ask != nil:
		return "ask " + s.Ask.Method
	}
	return "listChanged"
}

// Validate says what is wrong with the step; nil if it can be taken.
func (s Step) Validate() error {
	if s.Put != nil && s.Put.File != "" {
		return s.Put.Validate()
	}
	return first(s.String(), s.problems())
}

func (s Step) problems() []problem {
	if operation.Given(s.Put != nil, s.Update != nil, s.Remove != "", s.Touch != "", s.ListChanged, s.PutTemplate != nil, s.RemoveTemplate != "", s.Ask != nil) != 1 {
		return []problem{{"", "needs exactly one of put, update, remove, touch, listChanged, putTemplate, removeTemplate and ask"}}
	}
	var found []problem
	if s.At < 0 || s.At > maxAt {
		found = append(found, problem{"at", fmt.Sprintf("must be between 0 and %s", maxAt)})
	}
	if s.Every != 0 && (s.Every < minEvery || s.Every > maxAt) {
		found = append(found, problem{"every", fmt.Sprintf("must be between %s and %s", minEvery, maxAt)})
	}
	switch {
	case s.Times < 0:
		found = append(found, problem{"times", "must not be negative"})
	case s.Times > 1 && s.Every == 0:
		found = append(found, problem{"times", "needs every"})
	}
	if s.PutTemplate != nil {
		found = append(found, below("putTemplate", s.PutTemplate.problems())...)
	}
	if s.Put != nil {
		found = append(found, below("put", s.Put.problems())...)
		if s.Put.Repeat != nil {
			found = append(found, problem{"put.repeat", "cannot be used in a timeline"})
		}
	}
	if s.Update != nil {
		found = append(found, below("update", s.Update.problems())...)
	}
	if s.Ask != nil && s.Ask.Method == "" {
		found = append(found, problem{"ask.method", "is missing: ping, roots/list, sampling/createMessage, or any other"})
	}
	return found
}

func (c Change) problems() []problem {
	var found []problem
	if c.URI == "" {
		found = append(found, problem{"uri", "is missing: which resource?"})
	}
	if c.Text != nil && c.Blob != nil {
		found = append(found, problem{"", "text and blob exclude each other"})
	}
	if c.Blob != nil {
		if err := (Resource{Blob: c.Blob}).Validate(); err != nil {
			found = append(found, problem{"blob", "no standard base64"})
		}
	}
	if c.Delay != nil && (*c.Delay < 0 || *c.Delay > maxDelay) {
		found = append(found, problem{"delay", fmt.Sprintf("must be between 0 and %s", maxDelay)})
	}
	return found
}
