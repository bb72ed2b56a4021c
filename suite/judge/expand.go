package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Expand fills in the variables of a template (RFC 6570, section 3) with
// strings; those without a value stay undefined. It refuses malformed templates,
// reserved operators, templates longer than 16 KiB and expansions longer than
// 1 MiB.
//
// It is our own because the usual library writes a character beyond ASCII as its
// code point (%FC) instead of its UTF-8 bytes (%C3%BC).
func Expand(s string, values map[string]string) (string, error) {
	if len(s) > maxTemplate {
		return "", fmt.Errorf("the template has %d bytes, more than %d", len(s), maxTemplate)
	}
	parts, problems := parse(s)
	if p, bad := First(problems); bad {
		return "", errors.New(p.String())
	}
	if p, bad := First(problems, CodeReservedOperator); bad {
		return "", errors.New(p.String())
	}
	for name, value := range values {
		if len(value) > maxExpansion {
			return "", fmt.Errorf("the value of %q has more than %d bytes", clip(name, 60), maxExpansion)
		}
	}
	var b strings.Builder
	for _, p := range parts {
		if p.expression {
			p.expand(&b, values)
		} else {
			encode(&b, p.text, true)
		}
		if b.Len() > maxExpansion {
			return "", fmt.Errorf("the expansion has more than %d bytes", maxExpansion)
		}
	}
	return b.String(), nil
}

// expand writes an expression by the table of RFC 6570, appendix A.
func (p *part) expand(b *strings.Builder, values map[string]string) {
	first, separator := "", ","
	named, reserved := false, false
	switch p.operator {
	case '+':
		reserved = true
	case '#':
		first, reserved = "#", true
	case '.', '/':
		first, separator = string(p.operator), string(p.operator)
	case ';':
		first, separator, named = ";", ";", true
	case '?', '&':
		first, separator, named = string(p.operator), "&", true
	}
	started := false
	for _, v := range p.variables {
		value, defined := values[v.Name]
		if !defined {
			continue
		}
		if b.Len() > maxExpansion {
			return
		}
		if started {
			b.WriteString(separator)
		} else {
			b.WriteString(first)
			started = true
		}
		if named {
			b.WriteString(v.Name)
			if value != "" || p.operator != ';' {
				b.WriteByte('=')
			}
		}
		if v.Prefix > 0 {
			value = firstCharacters(value, v.Prefix, reserved)
		}
		encode(b, value, reserved)
	}
}

// firstCharacters is the beginning of a value. Where encoded octets are kept as
// they are, each counts as one character, so that none is split.
func firstCharacters(s string, n int, triplets bool) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if triplets && isTriplet(s, i) {
			i += 3
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}

// encode writes a text with everything percent-encoded that is not unreserved;
// reserved lets reserved characters and encoded octets stand.
func encode(b *strings.Builder, s string, reserved bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case isUnreserved(c),
			reserved && (isSubDelim(c) || strings.IndexByte(":/?#[]@", c) >= 0 || isTriplet(s, i)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(b, "%%%02X", c)
		}
	}
}

// Matches reports whether a URI could be an expansion of a template. It is
// generous, because the protocol leaves matching to the server: a plain variable
// matches anything up to the next slash, question mark or number sign, encoded or
// not, and every variable may be absent. Malformed templates, and templates or
// URIs longer than 4 KiB, match nothing.
func Matches(template, uri string) bool { return NewMatcher(template).Match(uri) }

// Matcher is a template that many URIs are held against; see [Matches]. The zero
// matcher matches nothing. What it needs is made at the first URI that begins and ends as the
// template does, since a target can have very many templates.
type Matcher struct {
	prefix, suffix string
	compiled       func() *regexp.Regexp
}

// NewMatcher prepares a template.
func NewMatcher(template string) Matcher {
	if len(template) > maxMatch {
		return Matcher{}
	}
	ambiguous := func(c rune) bool {
		return c == '{' || c == '}' || c == '%' || c == '\'' || c >= utf8.RuneSelf
	}
	m := Matcher{prefix: template, suffix: template, compiled: sync.OnceValue(func() *regexp.Regexp {
		return compile(template)
	})}
	if i := strings.IndexFunc(template, ambiguous); i >= 0 {
		m.prefix = template[:i]
	}
	if i := strings.LastIndexFunc(template, ambiguous); i >= 0 {
		_, size := utf8.DecodeRuneInString(template[i:])
		if m.suffix = template[i+size:]; template[i] == '%' {
			m.suffix = ""
		}
	}
	return m
}

// compile makes the pattern of a template; nil if this is malformed.
func compile(template string) *regexp.Regexp {
	parts, problems := parse(template)
	if _, bad := First(problems); bad {
		return nil
	}
	var pattern strings.Builder
	pattern.WriteString(`(?s)\A`)
	for _, p := range parts {
		if p.expression {
			pattern.WriteString(expressionPattern(p))
		} else {
			literalPattern(&pattern, p.text)
		}
	}
	pattern.WriteString(`\z`)
	// The pattern is made of quoted literals and fixed classes, so that it
	// fails to compile only where it exceeds the limits of the package.
	re, err := regexp.Compile(pattern.String())
	if err != nil {
		return nil
	}
	return re
}

// Match reports whether a URI could be an expansion of the template.
func (m Matcher) Match(uri string) bool {
	if m.compiled == nil || len(uri) > maxMatch || !strings.HasPrefix(uri, m.prefix) ||
		!strings.HasSuffix(uri, m.suffix) {
		return false
	}
	re := m.compiled()
	return re != nil && re.MatchString(uri)
}

// Matchers are the templates of a target.
type Matchers []Matcher

// Match reports whether a URI could be an expansion of one of them.
func (all Matchers) Match(uri string) bool {
	return slices.ContainsFunc(all, func(m Matcher) bool { return m.Match(uri) })
}

// literalPattern lets characters that an expansion percent-encodes stand both
// ways.
func literalPattern(b *strings.Builder, text string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		raw := text[i : i+size]
		switch {
		case r == '%' && isTriplet(text, i):
			fmt.Fprintf(b, `(?i:%s)`, text[i:i+3])
			size = 3
		case r < utf8.RuneSelf && r != '\'':
			b.WriteString(regexp.QuoteMeta(raw))
		default:
			fmt.Fprintf(b, `(?:%s|(?i:`, regexp.QuoteMeta(raw))
			for k := range len(raw) {
				fmt.Fprintf(b, `%%%02X`, raw[k])
			}
			b.WriteString(`))`)
		}
		i += size
	}
}

func expressionPattern(p part) string {
	const segment = `[^/?#]*`
	count := "*"
	exploded := slices.ContainsFunc(p.variables, func(v Variable) bool { return v.Explode })
	if n := len(p.variables); !exploded && n <= 20 {
		count = fmt.Sprintf("{0,%d}", n)
	}
	switch p.operator {
	case '+':
		return `.*`
	case '#':
		return `(?:#.*)?`
	case '.', ';':
		return `(?:[` + string(p.operator) + `]` + segment + `)?`
	case '/':
		return `(?:/` + segment + `)` + count
	case '?':
		return `(?:\?[^#]*)?`
	case '&':
		return `(?:&[^#]*)?`
	}
	return segment
}
