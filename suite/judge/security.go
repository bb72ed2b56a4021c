package judge

import (
	"regexp"
	"strings"
)

// Challenge is one challenge of a WWW-Authenticate header (RFC 9110, section
// 11.6.1).
type Challenge struct {
	// Scheme is in lower case, and so are the names of the parameters.
	Scheme string
	// Token is the token68 that some schemes carry instead of parameters.
	Token  string
	Params map[string]string
}

// Challenges reads the WWW-Authenticate headers of a response. A header is read
// up to the first place that is malformed; ok is false if there was one.
func Challenges(headers []string) (list []Challenge, ok bool) {
	ok = true
	for _, h := range headers {
		found, good := challenges(h)
		list = append(list, found...)
		ok = ok && good
	}
	return list, ok
}

// FindChallenge is the first challenge of a scheme, or nil.
func FindChallenge(list []Challenge, scheme string) *Challenge {
	for i := range list {
		if strings.EqualFold(list[i].Scheme, scheme) {
			return &list[i]
		}
	}
	return nil
}

// challenges reads one header. A comma separates parameters as well as
// challenges: a name that "=" does not follow begins a challenge.
func challenges(s string) (list []Challenge, ok bool) {
	for i := skipCommas(s, 0); i < len(s); {
		name, end := httpToken(s, i)
		if name == "" {
			return list, false
		}
		after := skipBlank(s, end)
		if after < len(s) && s[after] == '=' && len(list) > 0 {
			value, next, good := httpValue(s, skipBlank(s, after+1))
			if !good {
				return list, false
			}
			list[len(list)-1].Params[strings.ToLower(name)] = value
			i = next
		} else {
			c := Challenge{Scheme: strings.ToLower(name), Params: map[string]string{}}
			i = end
			if after > end {
				c.Token, i = token68(s, after)
			}
			list = append(list, c)
			if end < len(s) && s[end] != ' ' && s[end] != '\t' && s[end] != ',' {
				return list, false
			}
			if c.Token == "" && after > end {
				i = after
				if after < len(s) && s[after] != ',' {
					continue
				}
			}
		}
		if i = skipBlank(s, i); i < len(s) && s[i] != ',' {
			return list, false
		}
		i = skipCommas(s, i)
	}
	return list, true
}

func skipCommas(s string, i int) int {
	for i < len(s) && (s[i] == ',' || s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func httpToken(s string, i int) (text string, end int) {
	end = i
	for end < len(s) && isBaggageKey(s[end]) {
		end++
	}
	return s[i:end], end
}

// httpValue reads a token or a quoted text.
func httpValue(s string, i int) (value string, end int, ok bool) {
	end, ok = parameterValue(s, i)
	if !ok {
		return "", end, false
	}
	if s[i] != '"' {
		return s[i:end], end, true
	}
	var b strings.Builder
	for k := i + 1; k < end-1; k++ {
		if s[k] == '\\' {
			k++
		}
		b.WriteByte(s[k])
	}
	return b.String(), end, true
}

var token68Form = regexp.MustCompile(`^[A-Za-z0-9\-._~+/]+=*[ \t]*(?:,|$)`)

// token68 reads the token68 at s[i], if what stands there is one.
func token68(s string, i int) (text string, end int) {
	match := token68Form.FindString(s[i:])
	text = strings.TrimRight(match, ", \t")
	return text, i + len(text)
}

var passwd = regexp.MustCompile(`(?m)^[a-z_][a-z0-9_-]*:[^:\n]*:[0-9]+:[0-9]+:[^:\n]*:[^:\n]*:[^:\n]*\r?$`)

// LooksLikePasswd reports whether a text holds at least two lines in the format
// of a Unix user database, among them that of the superuser: what a traversal of
// paths brings to light on most systems.
func LooksLikePasswd(text string) bool {
	return strings.Contains(text, "root:") && len(passwd.FindAllStringIndex(text, 2)) == 2
}

var (
	winIni = regexp.MustCompile(`(?m)^; for 16-bit app support\r?$|^\[(?:fonts|extensions|mci extensions|files|Mail)\]\r?$`)
	kernel = regexp.MustCompile(`^Linux version [0-9]+\.[0-9]+\S* \(`)
)

// SystemFile names the file of an operating system that a text looks like: one that
// traversal is tried on, because most machines have it. It is empty for other texts.
func SystemFile(text string) string {
	switch {
	case LooksLikePasswd(text):
		return "the user database of a Unix system"
	case len(text) < 1<<16 && strings.Count(text, "\n") >= 2 && strings.ContainsAny(text, "[;") && len(winIni.FindAllStringIndex(text, 3)) == 3:
		return "the file win.ini of a Windows system"
	case strings.HasPrefix(text, "Linux version") && kernel.MatchString(text):
		return "the version of a Linux kernel"
	}
	return ""
}
