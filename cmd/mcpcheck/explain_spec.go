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
	heading = regexp.MustCompile(`^(##+) +(.*)`)
	unslug  = regexp.MustCompile(`[^\w\- ]`)
	gap     = regexp.MustCompile(`\n\s*\n`)
	telling = regexp.MustCompile(`\w[\w/.-]{3,}`)
)

// quoted is how many lines of the specification are shown.
const quoted = 30

// quote prints, from a copy of the specification, what a requirement rests on in the newest revision that
// has it. Of a section these are the paragraphs and lists with the keyword of its level, if there are any.
func quote(to *terminal.Printer, dir string, r *requirement.Requirement) error {
	rev := r.Revisions[len(r.Revisions)-1]
	s, _ := r.SectionIn(rev)
	to.Title("YOUR COPY OF THE SPECIFICATION")
	if s.Outside {
		to.Text(2, "", "It does not hold "+s.Ref()+".")
		return nil
	}
	docs := filepath.Join(dir, "docs", "specification")
	if _, err := os.Stat(docs); err != nil {
		docs = dir
	}
	if _, err := os.Stat(filepath.Join(docs, string(rev))); err != nil {
		return badUsage("--spec %s: no specification of %s is there; give a checkout of "+
			"modelcontextprotocol/modelcontextprotocol, or its docs/specification", dir, rev)
	}
	file, part := filepath.Join(docs, string(rev), s.Page+".mdx"), section
	if s.Page == "schema" {
		file, part = filepath.Join(docs, "..", "..", "schema", string(rev), "schema.ts"), definition
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return badUsage("--spec: %w", err)
	}
	found := strings.TrimSpace(part(strings.ReplaceAll(string(text), "\r\n", "\n"), s.Anchor))
	if found == "" {
		return badUsage("--spec: %s does not hold %s", file, s.Heading())
	}
	to.Line("  ", to.Paint(terminal.Dim, safe.Line(file))) // not wrapped: it is there to be opened
	lines := terminal.Wrap(safe.Lines(closest(found, r, r.LevelIn(rev))), to.Width-4)
	for _, l := range lines[:min(quoted, len(lines))] {
		to.Line("  │ ", l)
	}
	return nil
}

// definition finds a type in a schema, with its comment.
func definition(text, name string) string {
	return regexp.MustCompile(`(?m)^(?:/\*\*\n(?: \*.*\n)+)?(?://.*\n)?export \w+ ` +
		name + `\b[^;{]*(?:;|\{\}|\{(?s:.*?)^\})`).FindString(text)
}

// section finds what stands under the heading of an anchor; without an anchor it is the page.
func section(text, anchor string) string {
	var found []string
	depth, anchor := 0, strings.TrimPrefix(anchor, "_")
	for line := range strings.SplitSeq(text, "\n") {
		m, slug := heading.FindStringSubmatch(line), ""
		if m != nil {
			slug = strings.Join(strings.Fields(unslug.ReplaceAllString(strings.ToLower(m[2]), "")), "-")
		}
		switch {
		case m != nil && depth > 0 && len(m[1]) <= depth:
			return strings.Join(found, "\n")
		case depth > 0 || anchor == "":
			found = append(found, line)
		case m != nil && strings.TrimPrefix(slug, "_") == anchor:
			depth = len(m[1])
		}
	}
	return strings.Join(found, "\n")
}

// closest picks the paragraphs and lists with a keyword, those first that share the most words with the
// requirement. If there are none it is the whole text.
func closest(text string, r *requirement.Requirement, keyword string) string {
	near := slices.DeleteFunc(gap.Split(text, -1), func(p string) bool {
		return !regexp.MustCompile(`\b` + keyword + `\b`).MatchString(p)
	})
	if len(near) == 0 {
		return text
	}
	shared := func(p string) (n int) {
		for _, word := range telling.FindAllString(strings.ToLower(r.Title+" "+r.Text), -1) {
			n += strings.Count(strings.ToLower(p), word)
		}
		return n
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return strings.Join(near, "\n\n")
}
