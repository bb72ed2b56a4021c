// Package telling recognizes names which tell that they name a secret.
package telling

import (
	"slices"
	"strings"
	"unicode"
)

// secret lists what makes a name telling wherever it stands in the name.
var secret = []string{"token", "secret", "passw", "passphrase", "apikey", "accesskey", "auth", "credential", "signature", "bearer"}

// words lists what makes a name telling only as a word of its own.
var words = []string{"pass", "pwd", "pat", "sig", "jwt", "dpop", "cookie", "cookies", "creds", "assertion", "verifier"}

// harmless replaces what contains one of the secret words and means something else.
var harmless = strings.NewReplacer("authoriz", "auth", "authoris", "auth", "author", "", "tokeniz", "", "tokenis", "", "progresstoken", "")

// about lists last words of names whose values describe a secret, or say where it is, and are none.
var about = strings.Fields(`
	file path dir directory url uri endpoint endpoints host port server servers sock socket
	type types method methods mode scheme schemes provider supported required enabled parallelism
	count limit size length ttl timeout expiry expires expiration env var variable header command cmd`)

// amounts lists the words that make "tokens" a number of them.
var amounts = strings.Fields("max min total num input output prompt completion remaining used")

// plainKeys lists the words before "key" that make it one which is no secret.
var plainKeys = strings.Fields("public primary foreign sort partition group cache row idempotency")

// Name reports whether the name of an option, a variable, a query parameter or a member tells
// that its value is a secret. Case, hyphens and underscores make no difference.
func Name(name string) bool {
	parts := split(name)
	if len(parts) == 0 || name == "PWD" { // the working directory
		return false
	}
	last := parts[len(parts)-1]
	number := func(part string) bool { return slices.Contains(amounts, part) }
	if slices.Contains(about, last) || last == "tokens" && slices.ContainsFunc(parts, number) {
		return false
	}
	if last == "key" && (len(parts) == 1 || !slices.Contains(plainKeys, parts[len(parts)-2])) {
		return true
	}
	joined := harmless.Replace(strings.Join(parts, ""))
	return slices.ContainsFunc(secret, func(s string) bool { return strings.Contains(joined, s) }) ||
		slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
}

// challenges lists the HTTP headers whose names are telling, and whose values are public by design.
var challenges = []string{"www-authenticate", "proxy-authenticate", "authentication-info", "proxy-authentication-info"}

// Header is [Name] for the name of an HTTP header.
func Header(name string) bool {
	name = strings.ToLower(name)
	public := slices.Contains(challenges, name) || strings.HasPrefix(name, "sec-") || strings.HasPrefix(name, "access-control-")
	return !public && (Name(name) || strings.HasSuffix(name, "cookie"))
}

// split returns the words of a name in lower case: they are parted by other signs than letters and
// digits, and begin where a capital follows a small letter.
func split(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
