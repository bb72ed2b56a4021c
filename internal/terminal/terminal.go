// Package terminal writes text for people: in lines of a width, with colours where they
// are wanted. What comes from outside is made safe to print by the caller.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// The colours, as SGR parameters.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Purple = "35"
	Cyan   = "36"
)

// Printer writes lines. It keeps the first error, after which it writes nothing.
type Printer struct {
	w io.Writer
	// Color allows colours; only Paint adds escape sequences.
	Color bool
	// Width is the width of lines in columns of a terminal.
	Width int
	Err   error
}

// New is a printer for lines of a width in columns; less than 40 means 80. What it writes is [Harmless].
func New(w io.Writer, color bool, width int) *Printer {
	if width < 40 {
		width = 80
	}
	return &Printer{w: Harmless(w), Color: color, Width: width}
}

// Line writes a line that consists of parts.
func (p *Printer) Line(parts ...string) {
	if p.Err == nil {
		_, p.Err = io.WriteString(p.w, strings.TrimRight(strings.Join(parts, ""), " ")+"\n")
	}
}

// Paint gives a text a colour, or several with semicolons between them.
func (p *Printer) Paint(color, s string) string {
	if !p.Color || s == "" || color == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// Title writes an empty line and a text in bold.
func (p *Printer) Title(s string) {
	p.Line()
	for _, l := range Wrap(s, p.Width) {
		p.Line(p.Paint(Bold, l))
	}
}

// Head writes a text in bold behind a mark of two characters in its colour.
func (p *Printer) Head(mark, color, s string) {
	for i, l := range Wrap(s, p.Width-4) {
		if i > 0 {
			mark = "  "
		}
		p.Line(p.Paint(color, mark), p.Paint(Bold, l))
	}
}

// column is the width of labels.
const column = 10

// Labelled writes a text behind a label in a column of its own, wrapped to the width.
func (p *Printer) Labelled(indent int, label, text string) {
	p.Item(indent, fmt.Sprintf("%-*s", column, label), "", text)
}

// Text writes a text, wrapped to the width.
func (p *Printer) Text(indent int, color, text string) { p.Item(indent, "", color, text) }

// Item writes a text behind a mark, wrapped to the width.
func (p *Printer) Item(indent int, mark, color, text string) {
	pad, column := strings.Repeat(" ", indent), Cells(mark)
	for i, l := range Wrap(text, p.Width-indent-column) {
		if i > 0 {
			mark = strings.Repeat(" ", column)
		}
		p.Line(pad, p.Paint(Dim, mark), p.Paint(color, l))
	}
}

// Cells is how many columns of a terminal a text takes: wide characters, such as those of
// Chinese and most emoji, take two, and marks that combine with the one before none.
func Cells(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fitting is how many characters of a line fit into so many columns.
func fitting(line []rune, columns int) int {
	for i, r := range line {
		if columns -= cells(r); columns < 0 {
			return i
		}
	}
	return len(line)
}

// Shorten cuts a text to at most so many columns and marks the cut.
func Shorten(s string, columns int) string {
	line := []rune(s)
	if fitting(line, columns) == len(line) {
		return s
	}
	return string(line[:fitting(line, columns-1)]) + "…"
}

// Pad shortens a text to so many columns, or fills it up with spaces.
func Pad(s string, columns int) string {
	s = Shorten(s, columns)
	return s + strings.Repeat(" ", max(0, columns-Cells(s)))
}

// Wrap breaks a text at spaces into lines of at most so many columns, but no
// narrower than 20. Words that are longer are broken behind the characters that
// join the parts of paths and lists, or cut. Line feeds of the text are kept.
func Wrap(text string, columns int) []string { return wrapAt(text, columns, ",/#&?") }

// WrapJSON is [Wrap] for frames: lines end behind a comma or a bracket, so that
// members and strings stay in one piece.
func WrapJSON(text string, columns int) []string { return wrapAt(text, columns, ",]}[{") }

func wrapAt(text string, columns int, breaks string) []string {
	columns = max(columns, 20)
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line := []rune(paragraph)
		for fits := fitting(line, columns); fits < len(line); fits = fitting(line, columns) {
			cut := breakAt(line, fits, breaks)
			lines = append(lines, strings.TrimRight(string(line[:cut]), " "))
			line = line[cut:]
			for len(line) > 0 && line[0] == ' ' {
				line = line[1:]
			}
		}
		lines = append(lines, string(line))
	}
	return lines
}

// breakAt is where a line that is too long is broken: at a space, or behind one of
// the characters, that leaves at least half of the width, else at an earlier space.
func breakAt(line []rune, fits int, behind string) int {
	for i := fits; i > fits/2; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	for i := fits; i > fits/2; i-- {
		if strings.ContainsRune(behind, line[i-1]) && line[i] != ',' {
			return i
		}
	}
	for i := fits / 2; i > fits/4; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	return fits
}
