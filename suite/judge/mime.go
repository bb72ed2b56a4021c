package judge

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// The problems of a media type.
const (
	CodeNoSlash      Code = "no-slash"      // no "/" between type and subtype
	CodeBadType      Code = "bad-type"      // the type or the subtype is no token
	CodeBadParameter Code = "bad-parameter" // a parameter that is not name=value
)

// MIME holds a text against the form of a media type: type "/" subtype, followed
// by any number of parameters (RFC 2045, section 5.1). Any registered or
// unregistered name is accepted.
func MIME(s string) []Problem {
	var f findings
	if s == "" {
		f.add(CodeEmpty, 0, "the media type is empty")
		return f.list
	}
	end := strings.IndexByte(s, ';')
	if end < 0 {
		end = len(s)
	}
	// White space before a semicolon is customary.
	essence := strings.TrimRight(s[:end], " \t")
	if end == len(s) {
		essence = s
	}
	name, subtype, ok := strings.Cut(essence, "/")
	if !ok {
		f.add(CodeNoSlash, 0, "%q has no \"/\" between type and subtype", clip(essence, 60))
	} else {
		token(&f, name, 0, "the type")
		token(&f, subtype, len(name)+1, "the subtype")
	}
	if end < len(s) {
		parameters(&f, s, end)
	}
	return f.list
}

func token(f *findings, s string, at int, what string) {
	if s == "" {
		f.add(CodeBadType, at, "%s is empty", what)
		return
	}
	if i := run(s, isToken); i < len(s) {
		f.add(CodeBadType, at+i, "%s contains %s", what, describe(s[i:]))
	}
}

// isToken reports whether a character may stand in a token: RFC 2045 and, with
// a few signs more, RFC 9110.
func isToken(c byte) bool {
	return c > ' ' && c < 0x7F && strings.IndexByte(`()<>@,;:\"/[]?=`, c) < 0
}

// parameters judges what follows the first semicolon, at s[i].
func parameters(f *findings, s string, i int) {
	for i < len(s) {
		i++ // the semicolon
		start := skipBlank(s, i)
		i = start + run(s[start:], isToken)
		if start == i && (i == len(s) || s[i] == ';') {
			continue // RFC 9110 lets a parameter be empty
		}
		if start == i || i == len(s) || s[i] != '=' {
			f.add(CodeBadParameter, start, "a parameter that is not of the form name=value")
			return
		}
		end, ok := parameterValue(s, i+1)
		if !ok {
			f.add(CodeBadParameter, i+1, "the value of the parameter %q is neither a token nor a quoted text",
				clip(s[start:i], 40))
			return
		}
		if i = skipBlank(s, end); i < len(s) && s[i] != ';' {
			f.add(CodeBadParameter, i, "%s after the parameter %q", describe(s[i:]), clip(s[start:end], 40))
			return
		}
	}
}

func skipBlank(s string, i int) int {
	return i + run(s[i:], func(c byte) bool { return c == ' ' || c == '\t' })
}

// parameterValue is the offset behind the token or quoted text at s[i].
func parameterValue(s string, i int) (end int, ok bool) {
	if i < len(s) && s[i] == '"' {
		for i++; i < len(s); i++ {
			switch c := s[i]; {
			case c == '"':
				return i + 1, true
			case c == '\\':
				i++
			case c < ' ' && c != '\t' || c == 0x7F:
				return i, false
			}
		}
		return i, false
	}
	n := run(s[i:], isToken)
	return i + n, n > 0
}

// Essence is a media type without parameters, in lower case.
func Essence(mime string) string {
	essence, _, _ := strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(essence))
}

// IsBinaryType reports whether contents of a media type are certainly no text.
func IsBinaryType(mime string) bool {
	essence := Essence(mime)
	if strings.HasSuffix(essence, "+xml") || strings.HasSuffix(essence, "+json") {
		return false
	}
	switch name, _, _ := strings.Cut(essence, "/"); name {
	case "image", "audio", "video", "font":
		// The portable any-map formats and X bitmaps have plain-text forms.
		return !strings.HasPrefix(essence, "image/x-") && essence != "audio/x-mpegurl" &&
			essence != "audio/mpegurl"
	}
	switch essence {
	case "application/octet-stream", "application/pdf", "application/zip", "application/gzip",
		"application/wasm":
		return true
	}
	return false
}

// magics lists the first bytes of formats that are recognised without doubt.
var magics = []struct {
	mime   string
	offset int
	magic  string
}{
	{"image/png", 0, "\x89PNG\r\n\x1a\n"},
	{"image/jpeg", 0, "\xff\xd8\xff"},
	{"image/gif", 0, "GIF87a"},
	{"image/gif", 0, "GIF89a"},
	{"image/webp", 8, "WEBP"},
	{"image/avif", 4, "ftypavif"},
	{"image/tiff", 0, "II*\x00"},
	{"image/tiff", 0, "MM\x00*"},
	{"image/x-icon", 0, "\x00\x00\x01\x00"},
	{"audio/wav", 8, "WAVE"},
	{"audio/mpeg", 0, "ID3"},
	{"audio/flac", 0, "fLaC"},
	{"audio/ogg", 0, "OggS"},
	{"video/webm", 0, "\x1a\x45\xdf\xa3"},
	{"video/mp4", 4, "ftyp"},
	{"application/pdf", 0, "%PDF-"},
	{"application/zip", 0, "PK\x03\x04"},
	{"application/zip", 0, "PK\x05\x06"},
	{"application/gzip", 0, "\x1f\x8b\x08"},
	{"application/wasm", 0, "\x00asm"},
	{"font/woff", 0, "wOFF"},
	{"font/woff2", 0, "wOF2"},
}

// Sniff recognises a format by its first bytes: the media type, or "" if it is
// none of those that have an unmistakable beginning.
func Sniff(data []byte) string {
	for _, m := range magics {
		if len(data) < m.offset || !bytes.HasPrefix(data[m.offset:], []byte(m.magic)) {
			continue
		}
		if m.offset == 8 && !bytes.HasPrefix(data, []byte("RIFF")) {
			continue
		}
		return m.mime
	}
	return ""
}

// Sniffable reports whether [Sniff] recognises contents of a media type, so that
// contents it does not recognise contradict the type.
func Sniffable(mime string) bool {
	switch Essence(mime) {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "application/zip",
		"application/gzip":
		return true
	}
	return false
}

// BinaryInText finds the first character that betrays binary data put into a
// text: the replacement character of a failed decoding, or a control character
// that texts do not use. It is a heuristic: texts may really contain these.
func BinaryInText(s string) (at int, found bool) {
	for i, r := range s {
		switch r {
		case '\t', '\n', '\r', '\f', '\x1b':
			continue
		}
		if r == utf8.RuneError || r < ' ' {
			return i, true
		}
	}
	return 0, false
}

// Contradiction names the type that the bytes of a blob certainly have, if it is of
// another kind than the type that was declared; empty if the two go together, or if
// that cannot be told. Types that [Sniffable] knows are left to it, and so are formats
// that are a container of others.
func Contradiction(mime string, data []byte) string {
	essence := Essence(mime)
	declared, subtype, _ := strings.Cut(essence, "/")
	if mime == "" || Sniffable(mime) || essence == "application/octet-stream" ||
		strings.HasPrefix(subtype, "x-") || strings.HasPrefix(subtype, "vnd.") {
		return ""
	}
	begins := Detect(data)
	found, _, _ := strings.Cut(begins, "/")
	media := []string{"audio", "video"}
	switch {
	case begins == "" || found == declared || slices.Contains(media, found) &&
		slices.Contains(media, declared):
		return ""
	case essence == "image/svg+xml" && begins == "application/gzip":
		return "" // compressed drawings are customary
	case slices.Contains([]string{"text", "image", "audio", "video", "font"}, declared),
		essence == "application/json":
		return begins
	}
	return ""
}

// Detect recognises more formats than [Sniff], by the rules of browsers, but neither
// texts nor what could be anything; "" for these.
func Detect(data []byte) string {
	if begins := Sniff(data); begins != "" {
		return begins
	}
	begins := Essence(http.DetectContentType(data))
	for _, kind := range []string{"image/", "audio/", "video/", "font/"} {
		// Two letters are too few to know a bitmap by.
		if strings.HasPrefix(begins, kind) && begins != "image/bmp" {
			return begins
		}
	}
	return ""
}

// Wrapped says in what way a text of a type was encoded once too often: it is the
// base64 form of a format with an unmistakable beginning, or a JSON document written
// as a JSON string. It is empty for other texts.
func Wrapped(mime, text string) string {
	const short = 16 // as base64, fewer letters can be words
	if len(text) >= short && len(text) <= 1<<20 && strings.IndexByte(text, ' ') < 0 {
		if data, err := Decode(text); err == nil && Sniff(data) != "" {
			return "base64 of " + Sniff(data)
		}
	}
	if Essence(mime) != "application/json" && !strings.HasSuffix(Essence(mime), "+json") {
		return ""
	}
	if inner := gjson.Parse(text); len(text) > 2 && gjson.Valid(text) && inner.Type == gjson.String &&
		gjson.Valid(inner.Str) && (gjson.Parse(inner.Str).IsObject() || gjson.Parse(inner.Str).IsArray()) {
		return "a JSON string that holds a JSON document"
	}
	return ""
}

// The problems of icons.
const (
	CodeIconScheme Code = "icon-scheme" // neither http, https nor data
	CodeNotBase64  Code = "not-base64"  // a data URI that is not base64, or badly so
	CodeNotImage   Code = "not-image"   // a data URI of another media type than image
	CodeBadSize    Code = "bad-size"    // neither WIDTHxHEIGHT nor "any"
)

// IconSource judges the scheme of an icon and, for data URIs, what [DataIcon]
// looks at. Whether the source is a URI at all is a matter of [URI].
func IconSource(src string) []Problem {
	var f findings
	if scheme, ok := Scheme(src); ok && !HasScheme(src, "http", "https", "data") {
		f.add(CodeIconScheme, 0, "the scheme %q, which clients need not load; use https, http or data",
			clip(scheme, 40))
	}
	return append(f.list, DataIcon(src)...)
}

// DataIcon holds a data URI (RFC 2397) against what an icon should be: an image
// in base64. Sources of other schemes pass.
func DataIcon(src string) []Problem {
	var f findings
	if !HasScheme(src, "data") {
		return nil
	}
	header, data, ok := strings.Cut(src[len("data:"):], ",")
	if !ok {
		f.add(CodeNotBase64, 0, "a data URI without the comma before its data")
		return f.list
	}
	at := len("data:") + len(header) + 1
	media, encoding := header, ""
	if i := strings.LastIndexByte(header, ';'); i >= 0 {
		media, encoding = header[:i], header[i+1:]
	}
	if !strings.EqualFold(encoding, "base64") {
		media = header
		f.add(CodeNotBase64, len("data:"), "a data URI without \";base64\" before its data")
	} else if p, bad := First(Base64(unescape(data))); bad {
		f.add(CodeNotBase64, at+p.At, "malformed base64: %s", p.Message)
	}
	if !strings.HasPrefix(Essence(media), "image/") {
		f.add(CodeNotImage, len("data:"), "the media type %q instead of an image", clip(media, 60))
	}
	return f.list
}

// unescape decodes percent-encoded octets and leaves everything else.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if isTriplet(s, i) {
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8) // two digits
			b.WriteByte(byte(n))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

var iconSize = regexp.MustCompile(`^(?:any|[1-9][0-9]*x[1-9][0-9]*)$`)

// IconSize holds a text against the form of an icon size: WIDTHxHEIGHT in
// pixels, or "any".
func IconSize(s string) []Problem {
	var f findings
	switch {
	case iconSize.MatchString(s):
	case iconSize.MatchString(strings.ToLower(s)):
		f.soft(CodeBadSize, 0, "%q is in upper case", clip(s, 40))
	default:
		f.add(CodeBadSize, 0, "%q is neither WIDTHxHEIGHT, such as 48x48, nor \"any\"", clip(s, 40))
	}
	return f.list
}
