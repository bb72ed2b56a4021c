package journal_test

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// answered notes a request and its answer, in two parts or in one.
func answered(j *journal.Journal, id int, rest *journal.Shared, further http.Header, inParts bool) {
	raw := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"a:1"}}`, id)
	in := &journal.Entry{
		Direction: journal.In, Transport: "http", Session: "s", Connection: "c", Revision: "r", Identity: "i",
		HTTP: &journal.HTTP{Method: http.MethodPost, Path: "/mcp"},
	}
	in.Classify([]byte(raw))
	j.Note(in, []byte(raw))
	head := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, id))
	if len(rest.Bytes()) == 0 {
		head = append(head, "{}}"...)
	}
	message := append(head, rest.Bytes()...)
	h := http.Header{"Content-Type": {"application/json"}, "Content-Length": {fmt.Sprint(len(message))}}
	if further != nil {
		h = further
	}
	if inParts {
		out := in.Following(journal.Response)
		out.Direction, out.ID, out.Rules, out.Raw = journal.Out, in.ID, []string{"r"}, head
		out.HTTP = &journal.HTTP{Status: http.StatusOK, Header: h}
		j.NoteAnswer(out, rest)
		return
	}
	out := &journal.Entry{
		Transport: "http", Session: "s", Connection: "c", Revision: "r", Identity: "i",
		RequestSeq: in.Seq, HTTP: &journal.HTTP{Status: http.StatusOK, Header: h}, Rules: []string{"r"},
	}
	out.Classify(message)
	out.Direction, out.Method, out.URI = journal.Out, in.Method, in.URI
	j.Note(out, message)
}

// What is noted of an answer does not depend on how: neither the entries, nor what is
// forgotten, nor what those see who look on.
func TestAnswersInPartsAreEntriesLikeOthers(t *testing.T) {
	rests := []*journal.Shared{
		journal.NewShared([]byte(`{}}`)),
		journal.NewShared([]byte(`{"x":"` + strings.Repeat("x", 2000) + `"}}`)), journal.NewShared(nil),
	}
	headers := []http.Header{nil, {"Set-Cookie": {"secret"}, "X": {"y"}}}
	for _, looking := range []bool{false, true} {
		for _, bounds := range []journal.Options{{}, {MaxRaw: 100}, {MaxRaw: 20}, {MaxRaw: 40, Entries: 7},
			{MaxRaw: 500, Bytes: 9000}} {
			var journals [2]*journal.Journal
			var written [2]bytes.Buffer
			var seen [2]string
			for i := range journals {
				o := bounds
				o.Now = func() time.Time { return time.Unix(1, 0) }
				if looking {
					o.Writer = &written[i]
					o.Tap = func(e *journal.Entry, message []byte) {
						seen[i] += fmt.Sprintf("%d %s %s %s\n", e.Seq, e.Kind, e.Raw, message)
					}
				}
				journals[i] = journal.New(o)
			}
			for n := range 40 {
				for i, j := range journals {
					answered(j, n, rests[n%3], headers[n%2], i == 0)
				}
				if n%11 > 0 {
					continue
				}
				q := journal.Query{Limit: 5, Newest: true, Match: func(e *journal.Entry) bool {
					return len(e.Raw) > 0
				}}
				if a, b := journals[0].Query(q), journals[1].Query(q); !reflect.DeepEqual(a, b) {
					t.Fatalf("%+v after %d: %+v, not %+v", bounds, n, a, b)
				}
			}
			if a, b := journals[0].Query(journal.Query{}),
				journals[1].Query(journal.Query{}); !reflect.DeepEqual(a, b) || len(a) == 0 {
				t.Errorf("%+v: %+v, not %+v", bounds, a, b)
			}
			if journals[0].Lost() != journals[1].Lost() || journals[0].Last() != journals[1].Last() {
				t.Errorf("%+v: %d lost of %d, not %d of %d", bounds, journals[0].Lost(), journals[0].Last(),
					journals[1].Lost(), journals[1].Last())
			}
			if seen[0] != seen[1] || written[0].String() != written[1].String() ||
				looking != (seen[0] != "") {
				t.Errorf("%+v: who looks on sees %s\n%s\nnot %s\n%s", bounds, seen[0], &written[0], seen[1],
					&written[1])
			}
		}
	}
}

func TestANilJournalNotesNoAnswer(t *testing.T) {
	var j *journal.Journal
	j.NoteAnswer(&journal.Entry{}, journal.NewShared(nil))
}
