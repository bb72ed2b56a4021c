package world

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const maxURI = 64 << 10

var (
	regNameForm = regexp.MustCompile(`^(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*$`)
	schemeForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	triplet     = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	portForm    = regexp.MustCompile(`^[0-9]*$`)
	ipv6Form    = regexp.MustCompile(`^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$`)
	ipvNextForm = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$`)
)

// CheckURI says why a string is no absolute URI in the sense of RFC 3986,
// section 3; nil if it is one.
func CheckURI(s string) error {
	if len(s) > maxURI {
		return errors.New("longer than 64 KiB")
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok {
		return errors.New("no scheme")
	}
	if !schemeForm.MatchString(scheme) {
		return fmt.Errorf("no scheme is written %q", clip(scheme))
	}
	if err := checkCharacters(rest); err != nil {
		return err
	}
	if !strings.HasPrefix(rest, "//") {
		return checkPath(rest)
	}
	authority := rest[2:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		rest, authority = authority[i:], authority[:i]
	} else {
		rest = ""
	}
	if authority != "" {
		if err := checkAuthority(authority); err != nil {
			return err
		}
	}
	return checkPath(rest)
}

func checkCharacters(s string) error {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%':
			if !triplet.MatchString(s[i:]) {
				return errors.New("a % that begins no triplet")
			}
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			r, _ := utf8.DecodeRuneInString(s[i:])
			return fmt.Errorf("the character %q", r)
		}
	}
	return nil
}

// Unreserved are the characters that never need to be encoded (RFC 3986, section 2.3).
const Unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// Escape percent-encodes a text for a URI, byte by byte of its UTF-8 form, but for the
// characters that are kept.
func Escape(text, kept string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(kept, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func checkPath(s string) error {
	path, fragment, _ := strings.Cut(s, "#")
	if strings.ContainsAny(path, "[]") || strings.ContainsAny(fragment, "[]#") {
		return errors.New("a bracket or # where none may be")
	}
	return nil
}

func checkAuthority(s string) error {
	host := s
	if user, after, ok := strings.Cut(s, "@"); ok {
		if !regNameForm.MatchString(user) {
			return errors.New("a malformed user")
		}
		host = after
	}
	port := ""
	if strings.HasPrefix(host, "[") {
		literal, after, ok := strings.Cut(host[1:], "]")
		if !ok || !ipv6Form.MatchString(literal) && !ipvNextForm.MatchString(literal) {
			return errors.New("a malformed address in brackets")
		}
		if after != "" && after[0] != ':' {
			return errors.New("something behind the bracket that is no port")
		}
		port = strings.TrimPrefix(after, ":")
	} else if host, port, _ = strings.Cut(host, ":"); !regNameForm.MatchString(host) {
		return errors.New("a malformed host")
	}
	if !portForm.MatchString(port) {
		return errors.New("a port that is no number")
	}
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
