package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// bom is the UTF-8 form of the byte order mark U+FEFF.
var bom = []byte("\xef\xbb\xbf")

// Inspect reads one message strictly and says what is wrong with it; a
// well-formed message has no flaw. It repairs nothing and decides nothing: a
// flaw is a fact about the bytes, and whether it breaks a rule is for the checks.
//
// A message is one JSON object or array (RFC 8259) in UTF-8, without byte order
// mark, without a member name that occurs twice in one object, and without
// anything but white space after it. Of each kind of flaw the first occurrence
// is reported. Nesting is followed to 10000 levels; deeper text counts as no JSON.
func Inspect(raw []byte) []Flaw {
	var flaws []Flaw
	body := raw
	if bytes.HasPrefix(body, bom) {
		flaws = append(flaws, Flaw{Code: FlawBOM, Detail: "the bytes EF BB BF lead the message"})
		body = body[len(bom):]
	}
	if at := invalidUTF8(body); at >= 0 {
		at += len(raw) - len(body)
		flaws = append(flaws, Flaw{Code: FlawUTF8, Detail: fmt.Sprintf("at byte %d: %s", at, Excerpt(raw[at:], 16))})
	}
	if len(trimSpace(body)) == 0 {
		return append(flaws, Flaw{Code: FlawNotJSON, Detail: "there is nothing but white space"})
	}
	flaws = append(flaws, inspectValue(body)...)
	if at := loneSurrogate(body); at >= 0 && !has(flaws, FlawNotJSON) {
		flaws = append(flaws, Flaw{Code: FlawSurrogate, Detail: "half of a surrogate pair: " + Excerpt(body[at:], 6)})
	}
	return flaws
}

func has(flaws []Flaw, code FlawCode) bool {
	return slices.ContainsFunc(flaws, func(f Flaw) bool { return f.Code == code })
}

// inspectValue judges the syntax of the first JSON value in body, and what
// follows it.
func inspectValue(body []byte) []Flaw {
	var flaws []Flaw
	end, err := valueEnd(body, false)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		flaws = append(flaws, Flaw{Code: FlawDuplicate, Detail: duplicateDetail(err)})
		end, err = valueEnd(body, true)
	}
	first := trimSpace(body)[0]
	rest := []byte(nil)
	if err == nil {
		rest = trimSpace(body[end:])
	}
	structured := first == '{' || first == '['
	switch {
	case err != nil:
		flaws = append(flaws, Flaw{Code: FlawNotJSON, Detail: syntaxDetail(err, body)})
	case !structured && len(rest) > 0:
		// "2026-01-02 starting" begins with a number, but is no JSON at all.
		flaws = append(flaws, Flaw{Code: FlawNotJSON, Detail: "the text begins " + Excerpt(body, 40)})
	case !structured:
		flaws = append(flaws, Flaw{Code: FlawNotObject, Detail: "the value is " + Excerpt(body, 40)})
	case len(rest) > 0:
		flaws = append(flaws, Flaw{Code: FlawTrailing, Detail: fmt.Sprintf("%d bytes follow the value: %s", len(rest), Excerpt(rest, 40))})
	}
	return flaws
}

// decoders keep the tables of names of the values that they read before.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// valueEnd is the offset behind the first JSON value in body. Invalid UTF-8 is
// let pass here, so that it does not hide other flaws.
func valueEnd(body []byte, duplicates bool) (int64, error) {
	dec := decoders.Get().(*jsontext.Decoder)
	defer func() {
		dec.Reset(&bytes.Buffer{}) // so that it does not hold on to the message
		decoders.Put(dec)
	}()
	// A buffer is read in place.
	dec.Reset(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(duplicates))
	if _, err := dec.ReadValue(); err != nil {
		return 0, err
	}
	return dec.InputOffset(), nil
}

func duplicateDetail(err error) string {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) {
		return "an object has a member twice"
	}
	return fmt.Sprintf("member %s at byte %d", Excerpt([]byte(syn.JSONPointer), 200), syn.ByteOffset)
}

func syntaxDetail(err error, body []byte) string {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) || syn.ByteOffset == 0 {
		return "the text begins " + Excerpt(body, 40)
	}
	if syn.ByteOffset >= int64(len(body)) {
		return fmt.Sprintf("the text ends inside the value, after %d bytes", len(body))
	}
	return fmt.Sprintf("syntax error at byte %d: %s", syn.ByteOffset, Excerpt(body[syn.ByteOffset:], 40))
}

// invalidUTF8 is the offset of the first byte that is not valid UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// loneSurrogate is the offset of the first \u escape in a string that is half
// of a UTF-16 surrogate pair, or -1.
func loneSurrogate(b []byte) int {
	inString := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			inString = !inString
		case b[i] != '\\' || !inString:
		default:
			unit, ok := escapedUnit(b[i:])
			switch {
			case !ok:
				i++ // an escape of two characters
			case unit >= 0xD800 && unit < 0xDC00:
				low, ok := escapedUnit(b[i+6:])
				if !ok || low < 0xDC00 || low > 0xDFFF {
					return i
				}
				i += 11
			case unit >= 0xDC00 && unit <= 0xDFFF:
				return i
			default:
				i += 5
			}
		}
	}
	return -1
}

// escapedUnit reads the \uXXXX at the start of b.
func escapedUnit(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return v, err == nil
}

// trimSpace cuts JSON white space, which is less than Unicode's.
func trimSpace(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

// Excerpt quotes the first n bytes of b so that they can stand in a sentence:
// control characters and invalid UTF-8 are escaped, and dots say that more follows.
func Excerpt(b []byte, n int) string {
	if len(b) <= n {
		return strconv.QuoteToGraphic(string(b))
	}
	cut := b[:n]
	// Do not cut a character in two: that would show as invalid UTF-8.
	for k := 1; k < utf8.UTFMax && k < len(cut); k++ {
		if tail := cut[len(cut)-k:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				cut = cut[:len(cut)-k]
			}
			break
		}
	}
	return strconv.QuoteToGraphic(string(cut)) + "..."
}

// Kind is what a message is in JSON-RPC, judged by the members it has, not by
// whether they are right: a response with the wrong "jsonrpc" is a response.
type Kind string

// The kinds.
const (
	KindRequest      Kind = "request"      // a method and an id
	KindNotification Kind = "notification" // a method and no id
	KindResponse     Kind = "response"     // no method, but an id, a result or an error
	KindBatch        Kind = "batch"        // an array
	KindOther        Kind = "other"        // anything else, also what is no JSON
)

// Classify says what a message is. A leading byte order mark is overlooked
// here, because the message can be told in spite of it.
func Classify(raw []byte) Kind {
	raw = object(raw)
	if !Valid(raw) {
		return KindOther
	}
	switch raw[0] {
	case '[':
		return KindBatch
	case '{':
		return classifyObject(raw)
	}
	return KindOther
}

func classifyObject(raw []byte) Kind {
	return KindOf(func(name string) gjson.Result { return gjson.GetBytes(raw, name) })
}

// KindOf is [Classify] for a well-formed object of which the members are at hand.
func KindOf(member func(name string) gjson.Result) Kind {
	method, id := member("method"), member("id")
	outcome := member("result").Exists() || member("error").Exists()
	switch {
	case method.Type == gjson.String && id.Exists():
		return KindRequest
	case method.Type == gjson.String:
		return KindNotification
	case method.Exists() && !outcome:
		return KindOther
	case outcome || id.Exists():
		return KindResponse
	}
	return KindOther
}

// object is raw without byte order mark and surrounding white space.
func object(raw []byte) []byte {
	return trimSpace(bytes.TrimPrefix(raw, bom))
}

// maxDepth is how deep objects and arrays may be nested: what jsontext reads.
const maxDepth = 10000

// Valid reports whether raw is one JSON value that is nested at most 10000 deep.
// Ask it before gjson.Valid or a decoder that calls itself for each level: 16
// MiB of "[" would overflow their stack, which no recover catches.
func Valid(raw []byte) bool {
	return (bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= maxDepth || !tooDeep(raw)) && gjson.ValidBytes(raw)
}

func tooDeep(raw []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
		case inString:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// Member is a top-level member of a message; it does not exist if the message
// is no well-formed object. Of two members with one name it is the first.
func Member(raw []byte, name string) gjson.Result {
	raw = object(raw)
	if !Valid(raw) || raw[0] != '{' {
		return gjson.Result{}
	}
	return gjson.GetBytes(raw, gjson.Escape(name))
}

// SameID reports whether two ids are the same: one JSON type and one value.
// Strings are compared without their escapes; numbers by value, exactly, so 7,
// 7.0 and 70e-1 are one id, and "7" is another. Objects and arrays are no ids
// and the same as nothing.
func SameID(a, b json.RawMessage) bool {
	if OrdinaryID(a) && OrdinaryID(b) {
		return bytes.Equal(a, b)
	}
	if !Valid(a) || !Valid(b) {
		return false
	}
	x, y := gjson.ParseBytes(a), gjson.ParseBytes(b)
	if x.Type != y.Type {
		return false
	}
	switch x.Type {
	case gjson.String:
		return x.Str == y.Str
	case gjson.Number:
		return sameNumber(strings.TrimSpace(x.Raw), strings.TrimSpace(y.Raw))
	case gjson.JSON:
		return false
	}
	return true // null, true, false: the type is the value
}

// OrdinaryID reports whether an id is a small number in its usual form, of which two
// are the same only if they are written alike.
func OrdinaryID(id json.RawMessage) bool {
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= 15 && (id[0] != '0' || len(id) == 1)
}

// sameNumber compares two JSON numbers by value without rounding them and
// without expanding their exponents.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := normalise(a)
	y, okY := normalise(b)
	return okX && okY && x == y
}

// decimal is digits × 10^exponent, without leading or trailing zeros.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

func normalise(s string) (decimal, bool) {
	var d decimal
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.ParseInt(strings.TrimPrefix(s[i+1:], "+"), 10, 64)
		if err != nil || e > math.MaxInt32 || e < math.MinInt32 {
			return d, false
		}
		mantissa, d.exponent = s[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= int64(len(fraction))
	d.digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += int64(len(d.digits) - len(trimmed))
	d.digits = trimmed
	if d.digits == "" {
		return decimal{}, true // zero, whatever its sign
	}
	return d, true
}
