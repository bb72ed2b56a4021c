package canc

import (
	"bytes"
	"strconv"

	"github.com/tidwall/gjson"
)

// sameValue reports whether a JSON value is the id of an exchange, whatever its
// type.
func sameValue(v gjson.Result, id []byte) bool {
	return v.Exists() && len(id) > 0 && (bytes.Equal([]byte(v.Raw), id) || v.String() == gjson.ParseBytes(id).String())
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
