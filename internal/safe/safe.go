// Package safe makes texts from outside safe to print: on a terminal, in files for people, and in Markdown.
package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes a text from outside safe to print on one line: control
// characters, terminal escapes, overrides of the writing direction, invisible
// characters and invalid UTF-8 become visible escapes, such as \x1b or \u202e.
// Every writer for people passes what a target sent through it.
func Line(s string) string { return printable(s, false) }

// Lines is [Line] for texts of several lines: line feeds stay.
func Lines(s string) string { return printable(s, true) }

func printable(s string, keepLines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' && keepLines, unicode.IsPrint(r):
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

// escape writes a character that cannot be shown.
func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Shorten cuts a text to at most n characters and marks the cut.
func Shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count++; count >= n {
			return s[:i] + "…"
		}
	}
	return s
}

// Clean is a text from outside cut to at most n characters, and safe to print on one line.
func Clean(s string, n int) string { return Line(Shorten(s, n)) }
