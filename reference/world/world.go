// Package world describes what the reference server serves: its resources,
// templates, completions and the names it goes by.
//
// A world is plain data. It can be written in YAML or JSON and read with Load,
// or put together in Go; New servers take a prepared copy of it, so that a
// world may be shared. [Example] has a bit of everything, and "mockserver worlds example" prints it.
// What is not plain data, files that change say, is served by way
// of a Source or a Finder.
package world

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// World is everything that a server serves.
type World struct {
	// Name names the world in messages.
	Name string `yaml:"name"`
	// Description says in a line what the world is good for. Clients do not get it.
	Description string `yaml:"description"`
	// Server is how the server introduces itself.
	Server Implementation `yaml:"server"`
	// Instructions are offered to clients; empty means none.
	Instructions string `yaml:"instructions"`
	// PageSize is the number of entries on a page; 0 puts all on one.
	PageSize int `yaml:"pageSize"`
	// Capabilities are what the server declares; nil means all.
	Capabilities *Capabilities `yaml:"capabilities"`
	// Caching holds the hints of list results and of discovery.
	Caching *Caching `yaml:"caching"`
	// Resources in the order of listing.
	Resources []Resource `yaml:"resources"`
	// Templates in the order of listing.
	Templates []Template `yaml:"templates"`
	// Tools and Prompts are what links to resources, and embedded ones, come from. The server declares what
	// there is.
	Tools   []Tool   `yaml:"tools"`
	Prompts []Prompt `yaml:"prompts"`
	// Timeline is what happens while the world is served, counted from the start of the server
	// (under "mockserver verify" from the first request).
	Timeline []Step `yaml:"timeline"`
	// TimelineFrom is from when on the times of the timeline are counted: "start", which an empty one means,
	// or "first-request".
	TimelineFrom string `yaml:"timelineFrom"`
	// Rules change messages from the start: operations, faults, quirks, failures and delays within limits,
	// written as in the admin API. They can be switched off there like all rules.
	Rules []operation.Rule `yaml:"rules"`
	// States are the states that scenarios are in at the start: what rules say under while and become.
	States map[string]string `yaml:"states"`
}

// Implementation introduces a program.
type Implementation struct {
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Version     string `yaml:"version"`
	Description string `yaml:"description"`
	WebsiteURL  string `yaml:"websiteUrl"`
	Icons       []Icon `yaml:"icons"`
}

// Capabilities says which features the server declares and serves.
type Capabilities struct {
	Subscribe   bool `yaml:"subscribe"`
	ListChanged bool `yaml:"listChanged"`
	Completions bool `yaml:"completions"`
	Logging     bool `yaml:"logging"`
}

// Without are the capabilities of c that are not among taken.
func (c Capabilities) Without(taken Capabilities) Capabilities {
	return Capabilities{
		Subscribe: c.Subscribe && !taken.Subscribe, ListChanged: c.ListChanged && !taken.ListChanged,
		Completions: c.Completions && !taken.Completions, Logging: c.Logging && !taken.Logging,
	}
}

// Offered are the capabilities that the server declares.
func (w World) Offered() Capabilities {
	return *cmp.Or(w.Capabilities, &Capabilities{Subscribe: true, ListChanged: true, Completions: true,
		Logging: true})
}

// Caching is a pair of caching hints (2026-07-28).
type Caching struct {
	// TTL is how long a result may be thought fresh; sent in milliseconds.
	TTL time.Duration `yaml:"ttl"`
	// Scope is "public" or "private"; empty means private.
	Scope string `yaml:"scope"`
}

// Resource is a resource with its content.
type Resource struct {
	URI         string `yaml:"uri"`
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	MIMEType    string `yaml:"mimeType" mistaken:"type,contenttype,mediatype"`
	// Size in bytes; nil means that of the content.
	Size        *int64         `yaml:"size"`
	Annotations *Annotations   `yaml:"annotations"`
	Icons       []Icon         `yaml:"icons"`
	Meta        map[string]any `yaml:"_meta"`
	// Hidden resources can be read but are not listed.
	Hidden bool `yaml:"hidden"`

	// The content is one of these six; none means an empty text.
	Text     *string   `yaml:"text" mistaken:"content,contents,body,value"`
	Blob     *string   `yaml:"blob"`     // standard base64
	Contains []string  `yaml:"contains"` // URIs of resources that are read together
	Generate *Generate `yaml:"generate"`
	// File is a path relative to the world file, in whose directory or below it
	// has to lie. Reading the world puts the content of the file in its place: a
	// text if it is one, or else a blob.
	File string `yaml:"file"`
	// Source fetches the content for each read. It cannot be written in a file.
	Source Source `yaml:"-"`

	// Repeat makes many resources of this one; see World.Expand.
	Repeat *Repeat `yaml:"repeat"`
	// Identities are the bearer tokens, or fingerprints of tokens, to whose owners the
	// resource shows itself; for all others it does not exist. None means everyone. There
	// are no tokens on stdio.
	Identities []string `yaml:"identities"`

	// Caching are the hints of a read; nil means the defaults.
	Caching *Caching `yaml:"caching"`
	// Delay is how long a read takes, Steps how many progress notifications
	// it sends meanwhile to those who ask for them.
	Delay time.Duration `yaml:"delay"`
	Steps int           `yaml:"steps"`
	// Fails, if not empty, is the message of the error with which every read is
	// answered, and FailCode its code; 0 means an internal error.
	Fails    string `yaml:"fails" mistaken:"error,failure"`
	FailCode int    `yaml:"failCode"`
	// Input is what a read has to ask the user first.
	Input *Input `yaml:"input"`
}

// Generate makes a content of a given length: a text by repeating a line or, if it is
// binary, bytes that look random and are the same for the same line.
type Generate struct {
	Bytes  int    `yaml:"bytes"`
	Line   string `yaml:"line"` // without line break
	Binary bool   `yaml:"binary"`
}

// Annotations are hints about the use of a resource.
type Annotations struct {
	Audience []string `yaml:"audience"`
	Priority *float64 `yaml:"priority"`
	// LastModified is an ISO 8601 timestamp (2025-06-18 on).
	LastModified string `yaml:"lastModified"`
}

// Icon is a picture for display (2025-11-25 on).
type Icon struct {
	Src      string   `yaml:"src"`
	MIMEType string   `yaml:"mimeType" mistaken:"type,contenttype,mediatype"`
	Sizes    []string `yaml:"sizes"`
	Theme    string   `yaml:"theme"`
}

// Input is what has to be asked before a read (2026-07-28): of the user by a form or at a URL, of a model, or
// of the client for its roots. In the text of the resource {name} stands for the answer to the field "name"
// of a form, and {key} for what the model said, or the URIs of the roots.
type Input struct {
	// Key names the input request.
	Key string `yaml:"key"`
	// Kind is form, which an empty one means, url, sampling or roots.
	Kind string `yaml:"kind"`
	// Message is what the user or the model is told.
	Message string `yaml:"message"`
	// Fields are those of a form.
	Fields []Field `yaml:"fields"`
	// URL is where the user is sent to.
	URL string `yaml:"url"`
	// Default is the answer of a model or the roots, used for clients of revisions that cannot be asked.
	Default string `yaml:"default"`
	// Then is what is asked in a further round, once this has been answered.
	Then *Input `yaml:"then"`
}

// The kinds of inputs.
const (
	InputForm     = "form"
	InputURL      = "url"
	InputSampling = "sampling"
	InputRoots    = "roots"
)

// InputKinds are the kinds of inputs.
func InputKinds() []string { return []string{InputForm, InputURL, InputSampling, InputRoots} }

// Asks is the kind of the input.
func (in *Input) Asks() string { return cmp.Or(in.Kind, InputForm) }

// Answers are the names of what the input and its further rounds yield, with the answers that stand for them
// where nobody can be asked.
func (in *Input) Answers() map[string]string {
	all := map[string]string{}
	for ; in != nil; in = in.Then {
		switch in.Asks() {
		case InputForm:
			for _, f := range in.Fields {
				all[f.Name] = f.Default
			}
		case InputSampling, InputRoots:
			all[in.Key] = in.Default
		}
	}
	return all
}

// Field is a text field of a form.
type Field struct {
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Default is used for clients of revisions that cannot be asked.
	Default string `yaml:"default"`
}

// Template is a resource template.
type Template struct {
	URITemplate string         `yaml:"uriTemplate" mistaken:"uri,template"`
	Name        string         `yaml:"name"`
	Title       string         `yaml:"title"`
	Description string         `yaml:"description"`
	MIMEType    string         `yaml:"mimeType" mistaken:"type,contenttype,mediatype"`
	Annotations *Annotations   `yaml:"annotations"`
	Icons       []Icon         `yaml:"icons"`
	Meta        map[string]any `yaml:"_meta"`
	// Variables tells what is known about the variables.
	Variables []Variable `yaml:"variables"`
	// Text is the content of every expansion; {name} stands for the decoded
	// value of a variable. Without Text, Finds must be there.
	Text *string `yaml:"text" mistaken:"content,contents,body,value"`
	// Binary has the text sent as a blob.
	Binary bool `yaml:"binary"`
	// Finds is a URI with {name} or {+name} in it that, expanded with the decoded
	// values, names the resource of this world whose content is served.
	Finds string `yaml:"finds"`
	// Source finds the resources. It cannot be written in a file.
	Source Finder `yaml:"-"`

	// Caching, Delay, Steps, Fails and FailCode are those of the resources that Text
	// makes.
	Caching  *Caching      `yaml:"caching"`
	Delay    time.Duration `yaml:"delay"`
	Steps    int           `yaml:"steps"`
	Fails    string        `yaml:"fails" mistaken:"error,failure"`
	FailCode int           `yaml:"failCode"`
}

// Variable is a variable of a template.
type Variable struct {
	Name string `yaml:"name"`
	// Values are suggested on completion, in this order.
	Values []string `yaml:"values"`
	// Days suggests every day of a span, both ends included.
	Days *Days `yaml:"days"`
	// DependsOn names another variable; ValuesBy then holds the values for each
	// value of that one, and Values those for no or another value.
	DependsOn string              `yaml:"dependsOn"`
	ValuesBy  map[string][]string `yaml:"valuesBy"`
	// Default is the value if a query variable is left out.
	Default string `yaml:"default"`
	// Closed says that there is nothing at values other than these.
	Closed bool `yaml:"closed"`
}

// Days is a span of days, written 2006-01-02.
type Days struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

const maxDays = 10_000

// All lists the days.
func (d Days) All() []string {
	from, err := time.Parse(time.DateOnly, d.From)
	if err != nil {
		return nil
	}
	to, err := time.Parse(time.DateOnly, d.To)
	if err != nil {
		return nil
	}
	var days []string
	for day := from; !day.After(to) && len(days) < maxDays; day = day.AddDate(0, 0, 1) {
		days = append(days, day.Format(time.DateOnly))
	}
	return days
}

// Suggestions lists the values of the variable, given the values of others.
func (v Variable) Suggestions(others map[string]string) []string {
	if v.DependsOn != "" {
		if values, ok := v.ValuesBy[others[v.DependsOn]]; ok {
			return values
		}
	}
	if v.Days != nil {
		return slices.Concat(v.Values, v.Days.All())
	}
	return v.Values
}

// Binary reports whether the content of the resource is sent as a blob. That of a
// Source is known only when it has been fetched.
func (r Resource) Binary() bool {
	return r.Blob != nil || r.Generate != nil && r.Generate.Binary
}

// Bytes is the content of the resource itself, decoded; that of a directory
// is not its own, and that of a Source has to be fetched.
func (r Resource) Bytes() ([]byte, error) {
	switch {
	case r.Blob != nil:
		return base64.StdEncoding.Strict().DecodeString(*r.Blob)
	case r.Text != nil:
		return []byte(*r.Text), nil
	case r.Generate != nil:
		return r.Generate.content(), nil
	}
	return nil, nil
}

func (g Generate) content() []byte {
	if g.Binary {
		data := make([]byte, g.Bytes)
		_, _ = rand.NewChaCha8(sha256.Sum256([]byte(g.Line))).Read(data) // never fails
		return data
	}
	line := g.Line + "\n"
	return []byte(strings.Repeat(line, g.Bytes/len(line)+1)[:g.Bytes])
}

// Directory reports whether the resource consists of others.
func (r Resource) Directory() bool { return r.Contains != nil }

// Clone copies the world so deeply that an overlay of the copy leaves the
// original as it was.
func (w World) Clone() World { return cloned(w) }

// Clone copies the resource deeply.
func (r Resource) Clone() Resource { return cloned(r) }

// Clone copies the template deeply.
func (t Template) Clone() Template { return cloned(t) }

// Resource returns the resource with that URI, for overlays to change; nil if
// there is none.
func (w *World) Resource(uri string) *Resource {
	for i := range w.Resources {
		if w.Resources[i].URI == uri {
			return &w.Resources[i]
		}
	}
	return nil
}

// Template returns the template with that URI template; nil if there is none.
func (w *World) Template(uriTemplate string) *Template {
	for i := range w.Templates {
		if w.Templates[i].URITemplate == uriTemplate {
			return &w.Templates[i]
		}
	}
	return nil
}

// cloned is a part of a world that shares nothing with the other that can be changed. What is
// no data, a Source say, is shared.
func cloned[T any](part T) T {
	detach(reflect.ValueOf(&part).Elem())
	return part
}

// detach puts copies in place of all that a value refers to.
func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			detach(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			detach(to.Elem())
			v.Set(to)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range reflect.Copy(list, v) {
			detach(list.Index(i))
		}
		v.Set(list)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		made := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			made.SetMapIndex(key, detached(value))
		}
		v.Set(made)
	case reflect.Interface:
		if !v.IsNil() && v.NumMethod() == 0 {
			v.Set(detached(v.Elem()))
		}
	}
}

// detached is a copy of a value that cannot be set.
func detached(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	detach(to)
	return to
}
