package judge

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

func TestJSONTypes(t *testing.T) {
	for raw, want := range map[string]string{
		`"x"`: "a string", `1`: "an integer", `1.0`: "an integer", `0.5`: "a number with a fraction",
		`true`:  "a boolean",
		`false`: "a boolean", `{}`: "an object", `[]`: "an empty array", `[1,2,3]`: "an array of 3",
		`null`: "null", ``: "absent",
	} {
		if got := TypeName(gjson.Parse(raw)); got != want {
			t.Errorf("TypeName(%s) = %q, want %q", raw, got, want)
		}
	}
	if !IsBool(gjson.Parse("false")) || !IsObject(gjson.Parse("{}")) ||
		!IsArray(gjson.Parse("[]")) || !IsString(gjson.Parse(`""`)) || IsNumber(gjson.Parse(`"1"`)) {
		t.Error("a predicate is wrong")
	}
}

func TestIsInteger(t *testing.T) {
	for raw, want := range map[string]bool{
		"0": true, "-0": true, "5": true, "5.0": true, "-5.00": true, "5e0": true, "5E+3": true,
		"1e400": true, "100e-2": true,
		"1.50e1": true, "9007199254740993": true, "123456789012345678901234567890": true, "0e-5": true,
		"0.0":                    true,
		"1e99999999999999999999": true, "1e-99999999999999999999": false,
		"0.5": false, "5e-1": false, "1.5": false, "1e-400": false, "1.23e1": false,
		"9007199254740993.5": false,
		`"5"`:                false, "null": false, "true": false, "": false, "{}": false,
	} {
		if got := IsInteger(gjson.Parse(raw)); got != want {
			t.Errorf("IsInteger(%s) = %v", raw, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`-?(?:0|[1-9][0-9]{0,4})(?:\.[0-9]{1,4})?(?:[eE][+-]?[0-9])?`).Draw(t,
			"number")
		exact, ok := new(big.Rat).SetString(raw)
		if !ok {
			t.Skip(raw)
		}
		if got := IsInteger(gjson.Parse(raw)); got != exact.IsInt() {
			t.Fatalf("IsInteger(%s) = %v", raw, got)
		}
	})
}

func TestShort(t *testing.T) {
	for raw, want := range map[string]string{
		`"abc"`: `"abc"`, "{\n  \"a\": 1\n}": `{ "a": 1 }`, "": "nothing",
		`"` + strings.Repeat("x", 100) + `"`: `"xxxxxxxxxxxxxxxxxxx…`,
	} {
		if got := Short(gjson.Parse(raw), 20); got != want {
			t.Errorf("Short(%s) = %s", raw, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := strconv.Quote(rapid.String().Draw(t, "text"))
		if got := Short(gjson.Parse(raw), rapid.IntRange(-1, 40).Draw(t, "n")); !utf8.ValidString(got) ||
			len(got) > 43 {
			t.Fatalf("%q", got)
		}
	})
}

func TestMembers(t *testing.T) {
	r := gjson.Parse(`{"a.b":1,"a":{"b":2},"*":3,"a":4}`)
	if got := Names(r); !reflect.DeepEqual(got, []string{"a.b", "a", "*", "a"}) {
		t.Errorf("Names: %q", got)
	}
	if Member(r, "a.b").Int() != 1 || Member(r, "*").Int() != 3 || Member(r, "x").Exists() ||
		Member(gjson.Parse("[1]"), "0").Exists() {
		t.Error("Member")
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "1e", "-", "{", `{"a`, "[1,", "1.5e-3", "\xff", "1e5x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := gjson.Parse(s)
		IsInteger(r)
		TypeName(r)
		if got := Short(r, 10); !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
		Names(r)
		Member(r, "a")
	})
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                        `""`,
		"a\nb":                    `"a\nb"`,
		strings.Repeat("x", 120):  `"` + strings.Repeat("x", 120) + `"`,
		strings.Repeat("ä", 1000): `"` + strings.Repeat("ä", 60) + `…" (2000 bytes)`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("%.20q: %s", in, got)
		}
	}
}
