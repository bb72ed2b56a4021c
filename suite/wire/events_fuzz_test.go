package wire

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// readSimply reads an event stream that is there as a whole, the way the WHATWG HTML
// standard describes it: by cutting the text into lines, and interpreting each. It
// says of every block what [EventReader] has to say of it.
func readSimply(stream string) []string {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	rest := lines[len(lines)-1]
	var blocks []string
	var b block
	for _, line := range lines[:len(lines)-1] {
		if line != "" {
			b.take(line)
		} else if b.open {
			blocks = append(blocks, b.String())
			b = block{}
		}
	}
	if rest != "" {
		b.take(rest)
	}
	if b.open {
		b.flaw(FlawUnterminated)
		blocks = append(blocks, b.String())
	}
	return blocks
}

// block is what stands between two blank lines.
type block struct {
	open            bool
	data            []string
	kind, id, retry string
	hasID           bool
	flaws           []FlawCode
}

func (b *block) String() string {
	return fmt.Sprintf("%q %q %q %t %q %v", strings.Join(b.data, "\n"), b.kind, b.id, b.hasID, b.retry,
		b.flaws)
}

func (b *block) flaw(code FlawCode) {
	b.open = true
	if !slices.Contains(b.flaws, code) {
		b.flaws = append(b.flaws, code)
	}
}

func (b *block) take(line string) {
	if line[0] == ':' {
		return
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	text := func(to *string) {
		b.open, *to = true, value
		if !utf8.ValidString(value) {
			b.flaw(FlawUTF8)
		}
	}
	switch field {
	case "data":
		b.open = true
		b.data = append(b.data, value)
	case "event":
		text(&b.kind)
	case "retry":
		text(&b.retry)
	case "id":
		b.open = true
		if !strings.Contains(value, "\x00") {
			text(&b.id)
			b.hasID = true
		}
	default:
		const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
		known := slices.ContainsFunc([]string{"data", "event", "id", "retry"}, func(s string) bool {
			return s == strings.ToLower(field)
		})
		if known || strings.Trim(field, letters) != "" {
			b.flaw(FlawFraming)
		}
	}
}

// readAsWe reads an event stream with [EventReader], piece by piece.
func readAsWe(stream string, rng *rand.Rand) []string {
	pieces := &chunked{data: stream}
	for n := 0; n < len(stream); {
		size := 1 + rng.IntN(7)
		pieces.sizes, n = append(pieces.sizes, size), n+size
	}
	r := NewEventReader(pieces, 1<<20)
	var blocks []string
	for {
		ev, err := r.Next()
		if err != nil {
			return blocks
		}
		b := block{kind: ev.Event.Type, id: ev.Event.ID, hasID: ev.Event.HasID, retry: ev.Event.Retry,
			data: []string{string(ev.Raw)}}
		for _, f := range ev.Flaws {
			b.flaws = append(b.flaws, f.Code)
		}
		blocks = append(blocks, b.String())
	}
}

// However the bytes are split, the reader of event streams finds what a simple one
// finds that has all of them.
func FuzzEventReader(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "\ufeffid: 1\r\ndata\r\rdata:x", "event: endpoint\ndata: /m\n\n:c\n\n",
		"id: a\x00\nretry: 5\n\n", "Data: x\n\n{}\n\n",
		"data: a\r\n\r\ndata:b\r", "id: \xff\n\n", "data:\ndata:\n\n", "\r\n\r", "x", "é: 1\n\n", ":\n\n\n",
	} {
		f.Add([]byte(s), uint64(1))
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		got, want := readAsWe(string(stream), rand.New(rand.NewPCG(seed, 1))), readSimply(string(stream))
		if !slices.Equal(got, want) {
			t.Errorf("%q:\ngot  %s\nwant %s", stream, strings.Join(got, "\n     "),
				strings.Join(want, "\n     "))
		}
	})
}

// However the bytes are split, lines are what stands between newlines.
func FuzzLineReader(f *testing.F) {
	for _, s := range []string{"{}\n", "a\r\nb\n\n", "\ufeff{}\nx", "\n", "", "\xff\n"} {
		f.Add([]byte(s), uint64(1), uint16(8))
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64, limit uint16) {
		rng := rand.New(rand.NewPCG(seed, 2))
		pieces := &chunked{data: string(stream)}
		for range stream {
			pieces.sizes = append(pieces.sizes, 1+rng.IntN(5))
		}
		r := NewLineReader(pieces, int(limit))
		most := max(int(limit), 1)
		for i, want := range bytes.SplitAfter(stream, []byte("\n")) {
			if len(want) == 0 {
				break // nothing follows the last newline
			}
			line, err := r.Next()
			if err != nil {
				t.Fatalf("line %d of %q: %v", i, stream, err)
			}
			content := bytes.TrimSuffix(want, []byte("\n"))
			cut := content[:min(len(content), most)]
			if line.Size != len(content) || !bytes.Equal(line.Raw, cut) ||
				line.Truncated != (len(content) > most) {
				t.Errorf("line %d of %q: %+v", i, stream, line)
			}
			if HasFlaw(line.Flaws, FlawUnterminated) != (len(content) == len(want)) {
				t.Errorf("line %d of %q: %v", i, stream, line.Flaws)
			}
		}
		if line, err := r.Next(); err == nil {
			t.Errorf("one more line of %q: %+v", stream, line)
		}
	})
}
