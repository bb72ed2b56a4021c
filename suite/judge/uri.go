package judge

import (
	"net/netip"
	"slices"
	"strings"
)

// The problems of a URI (RFC 3986).
const (
	CodeNoScheme     Code = "no-scheme"     // no colon before the first slash, question mark or number sign
	CodeBadScheme    Code = "bad-scheme"    // what stands before the colon is no scheme name
	CodeBadCharacter Code = "bad-character" // a character that no URI contains
	CodeBadPercent   Code = "bad-percent"   // a percent sign without two hexadecimal digits
	CodeBadAuthority Code = "bad-authority" // user information or host are malformed
	CodeBadPort      Code = "bad-port"      // the port is no row of digits
	// a square bracket elsewhere than around an IP literal, or a malformed literal
	CodeBadBracket Code = "bad-bracket"
)

// URI holds a text against the rule "URI" of RFC 3986: absolute, with a scheme;
// a fragment is allowed, and so are an empty authority, any scheme name and
// lower-case hexadecimal digits. Non-ASCII characters are not: an IRI is no URI.
func URI(s string) []Problem {
	var f findings
	if s == "" {
		f.add(CodeEmpty, 0, "the URI is empty")
		return f.list
	}
	rest := 0
	if end := strings.IndexAny(s, ":/?#"); end < 0 || s[end] != ':' {
		f.add(CodeNoScheme, 0, "no scheme: a URI starts with a name and a colon, such as \"file:\"")
	} else {
		scheme(&f, s[:end])
		rest = end + 1
	}
	authorityEnd := rest
	if rest > 0 && strings.HasPrefix(s[rest:], "//") {
		authorityEnd = len(s)
		if i := strings.IndexAny(s[rest+2:], "/?#"); i >= 0 {
			authorityEnd = rest + 2 + i
		}
		authority(&f, s, rest+2, authorityEnd)
	}
	uriCharacters(&f, s, rest, authorityEnd)
	return f.list
}

// Scheme is the scheme name of a URI, as written; ok is false if there is none
// or it is malformed.
func Scheme(s string) (name string, ok bool) {
	end := strings.IndexAny(s, ":/?#")
	if end < 0 || s[end] != ':' {
		return "", false
	}
	var f findings
	scheme(&f, s[:end])
	return s[:end], len(f.list) == 0
}

// HasScheme reports whether a URI has one of the schemes; letter case does not
// matter.
func HasScheme(s string, schemes ...string) bool {
	name, ok := Scheme(s)
	return ok && slices.ContainsFunc(schemes, func(x string) bool { return strings.EqualFold(name, x) })
}

func scheme(f *findings, name string) {
	if name == "" {
		f.add(CodeBadScheme, 0, "the scheme is empty")
		return
	}
	if !isAlpha(name[0]) {
		f.add(CodeBadScheme, 0, "the scheme starts with %s instead of a letter", describe(name))
		return
	}
	i := run(name, func(c byte) bool { return isAlphaNum(c) || strings.IndexByte("+-.", c) >= 0 })
	if i < len(name) {
		f.add(CodeBadScheme, i,
			"the scheme contains %s; only letters, digits, \"+\", \"-\" and \".\" may stand there",
			describe(name[i:]))
	}
}

// uriCharacters scans everything after the scheme. Brackets inside the authority
// are left to the parser of the authority.
func uriCharacters(f *findings, s string, from, authorityEnd int) {
	fragment := false
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if !isTriplet(s, i) {
				f.add(CodeBadPercent, i, "\"%%\" is not followed by two hexadecimal digits")
			}
		case c == '[' || c == ']':
			if i >= authorityEnd {
				f.add(CodeBadBracket, i, "a square bracket outside of the host; write it as %%5B or %%5D")
			}
		case c == '#':
			if fragment {
				f.add(CodeBadCharacter, i, "a second \"#\"; write it as %%23")
			}
			fragment = true
		case c >= 0x80:
			f.add(CodeBadCharacter, i, "%s is not ASCII; percent-encode its UTF-8 bytes", describe(s[i:]))
		case !isURICharacter(c):
			f.add(CodeBadCharacter, i, "%s cannot stand in a URI; write it as %%%02X", describe(s[i:]), c)
		}
	}
}

// isURICharacter reports whether an ASCII character other than "%", "#" and the
// brackets may stand in a URI.
func isURICharacter(c byte) bool {
	return isUnreserved(c) || isSubDelim(c) || strings.IndexByte(":/?@", c) >= 0
}

func isUnreserved(c byte) bool { return isAlphaNum(c) || strings.IndexByte("-._~", c) >= 0 }
func isSubDelim(c byte) bool   { return strings.IndexByte("!$&'()*+,;=", c) >= 0 }

// authority parses s[from:to] as [userinfo "@"] host [":" port]. Characters that
// stand in no URI at all are left to uriCharacters.
func authority(f *findings, s string, from, to int) {
	text := s[from:to]
	if at := strings.IndexByte(text, '@'); at >= 0 {
		if i := strings.IndexAny(text[:at], "[]"); i >= 0 {
			f.add(CodeBadBracket, from+i, "a square bracket in the user information")
		}
		from += at + 1
		text = text[at+1:]
		if i := strings.IndexByte(text, '@'); i >= 0 {
			f.add(CodeBadAuthority, from+i, "a second \"@\" before the path; write it as %%40")
			return
		}
	}
	if strings.HasPrefix(text, "[") {
		ipLiteral(f, text, from)
		return
	}
	host, portText, hasPort := strings.Cut(text, ":")
	if i := strings.IndexAny(text, "[]"); i >= 0 {
		f.add(CodeBadBracket, from+i, "a square bracket that does not enclose the host")
		return
	}
	if hasPort {
		port(f, portText, from+len(host)+1)
	}
}

// ipLiteral parses "[" ( IPv6address / IPvFuture ) "]" [ ":" port ].
func ipLiteral(f *findings, text string, from int) {
	end := strings.IndexByte(text, ']')
	if end < 0 {
		f.add(CodeBadBracket, from, "\"[\" opens an IP address that no \"]\" closes")
		return
	}
	if !isIPLiteral(text[1:end]) {
		f.add(CodeBadBracket, from, "square brackets around something that is no IPv6 address: %q",
			clip(text[:end+1], 60))
	}
	switch rest := text[end+1:]; {
	case rest == "":
	case rest[0] != ':':
		f.add(CodeBadAuthority, from+end+1, "%s directly after the IP address", describe(rest))
	default:
		port(f, rest[1:], from+end+2)
	}
}

func isIPLiteral(s string) bool {
	if s != "" && (s[0] == 'v' || s[0] == 'V') {
		version, address, ok := strings.Cut(s[1:], ".")
		return ok && version != "" && address != "" && all(version, isHex) &&
			all(address, func(c byte) bool { return isUnreserved(c) || isSubDelim(c) || c == ':' })
	}
	// A zone (RFC 6874) follows an encoded percent sign.
	s, zone, zoned := strings.Cut(s, "%25")
	if zoned && (zone == "" || strings.ContainsAny(zone, ":/?@[]")) {
		return false
	}
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6() && address.Zone() == ""
}

func port(f *findings, text string, at int) {
	switch i := run(text, isDigit); {
	case i == len(text):
	case strings.Contains(text, ":"):
		f.add(CodeBadPort, at+i, "%s in the port; an IPv6 address must stand in square brackets",
			describe(text[i:]))
	default:
		f.add(CodeBadPort, at+i, "%s in the port, which is a row of digits", describe(text[i:]))
	}
}

// run is how many bytes at the beginning of a text are of a kind.
func run(s string, ok func(byte) bool) int {
	n := 0
	for n < len(s) && ok(s[n]) {
		n++
	}
	return n
}

func all(s string, ok func(byte) bool) bool { return run(s, ok) == len(s) }
