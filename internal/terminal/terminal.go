// Package terminal writes text for people: in lines of a width, with colours where they
// are wanted. What comes from outside is made safe to print by the caller.
package terminal

import (
	"fmt"
	"io"
	"strings"
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

// New is a printer for lines of a width in columns; less than 40 means 80.
func New(w io.Writer, color bool, width int) *Printer {
	if width < 40 {
		width = 80
	}
	return &Printer{w: w, Color: color, Width: width}
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

// Column is the width of labels.
const Column = 10

// Labelled writes a text behind a label in a column of its own, wrapped to the width.
func (p *Printer) Labelled(indent int, label, text string) {
	p.text(indent, fmt.Sprintf("%-*s", Column, label), "", text)
}

// Text writes a text, wrapped to the width.
func (p *Printer) Text(indent int, color, text string) { p.text(indent, "", color, text) }

func (p *Printer) text(indent int, label, color, text string) {
	pad, column := strings.Repeat(" ", indent), Cells(label)
	for i, l := range Wrap(text, p.Width-indent-column) {
		if i > 0 {
			label = strings.Repeat(" ", column)
		}
		p.Line(pad, p.Paint(Dim, label), p.Paint(color, l))
	}
}
