package pagetest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root = "../.."
	// maxLines is how long a page may be, about three screens, without what is generated and the
	// files that are copied from it.
	maxLines = 130
)

// A block is what stands between two fences of a page.
type block struct {
	lang  string
	lines []string
	at    int    // the number of its first line
	mark  string // why it is not run
	file  string // the file that it is to be saved as
}

// A page is a file of the documentation.
type page struct {
	name   string // from the root of the module
	text   string
	blocks []block
}

var (
	notRun = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	saveAs = regexp.MustCompile("Save this as `([^`]+)`")
)

// pages reads the pages that people write: those of docs, and the others at the root.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	for _, pattern := range []string{"*.md", "docs/*.md", "packages/*.md", "packages/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			all = append(all, page{name: filepath.ToSlash(rel), text: text, blocks: parse(text)})
		}
	}
	return all
}

// parse returns the blocks of a page.
func parse(text string) (all []block) {
	var b *block
	var mark, file string
	for i, line := range strings.Split(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch m := notRun.FindStringSubmatch(line); {
		case b != nil && fence:
			all, b = append(all, *b), nil
		case b != nil:
			b.lines = append(b.lines, line)
		case fence:
			b = &block{lang: strings.Trim(strings.TrimSpace(line), "`"), at: i + 2, mark: mark, file: file}
			mark, file = "", ""
		case m != nil:
			mark = m[1]
		case strings.TrimSpace(line) != "":
			mark, file = "", ""
			if m := saveAs.FindStringSubmatch(line); m != nil {
				file = m[1]
			}
		}
	}
	return all
}

// kinds are the kinds of a page, by how its title begins.
var kinds = map[string]string{
	"Tutorial: ": "tutorial", "How to ": "how-to", "Reference: ": "reference",
	"Why ": "explanation", "How a ": "explanation",
}

// measured are pages that programs or benchmarks write, so that they are as long as they are.
var measured = []string{"docs/hostile.md", "docs/speed.md"}

// TestPagesHaveAKind: each page says what it is for, is no longer than three screens, and is
// found by its readers.
func TestPagesHaveAKind(t *testing.T) {
	var index page
	all := pages(t)
	for _, p := range all {
		if p.name == "docs/README.md" {
			index = p
		}
	}
	generated := regexp.MustCompile(`(?s)<!-- generated: .*?<!-- end -->`)
	for _, p := range all {
		name, ok := strings.CutPrefix(p.name, "docs/")
		if !ok || p.name == index.name {
			continue
		}
		if !strings.Contains(index.text, "("+name+")") {
			t.Errorf("%s is not in the index", p.name)
		}
		if slices.Contains(measured, p.name) {
			continue
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(p.text, "# "), "\n")
		kind := ""
		for begins, k := range kinds {
			if strings.HasPrefix(title, begins) {
				kind = k
			}
		}
		if kind == "" {
			t.Errorf("%s: the title %q does not say of which kind the page is", p.name, title)
		}
		n := strings.Count(generated.ReplaceAllString(p.text, ""), "\n")
		for _, b := range p.blocks {
			if b.file != "" {
				n -= len(b.lines)
			}
		}
		if n > maxLines {
			t.Errorf("%s has %d lines, more than %d", p.name, n, maxLines)
		}
		t.Logf("%-24s %-12s %d", p.name, kind, strings.Count(p.text, "\n"))
	}
}

// TestLinks: links within the repository lead to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.text, ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			path := filepath.Join(root, filepath.FromSlash(p.name))
			if to != "" {
				path = filepath.Join(filepath.Dir(path), filepath.FromSlash(to))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", p.name, m[1], err)
				continue
			}
			if anchor == "" || filepath.Ext(path) != ".md" {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil || !slices.Contains(headings(string(data)), anchor) {
				t.Errorf("%s links to %s, which has no such heading (%v)", p.name, m[1], err)
			}
		}
	}
}

// headings returns the anchors of a page, as GitHub makes them of its headings.
func headings(text string) (all []string) {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			words := drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all = append(all, strings.ReplaceAll(words, " ", "-"))
		}
	}
	return all
}
