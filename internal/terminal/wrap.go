package terminal

import "strings"

// Wrap breaks a text at spaces into lines of at most width characters, but no
// narrower than 20. Words that are longer are broken behind the characters that
// join the parts of paths and lists, or cut. Line feeds of the text are kept.
func Wrap(text string, width int) []string { return wrapAt(text, width, ",/#&?") }

// WrapJSON is [Wrap] for frames: lines end behind a comma or a bracket, so that
// members and strings stay in one piece.
func WrapJSON(text string, width int) []string { return wrapAt(text, width, ",]}[{") }

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

// breakAt is where a line that is too long is broken: at a space, or behind one of
// the characters, that leaves at least half of the width, else at an earlier space.
func breakAt(line []rune, width int, behind string) int {
	for i := width; i > width/2; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	for i := width; i > width/2; i-- {
		if strings.ContainsRune(behind, line[i-1]) {
			return i
		}
	}
	for i := width / 2; i > width/4; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	return width
}
