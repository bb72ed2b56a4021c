package target

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// minCanary is the least length of a canary's contents in bytes: shorter ones
// might turn up by chance.
const minCanary = 8

// maxWait bounds how long a trigger may let the run wait.
const maxWait = time.Hour

func (c *checker) subjects(t *Target) {
	s := &t.Subjects
	known := make(map[string]string)
	for path, text := range yamlfile.Items("subjects.texts", s.Texts) {
		c.part(path, text.Text, text.Contains)
		known[text.URI] = path
	}
	for path, b := range yamlfile.Items("subjects.blobs", s.Blobs) {
		c.blob(path, b)
		known[b.URI] = path
	}
	for path, uri := range yamlfile.Items("subjects.missing", s.Missing) {
		if where, ok := known[*uri]; ok {
			c.fail(path, "is also given as a resource that exists, in %s", where)
		}
		if slices.Contains(s.Complete, *uri) {
			c.fail(path, "is also given in subjects.complete")
		}
	}
	c.once("subjects.complete", s.Complete)
	c.once("subjects.complete-templates", s.CompleteTemplates)
	for path, template := range yamlfile.Items("subjects.templates", s.Templates) {
		c.template(path, template)
	}
	for path, x := range yamlfile.Items("subjects.completions", s.Completions) {
		c.completion(path, x)
	}
	if s.Broken != "" {
		c.uri("subjects.broken", s.Broken)
	}
	if s.Slow != nil && s.Slow.AtLeast <= 0 {
		c.fail("subjects.slow.at-least", "must say how long a read takes at least, such as 500ms")
	}
	for path, p := range yamlfile.Items("subjects.protected", s.Protected) {
		c.identity(path+".identity", p.Identity, t)
	}
	for path, r := range yamlfile.Items("subjects.roots", s.Roots) {
		c.root(path, r)
	}
}

var hasScheme = regexp.MustCompile(`^[A-Za-z0-9+.-]+:`)

// uri checks that a URI has a scheme. More is not asked: what a server makes of
// odd URIs is its own affair.
func (c *checker) uri(path, uri string) {
	switch {
	case uri == "":
		c.fail(path, "must be given")
	case !hasScheme.MatchString(uri):
		c.fail(path, "must be an absolute URI such as file:///notes.txt, not %q", uri)
	}
}

func (c *checker) once(path string, values []string) {
	seen := make(map[string]bool)
	for at, v := range yamlfile.Items(path, values) {
		if *v == "" || seen[*v] {
			c.fail(at, "%q is empty or listed twice", *v)
		}
		seen[*v] = true
	}
}

// part checks that a part of a text has a text.
func (c *checker) part(path string, text *string, contains bool) {
	if contains && (text == nil || *text == "") {
		c.fail(path+".contains", "needs a text to look for")
	}
}

func (c *checker) blob(path string, b *Blob) {
	empty := b.Size != nil && *b.Size == 0
	if b.Base64 != "" && b.SHA256 != "" || b.Base64 == "" && b.SHA256 == "" && !empty {
		c.fail(path, "must have either base64 or sha256")
	}
	if b.Size != nil && *b.Size < 0 {
		c.fail(path+".size", "must not be negative")
	}
	if b.Base64 != "" {
		data, err := base64.StdEncoding.Strict().DecodeString(b.Base64)
		switch {
		case err != nil:
			c.fail(path+".base64", "must be in the standard alphabet with padding")
		case b.Size != nil && *b.Size != int64(len(data)):
			c.fail(path+".size", plural.Of(len(data), "is %d, but base64 holds %d {byte|bytes}"), *b.Size,
				len(data))
		}
	}
	if digest, err := hex.DecodeString(b.SHA256); b.SHA256 != "" && (err != nil || len(digest) != 32) {
		c.fail(path+".sha256", "must be 64 hexadecimal digits")
	}
}

// variables are the names of a template's variables; ok is false if it is none.
func (c *checker) variables(path, template string) (names []string, ok bool) {
	if template == "" {
		c.fail(path, "must be given")
		return nil, false
	}
	if _, err := judge.Expand(template, nil); err != nil {
		c.fail(path, "is no URI template (RFC 6570): %q", template)
		return nil, false
	}
	for _, v := range judge.Variables(template) {
		names = append(names, v.Name)
	}
	return names, true
}

func (c *checker) variable(path, name string, known []string) {
	if slices.Contains(known, name) {
		return
	}
	hint := ": it has none"
	if len(known) > 0 {
		hint = cmp.Or(yamlfile.DidYouMean(name, known), ": they are "+strings.Join(known, ", "))
	}
	c.fail(path, "%q is no variable of the template%s", name, hint)
}

func (c *checker) template(path string, t *Template) {
	known, ok := c.variables(path+".template", t.Template)
	for here, a := range yamlfile.Items(path+".arguments", t.Arguments) {
		c.part(here, a.Text, a.Contains)
		if a.Missing && a.Text != nil {
			c.fail(here, "cannot both be missing and have a text")
		}
		if !ok {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(a.Vars)) {
			c.variable(here+".vars."+name, name, known)
		}
	}
}

func (c *checker) completion(path string, x *Completion) {
	known, ok := c.variables(path+".template", x.Template)
	if ok {
		if x.Argument != "" {
			c.variable(path+".argument", x.Argument, known)
		}
		for _, name := range slices.Sorted(maps.Keys(x.Context)) {
			c.variable(path+".context."+name, name, known)
		}
	}
	if len(x.Values) == 0 && len(x.Never) == 0 {
		c.fail(path, "must have values that are expected, or that must never come")
	}
	for at, v := range yamlfile.Items(path+".never", x.Never) {
		if slices.Contains(x.Values, *v) {
			c.fail(at, "%q is also among the values expected", *v)
		}
	}
}

func (c *checker) identity(path, name string, t *Target) {
	if t.Identity(name) != nil {
		return
	}
	var known []string
	for i := range t.Identities {
		known = append(known, t.Identities[i].Name)
	}
	hint := "there are none"
	if len(known) > 0 {
		hint = "they are " + strings.Join(known, ", ")
	}
	c.fail(path, "must be the name of one of the identities (%s), not %q", hint, name)
}

func (c *checker) root(path string, r *Root) {
	file := func(field, uri, advice string) {
		if uri != "" && !strings.HasPrefix(uri, "file:") {
			c.fail(path+"."+field, "must be a file: URI, not %q%s", uri, advice)
		}
	}
	place := ": it is the directory on disk"
	if strings.Contains(r.Root, "://") {
		place += fmt.Sprintf("; name the template that leads into it as template: %s/{+path}",
			strings.TrimSuffix(r.Root, "/"))
	}
	file("root", r.Root, place)
	if !strings.HasPrefix(r.Root, "file:") {
		return // what the others must be follows from it
	}
	base := strings.TrimRight(r.Root, "/")
	file("sibling", r.Sibling,
		fmt.Sprintf(": it is the file on disk, as %s-old/file; ways to it are tried through the "+
			"template, too", base))
	file("symlink", r.Symlink,
		fmt.Sprintf(": it is the link on disk, as %s/link; it is read through the template, too", base))
	if strings.HasPrefix(r.Sibling, "file:") && (!strings.HasPrefix(r.Sibling, base) ||
		strings.HasPrefix(r.Sibling, base+"/")) {
		c.fail(path+".sibling", "must begin with the root, as %s-old/file does, and not lie in it", base)
	}
	if strings.HasPrefix(r.Symlink, "file:") && !strings.HasPrefix(r.Symlink, base+"/") {
		c.fail(path+".symlink", "must lie in the root")
	}
	if r.Template != "" {
		c.variables(path+".template", r.Template)
	}
	if r.Canary == nil {
		if r.Sibling != "" || r.Symlink != "" {
			c.fail(path+".canary", "must be given: its contents tell whether somebody got out of the root")
		}
		return
	}
	if (r.Canary.URI == "") == (r.Canary.Path == "") {
		c.fail(path+".canary", "must have either a uri or a path")
	}
	file("canary.uri", r.Canary.URI, "")
	if len(strings.TrimSpace(r.Canary.Content)) < minCanary {
		c.fail(path+".canary.content", "must be a marker of at least %d bytes", minCanary)
		return
	}
	for field, place := range map[string]string{"root": r.Root, "canary.uri": r.Canary.URI,
		"canary.path": r.Canary.Path, "sibling": r.Sibling, "symlink": r.Symlink} {
		if plain, err := url.PathUnescape(place); strings.Contains(place, r.Canary.Content) || err == nil &&
			strings.Contains(plain, r.Canary.Content) {
			c.fail(path+".canary.content",
				"must not stand in %s: an error that repeats the URI would be taken for the canary; "+
					"choose another marker", field)
		}
	}
	if c.local {
		c.onDisk(path, r)
	}
}

// elsewhere reports whether an endpoint may have another file system than this machine: it is called at a
// URL, or started in a container or over the network.
func elsewhere(e Endpoint) bool {
	return len(e.Command) == 0 || slices.Contains([]string{"docker", "podman", "nerdctl", "kubectl", "ssh"},
		filepath.Base(e.Command[0]))
}

// onDisk checks that what lies outside of a root is there, where the root itself is: a file
// that nobody can get proves nothing. A root that is not on this machine says nothing.
func (c *checker) onDisk(path string, r *Root) {
	if info, err := os.Stat(diskPath(r.Root)); err != nil || !info.IsDir() {
		return
	}
	canary := "canary.path"
	if r.Canary.URI != "" {
		canary = "canary.uri"
	}
	for field, name := range map[string]string{canary: cmp.Or(r.Canary.Path, diskPath(r.Canary.URI)),
		"sibling": diskPath(r.Sibling), "symlink": diskPath(r.Symlink)} {
		if !filepath.IsAbs(name) {
			continue
		}
		switch found, err := holds(name, r.Canary.Content); {
		case errors.Is(err, fs.ErrNotExist):
			c.fail(path+"."+field,
				"names %s, which does not exist although the root does: create it with the text of "+
					"canary.content in it", name)
		case err == nil && !found:
			c.fail(path+"."+field,
				"names %s, which does not contain the text of canary.content: put it there, or correct "+
					"canary.content", name)
		}
	}
}

// diskPath is the path that a file URI of this machine names; empty if it is none.
func diskPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// holds reports whether a regular file contains a text in its first megabyte. Other files count as if
// they did.
func holds(name, text string) (bool, error) {
	const most = 1 << 20
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return true, err
	}
	f, err := os.Open(name) // #nosec G304 -- the user names it
	if err != nil {
		return false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	return len(data) == most || strings.Contains(string(data), text), err
}

func (c *checker) triggers(t *Triggers) {
	for name, tr := range t.All() {
		if tr == nil {
			continue
		}
		path := "triggers." + name
		if tr.URI != "" || name == "update" || name == "update-other" || name == "break" {
			c.uri(path+".uri", tr.URI)
		}
		if count(tr.Exec != nil, tr.HTTP != nil, tr.Tool != nil, tr.Wait != nil, tr.Func != nil) != 1 {
			c.fail(path, "must have exactly one of exec, http, tool and wait")
			continue
		}
		c.trigger(path, tr)
		c.placeholders(path, tr)
	}
	if a, b, ok := t.Pair(); ok && a == b {
		c.fail("triggers.update-other.uri", "must be another resource than that of triggers.update")
	}
}

// braces find placeholders in a URL, which holds no others.
var braces = regexp.MustCompile(`\{\w*\}`)

// placeholders checks that what stands for something in a trigger is filled in.
func (c *checker) placeholders(path string, tr *Trigger) {
	marked := false
	tr.filled(func(text string) string {
		marked = marked || strings.Contains(text, transport.PortMark)
		return text
	})
	switch {
	case marked && c.ports == 0:
		c.fail(path, "has %s for the port, but no endpoint starts a server at one: that takes a command "+
			"and a url with %[1]s",
			transport.PortMark)
	case marked && c.ports > 1:
		c.fail(path, "has %s for the port, but several endpoints start servers at different ports: write "+
			"a port into "+
			"the url of each, and here", transport.PortMark)
	case tr.HTTP != nil:
		for _, found := range braces.FindAllString(tr.HTTP.URL, -1) {
			if found != transport.PortMark {
				c.fail(path+".http.url",
					"has %s, which nothing fills in: %s is the port of a server that is started, and "+
						"${NAME} a variable of the environment", found, transport.PortMark)
			}
		}
	}
}

func (c *checker) trigger(path string, tr *Trigger) {
	switch {
	case tr.Exec != nil:
		c.command(path+".exec.command", tr.Exec.Command)
		c.grant(path+".exec", tr.Exec.EnvPass)
		c.bound(path+".exec.timeout", tr.Exec.Timeout)
	case tr.HTTP != nil:
		c.url(path+".http.url", tr.HTTP.URL)
		c.bound(path+".http.timeout", tr.HTTP.Timeout)
		if strings.ContainsFunc(tr.HTTP.Method, noToken) {
			c.fail(path+".http.method", "must be a method such as %s, not %q", http.MethodPut, tr.HTTP.Method)
		}
	case tr.Wait != nil:
		if tr.Wait.For <= 0 || tr.Wait.For > maxWait {
			c.fail(path+".wait.for", "must be a time of up to %s within which the target changes by itself",
				maxWait)
		}
	}
}

func (c *checker) bound(path string, d time.Duration) {
	if d < 0 || d > maxWait {
		c.fail(path, "must be between 0 and %s", maxWait)
	}
}

// occurs checks that what is described can occur: in a revision that is asked for, and on a transport of an
// endpoint.
func (c *checker) occurs(t *Target) {
	latest, web, process := requirement.Revision(""), false, false
	for i := range t.Endpoints {
		e := &t.Endpoints[i]
		called := e.URL != "" || e.Handler != nil
		web, process = web || called, process || !called
		for _, r := range requirement.Revisions() {
			if t.Wants(e, r) && !(r.Modern() && e.Forced == requirement.SSE) {
				latest = max(latest, r)
			}
		}
	}
	needs := func(path string, first requirement.Revision, given bool) {
		if given && latest < first {
			c.fail(path, "needs the revision %s or a later one, and no endpoint is asked for one", first)
		}
	}
	needs("subjects.input", requirement.R20260728, t.Subjects.Input != nil)
	needs("triggers.shutdown", requirement.R20260728, t.Triggers.Shutdown != nil)
	for path, x := range yamlfile.Items("subjects.completions", t.Subjects.Completions) {
		needs(path+".context", requirement.R20250618, len(x.Context) > 0)
	}
	if len(t.Origins) > 0 && !web {
		c.fail("origins", "needs an endpoint with a url: over stdio no web page calls")
	}
	for path, id := range yamlfile.Items("identities", t.Identities) {
		if len(id.Env) == 0 && len(id.Header) > 0 && !web {
			c.fail(path+".headers",
				"needs an endpoint with a url: over stdio credentials are variables (env)")
		}
		if len(id.Header) == 0 && len(id.Env) > 0 && !process {
			c.fail(path+".env", "needs an endpoint over stdio: at a url credentials are headers")
		}
	}
}
