package target

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/telling"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Found is what was seen of a live server, to be suggested in its target file.
// All members are optional.
type Found struct {
	// Revisions are those that the server serves.
	Revisions []requirement.Revision
	// TextURI is a readable text resource, TextMIMEType its media type and
	// TextSample (the beginning of) its text.
	TextURI, TextMIMEType, TextSample string
	// BlobURI is a readable binary resource, BlobSHA the SHA-256 of its
	// bytes in hexadecimal and BlobSize their number.
	BlobURI, BlobSHA string
	BlobSize         int64
	// Missing are URIs that lead to nothing. Where none was found, NoSuch is one that nobody
	// tried; it may be empty.
	Missing []string
	NoSuch  string
	// Complete are the URIs that a walk of the list delivered.
	Complete []string
	// Templates are the URI templates that the server lists.
	Templates []FoundTemplate
	// Subscribe and ListChanged say what the server declares.
	Subscribe, ListChanged bool
	// Completions are what the server suggested for variables of its templates.
	Completions []Completion
	// Tools are tools that may change a resource, guessed by name: none was called.
	Tools []FoundTool
}

// FoundTool is a tool of a server, with the arguments that it requires.
type FoundTool struct {
	Name     string
	Required []string
}

// FoundTemplate is a URI template that a server lists, with its variables.
type FoundTemplate struct {
	Template  string
	Variables []string
}

const (
	maxSample    = 200 // bytes of a text that are suggested
	maxSuggested = 10  // items of a list that are suggested

	placeholder = "VALUE" // stands for what cannot be found out
)

// How a suggestion was come by.
const (
	seen      = "found"
	untried   = "not tried: a URI of a scheme that the server lists"
	unnamed   = "found, but no suggestion was seen"
	noTrigger = "not tried: that this tool changes this resource is a guess by its name"
)

// WriteAnnotated writes a target file that explains every field. What the
// target sets is written; what it does not set stands in a comment, with what
// was found as a suggestion. [Parse] reads the file back.
//
// Values whose name tells that they are secret are left out, unless they come
// from the environment: target files are meant to be kept with the code.
func WriteAnnotated(w io.Writer, t *Target, found Found) error {
	if len(t.Endpoints) == 0 {
		return errors.New("a target without an endpoint cannot be written")
	}
	for i := range t.Endpoints {
		if len(t.Endpoints[i].Command) == 0 && t.Endpoints[i].URL == "" {
			return errors.New("an endpoint in this process cannot be written to a file")
		}
	}
	p := &printer{lines: strings.Split(notes().Preamble, "\n"), suggested: map[string][]string{},
		marks: map[string]string{}}
	for path, f := range notes().Fields {
		p.suggested[path] = strings.Split(f.Example, "\n")
	}
	p.suggested["revisions"] = emit("revisions", requirement.Revisions())
	if len(found.Revisions) > 0 {
		p.suggest(seen, "revisions", found.Revisions)
	}
	if all := slices.Concat(t.Revisions, found.Revisions); len(all) > 0 && !slices.ContainsFunc(all,
		requirement.Revision.Modern) {
		for _, path := range []string{"subjects.input", "triggers.shutdown"} {
			p.suggested[path], p.marks[path] = nil, "needs the revision "+string(requirement.R20260728)
		}
	}
	p.subjects(found)
	p.trigger(found)
	shown := *t
	shown.Triggers, shown.Secret = t.Triggers.writable(), safe(t.Secret)
	shown.Identities = withoutSecrets(t.Identities)
	for name, v := range fields(reflect.ValueOf(shown)) {
		switch name {
		case "endpoints":
			p.endpoints(t)
		case "subjects", "limits":
			p.section(name, v)
		case "triggers":
			p.section(name, v)
			p.remark(found)
		default:
			p.field("", name, v)
		}
	}
	_, err := io.WriteString(terminal.HarmlessJSON(w), strings.Join(p.lines, "\n")+"\n")
	return err
}

// printer collects the lines of the file.
type printer struct {
	lines     []string
	suggested map[string][]string // what is suggested for a field that is not set, by its path
	marks     map[string]string   // how the suggestion was come by, if it is no example
}

// suggest notes what was found for a field, and how.
func (p *printer) suggest(mark, path string, value any) {
	p.suggested[path] = emit(path[strings.LastIndex(path, ".")+1:], value)
	p.marks[path] = mark
}

// explain writes what a field is for.
func (p *printer) explain(path, by string) {
	p.lines = append(p.lines, "")
	p.write(by+"# ", strings.Split(notes().Fields[path].Text, "\n"))
}

// write writes lines with something before each.
func (p *printer) write(before string, lines []string) {
	p.lines = append(p.lines, indent(lines, before)...)
}

// field explains a field and writes it, or suggests it if it is not set.
func (p *printer) field(within, name string, value reflect.Value) {
	path, by := name, ""
	if within != "" {
		path, by = within+"."+name, "  "
	}
	p.explain(path, by)
	if given(value) {
		p.write(by, emitField(plainText(name), value))
		return
	}
	mark := cmp.Or(p.marks[path], "example")
	if p.marks[path] != "" && strings.Contains(strings.Join(p.suggested[path], "\n"), placeholder) {
		mark += "; put something real for " + placeholder
	}
	p.lines = append(p.lines, by+"# "+mark)
	p.write(by+"#", p.suggested[path])
}

// section writes a struct, field by field.
func (p *printer) section(name string, of reflect.Value) {
	p.explain(name, "")
	p.lines = append(p.lines, name+":")
	for field, v := range fields(of) {
		p.field(name, field, v)
	}
}

func (p *printer) endpoints(t *Target) {
	p.explain("endpoints", "")
	p.lines = append(p.lines, "endpoints:")
	for i := range t.Endpoints {
		e := t.Endpoints[i]
		var left []string
		e.URL, left = withoutURLSecrets(e.URL, left)
		e.Command, left = withoutArgSecrets(e.Command, left)
		e.Env, left = withoutSecretValues(e.Env, "env", left)
		e.Header, left = withoutSecretValues(e.Header, "headers", left)
		p.write("  ", emitList(reflect.ValueOf([]Endpoint{e})))
		p.write("    # ", left)
	}
	more := p.suggested["endpoint with a url"]
	if t.Endpoints[0].URL != "" {
		more = p.suggested["endpoint with a command"]
	}
	p.write("  #", more)
}

// withoutSecretValues drops values that must not be written to a file, and says
// for each what to write in its place.
func withoutSecretValues(values map[string]Value, field string, left []string) (map[string]Value, []string) {
	kept := make(map[string]Value)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		if v.Env != "" || v.Public || !telling.Header(name) || references(v.Value) {
			kept[name] = v
			continue
		}
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		left = append(left,
			fmt.Sprintf("%s: %s is left out because it may be a secret; put it into a variable: {env: %s}",
				field, name, variable))
	}
	if len(kept) == 0 {
		return nil, left
	}
	return kept, left
}

// withoutURLSecrets puts variables in place of passwords and keys in a URL, and says which
// have to be set.
func withoutURLSecrets(raw string, left []string) (string, []string) {
	u, err := parseURL(raw)
	if err != nil || len(urlSecrets(raw)) == 0 {
		return strings.ReplaceAll(raw, "${", "$${"), left
	}
	// Marks stand for the variables until the URL is written, which would escape these.
	var marks []string
	mark := func() string {
		variable := "URL_KEY"
		if len(marks) > 0 {
			variable += fmt.Sprint("_", len(marks)/2+1)
		}
		m := fmt.Sprintf("-mcpcheck-mark-%d-", len(marks)/2)
		marks = append(marks, m, "${"+variable+"}")
		left = append(left, fmt.Sprintf("url: set the variable %s to what may be a secret and is left out",
			variable))
		return m
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), mark())
	} else if u.User.Username() != "" {
		u.User = url.User(mark())
	}
	for _, key := range telling.PathKeys(u) {
		u.Path, u.RawPath = strings.ReplaceAll(u.Path, key, mark()), ""
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, p := range pairs {
		if name, value, ok := strings.Cut(p, "="); ok && value != "" && telling.Name(name) {
			pairs[i] = name + "=" + mark()
		}
	}
	u.RawQuery = strings.Join(pairs, "&")
	return strings.NewReplacer(marks...).Replace(strings.ReplaceAll(written(u, raw), "${", "$${")), left
}

// withoutArgSecrets hides what may be a secret in a command line, and says so: nothing can
// stand for it there.
func withoutArgSecrets(args, left []string) ([]string, []string) {
	shown, secrets := hideArgs(args)
	if len(secrets) == 0 {
		return args, left
	}
	return shown, append(left,
		"command: "+hidden+" stands for what may be a secret; have the program take it from a variable, "+
			"under env")
}

// references reports whether a value refers to the environment.
func references(s string) bool {
	_, parts, err := expand(s, func(string) (string, bool) { return "", true })
	return err == nil && len(parts) > 0
}

// withoutSecrets is the identities that can be written without giving a secret
// away; the others are left out.
func withoutSecrets(all []Identity) []Identity {
	var kept []Identity
	for _, id := range all {
		var left []string
		id.Env, left = withoutSecretValues(id.Env, "env", left)
		id.Header, left = withoutSecretValues(id.Header, "headers", left)
		if len(left) == 0 {
			kept = append(kept, id)
		}
	}
	return kept
}

// safe is the secrets that are given by reference.
func safe(all []Value) []Value {
	return slices.DeleteFunc(slices.Clone(all), func(v Value) bool {
		return v.Env == "" && !references(v.Value)
	})
}

// subjects suggests resources, templates and completions.
func (p *printer) subjects(found Found) {
	if found.TextURI != "" {
		sample, cut := clip(found.TextSample)
		p.suggest(seen, "subjects.texts",
			[]Text{{URI: found.TextURI, Text: &sample, Contains: cut && sample != "",
				MIMEType: found.TextMIMEType}})
	}
	if found.BlobURI != "" && found.BlobSHA != "" {
		p.suggest(seen, "subjects.blobs",
			[]Blob{{URI: found.BlobURI, SHA256: found.BlobSHA, Size: &found.BlobSize}})
	}
	if len(found.Missing) > 0 {
		p.suggest(seen, "subjects.missing", first(found.Missing))
	} else if found.NoSuch != "" {
		p.suggest(untried, "subjects.missing", []string{found.NoSuch})
	}
	if n := len(found.Complete); n > 0 && n <= 10*maxSuggested {
		p.suggest(seen, "subjects.complete", found.Complete)
	}
	if len(found.Templates) > 0 {
		p.templates(found)
	}
}

// templates suggests what is known of the server's templates: values for their variables
// are those that completion gave.
func (p *printer) templates(found Found) {
	values := map[[2]string]string{}
	for _, c := range found.Completions {
		values[[2]string{c.Template, c.Argument}] = first(c.Values)[0]
	}
	var names []string
	var templates []Template
	var open []Completion
	for _, t := range first(found.Templates) {
		vars := make(map[string]string)
		for _, v := range t.Variables {
			vars[v] = cmp.Or(values[[2]string{t.Template, v}], placeholder)
			open = append(open, Completion{Template: t.Template, Argument: v, Values: []string{placeholder}})
		}
		names = append(names, t.Template)
		templates = append(templates, Template{Template: t.Template, Arguments: []Arguments{{Vars: vars}}})
	}
	p.suggest(seen, "subjects.templates", templates)
	if len(found.Templates) <= maxSuggested {
		p.suggest(seen, "subjects.complete-templates", names)
	}
	switch {
	case len(found.Completions) > 0:
		p.suggest(seen, "subjects.completions", first(found.Completions))
	case len(open) > 0:
		p.suggest(unnamed, "subjects.completions", first(open))
	}
}

// trigger suggests a tool that may change a resource.
func (p *printer) trigger(found Found) {
	if len(found.Tools) == 0 {
		return
	}
	tool := &Tool{Name: found.Tools[0].Name}
	if len(found.Tools[0].Required) > 0 {
		tool.Arguments = map[string]any{}
	}
	for _, name := range found.Tools[0].Required {
		tool.Arguments[name] = placeholder
	}
	uri := cmp.Or(found.TextURI, "file:///notes.txt")
	p.suggest(noTrigger, "triggers.update", &Trigger{URI: uri, Tool: tool})
}

// remark says what triggers let be judged, and which tools there are.
func (p *printer) remark(found Found) {
	note := ""
	switch {
	case found.Subscribe && found.ListChanged:
		note = "The server declares resources.subscribe and resources.listChanged: triggers let both be " +
			"judged."
	case found.Subscribe:
		note = "The server declares resources.subscribe: triggers.update lets it be judged."
	case found.ListChanged:
		note = "The server declares resources.listChanged: triggers.add and triggers.remove let it be judged."
	}
	if note != "" {
		p.lines = append(p.lines, "  # "+note)
	}
	if len(found.Tools) > 1 {
		var names []string
		for _, t := range first(found.Tools) {
			names = append(names, t.Name)
		}
		p.lines = append(p.lines, "  # Tools that may change a resource, guessed by name and not tried: "+
			comment(strings.Join(names, ", ")))
	}
}

// writable is the triggers without those that only exist in Go.
func (t Triggers) writable() Triggers {
	for _, v := range fields(reflect.ValueOf(&t).Elem()) {
		if tr, ok := v.Interface().(*Trigger); ok && tr != nil && tr.Func != nil {
			v.SetZero()
		}
	}
	return t
}

func first[T any](all []T) []T { return all[:min(len(all), maxSuggested)] }

// comment makes a text from the server safe to stand in a comment.
func comment(s string) string {
	q := quoteText(s)
	return q[1 : len(q)-1]
}

// clip cuts a text to what is worth suggesting.
func clip(s string) (sample string, cut bool) {
	if len(s) <= maxSample {
		return s, false
	}
	n := maxSample
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

//go:embed annotations.yaml
var annotationsText string

// annotations is what the files that are written say of their fields, by path.
type annotations struct {
	Preamble string `yaml:"preamble"` // opens every file
	Fields   map[string]struct {
		Text string `yaml:"text"`
		// Example stands in for a field that is not set, where nothing better was found.
		Example string `yaml:"example"`
	} `yaml:"fields"`
}

// notes are the annotations. It panics if they cannot be read: that is an error of this
// package, which every use of it shows.
var notes = sync.OnceValue(func() *annotations {
	a := &annotations{}
	if _, err := yamlfile.Decode("suite/target/annotations.yaml", []byte(annotationsText), a); err != nil {
		panic(err)
	}
	return a
})
