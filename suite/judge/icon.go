package judge

import (
	"regexp"
	"strings"
)

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
		f.add(CodeIconScheme, 0, "the scheme %q, which clients need not load; use https, http or data", clip(scheme, 40))
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
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
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
