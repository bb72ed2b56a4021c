package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A made-up copy of the specification.
const (
	madeUpPage = `---
title: Anything
---

## Error Handling

Cursors are strings.

Bad cursors **MUST** not matter.

Pages **SHOULD** be short.

1. Servers **SHOULD**:
   - refuse an invalid
     cursor ` + "\x1b[31m\u202e" + `
2. Clients **MUST** stop.

` + "```\n# SHOULD be code\n```" + `

### Details

More **SHOULD** stand here.

## Elsewhere

It SHOULD be left out.
`
	madeUpSchema = `/** One. */
export interface SubscribeRequestParams {}

/**
 * Asks for it.
 */
export interface SubscribeRequest extends Base {
  method: "x";
  params: { uri: string };
}

export interface Other {}
`
)

// TestExplainSpec: what a requirement rests on is printed from a copy of the specification, harmlessly, and
// what is not there is a mistake in usage.
func TestExplainSpec(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docs/specification/2026-07-28/server/utilities/pagination.mdx": madeUpPage,
		"docs/specification/2025-11-25/server/resources.mdx": strings.ReplaceAll(
			"## Subscriptions\n\nNothing.\n", "\n", "\r\n"),
		"docs/specification/2026-07-28/basic/index.mdx": "## `_meta` & more\n\nNo.\n\n## " +
			"`_meta`\n\nKeys.\n",
		"schema/2025-11-25/schema.ts": madeUpSchema,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	docs := filepath.Join(dir, "docs", "specification")
	for _, c := range []struct {
		id, dir string
		status  int
		want    string // lines, in order; or a part of the complaint
	}{
		{"PAGE-05", dir, 0, "1. Servers **SHOULD**:\n   - refuse an invalid\n     cursor \\x1b[31m\\u202e\n" +
			"2. Clients **MUST** stop.\n\nPages **SHOULD** be short.\n\n```\n# SHOULD be " +
			"code\n```\n\nMore **SHOULD** stand here."},
		{"SUB-11", docs, 0,
			"/**\n * Asks for it.\n */\nexport interface SubscribeRequest extends Base {\n  " +
				"method: \"x\";\n  params: { uri: string };\n}"},
		{"SUB-12", dir, 0, "Nothing."},
		{"META-02", dir, 0, "Keys."},
		{"SSE-03", dir, 0, ""},
		{"PAGE-02", dir, exitUsage, `does not hold "Response Format" in "Pagination"`},
		{"SUB-06", dir, exitUsage,
			"schema.ts does not hold the type ResourceUpdatedNotification in the published schema"},
		{"SUB-20", dir, exitUsage, "subscriptions.mdx"},
		{"PAGE-05", t.TempDir(), exitUsage, "no specification of 2026-07-28 is there"},
	} {
		var out, complaint bytes.Buffer
		status := run(t.Context(), []string{"explain", c.id, "--no-examples", "--spec", c.dir}, nil, &out,
			&complaint)
		_, text, _ := strings.Cut(out.String(), "YOUR COPY OF THE SPECIFICATION")
		var lines []string
		for line := range strings.Lines(text) {
			if quote, ok := strings.CutPrefix(line, "  │"); ok {
				lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(quote, "\n"), " "))
			}
		}
		switch {
		case status != c.status:
			t.Errorf("%s: status %d: %s", c.id, status, complaint.String())
		case status != 0 && (!strings.Contains(complaint.String(), c.want) || out.Len() > 0):
			t.Errorf("%s: %s", c.id, complaint.String())
		case status == 0 && strings.Join(lines, "\n") != c.want:
			t.Errorf("%s:\n%s\nwant\n%s", c.id, text, c.want)
		}
	}
}

// TestQuoteIsShort: of a section that is long no more is shown than fits a screen.
func TestQuoteIsShort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "2026-07-28", "server", "utilities")
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	page := "## Error Handling\n\nIt SHOULD " + strings.Repeat("be long ", 2000) + "\n"
	if err := os.WriteFile(filepath.Join(path, "pagination.mdx"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if status := run(t.Context(), []string{"explain", "PAGE-05", "--no-examples", "--spec", dir}, nil, &out,
		&out); status != 0 {
		t.Fatal(out.String())
	}
	if n := strings.Count(out.String(), "│"); n != quoted {
		t.Errorf("%d lines", n)
	}
}
