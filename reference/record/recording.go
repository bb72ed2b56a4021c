package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// The format of recordings: a name and a version.
const (
	formatName    = "mockserver.recording"
	formatVersion = 1
)

// Format is that of the recordings that this package writes.
const Format = formatName + "/1"

// The bounds of what is read.
const (
	maxLine    = 64 << 20
	maxEntries = 1_000_000
	// maxMessage is the longest message that is recorded whole.
	maxMessage = 16 << 20
)

// Header is the first line of a recording.
type Header struct {
	Format string `json:"format"`
	// Started is when the recording began.
	Started time.Time `json:"started"`
	// Server is the command, without its arguments, or the URL, without query and user.
	Server string `json:"server,omitempty"`
	// Transport is "stdio" or "http"; entries of HTTP+SSE say so themselves.
	Transport string `json:"transport,omitempty"`
}

// Recording is a conversation that was written down.
type Recording struct {
	Header
	Name    string
	Entries []journal.Entry
	// Cut says that the last line is incomplete: the recorder was killed.
	Cut bool
}

// Read reads a recording; name is for messages only.
func Read(name string, r io.Reader) (*Recording, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	first, _, err := readLine(lines)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rec := &Recording{Name: name}
	if rec.Header, err = readHeader(name, first); err != nil {
		return nil, err
	}
	for number := 2; ; number++ {
		line, whole, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var e journal.Entry
			switch jsonErr := json.Unmarshal(line, &e); {
			case jsonErr != nil && !whole:
				rec.Cut = true
			case jsonErr != nil:
				return nil, fmt.Errorf("%s:%d: this is no entry of a recording: %w", name, number, jsonErr)
			case misspelt(line) != "":
				return nil, fmt.Errorf("%s:%d: %s", name, number, misspelt(line))
			case e.Kind == "":
				return nil, fmt.Errorf("%s:%d: this is no entry of a recording: it has no kind", name, number)
			default:
				rec.Entries = append(rec.Entries, e)
			}
		}
		if err != nil {
			return rec, rec.check()
		}
		if len(rec.Entries) > maxEntries {
			return nil, fmt.Errorf("%s: more than %d entries", name, maxEntries)
		}
	}
}

// check says why there is nothing to be had from a recording.
func (r *Recording) check() error {
	if len(r.revisions()) == 0 {
		return fmt.Errorf("%s: nothing was recorded in it that can be served: no request came in a "+
			"revision that was agreed on", r.Name)
	}
	return nil
}

// readLine reads a line; whole says that a line break ended it.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, false, fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err == nil, err
		}
	}
}

func readHeader(name string, line []byte) (Header, error) {
	const what = "a recording begins with a line that \"mockserver record\" writes"
	if len(bytes.TrimSpace(line)) == 0 {
		return Header{}, fmt.Errorf("%s is no recording, but empty: %s", name, what)
	}
	var h struct {
		Header
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return Header{}, fmt.Errorf("%s is no recording: %s", name, what)
	}
	format, version, _ := strings.Cut(h.Format, "/")
	number, err := strconv.Atoi(version)
	switch {
	case h.Format == "" && h.Kind != "":
		return Header{}, fmt.Errorf("%s is a journal and no recording: %s", name, what)
	case format != formatName || err != nil:
		return Header{}, fmt.Errorf("%s is no recording: %s", name, what)
	case number != formatVersion:
		return Header{}, fmt.Errorf("%s has the format %s, and only %s can be read", name, h.Format, Format)
	}
	if wrong := stranger("the first line", gjson.ParseBytes(line), headMembers); wrong != "" {
		return Header{}, fmt.Errorf("%s:1: %s", name, wrong)
	}
	return h.Header, nil
}

// revisions are those in which requests were answered, oldest first.
func (r *Recording) revisions() []string {
	var all []string
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Revision != "" && e.Kind != journal.HTTPRequest && e.Kind != journal.HTTPAnswer &&
			!slices.Contains(all, e.Revision) &&
			(e.Direction == journal.Out || hook.Modern(e.Revision)) {
			all = append(all, e.Revision)
		}
	}
	slices.Sort(all)
	return all
}

// The members of an entry, of the first line and of what it says of HTTP. A message stands in one of the
// first three.
var (
	entryMembers = append([]string{"message", "text", "base64", "truncated"},
		nearest.Members(reflect.TypeFor[journal.Entry]())...)
	headMembers = nearest.Members(reflect.TypeFor[Header]())
	httpMembers = nearest.Members(reflect.TypeFor[journal.HTTP]())
)

// stranger says which member of an object there is not; empty if all are known.
func stranger(what string, o gjson.Result, known []string) string {
	for name := range o.Map() {
		if slices.Contains(known, name) {
			continue
		}
		if near := nearest.Names(name, known); len(near) > 0 {
			return fmt.Sprintf("%s has no member %q; did you mean %q?", what, name, near[0])
		}
		return fmt.Sprintf("%s has no member %q; there are %s", what, name, strings.Join(known, ", "))
	}
	return ""
}

// misspelt says which member of a line is none of an entry, or has a value that there is not:
// recordings are edited by hand, and what is overlooked would be missing without a word. It is
// empty if all is well.
func misspelt(line []byte) string {
	entry := gjson.ParseBytes(line)
	if wrong := cmp.Or(stranger("an entry", entry, entryMembers),
		stranger("http", entry.Get("http"), httpMembers)); wrong != "" {
		return wrong
	}
	kind, direction := entry.Get("kind"), entry.Get("direction")
	switch {
	case kind.Exists() && !slices.Contains(journal.Kinds(), journal.Kind(kind.String())):
		return fmt.Sprintf("there is no kind %q; there are %q", kind.String(), journal.Kinds())
	case direction.Exists() && direction.String() != string(journal.In) &&
		direction.String() != string(journal.Out):
		return fmt.Sprintf("the direction is %q; it is %q or %q", direction.String(), journal.In, journal.Out)
	}
	return ""
}
