package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// note adds a message to a journal.
func note(j *journal.Journal, d journal.Direction, raw string) uint64 {
	e := &journal.Entry{Direction: d, Transport: "stdio", Session: "s1"}
	e.Classify([]byte(raw))
	return j.Note(e, []byte(raw))
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	list       = `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
	readA      = `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a:1"}}`
	readB      = `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"a:2"}}`
)

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		raw, id, method, uri string
		kind                 journal.Kind
	}{
		{readA, "3", "resources/read", "a:1", journal.Request},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "notifications/initialized", "",
			journal.Notification},
		{`{"jsonrpc":"2.0","id":"x","result":{}}`, `"x"`, "", "", journal.Response},
		{`{"jsonrpc":"2.0","id":null,"error":{}}`, "null", "", "", journal.Response},
		{` [` + list + `]`, "", "", "", journal.Batch},
		{`{"id":1}`, "1", "", "", journal.Unreadable},
		{`{`, "", "", "", journal.Unreadable},
		{``, "", "", "", journal.Unreadable},
		{`7`, "", "", "", journal.Unreadable},
		{`{"id":1,"method":7}`, "1", "", "", journal.Unreadable},
		{`{ "params" : { "x" : [ "}" , { } ] , "uri" : "a:\u0041" } , "method" : "resources\/read" , ` +
			`"id" : 1 }`, "1", "resources/read", "a:A", journal.Request},
		{`{"id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{b}"}}}`,
			"1", "completion/complete", "a:{b}", journal.Request},
	} {
		var e journal.Entry
		e.Classify([]byte(test.raw))
		if e.Kind != test.kind || string(e.ID) != test.id || e.Method != test.method || e.URI != test.uri {
			t.Errorf("%s: %+v", test.raw, e)
		}
	}
}

func TestRingForgetsTheOldest(t *testing.T) {
	j := journal.New(journal.Options{Entries: 3})
	for range 5 {
		note(j, journal.In, list)
	}
	all := j.Query(journal.Query{})
	if len(all) != 3 || all[0].Seq != 3 || all[2].Seq != 5 || j.Lost() != 2 || j.Last() != 5 {
		t.Errorf("%d entries, %d lost: %v", len(all), j.Lost(), all)
	}
	j.Clear()
	if note(j, journal.In, list) != 6 || j.Count(journal.Query{}) != 1 {
		t.Error("numbers do not go on after Clear")
	}
}

func TestRingKeepsToItsBytes(t *testing.T) {
	j := journal.New(journal.Options{Bytes: 10_000, MaxRaw: 4000})
	for i := range 196 {
		note(j, journal.In, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m","params":{"x":"%s"}}`, i,
			strings.Repeat("x", i%7*1000)))
		size := 0
		all := j.Query(journal.Query{})
		for k := range all {
			size += len(all[k].Raw)
			if k > 0 && all[k].Seq != all[k-1].Seq+1 {
				t.Fatal("a gap")
			}
		}
		if size > 10_000 || all[len(all)-1].Seq != uint64(i+1) || uint64(len(all))+j.Lost() != j.Last() {
			t.Fatalf("%d bytes, %d entries, %d lost of %d", size, len(all), j.Lost(), j.Last())
		}
	}
	if e := j.Query(journal.Query{Match: func(e *journal.Entry) bool {
		return e.Truncated()
	}}); len(e) == 0 || len(e[0].Raw) != 4000 || e[0].Params() != nil {
		t.Error("long messages are not cut")
	}
}

func TestQuery(t *testing.T) {
	j := journal.New(journal.Options{})
	for _, raw := range []string{initialize, list, readA, readB, readA} {
		note(j, journal.In, raw)
		note(j, journal.Out, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
	for _, test := range []struct {
		q    journal.Query
		want string
	}{
		{journal.Received("resources/read"), "[5 7 9]"},
		{journal.Received("resources/*"), "[3 5 7 9]"},
		{journal.Query{Method: "resources/read", URI: "a:1", Direction: journal.In}, "[5 9]"},
		{journal.Query{Direction: journal.Out, Limit: 2}, "[2 4]"},
		{journal.Query{Direction: journal.Out, Limit: 2, Newest: true}, "[8 10]"},
		{journal.Query{Since: 8}, "[9 10]"},
		{journal.Query{Since: 99}, "[]"},
		{journal.Query{Session: "other"}, "[]"},
	} {
		var seqs []uint64
		for _, e := range j.Query(test.q) {
			seqs = append(seqs, e.Seq)
		}
		if got := fmt.Sprint(seqs); got != test.want {
			t.Errorf("%s: %s, not %s", test.q, got, test.want)
		}
	}
}

func TestAssertions(t *testing.T) {
	j := journal.New(journal.Options{})
	for _, raw := range []string{initialize, list, readA} {
		note(j, journal.In, raw)
	}
	for _, err := range []error{
		j.Exactly(journal.Received("resources/read"), 1), j.AtLeast(journal.Received("resources/*"), 2),
		j.Exactly(journal.Sent(""), 0),
		j.InOrder(journal.Received("initialize"), journal.Received("resources/read")), j.InOrder(),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for want, err := range map[string]error{
		"received request or notification resources/read: 1, not 2": j.Exactly(
			journal.Received("resources/read"), 2),
		"none after received request or notification resources/read": j.InOrder(
			journal.Received("resources/read"), journal.Received("initialize")),
		"the journal ends with\n  1 request in stdio initialize id 1": j.AtLeast(journal.Received("ping"), 1),
		"the journal is empty": journal.New(journal.Options{}).AtLeast(journal.Query{}, 1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(journal.Options{})
		go func() {
			for range 3 {
				time.Sleep(time.Second)
				note(j, journal.In, readA)
			}
		}()
		begin := time.Now()
		if err := j.WaitFor(t.Context(), journal.Received("resources/read"), 2); err != nil ||
			time.Since(begin) != 2*time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := j.WaitFor(ctx, journal.Query{}, 4); !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "3 of 4") {
			t.Error(err)
		}
	})
}

func TestLinesCanBeReadBack(t *testing.T) {
	var file bytes.Buffer
	tapped := 0
	j := journal.New(journal.Options{Writer: &file, MaxRaw: 100,
		Tap: func(_ *journal.Entry, message []byte) { tapped += len(message) }})
	header := http.Header{"Authorization": {"Bearer very-secret"}, "Cookie": {"a=b"}, "Accept": {"x"}}
	for _, raw := range []string{readA, "\xff\xfe", `{"jsonrpc":"2.0","id":1,"method":"a` + "\xff" +
		`","params":{"b":"` + "\xfe" + `"}}`, "no json", `{"long":"` + strings.Repeat("x", 200) + `"}`, ""} {
		e := &journal.Entry{Direction: journal.In, HTTP: &journal.HTTP{Method: "POST", Header: header},
			Identity: journal.Fingerprint(journal.Token(header))}
		e.Classify([]byte(raw))
		j.Note(e, []byte(raw))
	}
	if strings.Contains(file.String(), "very-secret") || strings.Contains(file.String(), "a=b") {
		t.Error("a credential is in the file")
	}
	if header.Get("Authorization") != "Bearer very-secret" || !strings.Contains(file.String(), "Bearer ***") {
		t.Error("masking changed the request, or left nothing")
	}
	all := j.Query(journal.Query{})
	for i, line := range strings.Split(strings.TrimSpace(file.String()), "\n") {
		var e journal.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		want := all[i]
		if string(e.Raw) != string(want.Raw) || e.Size != want.Size || e.Kind != want.Kind ||
			!e.Time.Equal(want.Time) || e.Identity != want.Identity {
			t.Errorf("%s\nread %+v\nnot %+v", line, e, want)
		}
	}
	if tapped != all[0].Size+all[1].Size+all[2].Size+all[3].Size+all[4].Size {
		t.Errorf("%d bytes were tapped", tapped)
	}
}

type brokenWriter struct{ written int }

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.written++; b.written > 1 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestTheFirstErrorOfTheFileStays(t *testing.T) {
	w := &brokenWriter{}
	j := journal.New(journal.Options{Writer: w})
	for range 3 {
		note(j, journal.In, list)
	}
	if j.Err() == nil || !strings.Contains(j.Err().Error(), "disk full") || w.written != 2 || j.Last() != 3 {
		t.Errorf("%v after %d writes", j.Err(), w.written)
	}
}

func TestNilJournal(t *testing.T) {
	var j *journal.Journal
	j.Clear()
	if note(j, journal.In, list) != 0 || j.Query(journal.Query{}) != nil || j.Count(journal.Query{}) != 0 ||
		j.Last() != 0 || j.Lost() != 0 || j.Err() != nil {
		t.Error("a nil journal has something in it")
	}
	if j.WaitFor(t.Context(), journal.Query{}, 0) == nil {
		t.Error("waiting for nothing succeeds")
	}
}

func TestConcurrentUse(t *testing.T) {
	j := journal.New(journal.Options{Entries: 50})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				note(j, journal.In, readA)
				j.Query(journal.Query{Limit: 3, Newest: true})
			}
		})
	}
	if err := j.WaitFor(t.Context(), journal.Query{}, 50); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if j.Last() != 1600 || j.Lost() != 1550 {
		t.Errorf("%d noted, %d lost", j.Last(), j.Lost())
	}
}

func BenchmarkNote(b *testing.B) {
	header := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
		"Mcp-Session-Id":       {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
		"Mcp-Protocol-Version": {"2025-11-25"}, "User-Agent": {"client"}, "Content-Length": {"100"},
		"Accept-Encoding": {"gzip"},
	}
	raw := []byte(readA)
	j := journal.New(journal.Options{})
	b.ReportAllocs()
	for b.Loop() {
		e := &journal.Entry{Direction: journal.In, Transport: "http", HTTP: &journal.HTTP{Method: "POST",
			Path: "/mcp", Header: header}}
		e.Classify(raw)
		j.Note(e, raw)
	}
}
