package engine

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/yosida95/uritemplate/v3"
)

// template matches URIs against a URI template, the reverse of RFC 6570
// expansion: every expression becomes a group that takes what its expansion
// could have produced.
type template struct {
	world.Template
	seq uint64 // its place in the list; cursors refer to it
	// form is what URIs are matched against, made when it is first needed: namespaces have many that never
	// are. It is nil if the template cannot be read, and gives nil for one that is too large: they match
	// nothing.
	form   func() *regexp.Regexp
	groups []group
	names  []string // of the variables
}

// group is a group of the pattern and what it holds.
type group struct {
	names []string
	op    byte // of the expression; 0 for the simple one
}

var expression = regexp.MustCompile(`\{([+#./;?&]?)([^{}]+)\}`)

// What an expansion can consist of: RFC 6570, sections 3.2.2 and 3.2.3.
const (
	unreservedRun = `(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*`
	reservedRun   = `(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*`
	labelRun      = `(?:[A-Za-z0-9_~-]|%[0-9A-Fa-f]{2})*`
	queryRun      = `(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*`
)

func compileTemplate(t world.Template) *template {
	compiled := &template{Template: t}
	// One that cannot be read is listed as it is, for clients to cope with.
	if parsed, err := uritemplate.New(t.URITemplate); err == nil {
		compiled.names = parsed.Varnames()
		compiled.compile()
	}
	return compiled
}

func (t *template) compile() {
	var pattern strings.Builder
	pattern.WriteByte('^')
	rest := t.URITemplate
	for {
		at := expression.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		pattern.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		op, list := rest[at[2]:at[3]], rest[at[4]:at[5]]
		t.expression(&pattern, op, strings.Split(list, ","))
		rest = rest[at[1]:]
	}
	pattern.WriteString(regexp.QuoteMeta(rest))
	pattern.WriteByte('$')
	t.form = sync.OnceValue(func() *regexp.Regexp {
		form, err := regexp.Compile(pattern.String())
		if err != nil {
			return nil
		}
		return form
	})
}

func (t *template) expression(pattern *strings.Builder, op string, variables []string) {
	for i, v := range variables {
		v = strings.TrimSuffix(v, "*")
		variables[i], _, _ = strings.Cut(v, ":")
	}
	separated := func(run, separator string) {
		for i, name := range variables {
			if i > 0 {
				pattern.WriteString(separator)
			}
			pattern.WriteString("(" + run + ")")
			t.groups = append(t.groups, group{names: []string{name}})
		}
	}
	switch op {
	case "":
		separated(unreservedRun, ",")
	case "+":
		separated(reservedRun, ",")
	case "#":
		pattern.WriteString("#")
		separated(reservedRun, ",")
	case ".":
		pattern.WriteString(`\.`)
		separated(labelRun, `\.`)
	case "/":
		pattern.WriteString("/")
		separated(unreservedRun, "/")
	case ";":
		pattern.WriteString(`((?:;` + unreservedRun + `(?:=` + unreservedRun + `)?)*)`)
		t.groups = append(t.groups, group{names: variables, op: ';'})
	case "?", "&":
		pattern.WriteString(`((?:` + regexp.QuoteMeta(op) + queryRun + `)?)`)
		t.groups = append(t.groups, group{names: variables, op: op[0]})
	}
}

// match returns the decoded values of the variables of a URI. Variables of a
// query that are not there have no value.
func (t *template) match(uri string) (values map[string]string, ok bool) {
	if t.form == nil {
		return nil, false
	}
	form := t.form()
	if form == nil {
		return nil, false
	}
	found := form.FindStringSubmatch(uri)
	if found == nil {
		return nil, false
	}
	values = map[string]string{}
	for i, g := range t.groups {
		if !g.take(found[i+1], values) {
			return nil, false
		}
	}
	return values, true
}

func (g group) take(s string, values map[string]string) bool {
	if g.op == 0 {
		value, err := url.PathUnescape(s)
		values[g.names[0]] = value
		return err == nil
	}
	separator := "&"
	if g.op == ';' {
		separator = ";"
	}
	for pair := range strings.SplitSeq(strings.TrimLeft(s, "?&;"), separator) {
		name, raw, _ := strings.Cut(pair, "=")
		for _, known := range g.names {
			if name != known {
				continue
			}
			value, err := url.PathUnescape(raw)
			if err != nil {
				return false
			}
			values[known] = value
		}
	}
	return true
}

func (t *template) variable(name string) world.Variable {
	for _, v := range t.Variables {
		if v.Name == name {
			return v
		}
	}
	return world.Variable{Name: name}
}
