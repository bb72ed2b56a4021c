package judge

import (
	"errors"
	"fmt"
	"strings"
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
	problems := Template(s)
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
	for _, p := range split(s) {
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
