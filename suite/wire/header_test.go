package wire

import "testing"

func TestHeaderValue(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"a\tb c":                   "a\tb c",
		" lead":                    "=?base64?IGxlYWQ=?=",
		"trail ":                   "=?base64?dHJhaWwg?=",
		"ä":                        "=?base64?w6Q=?=",
		"a\r\nX: y":                "=?base64?YQ0KWDogeQ==?=",
		"\x7f":                     "=?base64?fw==?=",
		"=?base64?dHJhaWwg?=":      "=?base64?PT9iYXNlNjQ/ZEhKaGFXd2c/PQ==?=",
		"=?base64? without an end": "=?base64? without an end",
	} {
		if got := HeaderValue(in); got != want {
			t.Errorf("HeaderValue(%q) = %q, want %q", in, got, want)
		}
		if got := FromSentinel(want); got != in && want != in {
			t.Errorf("FromSentinel(%q) = %q, want %q", want, got, in)
		}
	}
	for _, broken := range []string{"plain", "=?base64?dHJhaWwg", "=?base64?!!!!?="} {
		if got := FromSentinel(broken); got != "" {
			t.Errorf("FromSentinel(%q) = %q", broken, got)
		}
	}
}
