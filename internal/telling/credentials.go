package telling

import (
	"encoding/base64"
	"slices"
	"strings"
)

// schemes lists the words that a credential may follow in a header. Other words do not count, since
// what follows is masked wherever it stands.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "key", "negotiate", "dpop"}

// Credentials returns the secrets in the value of something with a telling name: the value, the
// token behind a scheme as in "Bearer TOKEN", and what Basic encodes together with its password.
func Credentials(value string) []string {
	found := []string{value}
	if fields := strings.Fields(value); len(fields) == 2 && slices.Contains(schemes, strings.ToLower(fields[0])) {
		found = append(found, fields[1])
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(fields[1], "="))
		if pair, err := base64.RawStdEncoding.DecodeString(standard); err == nil && strings.EqualFold(fields[0], "basic") {
			_, password, _ := strings.Cut(string(pair), ":")
			found = append(found, string(pair), password)
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}
