package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// maxProblems is how many mistakes of one file are listed.
const maxProblems = 100

// Load reads a baseline. An error is of type [*Error].
func Load(path string, c Catalogue) (*File, error) { return load(path, c, false) }

// LoadDraft is [Load] for files that are still being written: entries may lack
// their reasons.
func LoadDraft(path string, c Catalogue) (*File, error) { return load(path, c, true) }

func load(path string, c Catalogue, draft bool) (*File, error) {
	whole := func(text string) error { return &Error{Name: path, Problems: []Problem{{Text: text}}} }
	f, err := os.Open(path)
	if err != nil {
		return nil, whole("the baseline cannot be read: " + cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, whole("the baseline cannot be read: it is a directory")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, whole("the baseline cannot be read: " + cause(err))
	}
	return parse(path, data, c, draft)
}

// cause is an error of the file system without the path, which stands in front.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// parse reads a baseline from memory; name is what errors call it. An error is of
// type [*Error].
func parse(name string, data []byte, c Catalogue, draft bool) (*File, error) {
	p := &parser{file: &File{Name: name}, catalogue: c, draft: draft, seen: map[Pattern]int{},
		listed: map[string]int{}}
	if why := unreadable(data); why != "" {
		return nil, &Error{Name: name, Problems: []Problem{{Text: why}}}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	number := 0
	if p.catalogue.Official != nil && isOfficial.Match(data) {
		p.official(data)
		data = nil
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		number++
		p.line(number, strings.TrimSpace(line))
	}
	p.overlaps()
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
		if n := len(p.problems); n > maxProblems {
			p.problems = append(p.problems[:maxProblems],
				Problem{Text: fmt.Sprintf(plural.Of(n-maxProblems, "and %d {mistake|mistakes} more"),
					n-maxProblems)})
		}
		return nil, &Error{Name: name, Problems: p.problems}
	}
	return p.file, nil
}

// unreadable says why a file is no baseline at all; empty if it may be one.
func unreadable(data []byte) string {
	switch {
	case len(data) > MaxSize:
		return fmt.Sprintf("this is no baseline: it is larger than %d KiB", MaxSize>>10)
	case bytes.Contains(data, []byte(`"mcpcheck.report/`)):
		return `this is a report, not a baseline: "mcpcheck baseline --from REPORT" makes one of it`
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "this is no baseline: it has bytes in it that are no text"
	}
	return ""
}

type parser struct {
	file      *File
	catalogue Catalogue
	draft     bool
	seen      map[Pattern]int // line
	listed    map[string]int  // entries of the official suite, by line
	problems  []Problem
}

func (p *parser) wrong(line int, format string, args ...any) {
	p.problems = append(p.problems, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

// line reads one line; of one with mistakes all are listed.
func (p *parser) line(number int, text string) {
	if text == "" || strings.HasPrefix(text, "#") {
		return
	}
	if len(text) > maxLine {
		p.wrong(number, "the line is longer than %d bytes", maxLine)
		return
	}
	if len(p.file.Entries) == MaxEntries {
		p.wrong(number, "there are more than %d entries", MaxEntries)
	}
	if len(p.file.Entries) >= MaxEntries {
		return
	}
	before := len(p.problems)
	e := Entry{Line: number}
	head, reason, reasoned := strings.Cut(text, "#")
	ids := p.head(&e, strings.Fields(head))
	e.Reason = reasonIn(reason)
	switch {
	case p.draft:
	case !reasoned:
		p.wrong(number, "the entry has no reason: add it behind a #")
	case e.Reason == "" && strings.TrimSpace(reason) != "":
		p.wrong(number, "the reason is still to be filled in: write why in place of %q", Placeholder)
	case e.Reason == "":
		p.wrong(number, "there is no reason behind the #")
	}
	if len(p.problems) > before {
		return
	}
	if len(ids) > 1 {
		e.Finding = ids[0]
	}
	for _, id := range ids {
		e.ID = id
		p.add(e)
	}
}

// add adds an entry, if it can excuse anything that no other does.
func (p *parser) add(e Entry) {
	number := e.Line
	if p.catalogue.Never != nil {
		if why := p.catalogue.Never(e.ID, e.Revision, e.Transport); why != "" {
			p.wrong(number, "%s excuses nothing: %s", e.Pattern, why)
			return
		}
	}
	if first, twice := p.seen[e.Pattern]; twice {
		p.wrong(number, "%s stands in line %d already", e.Pattern, first)
		return
	}
	p.seen[e.Pattern] = number
	p.file.Entries = append(p.file.Entries, e)
}

// Missing reports whether a reason is none that a run takes: empty, or the placeholder.
func Missing(reason string) bool { return reasonIn(reason) == "" }

// reasonIn is the reason in what stands behind the #; empty if it is none, or the
// placeholder.
func reasonIn(text string) string {
	text = strings.TrimSpace(text)
	const label = "reason:"
	for len(text) >= len(label) && strings.EqualFold(text[:len(label)], label) {
		text = strings.TrimSpace(text[len(label):])
	}
	if strings.EqualFold(strings.TrimRight(text, ".! "), Placeholder) {
		return ""
	}
	return text
}

// head reads what stands before the reason, and returns the ids.
func (p *parser) head(e *Entry, words []string) (ids []string) {
	if len(words) == 0 {
		return nil // cannot be: such a line is a comment
	}
	ids = strings.Split(words[0], ",")
	for _, id := range ids {
		p.id(e, id)
	}
	for _, word := range words[1:] {
		switch {
		case strings.HasPrefix(word, "@"):
			p.place(e, word[1:])
		case strings.HasPrefix(word, "until="):
			p.until(e, strings.TrimPrefix(word, "until="))
		default:
			p.wrong(e.Line, "%s cannot stand here: an entry is of the form ID @REVISION @TRANSPORT "+
				"until=YYYY-MM-DD # reason", quote(word))
		}
	}
	return ids
}

func (p *parser) id(e *Entry, id string) {
	if p.catalogue.Known(id) {
		return
	}
	if before, _, joined := strings.Cut(id, "@"); joined && p.catalogue.Known(before) {
		p.wrong(e.Line, "there has to be a space before each @: %s", quote(id))
		return
	}
	text := "there is no requirement " + quote(id)
	if p.catalogue.Suggest != nil {
		switch near := p.catalogue.Suggest(id); {
		case len(near) > 0 && strings.HasPrefix(near[0], strings.ToUpper(id)+"-"):
			text = quote(id) + " is an area: an entry names one of its requirements, such as " + near[0]
		case len(near) > 0:
			text += ": did you mean " + strings.Join(near, " or ") + "?"
		}
	}
	p.wrong(e.Line, "%s", text)
}

// place reads what stands behind an @.
func (p *parser) place(e *Entry, name string) {
	set := func(what string, member *string) {
		if *member != "" {
			p.wrong(e.Line, "there is more than one %s: write an entry for each", what)
			return
		}
		*member = name
	}
	switch c := &p.catalogue; {
	case slices.Contains(c.Revisions, name):
		set("revision", &e.Revision)
	case slices.Contains(c.Transports, name):
		set("transport", &e.Transport)
	case name != "" && name[0] >= '0' && name[0] <= '9':
		p.wrong(e.Line, "there is no revision %s: the revisions are %s", quote(name),
			strings.Join(c.Revisions, ", "))
	default:
		near := nearest.Question(name, c.Transports)
		if near == "" {
			near = ": behind an @ stands a revision or one of " + strings.Join(c.Transports, ", ")
		}
		p.wrong(e.Line, "there is no transport %s%s", quote(name), near)
	}
}

func (p *parser) until(e *Entry, date string) {
	day, err := time.Parse(DateForm, date)
	switch {
	case err != nil:
		p.wrong(e.Line, "%s is no date of the form YYYY-MM-DD", quote(date))
	case !e.Until.IsZero():
		p.wrong(e.Line, "there is more than one date")
	case day.IsZero():
		p.wrong(e.Line, "%s is no date on which anything can end", quote(date))
	default:
		e.Until = day
	}
}

// overlaps finds entries that say nothing more than a wider one.
func (p *parser) overlaps() {
	for _, e := range p.file.Entries {
		for _, q := range wider(e.Pattern) {
			if line, ok := p.seen[q]; ok {
				p.wrong(e.Line, "%s is covered by line %d, %s: remove one of them", e.Pattern, line, q)
				break
			}
		}
	}
}

// quote is a word of the file, safe to print.
func quote(s string) string { return `"` + safe.Clean(s, 60) + `"` }
