package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

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

// kind says what an object is.
func (o *Object) kind() Kind {
	method, id := o.Get("method"), o.Get("id")
	outcome := o.Get("result").Exists() || o.Get("error").Exists()
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

// maxDepth is how deep objects and arrays may be nested: what jsontext reads.
const maxDepth = 10000

// Valid reports whether raw is one JSON value that is nested at most 10000 deep.
// Ask it before gjson.Valid or a decoder that calls itself for each level: 16
// MiB of "[" would overflow their stack, which no recover catches.
func Valid(raw []byte) bool {
	return !deeper(raw) && gjson.ValidBytes(raw)
}

// deeper reports whether objects and arrays are nested more than maxDepth deep.
func deeper(raw []byte) bool {
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= maxDepth {
		return false
	}
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

// Parse is gjson.ParseBytes without a copy, which of long messages, parsed for several
// recordings, would take up more memory than all that was received. The bytes must not be
// changed afterwards; those of a frame that was handed on never are.
func Parse(raw []byte) gjson.Result {
	return gjson.Parse(text(raw))
}

// text is bytes that are not changed any more.
func text(raw []byte) string {
	// #nosec G103 -- the bytes of a frame are not changed
	return unsafe.String(unsafe.SliceData(raw), len(raw))
}

// SameID reports whether two ids are the same: one JSON type and one value.
// Strings are compared without their escapes; numbers by value, exactly, so 7,
// 7.0 and 70e-1 are one id, and "7" is another. Objects and arrays are no ids
// and the same as nothing.
func SameID(a, b json.RawMessage) bool {
	if ordinaryID(a) && ordinaryID(b) {
		return bytes.Equal(a, b)
	}
	return Valid(a) && Valid(b) && idOf(Parse(a)).same(idOf(Parse(b)))
}

// id is a valid id as it is compared.
type id struct {
	kind   gjson.Type
	text   string  // of a string, and of a number whose exponent is larger than is counted
	number Decimal // of other numbers
}

func idOf(v gjson.Result) id {
	of := id{kind: v.Type}
	switch v.Type {
	case gjson.String:
		of.text = v.Str
	case gjson.Number:
		raw := strings.TrimSpace(v.Raw)
		d, ok := ParseDecimal(raw)
		if of.number = d; !ok || d.Beyond {
			of.number, of.text = Decimal{}, raw
		}
	}
	return of
}

func (a id) same(b id) bool { return a == b && a.kind != gjson.JSON }

// ordinaryID reports whether an id is a small number in its usual form, of which two
// are the same only if they are written alike.
func ordinaryID[T string | json.RawMessage](id T) bool {
	if len(id) == 0 || len(id) > 15 || id[0] == '0' && len(id) > 1 {
		return false
	}
	for i := range len(id) {
		if id[i] < '0' || id[i] > '9' {
			return false
		}
	}
	return true
}

// Decimal is a number in the only spelling that it has here: its digits without
// zeros at either end, and the power of ten that they count. Zero has no sign.
type Decimal struct {
	Negative bool
	Digits   string
	Exponent int64
	Beyond   bool // the exponent is larger than is counted; its sign is right
}

// ParseDecimal reads a number as JSON has it; ok is false if it is none.
func ParseDecimal(s string) (d Decimal, ok bool) {
	mantissa, power, scaled := strings.Cut(strings.ToLower(s), "e")
	mantissa, d.Negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return d, false
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	if d.Digits = strings.TrimRight(digits, "0"); d.Digits == "" {
		return Decimal{}, true
	}
	if scaled {
		const most = 1 << 50 // nothing overflows
		n, err := strconv.ParseInt(power, 10, 64)
		d.Exponent = min(max(n, -most), most)
		if d.Beyond = d.Exponent != n || err != nil; errors.Is(err, strconv.ErrSyntax) {
			return d, false
		}
	}
	d.Exponent += int64(len(digits) - len(d.Digits) - len(fraction))
	return d, true
}
