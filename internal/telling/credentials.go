package telling

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// scheme is a credential of a header with a word before it. Not any word counts, since what follows is masked
// wherever it stands.
var scheme = regexp.MustCompile(`^(?i)\s*(bearer|basic|token|api-?key|key|negotiate|dpop)\s+(\S+)\s*$`)

// Credentials returns the secrets in the value of something with a telling name: the value, the
// token behind a scheme as in "Bearer TOKEN", and what Basic encodes together with its password.
func Credentials(value string) []string {
	found := []string{value}
	if m := scheme.FindStringSubmatch(value); m != nil {
		found = append(found, m[2])
		standard := strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(m[2])
		pair, err := base64.RawStdEncoding.DecodeString(standard)
		if err == nil && strings.EqualFold(m[1], "basic") {
			_, password, _ := strings.Cut(string(pair), ":")
			found = append(found, string(pair), password)
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}
