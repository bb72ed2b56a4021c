package judge

import (
	"iter"
	"net/url"
	"strings"
)

// risky are the words that speak of deletion or execution.
var risky = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		delete deletes deletion remove removes removal rm unlink drop destroy erase purge wipe truncate
		reset uninstall exec execute executes execution eval invoke run spawn command cmd shell kill
		terminate shutdown poweroff reboot restart`) {
		set[w] = true
	}
	return set
}()

// Words are the words of a name, in lower case, however they are set apart: delete_user,
// DeleteUser and delete-user have the same ones. Letters are those of ASCII.
func Words(name string) iter.Seq[string] {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	return func(yield func(string) bool) {
		for i := 0; i < len(name); {
			at := i
			for i < len(name) && upper(name[i]) {
				i++
			}
			if i-at <= 1 { // else it is a word in capitals
				for i < len(name) && lower(name[i]) {
					i++
				}
			}
			if i == at {
				i++
			} else if !yield(strings.ToLower(name[at:i])) {
				return
			}
		}
	}
}

// Risky is the word by which the URI, or the URI template, or the names of a resource speak
// of deletion or execution, so that to read it may do harm; empty if none does. Letters may
// be percent-encoded.
func Risky(uri string, names ...string) string {
	if decoded, err := url.PathUnescape(uri); err == nil {
		uri = decoded
	}
	for i := -1; i < len(names); i++ {
		s := uri
		if i >= 0 {
			s = names[i]
		}
		for w := range Words(s) {
			if risky[w] {
				return w
			}
		}
	}
	return ""
}
