package reports

import "strings"

// wrap breaks a text at spaces into lines of at most width characters, but no
// narrower than 20; words that are longer are cut. Line feeds of the text are kept.
func wrap(text string, width int) []string { return wrapAt(text, width, " ") }

// wrapJSON is [wrap] for frames: where there is no space within reach a line ends
// behind a comma or a bracket, so that members and strings stay in one piece.
func wrapJSON(text string, width int) []string { return wrapAt(text, width, " ,]}[{") }

func wrapAt(text string, width int, breaks string) []string {
	width = max(width, 20)
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line := []rune(paragraph)
		for len(line) > width {
			cut := breakAt(line, width, breaks)
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

// breakAt is where a line that is too long is broken. Spaces come first; a line
// that is broken elsewhere keeps at least half of its width.
func breakAt(line []rune, width int, breaks string) int {
	for i := width; i > width/4; i-- {
		if line[i] == ' ' && (len(breaks) == 1 || i > width/2) {
			return i
		}
	}
	for i := width; len(breaks) > 1 && i > width/2; i-- {
		if strings.ContainsRune(breaks, line[i-1]) {
			return i
		}
	}
	return width
}

// paragraph writes a text behind a lead, such as an id, wrapped; further lines are
// indented below the first one.
func (c *console) paragraph(indent int, lead, text string) {
	pad, rest := strings.Repeat(" ", indent), Sanitize(Shorten(lead, 40))
	body := SanitizeLines(Shorten(text, consoleText))
	if rest != "" {
		body = rest + "  " + body
	}
	for i, l := range wrap(body, c.o.Width-indent-2) {
		if after, ok := strings.CutPrefix(l, rest); ok && i == 0 {
			l = c.paint(bold, rest) + after
		}
		if i > 0 {
			l = "  " + l
		}
		c.line(pad, l)
	}
}
