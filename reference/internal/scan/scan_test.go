package scan

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMembersAreThoseThatTheDecoderSees(t *testing.T) {
	value := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Just[any](nil), rapid.Just[any](true),
		rapid.Map(rapid.SliceOf(rapid.StringMatching(`["\\{}\[\],:a]*`)), func(l []string) any { return l }),
		rapid.Map(rapid.MapOf(rapid.StringMatching(`["\\{}\[\],:a]*`), rapid.String()),
			func(m map[string]string) any { return m }),
	)
	object := rapid.MapOf(rapid.String(), value)
	rapid.Check(t, func(r *rapid.T) {
		raw, err := json.MarshalIndent(object.Draw(r, "object"), "",
			rapid.SampledFrom([]string{"", " ", "\t"}).Draw(r, "indent"))
		if err != nil {
			r.Fatal(err)
		}
		if !Valid(raw) {
			r.Fatalf("%s is not valid", raw)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			r.Fatal(err)
		}
		got := map[string]string{}
		for name, value := range members(raw) {
			var plain string
			if err := json.Unmarshal([]byte(`"`+string(name)+`"`), &plain); err != nil {
				r.Fatalf("%s: the name %s: %v", raw, name, err)
			}
			if Plain(name) && plain != string(name) {
				r.Fatalf("%s: the name %s is not plain", raw, name)
			}
			got[plain] = string(value)
		}
		if !maps.EqualFunc(got, want, func(a string, b json.RawMessage) bool { return a == string(b) }) {
			r.Fatalf("%s: %v", raw, got)
		}
	})
}

func TestValid(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, raw := range []string{
		"", " ", "{}", ` {"a":[1,2]} `, `{"a":1}{}`, `{"a":1,}`, `"\x"`, "\"\n\"", "01", "-", "1.5e3", "nul",
		"null", deep(9000), deep(10_001),
		strings.Repeat("[", 16<<20), strings.Repeat(`{"a":`, 1<<20), `"` + strings.Repeat("[", 20_000) + `"`,
	} {
		if got, want := Valid([]byte(raw)), json.Valid([]byte(raw)); got != want {
			t.Errorf("%.40q, %d bytes: %t", raw, len(raw), got)
		}
	}
}

func TestPickAndText(t *testing.T) {
	var v [3][]byte
	Pick([]byte(` { "a" : 1 , "\u0062" : "x\n" , "a" : [2] , "d" : {"a":3} } `[1:]), v[:], "a", "b", "c")
	if string(v[0]) != "[2]" || string(v[1]) != `"x\n"` || v[2] != nil {
		t.Errorf("%q", v)
	}
	for raw, want := range map[string]string{`"x\n"`: "x\n", `"é"`: "é", "\"\xff\"": "\ufffd", `""`: "",
		`"ping"`: "ping"} {
		if text, ok := Text([]byte(raw)); !ok || text != want {
			t.Errorf("%s: %q %t", raw, text, ok)
		}
		if text, ok := OneOf([]byte(raw), "ping"); !ok || text != want {
			t.Errorf("%s: %q %t", raw, text, ok)
		}
	}
	for _, raw := range []string{"", "1", "null", "{}"} {
		if text, ok := Text([]byte(raw)); ok {
			t.Errorf("%s is no string: %q", raw, text)
		}
	}
}
