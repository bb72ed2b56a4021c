package target

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// checker collects what is wrong with a target.
type checker struct {
	index *yamlfile.Index
	rows  *requirement.Catalogue
	local bool // the target runs on this machine: we start it
	ports int  // servers that are started, each at its port
}

// fail notes a problem with a field; the message goes on from the field's path.
func (c *checker) fail(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.index.Fail(path, "%s %s", path, text)
}

// check notes everything wrong with the target.
func (t *Target) check(index *yamlfile.Index, rows *requirement.Catalogue) {
	c := &checker{index: index, rows: rows, local: !slices.ContainsFunc(t.Endpoints, elsewhere)}
	if len(t.Endpoints) == 0 {
		c.fail("endpoints", "must name at least one way to reach the target: a command or a url")
	}
	labels, servers := make(map[string]bool), make(map[string]bool)
	for path, e := range yamlfile.Items("endpoints", t.Endpoints) {
		c.endpoint(path, e)
		if e.Started() && portMarked(e.URL) {
			servers[fmt.Sprintf("%q %v %q", e.Command, e.Env, e.Dir)] = true
		}
		if e.Name != "" && labels[e.Name] {
			c.fail(path+".name", "%q is the name of another endpoint too", e.Name)
		}
		labels[e.Name] = true
	}
	c.ports = len(servers)
	visit("", "", reflect.ValueOf(*t), c.member)
	c.identities(t)
	if len(t.Endpoints) > 0 {
		c.occurs(t)
	}
	c.subjects(t)
	c.triggers(&t.Triggers)
	c.permissions(t)
	c.limits(&t.Limits)
	slices.SortStableFunc(index.Problems, func(a, b yamlfile.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path))
	})
}

// checkPaths notes the directories and certificate files of the target that are not there.
func (t *Target) checkPaths(index *yamlfile.Index) {
	c := &checker{index: index}
	visit("", "", reflect.ValueOf(*t), func(path, is string, v reflect.Value) {
		if name := v.String(); (is == "directory" || is == "file") && name != "" {
			if info, err := os.Stat(name); err != nil || info.IsDir() != (is == "directory") {
				c.fail(path, "names %q, which is no %s", name, is)
			}
		}
	})
}

// member checks a member by its type, and by what it is.
func (c *checker) member(path, is string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case requirement.Revision:
		if !x.Known() && (x != "" || path != "since") {
			c.fail(path, "must be a revision of the protocol (%s), not %q", list(requirement.Revisions()), x)
		}
	case Value:
		c.value(path, x)
	case map[string]Value:
		if is == "headers" {
			c.headers(path, x)
		} else {
			c.environment(path, x)
		}
	case string:
		switch {
		case is == "uri":
			c.uri(path, x)
		case is == "given" && x == "":
			c.fail(path, "must be given")
		}
	}
}

func (c *checker) endpoint(path string, e *Endpoint) {
	ways := count(len(e.Command) > 0, e.URL != "", e.Pipe != nil, e.Handler != nil)
	if ways != 1 && (ways != 2 || !e.Started()) {
		c.fail(path, "must have a command, a url, or both for a server that is to be started")
		return
	}
	c.grant(path, e.EnvPass)
	if len(e.Command) > 0 {
		c.command(path+".command", e.Command)
	} else {
		for field, given := range map[string]bool{
			"env": len(e.Env) > 0, "env-pass": len(e.EnvPass) > 0, "env-all": e.EnvAll, "dir": e.Dir != "",
		} {
			if given {
				c.fail(path+"."+field, "needs a command: it says nothing about an endpoint without one")
			}
		}
	}
	if e.Instances < 0 {
		c.fail(path+".instances", "must be 0 (no limit) or more")
	}
	c.web(path, e)
	c.started(path, e)
}

// web checks what is about endpoints with a URL or a handler.
func (c *checker) web(path string, e *Endpoint) {
	if e.URL == "" && e.Handler == nil {
		for field, given := range map[string]bool{"headers": len(e.Header) > 0, "ca-file": e.CAFile != ""} {
			if given {
				c.fail(path+"."+field, "needs a url: it says nothing about an endpoint without one")
			}
		}
		if e.Forced != "" && e.Forced != requirement.Stdio {
			c.fail(path+".transport", "cannot be %q for an endpoint without a url", e.Forced)
		}
		return
	}
	if e.URL != "" {
		c.url(path+".url", e.URL)
	}
	switch e.Forced {
	case "", auto, requirement.HTTP, requirement.SSE:
	default:
		c.fail(path+".transport", "must be auto, http or sse, not %q", e.Forced)
	}
}

func (c *checker) command(path string, command []string) {
	if len(command) == 0 || command[0] == "" {
		c.fail(path, "must begin with a program")
	}
	for at, arg := range yamlfile.Items(path, command) {
		if strings.ContainsRune(*arg, 0) {
			c.fail(at, "must not contain a zero byte")
		}
	}
}

func (c *checker) url(path, raw string) {
	u, err := parseURL(raw)
	switch {
	case err != nil:
		c.fail(path, "is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		c.fail(path, "must begin with http:// or https://")
	case u.Hostname() == "":
		c.fail(path, "must name a host")
	case u.Fragment != "":
		c.fail(path, "must not have a fragment (#...)")
	}
}

func (c *checker) environment(path string, env map[string]Value) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			c.fail(path, "must not name a variable %q", name)
		}
	}
}

// grant checks the variables that are passed to a program.
func (c *checker) grant(path string, pass []string) {
	if _, err := variables(pass, false); err != nil {
		c.fail(path, "%v", err)
	}
}

func (c *checker) headers(path string, header map[string]Value) {
	names := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		canonical := http.CanonicalHeaderKey(name)
		if name == "" || strings.ContainsFunc(name, noToken) {
			c.fail(path, "must not name a header %q", name)
		} else if names[canonical] {
			c.fail(path+"."+name, "names the header %s a second time", canonical)
		}
		names[canonical] = true
		if v, err := header[name].Reveal(); err == nil && strings.ContainsAny(v, "\r\n\x00") {
			c.fail(path+"."+name, "must not contain a line break or a zero byte")
		}
	}
}

// noToken reports whether c cannot stand in the name of a header (RFC 9110,
// section 5.6.2).
func noToken(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
}

func (c *checker) value(path string, v Value) {
	if v.Value != "" && v.Env != "" {
		c.fail(path, "must have either a value or env, the name of the variable that holds it")
		return
	}
	if _, err := v.Reveal(); err != nil {
		c.fail(path, "cannot be used: %v", err)
	}
}

func (c *checker) identities(t *Target) {
	names := make(map[string]bool)
	for path, id := range yamlfile.Items("identities", t.Identities) {
		if id.Name != "" && names[id.Name] {
			c.fail(path+".name", "%q is the name of another identity too", id.Name)
		}
		names[id.Name] = true
		if id.Rights != "" && !slices.Contains(AllRights(), id.Rights) {
			c.fail(path+".rights", "must be one of %s, not %q", list(AllRights()), id.Rights)
		}
		if len(id.Header) == 0 && len(id.Env) == 0 && id.Rights != RightsNone {
			c.fail(path, "must have headers or env that tell it apart")
		}
	}
}

// permissions checks what the user declares as intended.
func (c *checker) permissions(t *Target) {
	if t.Authorization != "" && !slices.Contains(Authorizations(), t.Authorization) {
		c.fail("authorization", "must be one of %s, not %q", list(Authorizations()), t.Authorization)
	}
	for path, o := range yamlfile.Items("origins", t.Origins) {
		if u, err := url.Parse(*o); err != nil || u.Scheme == "" || u.Host == "" ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			c.fail(path, "must be an origin such as https://app.example, not %q", *o)
		}
	}
	for path, a := range yamlfile.Items("allow", t.Allow) {
		if slices.Contains(Allowances(), *a) {
			continue
		}
		c.fail(path, "must be one of %s, not %q%s", list(Allowances()), *a,
			yamlfile.DidYouMean(string(*a), requirement.Texts(Allowances())))
	}
	seen := make(map[string]bool)
	for path, o := range yamlfile.Items("opt-out", t.OptOut) {
		if _, known := c.rows.Find(o.ID); !known {
			c.fail(path+".id", "%q is no requirement of this release%s", o.ID, c.rows.DidYouMean(o.ID, ""))
		} else if seen[o.ID] {
			c.fail(path+".id", "%s is listed twice", o.ID)
		}
		seen[o.ID] = true
		if strings.TrimSpace(o.Reason) == "" {
			c.fail(path+".reason", "must say why %s is not to be judged", o.ID)
		}
	}
}

func (c *checker) limits(l *Limits) {
	for name, v := range fields(reflect.ValueOf(*l)) {
		if v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0 {
			c.fail("limits."+name, "must not be negative")
		}
	}
}

// count is how many of some conditions hold.
func count(conditions ...bool) (n int) {
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

func list[S ~string](all []S) string { return strings.Join(requirement.Texts(all), ", ") }
