package judge

import (
	"encoding/base64"
	"testing"
)

func TestSystemFile(t *testing.T) {
	const ini = "; for 16-bit app support\r\n[fonts]\r\n[extensions]\r\n[mci " +
		"extensions]\r\n[files]\r\n[Mail]\r\nMAPI=1\r\n"
	for text, want := range map[string]string{
		"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/bin/" +
			"false\n": "the user database of a Unix system",
		ini: "the file win.ini of a Windows system",
		"Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12) " +
			"#1 SMP\n": "the version of a Linux kernel",
		"[fonts]\nserif=1\n":                "",
		"Linux version control is a guide.": "",
		"root:x:0:0\n":                      "",
		"":                                  "",
	} {
		if got := SystemFile(text); got != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
}

func TestContradiction(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n and more"
	for _, c := range []struct{ mime, data, want string }{
		{"text/plain", png, "image/png"},
		{"application/json", png, "image/png"},
		{"audio/wav", png, "image/png"},
		{"image/bmp", png, ""},
		{"image/jpeg", png, ""}, // judged
		{"application/octet-stream", png, ""},
		{"", png, ""},
		{"application/vnd.oasis.opendocument.text", "PK\x03\x04", ""},
		{"text/plain", "PK\x03\x04", "application/zip"},
		{"image/svg+xml", "\x1f\x8b\x08", ""},
		{"audio/ogg", "\x1a\x45\xdf\xa3", ""},
		{"text/plain", "BM is a text", ""},
		{"text/plain", "hello", ""},
	} {
		if got := Contradiction(c.mime, []byte(c.data)); got != c.want {
			t.Errorf("%s, %q: %q instead of %q", c.mime, c.data, got, c.want)
		}
	}
}

func TestWrapped(t *testing.T) {
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n and more"))
	for _, c := range []struct{ mime, text, want string }{
		{"text/plain", png, "base64 of image/png"},
		{"text/plain", "an image: " + png, ""},
		{"text/plain", "SUQz", ""},
		{"application/json", `"{\"a\":1}"`, "a JSON string that holds a JSON document"},
		{"application/ld+json", `"[1]"`, "a JSON string that holds a JSON document"},
		{"text/plain", `"{\"a\":1}"`, ""},
		{"application/json", `"1"`, ""},
		{"application/json", `{"a":1}`, ""},
		{"application/json", ``, ""},
	} {
		if got := Wrapped(c.mime, c.text); got != c.want {
			t.Errorf("%s, %q: %q instead of %q", c.mime, c.text, got, c.want)
		}
	}
}

// The zero matcher matches nothing, and one matcher serves many URIs.
func TestMatcher(t *testing.T) {
	all := Matchers{NewMatcher("a:{x}"), NewMatcher("b:{"), {}}
	for uri, want := range map[string]bool{"a:1": true, "a:1/2": false, "b:{": false, "": false} {
		if got := all.Match(uri); got != want {
			t.Errorf("%q: %t", uri, got)
		}
	}
}
