package wire

import (
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func readLines(r io.Reader, limit int) []Frame {
	var out []Frame
	for l := NewLineReader(r, limit); ; {
		line, err := l.Next()
		if err != nil {
			return out
		}
		out = append(out, line)
	}
}

func TestLineReader(t *testing.T) {
	type want struct {
		data  string
		size  int
		flaws []FlawCode
	}
	for name, c := range map[string]struct {
		in   string
		want []want
	}{
		"nothing":      {"", nil},
		"two":          {"{}\n[]\n", []want{{"{}", 2, nil}, {"[]", 2, nil}}},
		"CR":           {"{}\r\n", []want{{"{}\r", 3, []FlawCode{FlawCR}}}},
		"CR inside":    {"a\rb\n", []want{{"a\rb", 3, nil}}},
		"blank":        {"\n \n", []want{{"", 0, []FlawCode{FlawBlank}}, {" ", 1, []FlawCode{FlawBlank}}}},
		"unterminated": {"{}\n{", []want{{"{}", 2, nil}, {"{", 1, []FlawCode{FlawUnterminated}}}},
		"BOM": {"\ufeff{}\n\ufeff{}\n", []want{{"\ufeff{}", 5, []FlawCode{FlawBOM}},
			{"\ufeff{}", 5, nil}}},
		"exactly": {"0123456789\n", []want{{"0123456789", 10, nil}}},
		"too long": {"0123456789ab\nx\n", []want{{"0123456789", 12, []FlawCode{FlawTooLong}},
			{"x", 1, nil}}},
		"long, cut off": {"0123456789ab",
			[]want{{"0123456789", 12, []FlawCode{FlawTooLong, FlawUnterminated}}}},
		"much too long": {strings.Repeat("x", 1<<20) + "\nx\n",
			[]want{{"xxxxxxxxxx", 1 << 20, []FlawCode{FlawTooLong}}, {"x", 1, nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in),
				iotest.OneByteReader(strings.NewReader(c.in)),
				iotest.DataErrReader(strings.NewReader(c.in))} {
				var got []want
				for _, l := range readLines(r, 10) {
					got = append(got, want{string(l.Raw), l.Size, codes(l.Flaws)})
					if l.Truncated != (l.Size > 10) {
						t.Errorf("Truncated = %v with %d bytes", l.Truncated, l.Size)
					}
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestReadersHandOnReadErrors(t *testing.T) {
	cause := errors.New("cut")
	l := NewLineReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(cause)), 10)
	if line, err := l.Next(); err != nil || !HasFlaw(line.Flaws, FlawUnterminated) {
		t.Errorf("got %v, %v", line, err)
	}
	e := NewEventReader(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(cause)), 10)
	if ev, err := e.Next(); err != nil || !HasFlaw(ev.Flaws, FlawUnterminated) {
		t.Errorf("got %v, %v", ev, err)
	}
	for range 2 {
		if _, err := l.Next(); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		if _, err := e.Next(); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
}

func readEvents(r io.Reader, limit int) []Frame {
	var out []Frame
	for e := NewEventReader(r, limit); ; {
		ev, err := e.Next()
		if err != nil {
			return out
		}
		out = append(out, ev)
	}
}

func TestEventReader(t *testing.T) {
	type want struct {
		event Event
		data  string
		flaws []FlawCode
	}
	for name, c := range map[string]struct {
		in   string
		want []want
	}{
		"nothing":        {"", nil},
		"comments alone": {": ping\n\n:\n\n", nil},
		"blank lines":    {"\n\n\r\n\r\r", nil},
		"one":            {"data: {}\n\n", []want{{Event{Lines: 1}, "{}", nil}}},
		"no space":       {"data:{}\n\n", []want{{Event{Lines: 1}, "{}", nil}}},
		"two spaces":     {"data:  x\n\n", []want{{Event{Lines: 1}, " x", nil}}},
		"CR": {"data: a\r\rdata: b\r\r", []want{{Event{Lines: 1}, "a", nil},
			{Event{Lines: 1}, "b", nil}}},
		"CRLF": {"event: message\r\ndata: a\r\n\r\ndata: b\r\n\r\n",
			[]want{{Event{Type: "message", Lines: 1}, "a", nil}, {Event{Lines: 1}, "b", nil}}},
		"CR, then LF": {"data: a\r\n\ndata: b\n\r\n", []want{{Event{Lines: 1}, "a", nil},
			{Event{Lines: 1}, "b", nil}}},
		"joined": {"data: {\ndata: }\ndata\n\n", []want{{Event{Lines: 3}, "{\n}\n", nil}}},
		"BOM":    {"\ufeffdata: a\n\n", []want{{Event{Lines: 1}, "a", nil}}},
		"all fields": {"id: 7\nevent: endpoint\nretry: 100\ndata: /m\n\n",
			[]want{{Event{Type: "endpoint", ID: "7", HasID: true, Retry: "100", Lines: 1}, "/m", nil}}},
		"priming":     {"id: 7\ndata:\n\n", []want{{Event{ID: "7", HasID: true, Lines: 1}, "", nil}}},
		"retry alone": {"retry: 5\n\n", []want{{Event{Retry: "5"}, "", nil}}},
		"empty id":    {"id\ndata: a\n\n", []want{{Event{HasID: true, Lines: 1}, "a", nil}}},
		"id with NUL": {"id: a\x00b\ndata: a\n\n", []want{{Event{Lines: 1}, "a", nil}}},
		"id is per event": {"id: 1\ndata: a\n\ndata: b\n\n",
			[]want{{Event{ID: "1", HasID: true, Lines: 1}, "a", nil}, {Event{Lines: 1}, "b", nil}}},
		"unknown field": {"x-note: 1\nfoo\ndata: a\n\n", []want{{Event{Lines: 1}, "a", nil}}},
		"unknown alone": {"foo: bar\n\n", nil},
		"bare message":  {`{"jsonrpc":"2.0"}` + "\n\n", []want{{Event{}, "", []FlawCode{FlawFraming}}}},
		"pretty message": {"data: {\n  \"a\": 1\n}\n\n",
			[]want{{Event{Lines: 1}, "{", []FlawCode{FlawFraming}}}},
		"wrong case": {"Data: {}\n\n", []want{{Event{}, "", []FlawCode{FlawFraming}}}},
		"unterminated": {"data: a\n\ndata: b\n", []want{{Event{Lines: 1}, "a", nil},
			{Event{Lines: 1}, "b", []FlawCode{FlawUnterminated}}}},
		"cut in a line": {"data: {\"a",
			[]want{{Event{Lines: 1}, "{\"a", []FlawCode{FlawUnterminated}}}},
		"comment at the end": {"data: a\n\n: bye", []want{{Event{Lines: 1}, "a", nil}}},
		"too long": {"data: 0123456789abcdefghijklmnopqrstuvwxyz\n\ndata: b\n\n",
			[]want{{Event{Lines: 1}, "0123456789", []FlawCode{FlawTooLong}}, {Event{Lines: 1}, "b", nil}}},
		"too long in all": {"data: 01234567\ndata: 89\n\n",
			[]want{{Event{Lines: 2}, "01234567\n8", []FlawCode{FlawTooLong}}}},
		"long comment": {":" + strings.Repeat("x", 1<<20) + "\ndata: a\n\n",
			[]want{{Event{Lines: 1}, "a", nil}}},
		"long id": {"id: " + strings.Repeat("x", 50) + "\ndata: a\n\n",
			[]want{{Event{ID: strings.Repeat("x", 22), HasID: true, Lines: 1}, "a",
				[]FlawCode{FlawTooLong}}}},
		"invalid UTF-8 in id": {"id: \xff\ndata: a\n\n",
			[]want{{Event{ID: "\xff", HasID: true, Lines: 1}, "a", []FlawCode{FlawUTF8}}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in),
				iotest.OneByteReader(strings.NewReader(c.in))} {
				var got []want
				for _, ev := range readEvents(r, 10) {
					got = append(got, want{*ev.Event, string(ev.Raw), codes(ev.Flaws)})
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("got  %+v\nwant %+v", got, c.want)
				}
			}
		})
	}
}

// TestEventReaderLetsGo: while a stream is open, nothing of a long line is kept but by who has the event.
func TestEventReaderLetsGo(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	e := NewEventReader(strings.NewReader("data: "+long+"\ndata: y\n\ndata: "+long+"\n\n"), 4<<20)
	for _, want := range []string{long + "\ny", long} {
		ev, err := e.Next()
		if err != nil || string(ev.Raw) != want {
			t.Fatalf("got %d bytes, %v", len(ev.Raw), err)
		}
		if cap(e.line.head) > 2*headOfLong || len(e.line.more) > 0 {
			t.Errorf("%d bytes and %d parts of a line are kept", cap(e.line.head), len(e.line.more))
		}
	}
}

// TestLongTextsTakeTheirLength: what is read of a text that is too long takes as much memory as
// is read of it, over and over, and not several times as much.
func TestLongTextsTakeTheirLength(t *testing.T) {
	const limit, times = 16 << 20, 3
	text := "data: " + strings.Repeat("x", 20<<20) + "\n\n"
	for name, read := range map[string]func(r io.Reader) bool{
		"lines": func(r io.Reader) bool {
			l, err := NewLineReader(r, limit).Next()
			return err == nil &&
				l.Truncated
		},
		"events": func(r io.Reader) bool {
			ev, err := NewEventReader(r, limit).Next()
			return err == nil &&
				ev.Truncated
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			if !read(strings.NewReader(text)) {
				t.Errorf("%s: the line is not taken for too long", name)
			}
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > times*limit*5/4 {
			t.Errorf("%s: %d MiB were taken for %d times %d", name, took>>20, times, limit>>20)
		}
	}
}

func TestEventReaderDoesNotWaitForMore(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	go func() { _, _ = w.Write([]byte("data: a\r\n\r")) }()
	if ev, err := NewEventReader(r, 10).Next(); err != nil || string(ev.Raw) != "a" {
		t.Errorf("got %v, %v", ev, err)
	}
}

// chunked hands out its bytes in pieces of the given sizes.
type chunked struct {
	data  string
	sizes []int
}

func (c *chunked) Read(p []byte) (int, error) {
	if c.data == "" {
		return 0, io.EOF
	}
	n := len(c.data)
	if len(c.sizes) > 0 {
		n, c.sizes = min(c.sizes[0], n), c.sizes[1:]
	}
	n = copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

func TestReadersDoNotDependOnChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"data:", "data: x", "id: 1", "event", ":", "\r",
			"\n", "\r\n", "\n\n", "{}", "\ufeff", "é", "\xff", "\x00", " ",
			"0123456789012345678901234567"})).Draw(t, "pieces")
		in := strings.Join(pieces, "")
		sizes := rapid.SliceOf(rapid.IntRange(1, 5)).Draw(t, "sizes")
		if got, want := readEvents(&chunked{in, slices.Clone(sizes)}, 10), readEvents(strings.NewReader(in),
			10); !reflect.DeepEqual(got, want) {
			t.Errorf("events of %q: got %+v, want %+v", in, got, want)
		}
		if got, want := readLines(&chunked{in, slices.Clone(sizes)}, 10),
			readLines(strings.NewReader(in), 10); !reflect.DeepEqual(got, want) {
			t.Errorf("lines of %q: got %+v, want %+v", in, got, want)
		}
	})
}

func TestLineReaderLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOf(rapid.SampledFrom([]rune("a\r\n\ufeff "))).Draw(t, "in")
		var b strings.Builder
		for _, l := range readLines(strings.NewReader(in), 1000) {
			b.Write(l.Raw)
			if !HasFlaw(l.Flaws, FlawUnterminated) {
				b.WriteByte('\n')
			}
		}
		if b.String() != in {
			t.Errorf("got %q, want %q", b.String(), in)
		}
	})
}

// TestTurns: what is long takes a turn among a few, gives it back however its reading ends, and
// waits for those that do not end for a moment only, and once; for those that end, some moments.
func TestTurns(t *testing.T) {
	const limit = 4 << 20
	long := strings.Repeat("x", 2*turnFrom)
	broken := func(s string) io.Reader {
		return io.MultiReader(strings.NewReader(s), iotest.ErrReader(errors.New("reset")))
	}
	turns := NewTurns()
	events := func(r io.Reader) {
		e := NewEventReader(r, limit)
		for e.Turns = turns; ; {
			if _, err := e.Next(); err != nil {
				return
			}
		}
	}
	lines := func(r io.Reader) {
		l := NewLineReader(r, limit)
		for l.Turns = turns; ; {
			if _, err := l.Next(); err != nil {
				return
			}
		}
	}
	for _, s := range []string{long, long + long + long, long + "\n" + long} {
		_, _, _ = turns.ReadUpTo(t.Context(), strings.NewReader(s), limit)
		_, _, _ = turns.ReadUpTo(t.Context(), broken(s), limit)
		lines(strings.NewReader(s))
		lines(broken(s))
		for _, field := range []string{"data: ", "id: ", ": ", ""} {
			events(strings.NewReader(field + s + "\n\n"))
			events(broken(field + s))
		}
		events(broken(strings.Repeat("data: "+s[:len(s)/8]+"\n", 16)))
		if n := len(turns.places); n != 0 {
			t.Fatalf("%d turns are kept", n)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		turns = NewTurns()
		for range cap(turns.places) {
			turns.places <- struct{}{}
		}
		for name, read := range map[string]func(){
			"a text": func() { _, _, _ = turns.ReadUpTo(t.Context(), strings.NewReader(long), limit) },
			"a line": func() { lines(strings.NewReader(long)) },
			"an event": func() {
				events(strings.NewReader(strings.Repeat("data: "+long[:turnFrom]+"\n", 3) +
					"\n"))
			},
		} {
			began := time.Now()
			if read(); time.Since(began) != turnWait {
				t.Errorf("%s waits for %s", name, time.Since(began))
			}
		}
		turns.changed = time.Now().Add(time.Hour)
		if began := time.Now(); !turns.enough(began.Add(-turnWaits)) || turns.enough(began.Add(-turnWait)) {
			t.Error("texts wait for more or less than they should while turns are given back")
		}
	})
}
