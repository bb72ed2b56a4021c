package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/fredbi/uri"
	"pgregory.net/rapid"
)

// codes lists the codes of problems, in order, joined by spaces.
func codes(problems []Problem) string {
	var list []string
	for _, p := range problems {
		list = append(list, string(p.Code))
	}
	return strings.Join(list, " ")
}

func TestURI(t *testing.T) {
	for s, want := range map[string]string{
		"file:///etc/motd":                    "",
		"file:///":                            "",
		"file:///my%20file.txt":               "",
		"FILE:///x":                           "",
		"urn:isbn:0451450523":                 "",
		"mailto:a@b.example":                  "",
		"note:":                               "",
		"a:":                                  "",
		"x-mcp+test.1://h/p?q=1/2?3#frag":     "",
		"db://user:pw@host:5432/x;y=(1),'!*'": "",
		"http://h:/":                          "",
		"http://[::1]:8080/x":                 "",
		"http://[v1.a:b]/":                    "",
		"http://[fe80::1%25eth0]/":            "",
		"http://%C3%A9.example/%c3%a9":        "",
		"test://static/resource/1":            "",
		"data:image/png;base64,AAAA":          "",
		"memo://a//b":                         "",
		"x:@:":                                "",
		"":                                    "empty",
		"/etc/motd":                           "no-scheme",
		"users/me":                            "no-scheme",
		"notes.txt":                           "no-scheme",
		"?a:b":                                "no-scheme",
		"dir/a:b":                             "no-scheme",
		"//host/path":                         "no-scheme",
		"my_app://x":                          "bad-scheme",
		"1note://x":                           "bad-scheme",
		":foo":                                "bad-scheme",
		"::::":                                "bad-scheme",
		"é://x":                               "bad-scheme",
		"a b://x":                             "bad-scheme",
		`C:\x`:                                "bad-character",
		"file:///my file.txt":                 "bad-character",
		"note://{id}":                         "bad-character",
		"note://é":                            "bad-character",
		"note://a\x00b":                       "bad-character",
		"note://\xff":                         "bad-character",
		"x:#a#b":                              "bad-character",
		"file:///100%.txt":                    "bad-percent",
		"file://%zz":                          "bad-percent",
		"x:%4":                                "bad-percent",
		"x:%":                                 "bad-percent",
		"db://host:port/x":                    "bad-port",
		"http://::1/":                         "bad-port",
		"http://[::1]:x/":                     "bad-port",
		"http://a@b@c/":                       "bad-authority",
		"http://[::1]x/":                      "bad-authority",
		"http://[::1":                         "bad-bracket",
		"http://[1.2.3.4]/":                   "bad-bracket",
		"http://[::1%eth0]/":                  "bad-bracket bad-percent",
		"http://a[b]/":                        "bad-bracket",
		"http://[a]@b/":                       "bad-bracket",
		"x:/a[1]":                             "bad-bracket",
		"x:?a[]=1":                            "bad-bracket",
		"not a uri":                           "no-scheme bad-character",
		"my file%.txt <x>":                    "no-scheme bad-character bad-percent",
	} {
		if got := codes(URI(s)); got != want {
			t.Errorf("URI(%q): %q, want %q", s, got, want)
		}
	}
}

func TestURIMessages(t *testing.T) {
	for s, want := range map[string]string{
		"file:///my file.txt": "a space cannot stand in a URI at offset 10; write it as %20",
		"note://é":            `'é' (U+00E9) is not ASCII at offset 7; percent-encode its UTF-8 bytes`,
		"http://::1/":         "':' in the port at offset 8; an IPv6 address must stand in square brackets",
		"x:a\nb":              "a line feed cannot stand in a URI at offset 3; write it as %0A",
	} {
		if got := URI(s); len(got) != 1 || got[0].String() != want {
			t.Errorf("URI(%q): %v", s, got)
		}
	}
}

func TestScheme(t *testing.T) {
	for s, want := range map[string]string{"File:x": "File", "a/b:c": "", "x_y:z": "", "": "", ":": ""} {
		if got, ok := Scheme(s); ok != (want != "") || ok && got != want {
			t.Errorf("Scheme(%q) = %q, %v", s, got, ok)
		}
	}
	if !HasScheme("HTTPS://x", "http", "https") || HasScheme("httpsx:", "https") {
		t.Error("HasScheme")
	}
}

// genURI draws texts of the grammar of RFC 3986.
func genURI(t *rapid.T) string {
	pchar := `(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})`
	authority := rapid.OneOf(rapid.Just(""),
		rapid.StringMatching(`//(?:[a-z0-9]{1,8}(?::[a-z]{0,3})?@)?[a-z][a-z0-9]{0,8}(?::[0-9]{0,4})?`),
		rapid.SampledFrom([]string{"//", "//[::1]", "//[2001:db8::7]:80", "//127.0.0.1:9"})).Draw(t,
		"authority")
	path := rapid.StringMatching(`(?:/`+pchar+`{0,4}){0,3}`).Draw(t, "path")
	if authority == "" && strings.HasPrefix(path, "//") {
		path = "/." + path
	}
	return rapid.StringMatching(`[A-Za-z][A-Za-z0-9+\-.]{0,6}:`).Draw(t, "scheme") + authority + path +
		rapid.StringMatching(`(?:\?(?:`+pchar+`|[/?]){0,6})?`).Draw(t, "query") +
		rapid.StringMatching(`(?:#(?:`+pchar+`|[/?]){0,6})?`).Draw(t, "fragment")
}

func TestURIAcceptsTheGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genURI(t)
		if problems := URI(s); len(problems) > 0 {
			t.Fatalf("URI(%q): %v", s, problems)
		}
	})
}

func TestURIRejectsForeignCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genURI(t)
		bad := rapid.SampledFrom([]string{" ", "\"", "<", ">", "\\", "^", "`", "{", "|", "}", "\x7f", "\x01",
			"ü", "%g0", "%2"}).Draw(t, "bad")
		at := strings.IndexByte(s, ':') + 1
		if !Has(URI(s[:at]+s[at:]+bad), CodeBadCharacter, CodeBadPercent, CodeBadPort) {
			t.Fatalf("%q", s+bad)
		}
	})
}

// A second implementation must not find fault with what this one accepts, and
// the reverse, where both speak of the same grammar.
func TestURIAgreesWithAnotherParser(t *testing.T) {
	for _, s := range []string{"http://host/a?b#c", "urn:x:y", "ftp://u:p@h:21/x", "http://[::1]:1/",
		"x+y://a/%20", "file:///a/b",
		"http://h/a b", "1x://a", "http://h:p/", "http://h/%zz", "a/b", "", "http://h/<x>"} {
		_, err := uri.Parse(s)
		if ours := len(URI(s)) == 0; ours != (err == nil) {
			t.Errorf("%q: ours %v, theirs %v", s, URI(s), err)
		}
	}
}

func FuzzURI(f *testing.F) {
	for _, s := range []string{"", "file:///a", "http://[::1", "a:%", "x://a@b@c", "é:\xff",
		"http://[fe80::1%25]/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		problems := URI(s)
		checkProblems(t, s, problems)
		if len(problems) == 0 && strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("%q passes", s)
		}
		Scheme(s)
	})
}

// checkProblems holds for the answer of every oracle.
func checkProblems(t *testing.T, s string, problems []Problem) {
	t.Helper()
	var seen []Code
	for _, p := range problems {
		if p.At < 0 || p.At > len(s) {
			t.Errorf("offset %d in %q", p.At, s)
		}
		if p.Message == "" || strings.ContainsAny(p.Message, "\n\x00\x1b") || len(p.Message) > 1000 {
			t.Errorf("message %q", p.Message)
		}
		if slices.Contains(seen, p.Code) {
			t.Errorf("code %s twice for %q", p.Code, s)
		}
		seen = append(seen, p.Code)
	}
}
