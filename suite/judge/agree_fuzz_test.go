package judge

import (
	"net/url"
	"strings"
	"testing"

	"github.com/fredbi/uri"
	"github.com/yosida95/uritemplate/v3"
)

// authorityOf is the authority of a URI; ok is false if it has none.
func authorityOf(s string) (authority string, ok bool) {
	_, rest, _ := strings.Cut(s, ":")
	if !strings.HasPrefix(rest, "//") {
		return "", false
	}
	authority = rest[2:]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	return authority, true
}

// What is a URI by our grammar is one for other readers, where they follow the same
// grammar; and they find the same parts in it.
func FuzzURIAgreement(f *testing.F) {
	for _, s := range []string{"http://host:80/a/b?c=d#e", "urn:isbn:1", "file:///x%20y",
		"x-a+b.c://u:p@h/;v=1?q", "mailto:a@b", "http://h/a b", "note://é",
		"http://h:port/", "1a:b", "a:", "http://a%41/", "http://[::1]/", "x:/a[1]", "db://user:pa%20ss@h/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1000 {
			return
		}
		ours := len(URI(s)) == 0
		authority, there := authorityOf(s)
		u, err := url.Parse(s)
		if ours && !strings.ContainsAny(authority, "%[]") {
			// net/url knows fewer escapes and literals in hosts than RFC 3986.
			if err != nil {
				t.Fatalf("%q passes here, but not there: %v", s, err)
			}
			scheme, _ := Scheme(s)
			if u.Scheme != strings.ToLower(scheme) || there && u.User == nil && u.Host != authority {
				t.Errorf("%q has the scheme %q and the authority %q there, %q and %q here", s, u.Scheme,
					u.Host, scheme, authority)
			}
		}
		// A strict parser accepts nothing that we refuse, but beyond ASCII, where it
		// follows RFC 3987, and in brackets, where it looks less closely.
		if ascii := !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e }); ascii && !ours &&
			!strings.ContainsAny(s, "[]") {
			if parsed, err := uri.Parse(s); err == nil {
				t.Errorf("%q is refused here (%v), but read there as %s", s, URI(s), parsed)
			}
		}
	})
}

// With values in ASCII, whatever both accept as a template expands to the same here
// and there.
func FuzzTemplateAgreement(f *testing.F) {
	for _, s := range []string{"x://{a}", "x:{+a,b}{#a}{.a}{/a,b}{;a,b}{?a,b}{&a}", "x:{a:3}{b*}", "x:{?a*}",
		"x:%41{a}", "{a_b}.{a.b}", "x:{a%20b}", "{/a:1,b*}"} {
		f.Add(s, "v/1 %", "")
	}
	f.Fuzz(func(t *testing.T, s, a, b string) {
		for _, text := range []string{s, a, b} {
			if len(text) > 200 || strings.ContainsFunc(text, func(r rune) bool {
				return r < 0x20 || r > 0x7e
			}) {
				return
			}
		}
		if _, bad := First(Template(s)); bad {
			return
		}
		library, err := uritemplate.New(s)
		if err != nil {
			return // what it makes of a template is not ours to judge
		}
		values, vars := map[string]string{}, uritemplate.Values{}
		for i, v := range Variables(s) {
			values[v.Name] = []string{a, b}[i%2]
			vars.Set(v.Name, uritemplate.String(values[v.Name]))
		}
		want, err := library.Expand(vars)
		if err != nil {
			return
		}
		if got, err := Expand(s, values); err != nil || got != want {
			t.Errorf("Expand(%q, %q) = %q, %v; the library has %q", s, values, got, err, want)
		}
	})
}
