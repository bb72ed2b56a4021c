package yamlfile

import "bytes"

// maxOpen is how many brackets may be open in a file, those in the texts of YAML counted, and
// how many entries may begin one within the other on a line. The parser takes minutes for a
// hundred thousand of them, and cannot be interrupted.
const maxOpen = 2000

// nested reports whether there are more, and in what line. Brackets that a text leaves open
// count until a line that is indented no further than theirs; those in the strings of JSON
// do not count.
func nested(data []byte) (line int, deep bool) {
	text := bytes.TrimLeft(data, " \t\r\n")
	json := len(text) > 0 && (text[0] == '{' || text[0] == '[')
	open, base, line := 0, 0, 0
	quoted := false
	for row := range bytes.Lines(data) {
		line++
		indent := len(row) - len(bytes.TrimLeft(row, " \t"))
		if open > 0 && !json && indent <= base && len(bytes.TrimSpace(row)) > 0 {
			open = 0
		}
		if begun(row) > maxOpen {
			return line, true
		}
		for i := 0; i < len(row); i++ {
			switch c := row[i]; {
			case json && quoted && c == '\\':
				i++
			case json && c == '"':
				quoted = !quoted
			case quoted:
			case c == '[' || c == '{':
				if open == 0 {
					base = indent
				}
				if open++; open > maxOpen {
					return line, true
				}
			case c == ']' || c == '}':
				open = max(open-1, 0)
			}
		}
	}
	return 0, false
}

// begun is how many entries begin one within the other at the start of a line: indicators
// with a space behind them.
func begun(row []byte) (n int) {
	for i, c := range row {
		switch {
		case c == ' ' || c == '\t':
		case (c == '-' || c == '?' || c == ':') && i+1 < len(row) && bytes.IndexByte([]byte(" \t\r\n"), row[i+1]) >= 0:
			n++
		default:
			return n
		}
	}
	return n
}
