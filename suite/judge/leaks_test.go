package judge

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

const users = "root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/sbin/nologin\nalice:x:1000:1000:Alice " +
	"Liddell:/home/alice:/bin/sh\n"

// quoted is a string as JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestCutLeaks: what leaked is cut to its beginning, and the message keeps its form.
func TestCutLeaks(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte(users))
	cut := base64.StdEncoding.EncodeToString([]byte("…[115 bytes cut]"))
	long := "nothing that anybody knows, but long enough"
	for _, c := range []struct{ in, some, all string }{
		{`{"contents":[{"uri":"file:///a","text":` + quoted(users) + `}]}`,
			`{"contents":[{"uri":"file:///a","text":"root:x:0:0:r…[103 bytes cut]"}]}`, ""},
		{`{"blob":"` + blob + `", "blob" : "` + blob + `"}`, `{"blob":"` + cut + `", "blob" : "` + cut + `"}`,
			""},
		{`{"error":{"message":` + quoted("cannot read:\n"+users) + `}}`,
			`{"error":{"message":"cannot read:…[116 bytes cut]"}}`, ""},
		{`{"text":"` + long + `","uri":"` + long + `"}`, `{"text":"` + long + `","uri":"` + long + `"}`,
			`{"text":"nothing that…[31 bytes cut]","uri":"` + long + `"}`},
		{`{"text":"short and known"}`, `{"text":"short and known"}`, `{"text":"short a…[8 bytes cut]"}`},
		{`{"text":"pw","uri":"a:1"}`, `{"text":"pw","uri":"a:1"}`, `{"text":"p…[1 bytes cut]","uri":"a:1"}`},
		{`{"text":""}`, `{"text":""}`, ""},
		{`{"text":"CANARY-1\n"}`, `{"text":"CANARY-1\n"}`, ""},
		{`{"blob":"Q0FOQVJZLTE="}`, `{"blob":"Q0FOQVJZLTE="}`, ""},
		{`{"text":"CANARY-1 and more"}`, `{"text":"CANARY-1 and more"}`, `{"text":"CANARY-1…[9 bytes cut]"}`},
		{`{"blob":"aHVudGVyMg=="}`, `{"blob":"aHVudGVyMg=="}`,
			`{"blob":"` + base64.StdEncoding.EncodeToString([]byte("…[7 bytes cut]")) + `"}`},
		{`{"text":"aHVudGVyMg=="}`, `{"text":"aHVudGVyMg=="}`, `{"text":"aHVudG…[6 bytes cut]"}`},
		{quoted(users), `"root:x:0:0:r…[103 bytes cut]"`, ""},
		{`{"text":"a secret of many words, so long…[1 bytes cut]"}`,
			`{"text":"a secret of many words, so long…[1 bytes cut]"}`,
			`{"text":"a secret of …[35 bytes cut]"}`},
		{`{"text":"ä\u00fc\"\\ üüüüüüüüüüüüüü","x":1}`, `{"text":"ä\u00fc\"\\ üüüüüüüüüüüüüü","x":1}`,
			`{"text":"äü\"\\ üü…[24 bytes cut]","x":1}`},
		{users, "root:x:0:0:r…[103 bytes cut]", ""},
		{"plain text that leads nowhere", "plain text that leads nowhere", ""},
		{`{"text":"` + long, `{"text":"` + long, `{"text":"nothing that…[31 bytes cut]"`},
	} {
		if c.all == "" {
			c.all = c.some
		}
		for all, want := range map[bool]string{false: c.some, true: c.all} {
			cut := LeakCut{Contents: all, Marker: "CANARY-1"}
			got := cut.Cut(c.in)
			if got != want {
				t.Errorf("all %v: %s\nbecame %s\nnot    %s", all, c.in, got, want)
			}
			if again := cut.Cut(got); again != got {
				t.Errorf("%s was cut again: %s", got, again)
			}
		}
	}
}

func FuzzCutLeaks(f *testing.F) {
	f.Add([]byte(`{"text":"a\"b","blob":"AAAA"}`), true)
	f.Add([]byte(`{"text":"`+strings.Repeat("ä", 40)), true)
	f.Add([]byte(users), false)
	f.Fuzz(func(t *testing.T, raw []byte, all bool) {
		got := LeakCut{Contents: all}.Cut(string(raw))
		if wire.Valid(raw) && !wire.Valid([]byte(got)) {
			t.Errorf("%q became %q, which is no JSON", raw, got)
		}
	})
}

// TestBriefOfGiants: of a string that is too long to be looked through, a sentence shows nothing, and
// of what stands beside it what it would show anyway.
func TestBriefOfGiants(t *testing.T) {
	giant := strings.Repeat("x", leakGiant)
	for in, want := range map[string]string{
		quoted(giant): `"…[1048576 bytes cut]"`,
		`{"text":` + quoted(giant+users) + `,"n":1}`: `{"text":"…[1048694 bytes cut]","n":1}`,
		`{"text":"a\\","b":"` + giant + `"}`:         `{"text":"a\\","b":"…[1048576 bytes cut]"}`,
	} {
		if got := Brief(gjson.Parse(in)); got != want {
			t.Errorf("%.40s… is shown as %s, not %s", in, got, want)
		}
	}
}

// BenchmarkBriefOfGiant: whatever a target sends is named in many sentences.
func BenchmarkBriefOfGiant(b *testing.B) {
	giant := gjson.Parse(`{"blob":"` + strings.Repeat("QUJD", 3<<20) + `"}`)
	for b.Loop() {
		Brief(giant)
	}
}
