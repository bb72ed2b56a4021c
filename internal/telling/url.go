package telling

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// keyInPath is how a key is written, or a UUID.
var keyInPath = regexp.MustCompile(`^[0-9A-Za-z_=~-]{16,}$`)

// PathKeys returns the segments of a path that look like keys, which some services have in place of a
// header: long ones with a run of eight letters and digits that has both. Words and versions
// between hyphens look otherwise.
func PathKeys(u *url.URL) []string {
	var keys []string
	for segment := range strings.SplitSeq(u.Path, "/") {
		mixed := func(run string) bool {
			const digits = "0123456789"
			return len(run) >= 8 && strings.ContainsAny(run, digits) && strings.Trim(run, digits) != ""
		}
		runs := strings.FieldsFunc(segment, func(r rune) bool { return strings.ContainsRune("_=~-", r) })
		if keyInPath.MatchString(segment) && slices.ContainsFunc(runs, mixed) {
			keys = append(keys, segment)
		}
	}
	return keys
}

// URL returns the secrets in a URL: the password, or on the web a token in place of the user, the
// values of telling names in the query, and keys in the path.
func URL(u *url.URL) []string {
	found := PathKeys(u)
	if password, ok := u.User.Password(); ok {
		found = append(found, password)
	} else if strings.HasPrefix(u.Scheme, "http") {
		found = append(found, u.User.Username())
	}
	for name, values := range u.Query() {
		if Name(name) {
			found = append(found, values...)
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}
