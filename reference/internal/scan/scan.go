// Package scan goes through the members of JSON objects without decoding or copying
// anything. What it is given has to be valid JSON: see [Valid].
package scan

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxOpened is how many brackets there may be for the quick look, which recurses
// without bound; encoding/json, which is slower, ends at as many levels.
const maxOpened = 10_000

// Valid reports whether the bytes are one JSON text that is nested at most 10,000 deep.
func Valid(raw []byte) bool {
	if len(raw) > maxOpened && bytes.Count(raw, []byte{'['})+bytes.Count(raw, []byte{'{'}) > maxOpened {
		return json.Valid(raw)
	}
	return gjson.ValidBytes(raw)
}

// members goes through the members of an object. Names come without their quotation
// marks, and as they are written: see [Plain].
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := 1; i < len(object); {
			switch object[i] {
			case '"':
			case '}':
				return
			default:
				i++
				continue
			}
			end := skip(object, i)
			name := object[i+1 : end-1]
			for i = end; i < len(object) && (object[i] == ':' || blank(object[i])); i++ {
			}
			end = skip(object, i)
			if end <= i || !yield(name, object[i:end]) {
				return
			}
			i = end
		}
	}
}

// skip is where the value that begins at i ends.
func skip(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = closing(data, i+1)
			if depth == 0 {
				return min(i+1, len(data))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // a number or a word has ended with the object
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(data)
}

// closing is where the quotation mark stands that ends a string; i is within it.
func closing(data []byte, i int) int {
	for i < len(data) {
		at := bytes.IndexByte(data[i:], '"')
		if at < 0 {
			return len(data)
		}
		escapes := 0
		for k := i + at - 1; k >= i && data[k] == '\\'; k-- {
			escapes++
		}
		if i += at; escapes%2 == 0 {
			return i
		}
		i++
	}
	return len(data)
}

// Plain reports whether what stands between two quotation marks has no escapes, so that
// it is the string itself.
func Plain(written []byte) bool { return bytes.IndexByte(written, '\\') < 0 }

// blank reports whether a byte is white space.
func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// Pick finds members of an object by their names: the value of names[i] is in the same place,
// nil if there is none. Of a name that is there twice the last counts, as it does for
// encoding/json.
func Pick(object []byte, values [][]byte, names ...string) {
	for name, value := range members(object) {
		if !Plain(name) {
			text, _ := Text(slices.Concat([]byte{'"'}, name, []byte{'"'})) // valid, as the object is
			name = []byte(text)
		}
		for i, wanted := range names {
			if string(name) == wanted {
				values[i] = value
				break
			}
		}
	}
}

// Text is the value of a string; ok is false for other values, nil included.
func Text(value []byte) (text string, ok bool) {
	if !IsText(value) {
		return "", false
	}
	if Plain(value) && utf8.Valid(value) {
		return string(value[1 : len(value)-1]), true
	}
	return decoded(value)
}

// decoded is apart because its result is not kept on the stack.
func decoded(value []byte) (text string, ok bool) {
	return text, json.Unmarshal(value, &text) == nil
}

// IsText reports whether a value is a string.
func IsText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// IsObject reports whether a value is an object.
func IsObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// OneOf is the one of some strings that a value is, and its value if it is none of them.
func OneOf(value []byte, known ...string) (text string, ok bool) {
	if n := len(value); n >= 2 && value[0] == '"' {
		for _, s := range known {
			if string(value[1:n-1]) == s {
				return s, true
			}
		}
	}
	return Text(value)
}
