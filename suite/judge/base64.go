package judge

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// The problems of a base64 text (RFC 4648, section 4).
const (
	CodeURLSafe          Code = "url-safe-alphabet" // "-" or "_" instead of "+" or "/"
	CodeWhiteSpace       Code = "white-space"       // line breaks, tabs or spaces
	CodeMissingPadding   Code = "missing-padding"   // the length is no multiple of four
	CodeMisplacedPadding Code = "misplaced-padding" // "=" elsewhere than at the end, or too many
	CodeBadLength        Code = "bad-length"        // one letter is left over, which encodes nothing
	CodePadBits          Code = "pad-bits"          // the unused bits of the last letter are not zero (soft)
)

// Base64 holds a text against the standard alphabet with padding. The empty text
// is valid. White space is reported apart and otherwise ignored, so that a
// wrapped text is not also held to be badly padded.
func Base64(s string) []Problem {
	var f findings
	letters, pads, last := 0, 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '=':
			pads++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			f.add(CodeWhiteSpace, i, "%s inside the base64 text", describe(s[i:]))
			continue
		case isAlphaNum(c) || c == '+' || c == '/':
		case c == '-' || c == '_':
			f.add(CodeURLSafe, i, "%q belongs to the URL-safe alphabet; the standard one has \"+\" and \"/\"",
				c)
		default:
			f.add(CodeBadCharacter, i, "%s is no base64 letter", describe(s[i:]))
			continue
		}
		if pads > 0 {
			f.add(CodeMisplacedPadding, i, "%q follows the padding", s[i])
		}
		letters, last = letters+1, s[i]
	}
	if !Has(f.list, CodeBadCharacter, CodeMisplacedPadding) {
		padding(&f, len(s), letters, pads, last)
	}
	return f.list
}

// padding judges the end of a text that is otherwise readable.
func padding(f *findings, end, letters, pads int, last byte) {
	rest := letters % 4
	needed := (4 - rest) % 4
	switch {
	case rest == 1:
		f.add(CodeBadLength, end,
			"%d letters, one more than a multiple of four, encode no whole number of bytes", letters)
		return
	case pads != needed:
		code := CodeMissingPadding
		if pads > needed {
			code = CodeMisplacedPadding
		}
		f.add(code, end, "%d padding signs after %d letters, where there should be %d", pads, letters, needed)
	}
	if mask := (1 << (2 * needed)) - 1; rest != 0 && base64Value(last)&mask != 0 {
		f.soft(CodePadBits, end, "the unused bits of the last letter, %q, are not zero", last)
	}
}

// base64Value is what a letter of either alphabet encodes.
func base64Value(c byte) int {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
	i := strings.IndexByte(letters, c)
	if i >= 64 { // the two that the alphabets do not share
		return i - 2
	}
	return i
}

// Decode reads a base64 text as well as it can be read: in either alphabet, with
// or without padding, wrapped or not. That way one wrong encoding does not hide
// what else there is to judge. It fails on foreign characters and on a letter
// left over.
func Decode(s string) ([]byte, error) {
	// most texts are well-formed, and some are long
	if d, err := base64.StdEncoding.DecodeString(s); err == nil {
		return d, nil
	}
	if p, bad := First(Base64(s), CodeBadCharacter, CodeMisplacedPadding, CodeBadLength); bad {
		return nil, fmt.Errorf("not base64: %s", p)
	}
	plain := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, s)
	return base64.RawStdEncoding.DecodeString(plain)
}
