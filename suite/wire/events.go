package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
)

// EventReader reads an event stream by the rules of the WHATWG HTML standard,
// section "Server-sent events": lines end with LF, CR or CRLF, a leading byte
// order mark is skipped, comments and fields that nobody knows are ignored, an
// id that contains NUL is ignored.
//
// The standard lets a reader ignore any line. A line that can only be a
// mistake, such as a message that is not preceded by "data:", is ignored as
// well, but reported as [FlawFraming].
type EventReader struct {
	// Turns is for events that are long; nil has none wait.
	Turns *Turns

	r     *bufio.Reader
	limit int

	begun  bool
	skipLF bool // the last line ended with CR: a following LF belongs to it
	err    error

	line     parts // the line so far, cut at limit and a little more
	lineSize int
	long     bool // the line was longer than the limit
	open     bool // the current event has a field or a flaw
	event    Frame
	data     parts // of the event, but for a long first line, which is its Raw
	turn     turn  // of the event with its lines
}

// fieldRoom is how much longer than the data a line may be: the field name, a
// colon and a space.
const fieldRoom = 16

// NewEventReader reads events whose data has at most limit bytes from r. Of
// longer data the rest is dropped, but counted.
func NewEventReader(r io.Reader, limit int) *EventReader {
	return &EventReader{
		r: bufio.NewReaderSize(r, 4<<10), limit: max(limit, 1), event: Frame{Event: &Event{}},
	}
}

// Next returns the next event, the lines up to a blank line, as soon as that was read. Raw is the joined
// data, cut at the limit; nil if it is empty. An event without data is not dispatched by a browser, but it
// is handed on here, because its id or retry field may matter. The flaws are those of the framing; those of
// the message are for [Inspect]. Blocks of nothing but comments are skipped. At the end of the stream, or on
// a read error, it first returns what a blank line should have ended, if anything,
// with [FlawUnterminated], on an error also [FlawBrokenOff], and then the error; the end of the stream is
// io.EOF.
func (e *EventReader) Next() (Frame, error) {
	defer e.turn.end()
	for e.err == nil {
		blank, err := e.readLine()
		if err != nil {
			e.err = err
			if e.lineSize > 0 {
				e.takeLine()
			}
			if e.open {
				e.flaw(FlawUnterminated, "the stream ended without the blank line that ends the event")
				if !errors.Is(err, io.EOF) {
					e.flaw(FlawBrokenOff, "the connection failed inside the event")
				}
				return e.dispatch(), nil
			}
			break
		}
		if !blank {
			e.takeLine()
		} else if e.open {
			return e.dispatch(), nil
		}
	}
	return Frame{}, e.err
}

// readLine collects the next line and reports whether it is blank.
func (e *EventReader) readLine() (blank bool, err error) {
	e.line.cut(0)
	e.lineSize, e.long = 0, false
	if !e.begun {
		e.begun = true
		if head, _ := e.r.Peek(len(bom)); bytes.Equal(head, bom) {
			_, _ = e.r.Discard(len(bom))
		}
	}
	for {
		// Peek blocks for one byte only, then take what is there: waiting
		// for more would delay an event that is complete.
		if _, err := e.r.Peek(1); err != nil {
			return false, err
		}
		chunk, _ := e.r.Peek(e.r.Buffered())
		if e.skipLF {
			e.skipLF = false
			if chunk[0] == '\n' {
				_, _ = e.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			e.grow(chunk)
			_, _ = e.r.Discard(len(chunk))
			continue
		}
		e.grow(chunk[:end])
		e.skipLF = chunk[end] == '\r'
		_, _ = e.r.Discard(end + 1)
		return e.lineSize == 0, nil
	}
}

func (e *EventReader) grow(part []byte) {
	e.lineSize += len(part)
	defer e.held()
	if room := e.limit + fieldRoom - e.line.size; room > 0 && !e.long {
		e.line.add(part[:min(room, len(part))])
	}
	if e.lineSize > e.limit+fieldRoom && !e.long {
		e.long = true // see LineReader
		e.line.cut(headOfLong)
	}
}

// held asks for a turn if much of the event is held.
func (e *EventReader) held() {
	e.turn.of = e.Turns
	e.turn.need(e.line.size + e.data.size + len(e.event.Raw))
}

// takeLine interprets one line that is not blank.
func (e *EventReader) takeLine() {
	if e.line.head[0] == ':' {
		return
	}
	line := e.line.joined()
	name, value, found := bytes.Cut(line, []byte(":"))
	dropped := e.lineSize - len(line)
	if found {
		value = bytes.TrimPrefix(value, []byte(" "))
	}
	event := e.event.Event
	switch string(name) {
	case "data":
		e.takeData(value, dropped)
		return
	case "event":
		event.Type = e.text("event", value)
	case "id":
		if !bytes.ContainsRune(value, 0) {
			event.ID, event.HasID = e.text("id", value), true
		}
	case "retry":
		event.Retry = e.text("retry", value)
	default:
		if mistaken(string(name)) {
			e.flaw(FlawFraming, "the line %s is neither a field nor a comment", Excerpt(line, 60))
		}
		return
	}
	e.open = true
	if dropped > 0 {
		e.flaw(FlawTooLong, "a line of %d bytes", e.lineSize)
	}
}

// text is the value of a field other than data.
func (e *EventReader) text(field string, value []byte) string {
	if at := invalidUTF8(value); at >= 0 {
		e.flaw(FlawUTF8, "in the %s field: %s", field, Excerpt(value, 40))
	}
	return string(value)
}

func (e *EventReader) takeData(value []byte, dropped int) {
	e.open = true
	event := &e.event
	if event.Event.Lines > 0 {
		value = append([]byte("\n"), value...)
	}
	event.Event.Lines++
	before := event.Size
	event.Size += len(value) + dropped
	if before > e.limit {
		return // cut already: what is left is evidence, no message
	}
	keep := e.limit
	if event.Size > e.limit {
		keep = min(e.limit, keptOfLong)
		event.Raw = bytes.Clone(event.Raw[:min(len(event.Raw), keep)])
		e.data.cut(keep - len(event.Raw))
	}
	value = value[:min(len(value), keep-len(event.Raw)-e.data.size)]
	if len(value) >= keptOfLong && event.Raw == nil && e.data.size == 0 {
		// It is kept where it was read: a copy would take as much again.
		event.Raw, e.line.head = value, nil
		return
	}
	e.data.add(value)
}

// mistaken tells a field that nobody knows, which the standard has readers
// ignore, from a line that was meant to be something else: a message without
// "data:", an indented field, a field name in the wrong case.
func mistaken(name string) bool {
	return !fieldName.MatchString(name) || readField.MatchString(name)
}

var (
	fieldName = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
	readField = regexp.MustCompile(`^(?i:data|event|id|retry)$`)
)

func (e *EventReader) flaw(code FlawCode, format string, args ...any) {
	e.open = true
	e.event.AddFlaw(code, format, args...)
}

func (e *EventReader) dispatch() Frame {
	f := e.event
	if rest := e.data.joined(); f.Raw == nil {
		f.Raw = rest
	} else {
		f.Raw = append(f.Raw, rest...)
	}
	e.event, e.data, e.open = Frame{Event: &Event{}}, parts{}, false
	if f.Size > len(f.Raw) {
		f.cut()
	}
	return f
}

// LineReader splits a byte stream into lines, the framing of stdio: messages
// are delimited by newlines and contain none.
type LineReader struct {
	// Turns is for lines that are long; nil has none wait.
	Turns *Turns

	r     *bufio.Reader
	limit int
	begun bool
	err   error
}

// NewLineReader reads lines of at most limit bytes from r. Of a longer line the
// rest is dropped, but counted.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 32<<10), limit: max(limit, 1)}
}

// Next returns the next line, as soon as its newline was read, without that. Raw is the caller's to keep;
// of a line that is longer than the limit it is only the beginning, up to 64 KiB. The flaws are those of the
// framing; those of the message are for [Inspect]. At the end of
// the stream, or on a read error, it first returns what stood after the last
// newline, if anything, with [FlawUnterminated], and then the error; the end of
// the stream is io.EOF.
func (l *LineReader) Next() (line Frame, err error) {
	if l.err != nil {
		return line, l.err
	}
	var text parts
	its := turn{of: l.Turns}
	defer its.end()
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		line.Size += len(part)
		if room := l.limit - text.size; room > 0 && !line.Truncated {
			text.add(part[:min(room, len(part))])
		}
		if line.Size > l.limit && !line.Truncated {
			// What is left is evidence, no message: a beginning will do,
			// and the memory is free while the rest goes by.
			text.cut(keptOfLong)
			line.Truncated = true
		}
		its.need(text.size)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if l.err = err; !ended && line.Size == 0 {
			return line, err
		}
		line.Raw = text.joined()
		l.judge(&line)
		if !ended {
			line.AddFlaw(FlawUnterminated, "the stream ended after %d bytes of a line", line.Size)
		}
		return line, nil
	}
}

func (l *LineReader) judge(line *Frame) {
	if !l.begun && bytes.HasPrefix(line.Raw, bom) {
		line.AddFlaw(FlawBOM, "the stream begins with the bytes EF BB BF")
	}
	l.begun = true
	if line.Truncated {
		line.cut()
		return
	}
	if bytes.HasSuffix(line.Raw, []byte("\r")) {
		line.AddFlaw(FlawCR, "the line ends with a carriage return and a newline")
	}
	if len(trimSpace(line.Raw)) == 0 {
		line.AddFlaw(FlawBlank, "")
	}
}
