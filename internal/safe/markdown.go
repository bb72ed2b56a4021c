package safe

import (
	"fmt"
	"strings"
)

// MarkdownCode is a text of at most n characters as code on one line, in Markdown: nothing in it means
// anything, and no character in it can end it.
func MarkdownCode(s string, n int) string {
	s = strings.TrimSpace(Clean(s, n))
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// MarkdownCell is [MarkdownCode] in a table, whose columns are parted before code is seen.
func MarkdownCell(s string, n int) string { return strings.ReplaceAll(MarkdownCode(s, n), "|", `\|`) }

// MarkdownBlock is a text as code on its own lines, in Markdown.
func MarkdownBlock(s string) string {
	s = strings.TrimRight(Lines(Shorten(s, most)), "\n")
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "text\n" + s + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of backquotes.
func longestRun(s string) (longest int) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	return longest
}

// most is how many characters a block has.
const most = 2000

// MarkdownText is a text as Markdown that reads as the text stands.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '@', r == '<', r == '>', r == '&', r == '#':
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		case strings.ContainsRune("\\`*_{}[]()!|~$", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
