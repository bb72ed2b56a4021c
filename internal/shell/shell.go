// Package shell writes arguments so that a POSIX shell reads them back, and reads them.
package shell

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain are the characters that mean nothing to a shell inside of a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,/:@%"

// braced is a name in braces, such as {port}. A shell leaves it as it is: it expands braces
// only where there is a comma or two dots between them.
var braced = regexp.MustCompile(`\{[a-z]+\}`)

// Quote is one argument.
func Quote(arg string) string {
	if arg != "" && !strings.ContainsFunc(braced.ReplaceAllString(arg, "x"), func(r rune) bool {
		return !strings.ContainsRune(plain, r)
	}) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Printable is [Quote] for what people read and copy: one line of characters that can be
// seen. Others stand as escapes between $' and ', which not every shell knows, but those
// that people type at do. What Markdown takes for a link is parted without a change of
// meaning.
func Printable(arg string) string {
	if !utf8.ValidString(arg) || strings.ContainsFunc(arg, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return escaped(arg)
	}
	return strings.ReplaceAll(Quote(arg), "](", "]''(")
}

// escaped is an argument between $' and '. Bytes are octal, with all three digits: that
// is where the shells agree.
func escaped(arg string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(arg); {
		r, size := utf8.DecodeRuneInString(arg[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r), r == '(' && i > 0 && arg[i-1] == ']':
			for _, c := range []byte(arg[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(arg[i : i+size])
		}
		i += size
	}
	b.WriteString("'")
	return b.String()
}

// Join is a command line of several arguments.
func Join(args []string) string { return join(args, Quote) }

// JoinPrintable is [Join] for what people read and copy: see [Printable].
func JoinPrintable(args []string) string { return join(args, Printable) }

func join(args []string, quote func(string) string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// Split is the words of a command line, as a POSIX shell reads them: parted by white
// space, with quotes and backslashes. Nothing is expanded. What is special to a shell
// beyond that, such as | and $, stands for itself.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("a quotation mark ' is not closed")
			}
			word.WriteString(line[i+1 : i+1+end])
			i += 1 + end
		case '"':
			n, err := doubleQuoted(line[i+1:], &word)
			if err != nil {
				return nil, err
			}
			i += n
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New(`nothing stands behind the last \`)
			}
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// doubleQuoted reads what stands between double quotes, and how many bytes that takes
// with the second of them. A backslash is one unless it stands before what a shell would
// read otherwise.
func doubleQuoted(rest string, word *strings.Builder) (int, error) {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("\"\\$`", rest[i+1]) >= 0:
			i++
			word.WriteByte(rest[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, errors.New(`a quotation mark " is not closed`)
}
