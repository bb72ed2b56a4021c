// Package telling recognizes names which tell that they name a secret.
package telling

import (
	"regexp"
	"strings"
)

var (
	// hump is where a word of a name begins with a capital, sign what stands between words.
	hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	sign = regexp.MustCompile(`[^a-z0-9]+`)
	// about ends names whose values describe a secret, or say where it is, and are none.
	about = regexp.MustCompile(`_(file|path|dir|directory|url|uri|endpoints?|host|port|servers?|sock|` +
		`socket|domain|types?|methods?|mode|schemes?|provider|` +
		`supported|required|enabled|parallelism|version|` +
		`count|limit|size|length|ttl|timeout|expiry|expires|expiration|` +
		`env|var|variable|header|command|cmd|name|algorithm|realm)_$` +
		`|_(public|primary|foreign|sort|partition|group|cache|row|idempotency)_key_$` +
		`|_(max|min|total|num|input|output|prompt|completion|remaining|used)_(.+_)?tokens_$`)
	// harmless contains a telling word and means something else.
	harmless = regexp.MustCompile(`^_progress_?token_$|tokeni[sz]|author([^i]|it)`)
	secret   = regexp.MustCompile(`token|secret|passw|pass_?phrase|api_?key|access_?key|auth|credential|` +
		`signature|bearer|cookie|_(pass|pwd|pat|sig|jwt|d_?po_?p|creds|assertion|verifier)_|_key_$`)
	// public begins the names of HTTP headers that are telling, and whose values are public by design.
	public = regexp.MustCompile(`^(?i:(www|proxy)-authenticate|(proxy-)?authentication-info|` +
		`sec-|access-control-)`)
)

// Name reports whether the name of an option, a variable, a query parameter or a member tells
// that its value is a secret. Case, hyphens and underscores make no difference.
func Name(name string) bool {
	words := strings.ToLower(hump.ReplaceAllString(name, "${1}_$2"))
	words = "_" + strings.Trim(sign.ReplaceAllString(words, "_"), "_") + "_"
	return name != "PWD" && !about.MatchString(words) &&
		secret.MatchString(harmless.ReplaceAllString(words, "_"))
}

// Header is [Name] for the name of an HTTP header.
func Header(name string) bool { return Name(name) && !public.MatchString(name) }
