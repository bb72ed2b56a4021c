package record

import (
	"regexp"
	"strings"
	"testing"
)

// TestEditedByHand: a member that is misspelt in a recording is told of with its line.
func TestEditedByHand(t *testing.T) {
	_, recording := recorded(t, small(t), nil, initialize("2025-11-25"), initialized, list)
	if _, err := Read("talk", strings.NewReader(recording)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"transport":"stdio"}`, `"trnsport":"stdio"}`,
			`talk:1: the first line has no member "trnsport"; did you mean "transport"?`},
		{`"message":`, `"mesage":`, `talk:3: an entry has no member "mesage"; did you mean "message"?`},
		{`"direction":`, `"dir":`, `talk:3: an entry has no member "dir"; there are message, `},
		{`"direction":"in"`, `"direction":"inn"`, `talk:3: the direction is "inn"; it is "in" or "out"`},
		{`"kind":"request"`, `"kind":"reqest"`, `talk:3: there is no kind "reqest"; there are ["request" `},
		{`"direction":"in"`, `"direction":"in","http":{"stauts":200}`,
			`talk:3: http has no member "stauts"; did you mean "status"?`},
	} {
		_, err := Read("talk", strings.NewReader(strings.Replace(recording, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.new, err)
		}
	}
}

// TestReplayOfMasked: what was masked in a request stands for any value, within its string, and an
// exact request comes first.
func TestReplayOfMasked(t *testing.T) {
	read := func(id, uri string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	}
	_, recording := recorded(t, small(t), []*regexp.Regexp{regexp.MustCompile(`hel+o`)},
		initialize("2025-11-25"), initialized,
		read("2", "note:hello"), read("3", "note:other"), read("4", "note:hello"), read("5", "hello:x"))
	if rec, err := Read("talk", strings.NewReader(recording)); err != nil {
		t.Fatal(err)
	} else if n, alike := rec.Masked(); n != 3 || alike != 2 {
		t.Errorf("%d masked, %d alike", n, alike)
	}
	if strings.Contains(recording, "note:hello") {
		t.Fatal(recording)
	}
	s, _ := serve(t, recording)
	got := talk(t, connect(t, s), initialize("2025-11-25"), initialized, read("2", "note:hello"),
		read("3", `note:\"x`), read("4", "note:other"), read("5", "file:other"))
	for i, want := range []string{"contents", "contents", "not found", "nothing was recorded"} {
		if !strings.Contains(got[i+1], want) {
			t.Errorf("%d: %s; want %s", i, got[i+1], want)
		}
	}
}
