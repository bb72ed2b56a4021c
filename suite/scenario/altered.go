package scenario

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// Changed is a string with one of its characters, by its number, replaced by another one of its kind: what is
// made of a cursor or of the id of a session is as well-formed as that.
func Changed(s string, at int) string {
	letters := []rune(s)
	at = min(at, len(letters)-1)
	if letters[at]++; strings.ContainsRune("zZ9fF", letters[at]-1) {
		letters[at] -= 2
	}
	return string(letters)
}

var lastNumber = regexp.MustCompile(`\d{1,9}(\D*)$`)

// Raised is a string whose last number is far greater, also inside Base64; the string itself if there is
// none.
func Raised(s string) string {
	const far = "900000000$1"
	for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
		b, err := coding.DecodeString(s)
		if text := string(b); err == nil && lastNumber.MatchString(text) &&
			strings.IndexFunc(text, unprintable) < 0 {
			return coding.EncodeToString(lastNumber.ReplaceAll(b, []byte(far)))
		}
	}
	return lastNumber.ReplaceAllString(s, far)
}

func unprintable(r rune) bool { return r < ' ' || r > '~' }
