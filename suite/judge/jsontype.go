package judge

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// IsString reports whether a value is a JSON string.
func IsString(r gjson.Result) bool { return r.Type == gjson.String }

// IsObject reports whether a value is a JSON object.
func IsObject(r gjson.Result) bool { return r.IsObject() }

// IsArray reports whether a value is a JSON array.
func IsArray(r gjson.Result) bool { return r.IsArray() }

// IsBool reports whether a value is true or false.
func IsBool(r gjson.Result) bool { return r.Type == gjson.True || r.Type == gjson.False }

// IsNumber reports whether a value is a JSON number.
func IsNumber(r gjson.Result) bool { return r.Type == gjson.Number }

// IsInteger reports whether a value is a number without a fractional part,
// however it is written and however large: 5, 5.0, 5e3 and 1e400 are integers,
// 0.5 and 5e-1 are not. The digits decide, so that nothing is rounded.
func IsInteger(r gjson.Result) bool {
	d, ok := wire.ParseDecimal(strings.TrimSpace(r.Raw))
	return r.Type == gjson.Number && ok && d.Exponent >= 0
}

// SameNumber reports whether two numbers, as JSON has them, are equal: whole ones digit by digit,
// others also if they are the same to whoever reads them as binary floating point.
func SameNumber(a, b string) bool {
	x, okX := wire.ParseDecimal(a)
	y, okY := wire.ParseDecimal(b)
	switch {
	case !okX || !okY || x.Beyond || y.Beyond:
		return a == b
	case x == y:
		return true
	case x.Exponent >= 0 && y.Exponent >= 0:
		return false
	}
	f, errF := strconv.ParseFloat(a, 64)
	g, errG := strconv.ParseFloat(b, 64)
	return errF == nil && errG == nil && f == g
}

// TypeName describes the kind of a value in words: "a string", "null", "an array
// of 3", "nothing" if it is absent.
func TypeName(r gjson.Result) string {
	switch {
	case !r.Exists():
		return "absent"
	case r.Type == gjson.String:
		return "a string"
	case IsInteger(r):
		return "an integer"
	case r.Type == gjson.Number:
		return "a number with a fraction"
	case IsBool(r):
		return "a boolean"
	case r.IsObject():
		return "an object"
	case r.IsArray():
		n := 0
		r.ForEach(func(_, _ gjson.Result) bool { n++; return true })
		if n == 0 {
			return "an empty array"
		}
		return fmt.Sprintf("an array of %d", n)
	case r.Type == gjson.Null:
		return "null"
	}
	return "no JSON value"
}

// Short is a value as it was sent, on one line and cut to about n bytes, for use
// in messages; "nothing" if it is absent.
func Short(r gjson.Result, n int) string {
	if !r.Exists() {
		return "nothing"
	}
	// One byte more than asked for decides whether clip marks a cut.
	raw := r.Raw
	if limit := 4*max(n, 0) + 16; len(raw) > limit {
		raw = raw[:limit]
	}
	raw = strings.Join(strings.Fields(strings.ToValidUTF8(raw, "\uFFFD")), " ")
	return clip(raw, n)
}

// Names lists the member names of an object in the order in which they stand
// there, duplicates included.
func Names(r gjson.Result) []string {
	var names []string
	if r.IsObject() {
		r.ForEach(func(key, _ gjson.Result) bool {
			names = append(names, key.String())
			return true
		})
	}
	return names
}

// Member is a member of an object by its exact name. Unlike a path it takes dots
// and wildcards in the name literally.
func Member(r gjson.Result, name string) gjson.Result {
	var found gjson.Result
	if r.IsObject() {
		r.ForEach(func(key, value gjson.Result) bool {
			if key.String() == name {
				found = value
				return false
			}
			return true
		})
	}
	return found
}

// Brief is a JSON value cut to a length that fits into a sentence, without what it holds
// of files of the system: sentences are passed on as frames are.
func Brief(r gjson.Result) string {
	if !r.Exists() {
		return "absent"
	}
	const limit = 120
	whole := r.Raw
	if len(whole) > leakShort { // nothing shorter is cut
		begin, leaks := beginning(whole, limit), LeakCut{giants: true}
		if leaks.Cut(begin) == begin {
			whole = begin
		} else { // what is left of it may be short
			whole = leaks.Cut(whole)
		}
	}
	var raw strings.Builder
	for word := range strings.FieldsSeq(whole) {
		if raw.Len() > 0 {
			raw.WriteByte(' ')
		}
		raw.WriteString(word[:min(len(word), limit+1)])
		if raw.Len() > limit {
			return clip(raw.String(), limit)
		}
	}
	return raw.String()
}

// Quote is a text of the other side's in quotes for a sentence: of one that is longer than fits in, its
// beginning and its length in bytes.
func Quote(s string) string {
	const limit = 120
	if len(s) <= limit {
		return strconv.Quote(s)
	}
	return strconv.Quote(clip(s, limit)) + fmt.Sprintf(" (%d bytes)", len(s))
}

// beginning is the beginning of a JSON text that has more than n characters beside white
// space, and ends at no inner place of a string; the whole text if it has no more.
func beginning(raw string, n int) string {
	for i := 0; i < len(raw) && n >= 0; i++ {
		end := i + 1
		if raw[i] == '"' {
			end = endOfString(raw, i)
		}
		for ; i < end && n >= 0; i++ {
			if raw[i] > ' ' && raw[i] < utf8.RuneSelf {
				n--
			}
		}
		if i = end - 1; n < 0 {
			return raw[:end]
		}
	}
	return raw
}

// Each visits the elements of an array, one by one: an array can be too long for a slice of
// what is in it. What is no array has none.
func Each(list gjson.Result, visit func(gjson.Result)) {
	if list.IsArray() {
		list.ForEach(func(_, one gjson.Result) bool {
			visit(one)
			return true
		})
	}
}
