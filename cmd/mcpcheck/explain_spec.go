package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

var (
	keywords = map[requirement.Level]*regexp.Regexp{
		requirement.Must:   regexp.MustCompile(`\b(MUST|SHALL|REQUIRED)\b`),
		requirement.Should: regexp.MustCompile(`\b(SHOULD|RECOMMENDED)\b`),
		requirement.May:    regexp.MustCompile(`\b(MAY|OPTIONAL)\b`),
	}
	// beside is what a page has besides its text: its head, code and tags.
	beside  = regexp.MustCompile("(?ms)\\A---\n.*?^---$|^ *```.*?^ *```$|^ *</?[a-zA-Z][^>]*>")
	heading = regexp.MustCompile(`^(#+) +(.*)`)
	item    = regexp.MustCompile(`^ *([-*|]|\d+\.) `)
	unslug  = regexp.MustCompile(`[^\w\- ]`)
	telling = regexp.MustCompile(`\w[\w/.-]{3,}`)
)

// quoted is how many lines of the specification are shown.
const quoted = 30

// quote prints, from a copy of the specification, what a requirement rests on in the newest revision that
// has it. Of a section these are the paragraphs and items with the keyword of its level, if there are any.
func quote(to *terminal.Printer, dir string, r *requirement.Requirement) error {
	rev := r.Revisions[len(r.Revisions)-1]
	s, _ := r.SectionIn(rev)
	docs, schema := filepath.Join(dir, "docs", "specification"), filepath.Join(dir, "schema")
	if _, err := os.Stat(docs); err != nil {
		docs, schema = dir, filepath.Join(dir, "..", "..", "schema")
	}
	file, part := filepath.Join(docs, string(rev), s.Page+".mdx"), section
	if s.Page == "schema" {
		file, part = filepath.Join(schema, string(rev), "schema.ts"), definition
	}
	to.Title("YOUR COPY OF THE SPECIFICATION")
	if s.Outside {
		to.Text(2, "", "It does not hold "+s.Ref()+".")
		return nil
	}
	if _, err := os.Stat(filepath.Join(docs, string(rev))); err != nil {
		return badUsage("--spec %s: no specification of %s is there; give a checkout of "+
			"modelcontextprotocol/modelcontextprotocol, or its docs/specification", dir, rev)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return badUsage("--spec: %w", err)
	}
	parts := part(strings.ReplaceAll(string(text), "\r\n", "\n"), s.Anchor)
	if parts == nil {
		return badUsage("--spec: %s does not hold %s", file, s.Heading())
	}
	to.Line("  ", to.Paint(terminal.Dim, file)) // not wrapped: it is there to be opened
	room := quoted
	for _, p := range closest(parts, r, keywords[r.LevelIn(rev)]) {
		lines := terminal.Wrap(safe.Line(p), to.Width-4)
		for _, l := range lines[:min(room, len(lines))] {
			to.Line("  │ ", l)
		}
		room -= min(room, len(lines))
	}
	return nil
}

// definition finds a type in a schema, with its comment: its lines.
func definition(text, name string) []string {
	found := regexp.MustCompile(`(?m)^(?:/\*\*\n(?: \*.*\n)+)?(?://.*\n)?export \w+ ` +
		name + `\b[^;{]*(?:;|\{\}|\{(?s:.*?)^\})`).FindString(text)
	if found == "" {
		return nil
	}
	return strings.Split(found, "\n")
}

// section finds the paragraphs and items under the heading of an anchor, or its examples if that is all.
func section(text, anchor string) []string {
	if parts := under(beside.ReplaceAllString(text, ""), anchor); parts != nil {
		return parts
	}
	return under(text, anchor)
}

// under splits what stands under a heading.
func under(text, anchor string) []string {
	var parts []string
	depth, apart := 0, true
	for line := range strings.SplitSeq(text, "\n") {
		m := heading.FindStringSubmatch(line)
		switch {
		case m != nil && depth > 0 && len(m[1]) <= depth:
			return parts
		case m != nil:
			slug := strings.Join(strings.Fields(unslug.ReplaceAllString(strings.ToLower(m[2]), "")), "-")
			if depth == 0 && (slug == anchor || strings.Trim(slug, "_") == anchor) {
				depth = len(m[1])
			}
		case depth == 0 && anchor != "":
		case strings.TrimSpace(line) != "" && (apart || item.MatchString(line)):
			parts = append(parts, line)
		case strings.TrimSpace(line) != "":
			parts[len(parts)-1] += " " + strings.TrimSpace(line)
		}
		apart = m != nil || strings.TrimSpace(line) == ""
	}
	return parts
}

// closest picks the parts with a keyword, and the items of a list that begins with one: those that share
// the most words with the requirement first. If there are none it returns all.
func closest(parts []string, r *requirement.Requirement, keyword *regexp.Regexp) []string {
	var near []string
	list, depth := false, 0 // items deeper than what begins the list are in it
	for _, p := range parts {
		has, indent := keyword.MatchString(p), 0
		if item.MatchString(p) {
			indent = 1 + len(p) - len(strings.TrimLeft(p, " "))
		}
		list = list && indent > depth
		if has || list {
			near = append(near, p)
		}
		if strings.HasSuffix(p, ":") {
			list, depth = has, indent
		}
	}
	if near == nil {
		return parts
	}
	shared := func(p string) (n int) {
		for _, word := range telling.FindAllString(strings.ToLower(r.Title+" "+r.Text), -1) {
			if strings.Contains(strings.ToLower(p), word) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return near
}
