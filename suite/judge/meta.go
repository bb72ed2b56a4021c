package judge

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// The problems of a metadata key and of an extension identifier.
const (
	CodeBadPrefix Code = "bad-prefix" // a label of the prefix is malformed
	CodeBadName   Code = "bad-name"   // what follows the prefix is malformed
	CodeNoPrefix  Code = "no-prefix"  // an extension identifier without a prefix
)

// MetaKey holds a key of a _meta object against the key format (basic, _meta):
// an optional prefix of labels joined by dots and ended by a slash, then a name.
// The format exists since 2025-06-18; before, every key is in order.
func MetaKey(key string, rev requirement.Revision) []Problem {
	if rev.Before(requirement.R20250618) {
		return nil
	}
	var f findings
	prefix, name, prefixed := strings.Cut(key, "/")
	at := 0
	if prefixed {
		for label := range strings.SplitSeq(prefix, ".") {
			metaLabel(&f, label, at)
			at += len(label) + 1
		}
	} else {
		name = key
	}
	metaName(&f, name, at)
	return f.list
}

// metaLabel judges one label. The format speaks of letters without naming an
// alphabet, so that any letter passes.
func metaLabel(f *findings, label string, at int) {
	if label == "" {
		f.add(CodeBadPrefix, at, "an empty label in the prefix")
		return
	}
	first, _ := utf8.DecodeRuneInString(label)
	last, _ := utf8.DecodeLastRuneInString(label)
	switch i := strings.IndexFunc(label, func(r rune) bool { return !isLetterOrDigit(r) && r != '-' }); {
	case !unicode.IsLetter(first):
		f.add(CodeBadPrefix, at, "a label of the prefix starts with %s instead of a letter", describe(label))
	case i >= 0:
		f.add(CodeBadPrefix, at+i, "%s in a label of the prefix", describe(label[i:]))
	case !isLetterOrDigit(last):
		f.add(CodeBadPrefix, at+len(label)-1,
			"a label of the prefix ends with %s instead of a letter or digit", describe(string(last)))
	}
}

func isLetterOrDigit(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func metaName(f *findings, name string, at int) {
	if name == "" {
		return
	}
	i := run(name, func(c byte) bool { return isAlphaNum(c) || c == '-' || c == '_' || c == '.' })
	switch end := len(name) - 1; {
	case i <= end:
		f.add(CodeBadName, at+i, "%s in the name of the key", describe(name[i:]))
	case !isAlphaNum(name[0]):
		f.add(CodeBadName, at, "the name starts with %s instead of a letter or digit", describe(name))
	case !isAlphaNum(name[end]):
		f.add(CodeBadName, at+end, "the name ends with %s instead of a letter or digit", describe(name[end:]))
	}
}

// ExtensionID holds the identifier of an extension against its format: that of a
// metadata key with a prefix and a name.
func ExtensionID(id string) []Problem {
	f := findings{MetaKey(id, requirement.R20260728)}
	if i := strings.IndexByte(id, '/'); i < 0 {
		f.add(CodeNoPrefix, 0, "no prefix, such as \"com.example/\"")
	} else if i == len(id)-1 {
		f.add(CodeBadName, i+1, "the name is empty")
	}
	return f.list
}

// ReservedPrefix reports whether the prefix of a metadata key is reserved for the
// protocol. In 2025-06-18 that is every prefix in which a label "mcp" or
// "modelcontextprotocol" is followed by another; since 2025-11-25 those whose
// second label is one of the two.
func ReservedPrefix(key string, rev requirement.Revision) bool {
	prefix, _, prefixed := strings.Cut(key, "/")
	if !prefixed || rev.Before(requirement.R20250618) {
		return false
	}
	labels := strings.Split(prefix, ".")
	if rev.Before(requirement.R20251125) {
		return slices.ContainsFunc(labels[:len(labels)-1], isProtocolLabel)
	}
	return len(labels) > 1 && isProtocolLabel(labels[1])
}

func isProtocolLabel(label string) bool { return label == "mcp" || label == "modelcontextprotocol" }

// topLevels are top-level domains that are hardly ever the name of anything below.
var topLevels = []string{"com", "org", "net", "edu", "gov", "io", "dev", "ai"}

// ForwardDomain reports whether the prefix of a metadata key is a domain as it is
// written elsewhere, the top level last: "example.com/" instead of "com.example/".
func ForwardDomain(key string) bool {
	prefix, _, prefixed := strings.Cut(key, "/")
	labels := strings.Split(prefix, ".")
	first, last := labels[0], labels[len(labels)-1]
	// What begins with a top level, or a country, is reversed already.
	return prefixed && len(labels) > 1 && slices.Contains(topLevels, last) &&
		!slices.Contains(topLevels, first) && len(first) > 2
}

// DefinedMetaKey reports whether the protocol, or an extension that its
// documentation names, defines a metadata key with a reserved prefix.
func DefinedMetaKey(key string, rev requirement.Revision) bool {
	name, ok := strings.CutPrefix(key, "io.modelcontextprotocol/")
	if !ok {
		return false
	}
	switch name {
	case "related-task", "model-immediate-response":
		return rev.Since(requirement.R20251125)
	case "protocolVersion", "clientInfo", "clientCapabilities", "logLevel", "subscriptionId", "serverInfo":
		return rev.Modern()
	}
	return false
}

// CodeBadTrace marks a malformed value of trace context or baggage.
const CodeBadTrace Code = "bad-trace"

var (
	traceParent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)
	traceKey    = whenUsed(`^(?:[a-z0-9][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,` +
		`240}@[a-z][a-z0-9_\-*/]{0,13})$`)
	traceValue  = whenUsed(`^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`)
	baggageText = regexp.MustCompile(`^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$`)
)

// whenUsed compiles an expression when it is needed first: those that count long repetitions are large.
func whenUsed(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Traceparent holds a value against the header traceparent of W3C Trace Context.
func Traceparent(s string) []Problem {
	var f findings
	m := traceParent.FindStringSubmatch(s)
	switch {
	case m == nil:
		f.add(CodeBadTrace, 0,
			"%q is not of the form version-traceid-parentid-flags in lower-case hexadecimal digits",
			clip(s, 80))
	case m[1] == "ff":
		f.add(CodeBadTrace, 0, "the version ff is invalid")
	case strings.Trim(m[2], "0") == "":
		f.add(CodeBadTrace, 3, "the trace id is all zero")
	case strings.Trim(m[3], "0") == "":
		f.add(CodeBadTrace, 36, "the parent id is all zero")
	case m[1] == "00" && m[5] != "":
		f.add(CodeBadTrace, 55, "version 00 ends with the flags")
	}
	return f.list
}

// Tracestate holds a value against the header tracestate of W3C Trace Context.
func Tracestate(s string) []Problem {
	var f findings
	at, members := 0, 0
	for member := range strings.SplitSeq(s, ",") {
		if text := strings.Trim(member, " \t"); text != "" {
			key, value, ok := strings.Cut(text, "=")
			if members++; members > 32 {
				f.add(CodeBadTrace, at, "more than 32 members")
			}
			if !ok || !traceKey().MatchString(key) || !traceValue().MatchString(value) {
				f.add(CodeBadTrace, at, "%q is no member of the form key=value", clip(text, 60))
			}
		}
		at += len(member) + 1
	}
	return f.list
}

// Baggage holds a value against W3C Baggage.
func Baggage(s string) []Problem {
	var f findings
	at := 0
	for member := range strings.SplitSeq(s, ",") {
		for i, text := range strings.Split(member, ";") {
			key, value, valued := strings.Cut(strings.Trim(text, " \t"), "=")
			key, value = strings.TrimRight(key, " \t"), strings.TrimLeft(value, " \t")
			if key == "" || !all(key, isBaggageKey) || !valued && i == 0 || !baggageText.MatchString(value) {
				f.add(CodeBadTrace, at, "%q is no member of the form key=value", clip(text, 60))
			}
		}
		at += len(member) + 1
	}
	return f.list
}

// isBaggageKey is the token of RFC 7230.
func isBaggageKey(c byte) bool { return isToken(c) && c != '{' && c != '}' }
