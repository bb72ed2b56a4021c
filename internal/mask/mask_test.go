package mask

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	m := NewMasker([]string{"s3cret/token", `quo"te\back`, "pass wörd 😀", "short", "", "overlap-abc",
		"abc-overlap"})
	for in, want := range map[string]string{
		"":                            "",
		"nothing here":                "nothing here",
		"short is kept":               "short is kept",
		"a s3cret/token b":            "a *** b",
		`{"a":"s3cret\/token"}`:       `{"a":"***"}`,
		"s3cret%2Ftoken":              "***",
		"s3cret%2ftoken":              "***",
		"%733cret/token":              "***",
		`\u00733cret\u002Ftoken`:      "***",
		`s3cret%2F\u0074oken`:         "***",
		"s3cret/tokes3cret/token":     "s3cret/toke***",
		"s3cret/token":                "***",
		"s3cret/tokens3cret/token":    "******",
		`quo"te\back`:                 "***",
		`"quo\"te\\back"`:             `"***"`,
		`quo\u0022te\u005Cback`:       "***",
		"pass wörd 😀!":                "***!",
		"pass+w%C3%B6rd+%F0%9F%98%80": "***",
		`pass w\u00f6rd \ud83d\ude00`: "***",
		`pass w\u00F6rd \uD83D\uDE00`: "***",
		`pass w\u00f6rd \ud83d`:       `pass w\u00f6rd \ud83d`,
		"overlap-abc-overlap":         "***",
		`s3cret\`:                     `s3cret\`,
		"s3cret%2":                    "s3cret%2",
		`s3cret\u00`:                  `s3cret\u00`,
	} {
		data := []byte(in)
		if got := string(m.Mask(data)); got != want {
			t.Errorf("Mask(%q) = %q, want %q", in, got, want)
		}
		if string(data) != in {
			t.Errorf("Mask(%q) changed its input", in)
		}
		if got := m.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestMaskInAnyCase: a secret is hidden in whatever case its letters, or the digits of
// its encoding, come back; what stands for it in base64 depends on the case.
func TestMaskInAnyCase(t *testing.T) {
	m := NewMasker([]string{"Key-9F8E7D/x", "p%C3%A4ss%2Fword", "Über-geheim"})
	for in, want := range map[string]string{
		"key-9f8e7d/x":         "***",
		"KEY-9F8E7D/X":         "***",
		"key-9f8e7d%2fx":       "***",
		"KEY-9F8E7D%2FX":       "***",
		`\u006bey-9f8e7d\/x`:   "***",
		`\u004bEY-9F8E7D\/X`:   "***",
		"%6bey-9f8e7d/x":       "***",
		"p%c3%a4ss%2fword":     "***",
		"päss/word":            "***",
		"P%C3%A4SS/WORD":       "***",
		"Über-GEHEIM":          "***",
		"a key-9f8e7d of mine": "a key-9f8e7d of mine",
		base64.StdEncoding.EncodeToString([]byte("Key-9F8E7D/x")): strings.Repeat("A", 16),
		strings.ToLower(base64.StdEncoding.EncodeToString([]byte("Key-9F8E7D/x"))): strings.ToLower(
			base64.StdEncoding.EncodeToString([]byte("Key-9F8E7D/x"))),
	} {
		if got := m.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestMaskInOtherDigits: hexadecimal digits, base32 and base64 of base64 hide nothing.
func TestMaskInOtherDigits(t *testing.T) {
	const secret = "sk-live-4f9a8c7e21"
	m := NewMasker([]string{secret})
	if got := m.String("hex " + strings.ToUpper(hex.EncodeToString([]byte(secret))) + ", " +
		hex.EncodeToString([]byte(secret))); got != "hex ***, ***" {
		t.Errorf("got %q", got)
	}
	for before := range 11 {
		plain := strings.Repeat("b", before) + secret + "e"
		twice := base64.StdEncoding.EncodeToString(
			[]byte("Basic " + base64.URLEncoding.EncodeToString([]byte(plain))))
		for _, in := range []string{base32.StdEncoding.EncodeToString([]byte(plain)), twice} {
			out := m.String(in)
			if len(out) != len(in) || !strings.Contains(out, strings.Repeat("A", 20)) {
				t.Errorf("%q became %q", in, out)
			}
		}
		if in := strings.ToLower(base32.StdEncoding.EncodeToString([]byte(plain))); m.String(in) == in {
			t.Errorf("%q is not masked", in)
		}
	}
}

// TestMaskWhatOthersCut: a server that shortens a credential in its messages shows a part.
func TestMaskWhatOthersCut(t *testing.T) {
	m := NewMasker([]string{"sk-live-4f9a8c7e21"})
	for in, want := range map[string]string{
		"bad token sk-live-4f...": "bad token ***...", "bad token sk-live-****": "bad token *******",
		"sk-liv****": "sk-liv****", "sk-live-4f9a…": "***…",
		"sk-l...": "sk-l...", "sk-live-5...": "sk-live-5...", "sk-live-4f9a": "sk-live-4f9a",
	} {
		if got := m.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestMaskBase64: wherever the secret stands in encoded data, nothing of it can
// be decoded, and what stands around it still can.
func TestMaskBase64(t *testing.T) {
	secret := "topsecret?>\xff~"
	m := NewMasker([]string{secret})
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding,
		base64.RawURLEncoding} {
		for before := range 7 {
			for after := range 7 {
				plain := strings.Repeat("b", before) + secret + strings.Repeat("e", after)
				in := encoding.EncodeToString([]byte(plain))
				for _, form := range []string{in, strings.ReplaceAll(in, "/", `\/`), url.QueryEscape(in)} {
					out := m.Mask([]byte(form))
					if bytes.Equal(out, []byte(form)) {
						t.Errorf("%q is not masked", form)
					}
					if form != in {
						continue
					}
					got, err := encoding.DecodeString(string(out))
					if err != nil || len(got) != len(plain) {
						t.Fatalf("%q became %q: %v", in, out, err)
					}
					if bytes.Contains(got, []byte("ops")) || before > 0 &&
						!bytes.HasPrefix(got, []byte(strings.Repeat("b", before-1))) {
						t.Errorf("%q became %q", plain, got)
					}
				}
			}
		}
	}
}

func TestMaskerWithoutSecrets(t *testing.T) {
	var none *Masker
	in := []byte("anything")
	for _, m := range []*Masker{none, {}, NewMasker(nil), NewMasker([]string{"short"})} {
		if out := m.Mask(in); &out[0] != &in[0] {
			t.Error("the data was copied")
		}
		if m.String("x") != "x" {
			t.Error("the string was changed")
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("s3cret/token", "before", "after")
	f.Add("pass wörd 😀", `\`, "%")
	f.Add("\x00\"\\<&>'  ", "+", "\\u00")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) < MinLength || strings.ContainsAny(secret, "*A") {
			return
		}
		m := NewMasker([]string{secret})
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
		if json.Valid(quoted) && !strings.Contains(string(quoted), `\ufffd`) {
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
		for i, form := range forms {
			out := string(m.Mask([]byte(before + form + after)))
			if strings.Contains(out, secret) || i > 0 && len(form) > 2*len(before)+2*len(after) &&
				strings.Contains(out, form) {
				t.Errorf("form %d of %q is left in %q", i, secret, out)
			}
		}
		whole := base64.StdEncoding.EncodeToString([]byte(before + secret + after))
		got, err := base64.StdEncoding.DecodeString(string(m.Mask([]byte(whole))))
		if err != nil || bytes.Contains(got, []byte(secret)) {
			t.Errorf("%q is left in base64: %q, %v", secret, got, err)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	var secrets []string
	for i := range 20 {
		secrets = append(secrets, fmt.Sprintf("secret-%d-value", i))
	}
	m := NewMasker(secrets)
	data := bytes.Repeat(
		[]byte(`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///a%20b","text":"\u00e4"}]}} `),
		1000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		m.Mask(data)
	}
}

func TestMaskWhatWasCutShort(t *testing.T) {
	m := NewMasker([]string{"s3cret/token"})
	for in, want := range map[string]string{
		"a s3cret/tok": "a ***",
		"a s3c":        "a s3c",
		`a s3cret\u00`: `a ***\u00`,
		"a s3cret%2":   "a ***%2",
		"a s3cret no":  "a s3cret no",
		base64.StdEncoding.EncodeToString([]byte("s3cret/token"))[:10]: "AAAAAAAAAA",
	} {
		if got := string(m.MaskCut([]byte(in))); got != want {
			t.Errorf("MaskCut(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"error s3cret/…":    "error ***…",
		`the "s3cret/t"...`: `the "***"...`,
		"s3cret/…token":     "***…token",
	} {
		if got := m.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestMaskInOtherForms: what programs make of a secret that they print: bytes told apart, lines
// of base64 that break, one encoding in another, and a secret that lost its end.
func TestMaskInOtherForms(t *testing.T) {
	const secret = "Zq7Wx-9kLm_3vTr8.PpXy2/Hs+Qa"
	m := NewMasker([]string{secret})
	digits := hex.EncodeToString([]byte(secret))
	long := base64.StdEncoding.EncodeToString([]byte("some text " + secret + " and more"))
	broken := long[:30] + "\r\n" + long[30:40] + "\n" + long[40:]
	for name, text := range map[string]string{
		"bytes apart": fmt.Sprintf("% x", secret), "colons": strings.ReplaceAll(fmt.Sprintf("% X", secret),
			" ", ":"),
		"base64 of digits":       base64.StdEncoding.EncodeToString([]byte("x" + digits)),
		"base64 of upper digits": base64.StdEncoding.EncodeToString([]byte("xy" + strings.ToUpper(digits))),
		"digits of base64": hex.EncodeToString(
			[]byte(base64.StdEncoding.EncodeToString([]byte(secret)))),
		"percent twice":         "Zq7Wx-9kLm_3vTr8.PpXy2%252FHs%25252BQa",
		"most of it":            secret[:22],
		"broken lines":          broken,
		"broken lines in a URI": strings.NewReplacer("\r", "%0D", "\n", "%0A").Replace(broken),
		"broken lines in JSON":  strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(broken),
	} {
		got := m.String("a " + text + " b")
		if strings.Contains(got, text[3:18]) || len(got) >= 4+len(text) && !strings.Contains(got, "AAAA") {
			t.Errorf("%s: %q", name, got)
		}
	}
	plain, err := base64.StdEncoding.DecodeString(m.String(broken))
	if err != nil || !strings.HasPrefix(string(plain), "some text ") || !strings.HasSuffix(string(plain),
		" and more") || strings.Contains(string(plain), secret[3:20]) {
		t.Errorf("lines of base64 became %q: %v", plain, err)
	}
	for _, text := range []string{secret[:20], "Zq7Wx-9kLm"} {
		if got := m.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
