package judge

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The problems of a URI template (RFC 6570).
const (
	CodeUnbalanced       Code = "unbalanced"        // a brace without its partner
	CodeEmptyExpression  Code = "empty-expression"  // an expression without a variable
	CodeNested           Code = "nested"            // a brace inside an expression
	CodeBadOperator      Code = "bad-operator"      // an expression starts with a sign that is no operator
	CodeReservedOperator Code = "reserved-operator" // one of = , ! @ |, kept for extensions (soft)
	CodeBadVariable      Code = "bad-variable"      // a malformed variable name
	CodeBadModifier      Code = "bad-modifier"      // neither :1 to :9999 nor *
	CodeBadLiteral       Code = "bad-literal"       // a character that cannot stand outside of expressions
	CodeApostrophe       Code = "apostrophe"        // an apostrophe outside of expressions (soft)
)

// The bounds of [Expand] and [Matches], in bytes.
const (
	maxTemplate  = 16 << 10
	maxMatch     = 4 << 10
	maxExpansion = 1 << 20
)

// Template holds a text against RFC 6570, level 4. A template without expressions
// is legal, and so are non-ASCII characters outside of expressions.
func Template(s string) []Problem {
	_, problems := parse(s)
	return problems
}

// part is a literal or an expression of a template.
type part struct {
	text       string // of literals
	expression bool
	operator   byte
	variables  []Variable
}

// parse cuts a template into its parts, and says what is wrong with it. Of malformed
// expressions only the well-formed variables are kept.
func parse(s string) ([]part, []Problem) {
	var f findings
	var parts []part
	done := 0 // of what is in the parts
	for i := 0; i < len(s); {
		switch s[i] {
		case '{':
			p := part{expression: true}
			end := p.parse(&f, s, i)
			parts = append(parts, part{text: s[done:i]}, p)
			i, done = end, end
		case '}':
			f.add(CodeUnbalanced, i, "\"}\" closes an expression that was not opened")
			i++
		default:
			i += literal(&f, s, i)
		}
	}
	return append(parts, part{text: s[done:]}), f.list
}

// Variable is one variable of a template.
type Variable struct {
	Name string
	// Operator is the sign at the start of the expression; 0 for none.
	Operator byte
	// Explode is the modifier "*"; Prefix the number of a modifier ":n", or 0.
	Explode bool
	Prefix  int
}

// Variables lists the variables of a template in order of appearance, each as
// often as it appears. Malformed expressions are left out.
func Variables(s string) []Variable {
	var list []Variable
	parts, _ := parse(s)
	for _, p := range parts {
		list = append(list, p.variables...)
	}
	return list
}

// StartsWithScheme reports whether what a template expands to starts with a
// scheme. known is false if that depends on the values, as in "{+uri}".
func StartsWithScheme(s string) (ok, known bool) {
	end := strings.IndexAny(s, ":/?#{")
	if end < 0 {
		return false, true
	}
	switch s[end] {
	case ':':
		_, ok = Scheme(s[:end+1])
		return ok, true
	case '{':
		return false, end == 0 && len(s) > 1 && strings.IndexByte("/?#", s[1]) >= 0
	}
	return false, true
}

// LiteralScheme is what stands before the first colon of a template, right or
// wrong, if no expression comes before it.
func LiteralScheme(s string) (scheme string, ok bool) {
	end := strings.IndexAny(s, ":/?#{")
	if end < 0 || s[end] != ':' {
		return "", false
	}
	return s[:end], true
}

// parse reads and judges the expression that s[start] opens and returns the offset
// behind it.
func (p *part) parse(f *findings, s string, start int) int {
	length := strings.IndexAny(s[start+1:], "{}")
	if length < 0 {
		f.add(CodeUnbalanced, start, "\"{\" opens an expression that is not closed")
		return len(s)
	}
	end := start + 1 + length
	if s[end] == '{' {
		f.add(CodeNested, end, "\"{\" inside an expression")
		return skipNested(f, s, start)
	}
	body, at := s[start+1:end], start+1
	if body == "" {
		f.add(CodeEmptyExpression, start, "an expression without a variable")
		return end + 1
	}
	foreign := false
	switch c := body[0]; {
	case strings.IndexByte("+#./;?&", c) >= 0:
		p.operator = c
	case strings.IndexByte("=,!@|", c) >= 0:
		p.operator = c
		f.soft(CodeReservedOperator, at, "the operator %s is reserved for extensions", describe(body))
	case c > ' ' && c < 0x7F && !isAlphaNum(c) && c != '_' && c != '%':
		foreign = true
		f.add(CodeBadOperator, at, "%s is no operator; these are: + # . / ; ? &", describe(body))
	}
	if foreign || p.operator != 0 {
		body, at = body[1:], at+1
	}
	if body == "" {
		f.add(CodeEmptyExpression, start, "an expression without a variable")
		return end + 1
	}
	for spec := range strings.SplitSeq(body, ",") {
		if v, ok := variable(f, spec, at); ok && !foreign {
			v.Operator = p.operator
			p.variables = append(p.variables, v)
		}
		foreign = false // the sign belongs to the first variable
		at += len(spec) + 1
	}
	return end + 1
}

// skipNested passes over an expression that contains others.
func skipNested(f *findings, s string, start int) int {
	depth := 0
	for i := start; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	f.add(CodeUnbalanced, start, "\"{\" opens an expression that is not closed")
	return len(s)
}

// variable judges a name with its modifier.
func variable(f *findings, spec string, at int) (Variable, bool) {
	end := strings.IndexAny(spec, ":*")
	if end < 0 {
		end = len(spec)
	}
	name, modifier := spec[:end], spec[end:]
	v := Variable{Name: name}
	good := variableName(f, name, at)
	switch {
	case modifier == "":
	case modifier == "*":
		v.Explode = true
	case modifier[0] == '*':
		f.add(CodeBadModifier, at+end, "%q follows the modifier \"*\"", clip(modifier[1:], 40))
		good = false
	default:
		n, err := strconv.Atoi(modifier[1:])
		if err != nil || !all(modifier[1:], isDigit) || modifier[1] == '0' || n > 9999 {
			f.add(CodeBadModifier, at+end, "%q is no modifier; these are: a number from :1 to :9999, and *",
				clip(modifier, 40))
			good = false
		}
		v.Prefix = n
	}
	return v, good
}

func variableName(f *findings, name string, at int) bool {
	if name == "" {
		f.add(CodeBadVariable, at, "a variable without a name")
		return false
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case isAlphaNum(c) || c == '_':
		case isTriplet(name, i):
			i += 2
		case c == '.' && i > 0 && name[i-1] != '.' && i+1 < len(name):
		default:
			f.add(CodeBadVariable, at+i,
				"%s in the variable name %q; letters, digits, \"_\" and inner dots may stand there",
				describe(name[i:]), clip(name, 60))
			return false
		}
	}
	return true
}

// literal judges the character at s[i] outside of expressions and returns its
// length in bytes.
func literal(f *findings, s string, i int) int {
	c := s[i]
	switch {
	case c == '%':
		if !isTriplet(s, i) {
			f.add(CodeBadPercent, i, "\"%%\" is not followed by two hexadecimal digits")
		}
	case c == '\'':
		f.soft(CodeApostrophe, i, "an apostrophe; write it as %%27")
	case c <= ' ' || c == 0x7F || strings.IndexByte("\"<>\\^`|", c) >= 0:
		f.add(CodeBadLiteral, i, "%s outside of an expression; write it as %%%02X", describe(s[i:]), c)
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isUCS(r) || r == utf8.RuneError && size == 1 {
			f.add(CodeBadLiteral, i, "%s outside of an expression", describe(s[i:]))
		}
		return size
	}
	return 1
}

// isUCS reports whether a character is in ucschar or iprivate (RFC 3987).
func isUCS(r rune) bool {
	switch {
	case r < 0xA0 || 0xD800 <= r && r <= 0xDFFF || 0xFDD0 <= r && r <= 0xFDEF:
		return false
	case 0xFFF0 <= r && r <= 0xFFFF:
		return false
	case 0xE0000 <= r && r < 0xE1000:
		return false
	}
	return r&0xFFFE != 0xFFFE
}
