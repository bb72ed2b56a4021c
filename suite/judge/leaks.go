package judge

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// leakKept is how many bytes are left of contents that leaked, of short ones no more than
// half; leakShort up to which length they are short.
const (
	leakKept  = 12
	leakShort = 24
)

// LeakCut says which strings of a message are cut. The zero value cuts those that look like a
// file of the system.
type LeakCut struct {
	// Contents cuts all contents, whatever they look like.
	Contents bool
	// Marker is what somebody put into a file so that it is recognized: short contents
	// that are nothing else stay.
	Marker string
	// giants cuts what is too long to be looked through for a sentence, whatever it looks like.
	giants bool
}

// leakGiant is from how many bytes on a string is not looked through for a sentence, of which it
// would not show more than the beginning anyway.
const leakGiant = 1 << 20

// Cut cuts the strings of a message that leaked, and nothing else, so that its form
// stays as it was. What is no JSON is taken for one string. What was cut before stays as
// it is, and the message itself is never changed.
func (c LeakCut) Cut(raw string) string {
	if first := strings.TrimLeft(raw, " \t\r\n\ufeff"); first == "" ||
		!strings.ContainsRune(`{["`, rune(first[0])) {
		if SystemFile(raw) != "" {
			return cutText(raw, leakKept)
		}
		return raw
	}
	var out strings.Builder
	done, name := 0, ""
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := endOfString(raw, i)
		literal := raw[i:end]
		if strings.HasPrefix(strings.TrimLeft(raw[end:], " \t\r\n"), ":") {
			name = strings.ToLower(literal)
		} else if short, ok := c.literal(literal, name); ok {
			out.WriteString(raw[done:i] + short)
			done = end
		}
		i = end - 1
	}
	return out.String() + raw[done:]
}

// endOfString is where the string that begins at i ends.
func endOfString(raw string, i int) int {
	for begin := i + 1; ; {
		quote := strings.IndexByte(raw[i+1:], '"')
		if quote < 0 {
			return len(raw)
		}
		i += 1 + quote
		before := raw[begin:i]
		if escapes := len(before) - len(strings.TrimRight(before, `\`)); escapes%2 == 0 {
			return i + 1
		}
	}
}

// literal is a string of JSON without what leaked in it; ok is false if it stays. Of
// base64 nothing is kept: nobody would see half of a secret in it, nor could it be masked.
func (c LeakCut) literal(literal, name string) (short string, ok bool) {
	blob := c.Contents && name == `"blob"`
	content := blob || c.Contents && name == `"text"`
	switch {
	case len(literal) <= leakShort && !content:
		return "", false
	case c.giants && len(literal) > leakGiant:
		return fmt.Sprintf(`"…[%d bytes cut]"`, len(literal)-len(`""`)), true
	}
	text := gjson.Parse(literal).String()
	cut := text
	if data, ok := decoded(text); ok && (blob || SystemFile(data) != "") {
		if short := c.shorten(data, 0); short != data {
			cut = base64.StdEncoding.EncodeToString([]byte(short))
		}
	} else if content || SystemFile(text) != "" {
		cut = c.shorten(text, leakKept)
	}
	if cut == text {
		return "", false
	}
	quoted, _ := jsontext.AppendQuote(nil, cut) // it is well-formed
	return string(quoted), true
}

// decoded is what a base64 text stands for. Most texts are none, which their first
// foreign character shows.
func decoded(text string) (data string, ok bool) {
	if !all(text, func(c byte) bool { return isAlphaNum(c) || strings.IndexByte("+/-_= \t\r\n", c) >= 0 }) {
		return "", false
	}
	d, err := Decode(text)
	return string(d), err == nil
}

// shorten is contents that leaked without all but their beginning.
func (c LeakCut) shorten(s string, keep int) string {
	if len(s) <= leakShort && c.Marker != "" && strings.TrimSpace(s) == strings.TrimSpace(c.Marker) {
		return s
	}
	return cutText(s, keep)
}

// cutNote is what stands for the rest of a text that was cut.
var cutNote = regexp.MustCompile(`…\[\d+ bytes cut\]$`)

// cutText is the beginning of a text, at most keep bytes and half of it, and how much is
// missing. What was cut before stays as it is.
func cutText(s string, keep int) string {
	if at := cutNote.FindStringIndex(s); s == "" || at != nil && at[0] <= leakKept {
		return s
	}
	keep = min(keep, len(s)/2)
	for keep > 0 && !utf8.RuneStart(s[keep]) {
		keep--
	}
	return fmt.Sprintf("%s…[%d bytes cut]", strings.ToValidUTF8(s[:keep], "?"), len(s)-keep)
}

var passwd = regexp.MustCompile(`(?m)^[a-z_][a-z0-9_-]*:[^:\n]*:[0-9]+:[0-9]+:[^:\n]*:[^:\n]*:[^:\n]*\r?$`)

// looksLikePasswd reports whether a text holds at least two lines in the format
// of a Unix user database, among them that of the superuser: what a traversal of
// paths brings to light on most systems. Most of the lines have that format: a text
// about such a file quotes a few.
func looksLikePasswd(text string) bool {
	if !strings.Contains(text, "root:") || len(passwd.FindAllStringIndex(text, 2)) < 2 {
		return false
	}
	lines := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return 2*len(passwd.FindAllStringIndex(text, -1)) >= lines
}

var (
	winIni = regexp.MustCompile(`(?m)^; for 16-bit app support\r?$|^\[(?:fonts|extensions|mci ` +
		`extensions|files|Mail)\]\r?$`)
	kernel = regexp.MustCompile(`^Linux version [0-9]+\.[0-9]+\S* \(`)
)

// SystemFile names the file of an operating system that a text looks like: one that
// traversal is tried on, because most machines have it. It is empty for other texts.
func SystemFile(text string) string {
	switch {
	case looksLikePasswd(text):
		return "the user database of a Unix system"
	case len(text) < 1<<16 && strings.Count(text, "\n") >= 2 && strings.ContainsAny(text, "[;") &&
		len(winIni.FindAllStringIndex(text, 3)) == 3:
		return "the file win.ini of a Windows system"
	case strings.HasPrefix(text, "Linux version") && kernel.MatchString(text):
		return "the version of a Linux kernel"
	}
	return ""
}
