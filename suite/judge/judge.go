// Package judge holds the oracles: pure functions that say what is wrong with a
// URI, a URI template, a base64 text, a media type, a timestamp, a metadata key
// or a JSON value. They do no input or output, know nothing of targets or
// sessions, accept any bytes without panicking, and run in time linear in their
// input.
//
// An oracle returns problems instead of an error, because different requirements
// look at different codes of the same text. At most one problem per code is
// reported, the first in the text, so that the answer stays small whatever the
// input is.
package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code names a kind of problem within one oracle.
type Code string

// CodeEmpty is shared by the oracles of texts that cannot be empty.
const CodeEmpty Code = "empty"

// Problem is one thing that is wrong with a text.
type Problem struct {
	Code Code
	// At is the byte offset in the text.
	At int
	// Message says what is wrong, in a clause without a final stop.
	Message string
	// Soft marks what the grammar forbids but common practice, or another
	// reading of the rule, accepts: it is worth a warning at most.
	Soft bool
}

// String is the problem with its place, such as "a space at offset 7". What to do about it follows.
func (p Problem) String() string {
	what, advice, more := strings.Cut(p.Message, "; ")
	what += fmt.Sprintf(" at offset %d", p.At)
	if more {
		what += "; " + advice
	}
	return what
}

// Has reports whether one of the problems bears one of the codes.
func Has(problems []Problem, codes ...Code) bool {
	_, ok := First(problems, codes...)
	return ok
}

// First is the first problem that bears one of the codes; without codes it is
// the first problem that is not soft.
func First(problems []Problem, codes ...Code) (Problem, bool) {
	for _, p := range problems {
		if len(codes) == 0 && !p.Soft || slices.Contains(codes, p.Code) {
			return p, true
		}
	}
	return Problem{}, false
}

// findings collects the first problem of each code.
type findings struct{ list []Problem }

func (f *findings) add(code Code, at int, format string, args ...any) {
	if !Has(f.list, code) {
		f.list = append(f.list, Problem{Code: code, At: at, Message: fmt.Sprintf(format, args...)})
	}
}

func (f *findings) soft(code Code, at int, format string, args ...any) {
	if !Has(f.list, code) {
		f.add(code, at, format, args...)
		f.list[len(f.list)-1].Soft = true
	}
}

// describe names the character that a text begins with, so that it can be seen
// in a message.
func describe(s string) string {
	if s == "" {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("the byte 0x%02X", s[0])
	case r == ' ':
		return "a space"
	case r == '\n':
		return "a line feed"
	case r == '\r':
		return "a carriage return"
	case r == '\t':
		return "a tab"
	case unicode.IsPrint(r) && r < utf8.RuneSelf:
		return strconv.QuoteRune(r)
	case unicode.IsPrint(r):
		return fmt.Sprintf("%q (U+%04X)", r, r)
	}
	return fmt.Sprintf("the character U+%04X", r)
}

// clip shortens a text for a message to about n bytes, at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func isAlpha(c byte) bool    { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isAlphaNum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isHex(c byte) bool      { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// isTriplet reports whether a percent-encoded octet begins at s[i].
func isTriplet(s string, i int) bool {
	return i+2 < len(s) && s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2])
}
