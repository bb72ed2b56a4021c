package judge

import (
	"bytes"
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"
)

func TestBase64(t *testing.T) {
	for s, want := range map[string]string{
		"":             "",
		"AA==":         "",
		"AAA=":         "",
		"+/+/":         "",
		"-_-_":         "url-safe-alphabet",
		"AA":           "missing-padding",
		"AA=":          "missing-padding",
		"AAA":          "missing-padding",
		"A":            "bad-length",
		"A===":         "bad-length",
		"AAAAA":        "bad-length",
		"AAAA====":     "misplaced-padding",
		"AAA==":        "misplaced-padding",
		"AA==AA==":     "misplaced-padding",
		"=AAA":         "misplaced-padding",
		"====":         "misplaced-padding",
		"AB==":         "pad-bits",
		"AAB=":         "pad-bits",
		"AAAA\r\nAAAA": "white-space",
		"AA== ":        "white-space",
		"AA\n":         "white-space missing-padding",
		"AA!A":         "bad-character",
		"AAAé":         "bad-character",
		"-B":           "url-safe-alphabet missing-padding pad-bits",
	} {
		if got := codes(Base64(s)); got != want {
			t.Errorf("Base64(%q): %q, want %q", s, got, want)
		}
	}
}

func TestBase64AgreesWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding,
			base64.RawURLEncoding} {
			s := e.EncodeToString(data)
			if got, err := Decode(s); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("Decode(%q): %v, %v", s, got, err)
			}
		}
		s := base64.StdEncoding.EncodeToString(data)
		if p := Base64(s); len(p) > 0 {
			t.Fatalf("Base64(%q): %v", s, p)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[AB+/=_ -]{0,9}`).Draw(t, "text")
		_, err := base64.StdEncoding.Strict().DecodeString(s)
		if ours := len(Base64(s)) == 0; ours != (err == nil) {
			t.Fatalf("Base64(%q): %v, the library %v", s, Base64(s), err)
		}
	})
}

func FuzzBase64(f *testing.F) {
	for _, s := range []string{"", "AA==", "A\n", "-_", "=", "AB==", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		problems := Base64(s)
		checkProblems(t, s, problems)
		data, err := Decode(s)
		if len(problems) == 0 && (err != nil || base64.StdEncoding.EncodeToString(data) != s) {
			t.Errorf("%q passes but does not come back: %v", s, err)
		}
	})
}

func TestMIME(t *testing.T) {
	for s, want := range map[string]string{
		"text/plain":                         "",
		"TEXT/Html":                          "",
		"inode/directory":                    "",
		"application/vnd.x+json":             "",
		"text/plain;charset=utf-8":           "",
		"text/plain; charset=\"utf-8\"; a=b": "",
		"text/plain ; a=b ":                  "",
		`text/x; a="q\"; /"`:                 "",
		"text/html;profile=mcp-app":          "",
		"text/plain;":                        "",
		"text/plain; ;a=b":                   "",
		"":                                   "empty",
		"markdown":                           "no-slash",
		";a=b":                               "no-slash",
		"/plain":                             "bad-type",
		"text/":                              "bad-type",
		"text/a/b":                           "bad-type",
		"text/pl ain":                        "bad-type",
		"text/plain ":                        "bad-type",
		"téxt/plain":                         "bad-type",
		"text/plain, text/html":              "bad-type",
		"text/plain;charset":                 "bad-parameter",
		"text/plain;=a":                      "bad-parameter",
		"text/plain;a=":                      "bad-parameter",
		"text/plain;a=\"b":                   "bad-parameter",
		"text/plain;a=\"\n\"":                "bad-parameter",
		"text/plain;a=b c":                   "bad-parameter",
	} {
		if got := codes(MIME(s)); got != want {
			t.Errorf("MIME(%q): %q, want %q", s, got, want)
		}
	}
	if got := Essence(" Text/Plain ; a=b"); got != "text/plain" {
		t.Errorf("Essence: %q", got)
	}
	for mime, want := range map[string]bool{"image/png": true, "image/svg+xml": false,
		"audio/ogg; codecs=x":      true,
		"application/octet-stream": true, "text/plain": false, "image/x-xbitmap": false,
		"application/json": false} {
		if IsBinaryType(mime) != want {
			t.Errorf("IsBinaryType(%q)", mime)
		}
	}
}

func FuzzMIME(f *testing.F) {
	for _, s := range []string{"", "a/b", "a/b;c=\"\\", "a/b; ;", "a/b;c=d e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkProblems(t, s, MIME(s))
		IsBinaryType(s)
	})
}

func TestSniff(t *testing.T) {
	for data, want := range map[string]string{
		"\x89PNG\r\n\x1a\nrest": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a..": "image/gif",
		"RIFF\x00\x00\x00\x00WEBPVP8": "image/webp", "XXXX\x00\x00\x00\x00WEBP": "",
		"%PDF-1.7":   "application/pdf",
		"PK\x03\x04": "application/zip", "\x1f\x8b\x08": "application/gzip",
		"RIFF\x00\x00\x00\x00WAVE": "audio/wav",
		"\x00\x00\x00\x18ftypmp42": "video/mp4", "": "", "plain": "", "RIFF": "",
	} {
		if got := Sniff([]byte(data)); got != want {
			t.Errorf("Sniff(%q) = %q, want %q", data, got, want)
		}
		if want != "" && Sniffable(want) && Sniff([]byte(data)) == "" {
			t.Errorf("%s is not recognised", want)
		}
	}
}

func TestBinaryInText(t *testing.T) {
	for s, want := range map[string]int{"": -1, "a\tb\r\n\f\x1b[0m é": -1, "ab\x00": 2, "\ufffdPNG": 0,
		"a\xff": 1, "a\x07": 1} {
		at, found := BinaryInText(s)
		if found != (want >= 0) || found && at != want {
			t.Errorf("BinaryInText(%q) = %d, %v", s, at, found)
		}
	}
}

func TestIcons(t *testing.T) {
	for src, want := range map[string]string{
		"https://x.example/a.png":                      "",
		"HTTP://x.example/a.png":                       "",
		"data:image/png;base64,AAAA":                   "",
		"DATA:image/png;BASE64,AA%3D%3D":               "",
		"data:image/svg+xml;charset=utf-8;base64,AAAA": "",
		"data:image/png;base64,%2B%2f%2B%2F":           "",
		"file:///a.png":                                "icon-scheme",
		"javascript:alert(1)":                          "icon-scheme",
		"/icons/a.png":                                 "",
		"data:image/png;base64,!!!":                    "not-base64",
		"data:image/png;base64,AA":                     "not-base64",
		"data:image/svg+xml,%3Csvg/%3E":                "not-base64",
		"data:image/png":                               "not-base64",
		"data:text/plain;base64,AAAA":                  "not-image",
		"data:;base64,AAAA":                            "not-image",
		"data:,x":                                      "not-base64 not-image",
	} {
		if got := codes(IconSource(src)); got != want {
			t.Errorf("IconSource(%q): %q, want %q", src, got, want)
		}
	}
	for s, want := range map[string]bool{"48x48": true, "any": true, "1x1": true, "0x1": false,
		"large": false, "48": false,
		"48x": false, "48x48 ": false, "": false, "48x048": false} {
		if got := len(IconSize(s)) == 0; got != want {
			t.Errorf("IconSize(%q): %v", s, IconSize(s))
		}
	}
	if p := IconSize("48X48"); len(p) != 1 || !p[0].Soft {
		t.Errorf("IconSize in upper case: %v", p)
	}
}

func FuzzIcon(f *testing.F) {
	for _, s := range []string{"", "data:", "data:image/png;base64,A%3", "data:,", "x:", "48x48"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkProblems(t, s, IconSource(s))
		checkProblems(t, s, IconSize(s))
	})
}
