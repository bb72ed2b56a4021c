// Package mask removes secrets from what is shown or written.
//
// A secret is found in whatever form it crossed the wire: as it is, with JSON
// escapes (also those of JSON in a string of JSON), percent-encoded, in any mixture of these, in hexadecimal
// digits (also with signs between the bytes), and inside base32 and base64 (both alphabets, once or twice, or
// with hexadecimal digits inside or around, at any alignment, padded or not, also over several lines). But
// for these two the case of letters makes no difference: there are servers that normalize keys and names. Of
// a secret that is percent-encoded itself what it stands for is hidden as well, and of one that somebody cut
// short what is left of it, if that is most of it or dots or stars stand for the rest. Secrets of less than
// [MinLength] bytes are passed over: they would blot out ordinary text.
package mask

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MinLength is the length in bytes from which on a secret is masked.
const MinLength = 8

// maxDepth is how many backslashes an escape may begin with: each time that JSON
// is put into a string of JSON their number doubles and grows by one.
const maxDepth = 15

// Replacement stands for a secret. Inside base64 and base32 a secret is replaced by as many
// letters A, so that the text around it can still be decoded.
const Replacement = "***"

// Masker replaces secrets. The zero value and nil replace nothing. It may be
// used from several goroutines.
type Masker struct {
	patterns []pattern
	// first lists, for each byte, the patterns that can begin with it.
	first [256][]int
}

// pattern is one form of a secret.
type pattern struct {
	want []byte
	// encoded says that want are digits of base64 or base32; lead and trail that the
	// digit before and behind holds some bits of the secret.
	encoded, lead, trail bool
	// between are the signs that may stand between two digits.
	between string
}

// What may stand between the digits: line breaks where they are too many for a line, and in
// hexadecimal digits what tells the bytes apart.
const (
	lineBreaks = "\r\n"
	byteSigns  = lineBreaks + " :-"
)

// same reports whether two bytes are the same but for the case of letters of ASCII,
// which makes no difference outside of base64 and base32.
func (p *pattern) same(a, b byte) bool { return a == b || !p.encoded && lower(a) == lower(b) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// NewMasker makes a masker of the secrets that are long enough.
func NewMasker(secrets []string) *Masker {
	m := &Masker{}
	seen := make(map[string]bool)
	add := func(p pattern) {
		if seen[string(p.want)] {
			return
		}
		seen[string(p.want)] = true
		n := len(m.patterns)
		m.patterns = append(m.patterns, p)
		for _, b := range openings(&p) {
			m.first[b] = append(m.first[b], n)
		}
	}
	for _, s := range slices.Concat(secrets, decoded(secrets), lines(secrets)) {
		if len(s) < MinLength {
			continue
		}
		add(pattern{want: []byte(s)})
		digits := hex.EncodeToString([]byte(s))
		add(pattern{want: []byte(digits), between: byteSigns})
		for _, p := range slices.Concat(inBase64(digits), inBase64(strings.ToUpper(digits))) {
			add(p)
		}
		for _, p := range inBase64(s) {
			add(p)
			add(pattern{want: []byte(hex.EncodeToString(p.want)), between: byteSigns})
			for _, again := range inBase64(string(p.want)) {
				add(again)
			}
		}
		for shift := range 5 {
			p := aligned(s, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString, 5, shift)
			add(p)
			p.want = bytes.ToLower(p.want)
			add(p)
		}
	}
	return m
}

// Empty reports whether there is nothing to replace.
func (m *Masker) Empty() bool { return m == nil || len(m.patterns) == 0 }

// inBase64 is what either alphabet makes of a secret, wherever it stands.
func inBase64(secret string) []pattern {
	var all []pattern
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			all = append(all, aligned(secret, encoding.EncodeToString, 6, shift))
		}
	}
	return all
}

// decoded are the secrets that are percent-encoded, as what they stand for.
func decoded(secrets []string) []string {
	var all []string
	for _, s := range secrets {
		if plain, err := url.PathUnescape(s); err == nil && plain != s {
			all = append(all, plain)
		}
	}
	return all
}

// lines are those of secrets that have several, such as a private key: they may be shown, or
// cut off, one by one. Short ones are passed over.
func lines(secrets []string) []string {
	const long = 16
	var all []string
	for _, s := range secrets {
		if !strings.Contains(s, "\n") {
			continue
		}
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= long {
				all = append(all, line)
			}
		}
	}
	return all
}

// openings are the bytes with which a form of the pattern can begin, where no escape stands.
func openings(p *pattern) []byte {
	b := p.want[0]
	all := []byte{b}
	if !p.encoded {
		all = append(all, lower(b), upper(b))
	}
	if b == ' ' {
		all = append(all, '+')
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// meant lists what the first byte of data can stand for: itself, or what an escape does.
func meant(data []byte) []byte {
	all := data[:1:1]
	switch data[0] {
	case '\\':
		for deep := 0; deep < maxDepth && deep < len(data) && data[deep] == '\\'; deep++ {
			if r, length := unescape(data[deep:]); length > 0 {
				all = append(all, string(r)[0])
			}
		}
	case '%':
		for b := range unpercent(data) {
			all = append(all, b)
		}
	}
	return all
}

// aligned is what an encoding with so many bits in a digit makes of a secret that begins
// shift bytes behind a group: the digits that do not depend on what stands around it.
func aligned(secret string, encode func([]byte) string, perDigit, shift int) pattern {
	digits := encode(append(make([]byte, shift), secret...))
	before, bits := 8*shift, 8*(shift+len(secret))
	begin := (before + perDigit - 1) / perDigit
	return pattern{want: []byte(digits[begin : bits/perDigit]), encoded: true, lead: before%perDigit != 0,
		trail: bits%perDigit != 0, between: lineBreaks}
}

// span is a part of the data to be replaced.
type span struct {
	from, to int
	encoded  bool
}

// String masks a string.
func (m *Masker) String(s string) string {
	if m.Empty() {
		return s
	}
	return string(m.Mask([]byte(s)))
}

// Mask returns the data with all secrets replaced, also what is left of those that
// an ellipsis cuts short. Without a secret in it, it is the data itself, not a copy;
// the data is never changed.
func (m *Masker) Mask(data []byte) []byte { return m.mask(data, false) }

// MaskCut is [Masker.Mask] for data whose end was cut off: the beginning of a secret
// that stands at the very end is replaced, too.
func (m *Masker) MaskCut(data []byte) []byte { return m.mask(data, true) }

func (m *Masker) mask(data []byte, cut bool) []byte {
	spans := m.find(data, cut)
	if len(spans) == 0 {
		return data
	}
	out := make([]byte, 0, len(data))
	done := 0
	for _, s := range spans {
		out = append(out, data[done:s.from]...)
		if s.encoded {
			out = blank(out, data[s.from:s.to])
		} else {
			out = append(out, Replacement...)
		}
		done = s.to
	}
	return append(out, data[done:]...)
}

// blank appends digits with the letter A in place of each; line breaks stay.
func blank(out, digits []byte) []byte {
	p := pattern{between: lineBreaks}
	for len(digits) > 0 {
		n := p.filler(digits)
		if out = append(out, digits[:n]...); n == 0 {
			n, out = 1, append(out, 'A')
		}
		digits = digits[n:]
	}
	return out
}

// find lists the parts to be replaced, in order and without overlap.
func (m *Masker) find(data []byte, cut bool) []span {
	if m.Empty() {
		return nil
	}
	var spans []span
	for i := range data {
		for k, b := range meant(data[i:]) {
			for _, n := range m.first[b] {
				p := &m.patterns[n]
				if k == 0 && i+1 < len(data) && p.differs(data[i+1]) {
					continue
				}
				length := p.match(data[i:], cut)
				if length == 0 {
					continue
				}
				s := span{from: i, to: i + length, encoded: p.encoded}
				if p.lead && i > 0 && digit(data[i-1]) {
					s.from--
				}
				if p.trail && s.to < len(data) && digit(data[s.to]) {
					s.to++
				}
				spans = join(spans, s)
			}
		}
	}
	return spans
}

// differs reports whether a letter or digit cannot stand second in a form of the pattern that
// begins with a byte as it is. It spares nearly all comparisons.
func (p *pattern) differs(c byte) bool {
	return len(p.want) > 1 && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') &&
		!p.same(c, p.want[1])
}

// join adds a span to those before it. Spans come ordered by where they begin,
// but for the one digit that base64 may lead by.
func join(spans []span, s span) []span {
	for len(spans) > 0 {
		last := spans[len(spans)-1]
		if s.from >= last.to {
			break
		}
		s = span{from: min(s.from, last.from), to: max(s.to, last.to), encoded: s.encoded && last.encoded}
		spans = spans[:len(spans)-1]
	}
	return append(spans, s)
}

// minPart is how many bytes of a pattern must be left for it to be told, and minShown how
// many where others may have cut it: they have dots and stars for much else.
const (
	minPart  = 4
	minShown = MinLength
	minBare  = 12 // without any sign of that
)

// match is the length of the form of the pattern that data begins with; 0 if it
// begins with none. cut says that the end of the data was cut off.
func (p *pattern) match(data []byte, cut bool) int {
	if bytes.HasPrefix(data, p.want) {
		return len(p.want)
	}
	want, used := p.want, 0
	for len(want) > 0 {
		matched, length := p.step(data[used:], want)
		switch {
		case matched > 0:
		case used > 0 && p.filler(data[used:]) > 0:
			length = p.filler(data[used:])
		case severed(data[used:], len(p.want)-len(want), cut) || p.most(len(p.want)-len(want)):
			return used
		default:
			return 0
		}
		want, used = want[matched:], used+length
	}
	return used
}

// filler is the length of a sign between two digits with which data begins; 0 if there is none.
func (p *pattern) filler(data []byte) int {
	switch {
	case p.between == "" || len(data) == 0:
		return 0
	case strings.IndexByte(p.between, data[0]) >= 0:
		return 1
	}
	if r, length := unescape(data); length > 0 && strings.ContainsRune(p.between, r) {
		return length
	}
	for b, length := range unpercent(data) {
		if strings.IndexByte(p.between, b) >= 0 {
			return length
		}
	}
	return 0
}

// most reports whether so much of a pattern tells it although the rest is missing.
func (p *pattern) most(matched int) bool { return matched >= minBare && 4*matched >= 3*len(p.want) }

// severed reports whether the data was cut where the rest begins: at its end, if
// need be inside an escape, or where an excerpt of ours, or somebody who hides the rest,
// has dots or stars. Left is how much of a pattern stands before it.
func severed(rest []byte, left int, cut bool) bool {
	if left < minPart {
		return false
	}
	if bytes.HasPrefix(rest, []byte("…")) || bytes.HasPrefix(rest, []byte(`"...`)) {
		return true
	}
	if left >= minShown && (bytes.HasPrefix(rest, []byte("...")) || bytes.HasPrefix(rest, []byte("**"))) {
		return true
	}
	const escape = 12 // the longest one, in bytes
	return cut && (len(rest) == 0 || len(rest) < escape && (rest[0] == '\\' || rest[0] == '%'))
}

// step matches the beginning of data with that of want: how many bytes of want
// are there, and how many of data they take.
func (p *pattern) step(data, want []byte) (matched, length int) {
	if len(data) == 0 {
		return 0, 0
	}
	switch data[0] {
	case '\\':
		if matched, length = p.escape(data, want); matched > 0 {
			return matched, length
		}
		// JSON inside a string of JSON: the escape is escaped itself.
		for deep := 1; deep < maxDepth && deep < len(data) && data[deep] == '\\'; deep++ {
			if matched, length = p.escape(data[deep:], want); matched > 0 {
				return matched, deep + length
			}
		}
	case '%':
		for b, length := range unpercent(data) {
			if p.same(b, want[0]) {
				return 1, length
			}
		}
	case '+':
		if want[0] == ' ' {
			return 1, 1
		}
	}
	if p.same(data[0], want[0]) {
		return 1, 1
	}
	return 0, 0
}

// escape matches an escape of JSON.
func (p *pattern) escape(data, want []byte) (matched, length int) {
	r, length := unescape(data)
	if length == 0 {
		return 0, 0
	}
	encoded := utf8.AppendRune(nil, r)
	if len(encoded) == 1 && p.same(encoded[0], want[0]) {
		return 1, length
	}
	if !bytes.HasPrefix(want, encoded) {
		return 0, 0
	}
	return len(encoded), length
}

// unescape is what the escape of JSON stands for that data begins with, and its length; 0 if
// it begins with none.
func unescape(data []byte) (r rune, length int) {
	if len(data) < 2 {
		return 0, 0
	}
	if data[1] != 'u' {
		const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if i := strings.IndexByte(letters, data[1]); i >= 0 {
			return rune(meanings[i]), 2
		}
		return 0, 0
	}
	r, ok := unit(data)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low, ok := unit(data[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// unpercent is the byte that is percent-encoded at the beginning of data, with the length of that;
// where it is a percent sign, also what that encodes in turn.
func unpercent(data []byte) iter.Seq2[byte, int] {
	return func(yield func(byte, int) bool) {
		for at := 1; len(data) >= at+2 && data[0] == '%' && at < maxDepth; at += 2 {
			n, err := strconv.ParseUint(string(data[at:at+2]), 16, 8)
			if err != nil || !yield(byte(n), at+2) || n != '%' {
				return
			}
		}
	}
}

// unit is the code unit of a \u escape.
func unit(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(n), err == nil
}

// digit reports whether c is a digit of base64 in either alphabet.
func digit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' ||
		c == '-' || c == '_'
}
