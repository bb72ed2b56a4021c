package transport

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mcpcheck/mcpcheck/internal/environ"
)

// accuses begins a line that names an error, as most languages write it when a program dies of
// one; trace is a line of what surrounds it there.
var (
	accuses = regexp.MustCompile(
		`^(?:Uncaught |Unhandled exception\. |thread '.*' ` +
			`)?(?:[\w.]*(?:Error|Exception)\b|panic:|panicked at |fatal ` +
			`error:)|^\S*(?i:error|exception|panic|fatal)`)
	trace = regexp.MustCompile(`^(?:at |Node\.js v|goroutine \d+ |note: run with |exit status \d)`)
)

// LastWords is the last line of an output that tells something: what names an error, which is
// reported, or else what is neither a rule, nor the side of a box, nor part of a trace. It is
// empty if there is none.
func LastWords(output string) (line string, named bool) {
	last := ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		line = strings.TrimFunc(line, func(c rune) bool { // rules, and the sides of boxes
			return unicode.IsSpace(c) || c > unicode.MaxASCII && !unicode.IsLetter(c) &&
				!unicode.IsDigit(c) || strings.ContainsRune("-=_*#|~+", c)
		})
		switch {
		case accuses.MatchString(line):
			if strings.HasSuffix(line, ":") {
				line += " " + last // what it says stands below
			}
			return line, true
		case last == "" && strings.ContainsFunc(line, func(c rune) bool {
			return unicode.IsLetter(c) || unicode.IsDigit(c)
		}) && !trace.MatchString(line):
			last = line
		}
	}
	return last, false
}

// Advice is [environ.Advice] for users of target files.
func Advice(said string, env []string, ended bool) string {
	advice := environ.Advice(said, env, ended)
	if advice != "" {
		advice += " (in a target file: env-pass, env, env-all)"
	}
	return advice
}

// Tail keeps the last bytes written to it. It may be used from several goroutines.
type Tail struct {
	mu   sync.Mutex
	buf  []byte
	size int
}

// NewTail keeps as many bytes as size says, and at least one.
func NewTail(size int) *Tail { return &Tail{size: max(size, 1)} }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.size; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// String is what was kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
