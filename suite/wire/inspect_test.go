package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func codes(flaws []Flaw) []FlawCode {
	var out []FlawCode
	for _, f := range flaws {
		out = append(out, f.Code)
	}
	return out
}

func TestInspect(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want []FlawCode
	}{
		"object":                  {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil},
		"array":                   {`[{"id":1}]`, nil},
		"white space around":      {" \t{}\r\n", nil},
		"large number":            {`{"id":123456789012345678901234567890}`, nil},
		"pair of surrogates":      {`{"a":"\ud83d\ude00"}`, nil},
		"escaped backslash u":     {`{"a":"\\ud83d"}`, nil},
		"escaped quote":           {`{"a":"\"\\","b":"\n"}`, nil},
		"same name in two":        {`{"a":{"x":1},"b":{"x":1}}`, nil},
		"names differ in case":    {`{"uri":1,"URI":2}`, nil},
		"empty":                   {``, []FlawCode{FlawNotJSON}},
		"blank":                   {" \r\n", []FlawCode{FlawNotJSON}},
		"text":                    {`Server started`, []FlawCode{FlawNotJSON}},
		"log line with a date":    {`2026-01-02 started`, []FlawCode{FlawNotJSON}},
		"cut":                     {`{"a":[1,2`, []FlawCode{FlawNotJSON}},
		"trailing comma":          {`{"a":1,}`, []FlawCode{FlawNotJSON}},
		"single quotes":           {`{'a':1}`, []FlawCode{FlawNotJSON}},
		"leading zero":            {`{"a":01}`, []FlawCode{FlawNotJSON}},
		"NaN":                     {`{"a":NaN}`, []FlawCode{FlawNotJSON}},
		"raw control character":   {"{\"a\":\"\t\"}", []FlawCode{FlawNotJSON}},
		"non-breaking space":      {"{}\u00a0", []FlawCode{FlawTrailing}},
		"two messages":            {`{"a":1}{"b":2}`, []FlawCode{FlawTrailing}},
		"text behind":             {`{"a":1} ok`, []FlawCode{FlawTrailing}},
		"duplicate":               {`{"a":1,"b":{"c":1,"c":2}}`, []FlawCode{FlawDuplicate}},
		"duplicate by escape":     {`{"a":1,"\u0061":2}`, []FlawCode{FlawDuplicate}},
		"duplicate and trailing":  {`{"a":1,"a":2} x`, []FlawCode{FlawDuplicate, FlawTrailing}},
		"duplicate, then broken":  {`{"a":1,"a":2,}`, []FlawCode{FlawDuplicate, FlawNotJSON}},
		"invalid UTF-8":           {"{\"a\":\"\xff\"}", []FlawCode{FlawUTF8}},
		"overlong UTF-8":          {"{\"a\":\"\xc0\xaf\"}", []FlawCode{FlawUTF8}},
		"UTF-8 surrogate":         {"{\"a\":\"\xed\xa0\x80\"}", []FlawCode{FlawUTF8}},
		"byte order mark":         {"\ufeff{}", []FlawCode{FlawBOM}},
		"byte order mark, UTF-16": {"\xff\xfe{\x00}\x00", []FlawCode{FlawUTF8, FlawNotJSON}},
		"number":                  {`7`, []FlawCode{FlawNotObject}},
		"null":                    {`null`, []FlawCode{FlawNotObject}},
		"string":                  {`"hello"`, []FlawCode{FlawNotObject}},
		"high surrogate":          {`{"a":"\ud83d"}`, []FlawCode{FlawSurrogate}},
		"high, then other escape": {`{"a":"\ud83d\n"}`, []FlawCode{FlawSurrogate}},
		"low surrogate":           {`{"a":"x\udc00"}`, []FlawCode{FlawSurrogate}},
		"surrogate in a name":     {`{"\ud83d":1}`, []FlawCode{FlawSurrogate}},
		"too deep":                {strings.Repeat("[", 1<<20), []FlawCode{FlawTooDeep}},
		"deep":                    {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := codes(Inspect([]byte(c.raw))); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v: %v", got, c.want, Inspect([]byte(c.raw)))
			}
		})
	}
}

func TestInspectDetailNamesTheMember(t *testing.T) {
	flaws := Inspect([]byte(`{"params":{"uri":1,"uri":2}}`))
	if len(flaws) != 1 || !strings.Contains(flaws[0].Detail, "/params/uri") {
		t.Errorf("got %v", flaws)
	}
}

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		"short":      `"short"`,
		"\x1b[31m":   `"\x1b[31m"`,
		"abcdefghij": `"abcdefgh"...`,
		"abcdefgé":   `"abcdefg"...`,
		"\xff\xff":   `"\xff\xff"`,
		"a<script>b": `"a<script"...`,
		"ab\u202ecd": `"ab\u202ecd"`,
		"日本語日本語":     `"日本"...`,
	} {
		if got := Excerpt([]byte(in), 8); got != want {
			t.Errorf("Excerpt(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"a":2}x`, "\ufeff[1]", `{"\ud800":"\udc00"}`, "\xff", `7`, `"\`,
		`{"a":"\u`, ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		flaws := Inspect(raw)
		if string(raw) != before {
			t.Fatal("the bytes were changed")
		}
		for i, x := range flaws {
			if !utf8.ValidString(x.Detail) || len(x.Detail) > 2000 {
				t.Errorf("detail %q", x.Detail)
			}
			if HasFlaw(flaws[:i], x.Code) {
				t.Errorf("%s twice", x.Code)
			}
		}
		// The standard library decides what JSON is; we may only be stricter.
		valid := json.Valid(raw)
		if len(flaws) == 0 && !valid {
			t.Errorf("no flaw, but no JSON: %q", raw)
		}
		if valid && HasFlaw(flaws, FlawNotJSON) && !strings.Contains(before, strings.Repeat("[", 100)) {
			t.Errorf("JSON, but %v: %q", flaws, raw)
		}
		if Valid(raw) != valid && len(raw) < maxDepth {
			t.Errorf("Valid is %v: %q", !valid, raw)
		}
		for _, m := range (&Frame{Raw: raw}).Parsed().Messages {
			id := json.RawMessage(m.Get("id").Raw)
			if len(id) == 0 || !json.Valid(id) || id[0] == '{' || id[0] == '[' || SameID(id, id) &&
				m.HasID(id) {
				continue
			}
			if d, ok := ParseDecimal(string(id)); ok && !d.Beyond {
				t.Errorf("the id %s is not itself", id)
			}
		}
	})
}
