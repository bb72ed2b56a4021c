package transport

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
)

// Ready is what tells that a server which was started can be used: that it takes
// connections, and further that it answers an HTTP request, or has written a line that
// fits a pattern.
type Ready struct {
	http bool
	line *regexp.Regexp
}

// ParseReady reads "tcp" (or nothing), "http" or "output:PATTERN", a regular expression.
func ParseReady(s string) (Ready, error) {
	pattern, output := strings.CutPrefix(s, "output:")
	switch {
	case output && pattern != "":
		line, err := regexp.Compile(pattern)
		if err != nil {
			return Ready{}, fmt.Errorf("has no regular expression behind output: %w", err)
		}
		return Ready{line: line}, nil
	case s == "" || s == "tcp":
		return Ready{}, nil
	case s == "http":
		return Ready{http: true}, nil
	}
	return Ready{}, fmt.Errorf("must be tcp, http or output:PATTERN, not %q", s)
}

// missing says what did not come.
func (r Ready) missing(address string) string {
	switch {
	case r.line != nil:
		return fmt.Sprintf("no line of its output fits %q, or nothing listens at %s", r.line, address)
	case r.http:
		return "there is no HTTP answer from " + address
	}
	return "nothing listens at " + address
}

// logBytes is how much of a server's output is kept; lineBytes is how long a line can be to
// be compared with the pattern.
const logBytes, lineBytes = 16 << 10, 64 << 10

// serverLog keeps the last part of what a server writes, and looks for a line.
type serverLog struct {
	*Tail
	want  *regexp.Regexp
	found atomic.Bool // whether the line has come
	part  []byte      // of a line that has not ended
}

// Write never fails.
func (l *serverLog) Write(p []byte) (int, error) {
	if l.want != nil && !l.found.Load() {
		l.part = append(l.part, p...)
		for line := range bytes.Lines(l.part) {
			if l.want.Match(bytes.TrimRight(line, "\r\n")) {
				l.found.Store(true)
			}
		}
		l.part = l.part[bytes.LastIndexByte(l.part, '\n')+1:]
		if len(l.part) > lineBytes {
			l.part = nil
		}
	}
	return l.Tail.Write(p)
}

// lastWords is what the output is likely to tell of why the program is not there, to go on a
// sentence with.
func (l *serverLog) lastWords() string {
	switch line, named := LastWords(l.String()); {
	case line == "":
		return "; it has written nothing"
	case named:
		return "; its output: " + shortLine(line)
	default:
		return "; its last line of output: " + shortLine(line)
	}
}

func shortLine(line string) string {
	const most = 300
	if line = strings.TrimSpace(line); len(line) > most {
		return strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
