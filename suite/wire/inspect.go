package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpcheck/mcpcheck/internal/plural"
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
// is reported. Nesting is followed to 10000 levels; of deeper text nothing more is said.
func Inspect(raw []byte) []Flaw {
	var f Frame
	body, marked := bytes.CutPrefix(raw, bom)
	if marked {
		f.AddFlaw(FlawBOM, "the bytes EF BB BF lead the message")
	}
	if at := invalidUTF8(body); at >= 0 {
		at += len(raw) - len(body)
		f.AddFlaw(FlawUTF8, "at byte %d: %s", at, Excerpt(raw[at:], 16))
	}
	switch {
	case len(trimSpace(body)) == 0:
		f.AddFlaw(FlawNotJSON, "there is nothing but white space")
	case deeper(body):
		f.AddFlaw(FlawTooDeep, "nested more than %d deep, which is all that is read", maxDepth)
	default:
		f.inspectValue(body)
		if at := loneSurrogate(body); at >= 0 && !f.HasFlaw(FlawNotJSON) {
			f.AddFlaw(FlawSurrogate, "half of a surrogate pair: %s", Excerpt(body[at:], 6))
		}
	}
	return f.Flaws
}

// inspectValue judges the syntax of the first JSON value in body, and what
// follows it.
func (f *Frame) inspectValue(body []byte) {
	end, err := valueEnd(body, false)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		f.AddFlaw(FlawDuplicate, "%s", duplicateDetail(err))
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
		f.AddFlaw(FlawNotJSON, "%s", syntaxDetail(err, body))
	case !structured && len(rest) > 0:
		// "2026-01-02 starting" begins with a number, but is no JSON at all.
		f.AddFlaw(FlawNotJSON, "%s%s", textBegins, Excerpt(body, 40))
	case !structured:
		f.AddFlaw(FlawNotObject, "the value is %s", Excerpt(body, 40))
	case len(rest) > 0:
		f.AddFlaw(FlawTrailing, plural.Of(len(rest), "%d {byte follows|bytes follow} the value: %s"),
			len(rest), Excerpt(rest, 40))
	}
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
	dec.Reset(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(duplicates))
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

// textBegins is how the detail of a flaw begins that only quotes what came.
const textBegins = "the text begins "

func syntaxDetail(err error, body []byte) string {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) || syn.ByteOffset == 0 {
		return textBegins + Excerpt(body, 40)
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
