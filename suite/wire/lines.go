package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Line is one line of a stdio stream.
type Line struct {
	// Data is the line without its newline. It is the caller's to keep. Of a
	// line that is longer than the limit it is only the beginning, up to 64
	// KiB. Size is the length before the cut, in bytes.
	Data      []byte
	Size      int
	Truncated bool
	// Flaws are those of the framing; those of the message are for [Inspect].
	Flaws []Flaw
}

// LineReader splits a byte stream into lines, the framing of stdio: messages
// are delimited by newlines and contain none.
type LineReader struct {
	r     *bufio.Reader
	limit int
	begun bool
	err   error
}

// keptOfLong is how much is kept of what is longer than the limit, in bytes.
const keptOfLong = 64 << 10

// NewLineReader reads lines of at most limit bytes from r. Of a longer line the
// rest is dropped, but counted.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 32<<10), limit: max(limit, 1)}
}

// Next returns the next line, as soon as its newline was read. At the end of
// the stream, or on a read error, it first returns what stood after the last
// newline, if anything, with [FlawUnterminated], and then the error; the end of
// the stream is io.EOF.
func (l *LineReader) Next() (Line, error) {
	if l.err != nil {
		return Line{}, l.err
	}
	var line Line
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		line.Size += len(part)
		if room := l.limit - len(line.Data); room > 0 && !line.Truncated {
			line.Data = append(line.Data, part[:min(room, len(part))]...)
		}
		if line.Size > l.limit && !line.Truncated {
			// What is left is evidence, no message: a beginning will do,
			// and the memory is free while the rest goes by.
			line.Data, line.Truncated = bytes.Clone(line.Data[:min(l.limit, keptOfLong)]), true
		}
		switch {
		case ended:
			l.judge(&line)
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		l.err = err
		if line.Size == 0 {
			return Line{}, err
		}
		l.judge(&line)
		line.Flaws = append(line.Flaws, Flaw{Code: FlawUnterminated, Detail: fmt.Sprintf("the stream ended after %d bytes of a line", line.Size)})
		return line, nil
	}
}

func (l *LineReader) judge(line *Line) {
	if !l.begun && bytes.HasPrefix(line.Data, bom) {
		line.Flaws = append(line.Flaws, Flaw{Code: FlawBOM, Detail: "the stream begins with the bytes EF BB BF"})
	}
	l.begun = true
	if !line.Truncated && bytes.HasSuffix(line.Data, []byte("\r")) {
		line.Flaws = append(line.Flaws, Flaw{Code: FlawCR, Detail: "the line ends with a carriage return and a newline"})
	}
	if len(trimSpace(line.Data)) == 0 && !line.Truncated {
		line.Flaws = append(line.Flaws, Flaw{Code: FlawBlank})
	}
	if line.Truncated {
		line.Flaws = append(line.Flaws, TooLong(line.Size, len(line.Data)))
	}
}

// TooLong is the flaw of a message that is longer than the limit, both in bytes.
func TooLong(size, limit int) Flaw {
	return Flaw{Code: FlawTooLong, Detail: fmt.Sprintf("%d bytes, of which the first %d were kept", size, limit)}
}

// Merge joins two lists of flaws and leaves out those of a kind already listed.
func Merge(a, b []Flaw) []Flaw {
	for _, f := range b {
		known := false
		for _, x := range a {
			known = known || x.Code == f.Code
		}
		if !known {
			a = append(a, f)
		}
	}
	return a
}
