package world

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"
)

const (
	maxGenerated = 64 << 20
	maxDelay     = time.Hour
	maxSteps     = 1000
)

// Validate says what is wrong with the world; nil if it can be served. Faults
// may serve worlds that break the protocol, so members that only the protocol
// cares about (an empty name, a priority of 7) are not looked at: see Lint.
func (w World) Validate() error {
	if w.PageSize < 0 {
		return errors.New("pageSize must not be negative")
	}
	if err := w.Caching.validate(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range w.Resources {
		if err := r.Validate(); err != nil {
			return err
		}
		if seen[r.URI] {
			return fmt.Errorf("resource %s: listed twice", r.URI)
		}
		seen[r.URI] = true
	}
	for _, r := range w.Resources {
		for _, child := range r.Contains {
			if c := w.Resource(child); c == nil || c.Directory() {
				return fmt.Errorf("resource %s: contains %s, which is no file of this world", r.URI, child)
			}
		}
	}
	for _, t := range w.Templates {
		if err := t.validate(); err != nil {
			return err
		}
	}
	return nil
}

// Validate says what is wrong with the resource; nil if it can be served.
func (r Resource) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("resource %s: "+format, append([]any{r.URI}, args...)...)
	}
	given := 0
	for _, is := range []bool{r.Text != nil, r.Blob != nil, r.Contains != nil, r.Generate != nil} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return fail("text, blob, contains and generate exclude each other")
	case r.Generate != nil && (r.Generate.Bytes < 0 || r.Generate.Bytes > maxGenerated):
		return fail("generate.bytes must be between 0 and %d", maxGenerated)
	case r.Delay < 0 || r.Delay > maxDelay:
		return fail("delay must be between 0 and %s", maxDelay)
	case r.Steps < 0 || r.Steps > maxSteps:
		return fail("steps must be between 0 and %d", maxSteps)
	case r.Input != nil && (r.Input.Key == "" || len(r.Input.Fields) == 0):
		return fail("input needs a key and at least one field")
	case r.Input != nil && r.Text == nil:
		return fail("input needs a text to put the answers into")
	}
	if r.Blob != nil {
		if _, err := base64.StdEncoding.Strict().DecodeString(*r.Blob); err != nil {
			return fail("blob: %w", err)
		}
	}
	if err := r.Caching.validate(); err != nil {
		return fail("%w", err)
	}
	return nil
}

func (c *Caching) validate() error {
	if c != nil && c.Scope != "public" && c.Scope != "private" {
		return fmt.Errorf("caching.scope is %q, not public or private", c.Scope)
	}
	return nil
}

var findsForm = regexp.MustCompile(`^([^{}]|\{\+?[A-Za-z0-9_.]+\})+$`)

func (t Template) validate() error {
	if (t.Text == nil) == (t.Finds == "") {
		return fmt.Errorf("template %s: needs either text or finds", t.URITemplate)
	}
	if t.Finds != "" {
		if !findsForm.MatchString(t.Finds) {
			return fmt.Errorf("template %s: finds is %q, where only {name} and {+name} may stand in braces", t.URITemplate, t.Finds)
		}
	}
	for _, v := range t.Variables {
		if v.Days != nil && len(v.Days.All()) == 0 {
			return fmt.Errorf("template %s: variable %s: days from %q to %q", t.URITemplate, v.Name, v.Days.From, v.Days.To)
		}
	}
	return nil
}

// Lint lists, in sentences, what a careful author of a world would put right:
// members that break a rule of the protocol although it could be served.
func (w World) Lint() []string {
	var found []string
	for _, r := range w.Resources {
		for _, complaint := range r.lint() {
			found = append(found, fmt.Sprintf("resource %s: %s", r.URI, complaint))
		}
	}
	for _, t := range w.Templates {
		if _, err := uritemplate.New(t.URITemplate); err != nil {
			found = append(found, fmt.Sprintf("template %s: %v", t.URITemplate, err))
		}
		if t.Name == "" {
			found = append(found, fmt.Sprintf("template %s: no name", t.URITemplate))
		}
	}
	return found
}

func (r Resource) lint() []string {
	var found []string
	if err := CheckURI(r.URI); err != nil {
		found = append(found, "the URI is malformed: "+err.Error())
	}
	if r.Name == "" {
		found = append(found, "no name")
	}
	if r.MIMEType != "" {
		if _, _, err := mime.ParseMediaType(r.MIMEType); err != nil {
			found = append(found, "the MIME type is malformed: "+err.Error())
		}
	}
	if data, err := r.Bytes(); err == nil && r.Size != nil && *r.Size != int64(len(data)) && !r.Directory() {
		found = append(found, fmt.Sprintf("size says %d, the content has %d bytes", *r.Size, len(data)))
	}
	if r.Text != nil && !utf8.ValidString(*r.Text) {
		found = append(found, "the text is no valid UTF-8")
	}
	if a := r.Annotations; a != nil && a.Priority != nil && (*a.Priority < 0 || *a.Priority > 1) {
		found = append(found, "the priority is not between 0 and 1")
	}
	return found
}
