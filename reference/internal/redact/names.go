package redact

import (
	"bytes"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/telling"
)

// memo remembers verdicts on names, of which a conversation has few.
type memo struct {
	is    func(name string) bool
	known atomic.Pointer[map[string]bool]
}

const maxNames = 512

func remembering(is func(name string) bool) *memo {
	m := &memo{is: is}
	m.known.Store(&map[string]bool{})
	return m
}

func (m *memo) of(name []byte) bool {
	known := m.known.Load()
	verdict, ok := (*known)[string(name)]
	if !ok {
		verdict = m.is(string(name))
		if len(*known) < maxNames {
			next := maps.Clone(*known)
			next[string(name)] = verdict
			m.known.CompareAndSwap(known, &next) // otherwise another name is remembered
		}
	}
	return verdict
}

var (
	tellingHeaders = remembering(telling.Header)
	tellingMembers = remembering(func(name string) bool {
		return telling.Name(gjson.Parse(`"` + name + `"`).String())
	})
)

// maxEscaped is how often the name of a parameter may be percent-encoded, and how deep one may be in others.
const maxEscaped = 3

func tellingParam(name string) bool {
	for range maxEscaped {
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
	}
	return telling.Name(name) || slices.Contains(grants, strings.ToLower(name))
}

// grants lists the parameters of OAuth that are as good as a token, once. Elsewhere codes are no secrets.
var grants = []string{"code", "device_code", "user_code"}

// finder hides what has telling names, and keeps it.
type finder struct {
	found []string
	oauth bool // the body is no message of JSON-RPC
	depth int  // of the parameter that is looked at, within others
}

// header hides the value of a header. Of Authorization the scheme is shown.
func (f *finder) header(name, value string) string {
	shown := f.pairs(value)
	if !tellingHeaders.of([]byte(name)) {
		return shown
	}
	if strings.HasSuffix(strings.ToLower(name), "cookie") {
		for pair := range strings.SplitSeq(value, ";") {
			_, v, _ := strings.Cut(pair, "=")
			f.found = append(f.found, strings.Trim(v, ` "`))
		}
	} else {
		f.found = append(f.found, telling.Credentials(value)...)
	}
	if scheme, _, ok := strings.Cut(value, " "); ok && strings.HasSuffix(name, "Authorization") {
		return scheme + " " + mask.Replacement
	}
	return mask.Replacement
}

// body hides what has a telling name in a body. What is no JSON may be a form, or an address.
func (f *finder) body(raw []byte) []byte {
	f.oauth = !bytes.Contains(raw, []byte(`"jsonrpc"`))
	hidden := members(raw, f.member)
	if plain := bytes.TrimSpace(raw); len(plain) > 0 && plain[0] != '{' && plain[0] != '[' {
		return []byte(f.pairs(string(hidden)))
	}
	return hidden
}

// member hides a string of JSON if its name is telling. A string may be JSON itself.
func (f *finder) member(name, value []byte) []byte {
	told := tellingMembers.of(name) || f.oauth && slices.Contains(grants, string(name))
	if len(value) <= len(`""`) || !told && value[1] != '{' && value[1] != '[' {
		return nil
	}
	text := gjson.ParseBytes(value).String()
	if !told {
		return quoted(text, string(members([]byte(text), f.member)))
	}
	f.found = append(f.found, telling.Credentials(text)...)
	return quoted(text, mask.Replacement)
}

// quoted is a string of JSON; nil if it is what it was.
func quoted(was, is string) []byte {
	if is == was {
		return nil
	}
	return gjson.AppendJSONString(nil, is)
}

// members edits the strings of JSON, or of what looks like it, that are no names of members. With them goes
// the name of the member whose value they are, alone or in an array. A string stays if the result is nil.
func members(raw []byte, edit func(name, value []byte) []byte) []byte {
	var out, name []byte
	at, done := 0, 0
	for {
		gap := bytes.IndexByte(raw[at:], '"')
		if gap < 0 {
			break
		}
		for _, sign := range raw[at : at+gap] {
			if sign == '{' || sign == '}' {
				name = nil
			}
		}
		begin := at + gap
		at = begin + literal(raw[begin:])
		next := at
		for next < len(raw) && raw[next] <= ' ' {
			next++
		}
		if next < len(raw) && raw[next] == ':' {
			name = raw[begin+1 : at-1]
		} else if is := edit(name, raw[begin:at]); is != nil {
			out = append(append(out, raw[done:begin]...), is...)
			done = at
		}
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

// literal is the length of the string that data begins with.
func literal(data []byte) int {
	for at := 1; at < len(data); at++ {
		switch data[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
	}
	return len(data)
}

// What stands before the host in a URL, and a parameter of a URL, a form or a header.
var (
	user  = regexp.MustCompile(`://[^/?#\s"'<>]+@`)
	param = regexp.MustCompile(`[^?&#;,\s"'<>(/=]+=("[^"]*"|[^&#\s"'<>]+)`)
)

// pairs hides users in URLs, and what follows a telling name and "=". A value may be a URL, too, or an
// encoded one.
func (f *finder) pairs(s string) string {
	if f.depth > maxEscaped || !strings.ContainsAny(s, "@=") {
		return s
	}
	f.depth++
	defer func() { f.depth-- }()
	s = user.ReplaceAllStringFunc(s, func(is string) string {
		name := strings.Trim(is, ":/@")
		_, password, _ := strings.Cut(name, ":")
		f.found = append(f.found, name, password)
		return "://" + mask.Replacement + "@"
	})
	return param.ReplaceAllStringFunc(s, func(is string) string {
		name, value, _ := strings.Cut(is, "=")
		plain, _ := url.QueryUnescape(value) // what is no encoded URL has none in it
		if tellingParam(name) || plain != value && f.pairs(plain) != plain {
			f.found = append(f.found, strings.Trim(value, `"`))
			return name + "=" + mask.Replacement
		}
		return name + "=" + f.pairs(value)
	})
}
