package terminal

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Harmless returns a writer after which no CI system takes a part of the text for a command.
// It separates with a space what makes the command:
//
//   - "::" at the beginning of a line, behind blanks and colours: GitHub, Gitea, Forgejo
//   - "##[", "##vso[", "##teamcity[" and the like anywhere: Azure, TeamCity, Octopus and, again, GitHub;
//     likewise with "@@": Continua
//   - a carriage return and an escape sequence, which end the name of a section: GitLab
//
// It holds nothing back, so that a line may come in pieces and need not end. Markers that
// only fold what a log shows, such as "---" of Buildkite, stay.
func Harmless(w io.Writer) io.Writer { return &filter{w: w} }

// HarmlessJSON is [Harmless] for JSON, and for YAML that quotes what it has to: a bracket within
// a string is escaped, so that the value stays the same.
func HarmlessJSON(w io.Writer) io.Writer { return &filter{w: w, json: true} }

// HarmlessText returns a text as [Harmless] writes it.
func HarmlessText(s string) string {
	var b strings.Builder
	_, _ = io.WriteString(Harmless(&b), s) // a builder takes everything
	return b.String()
}

// Raw returns the writer behind [Harmless], for frames of a protocol and for commands of our own;
// any other writer it returns as it is.
func Raw(w io.Writer) io.Writer {
	if f, ok := w.(*filter); ok {
		return f.w
	}
	return w
}

// filter is safe for concurrent use.
type filter struct {
	w    io.Writer
	json bool

	mu   sync.Mutex
	line line
}

func (f *filter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []byte
	done := 0
	for i, r := range string(p) {
		if f.line == inside && ' ' <= r && r < utf8.RuneSelf-1 && r != '#' && r != '@' {
			continue // nothing changes, as nearly always
		}
		switch completes := f.line.add(r); {
		case completes && !f.json:
			out, done = append(append(out, p[done:i]...), ' '), i
		case completes && r == '[':
			out, done = append(append(out, p[done:i]...), `\u005b`...), i+1
		}
	}
	if out == nil {
		out, done = p, len(p)
	}
	_, err := f.w.Write(append(out, p[done:]...))
	return len(p), err
}

// inside is a line that has begun, and not with a part of a command.
var inside = line{begun: true}

// line is what matters of the line that is being written.
type line struct {
	begun    bool // it has more than blanks and colours
	colon    bool // it has begun with a colon, and nothing else has followed
	escape   bool // an escape sequence before the text has not ended
	returned bool // a carriage return was last
	marks    int  // how many # or @ came last, or before the last letters
}

// add adds a character to the line, and reports whether it completes a command. Invisible ones are
// passed over, because comparisons in .NET, in which two runners are written, ignore them.
func (l *line) add(r rune) bool {
	completes := r == '[' && l.marks > 1 || r == ':' && l.colon || r == '\x1b' && (l.marks > 1 || l.returned)
	l.returned = false
	if completes {
		l.marks = 0
	}
	switch {
	case r == '\n' || r == '\r':
		*l = line{returned: r == '\r'}
	case r == '\x1b': // a bracket follows
		l.escape = !l.begun
	case r == utf8.RuneError || strings.ContainsRune("\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r):
		l.begun = false // some end lines there; and a character may come in two pieces
	case !unicode.IsGraphic(r) || unicode.In(r, unicode.M, unicode.Other_Default_Ignorable_Code_Point):
	default:
		within := l.escape && strings.ContainsRune("[()0123456789;:?", r)
		letter := unicode.IsLetter(r)
		l.colon = r == ':' && !l.begun && !within
		l.begun = l.begun || !within && !(l.escape && letter) && !unicode.IsSpace(r)
		l.escape = within
		if r == '#' || r == '@' {
			l.marks++
		} else if !letter || l.marks == 1 {
			l.marks = 0
		}
	}
	return completes
}
