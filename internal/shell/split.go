package shell

import (
	"errors"
	"strings"
)

// Split is the words of a command line, as a POSIX shell reads them: parted by white
// space, with quotes and backslashes. Nothing is expanded. What is special to a shell
// beyond that, such as | and $, stands for itself.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("a quotation mark ' is not closed")
			}
			word.WriteString(line[i+1 : i+1+end])
			i += 1 + end
		case '"':
			n, err := doubleQuoted(line[i+1:], &word)
			if err != nil {
				return nil, err
			}
			i += n
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New(`nothing stands behind the last \`)
			}
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// doubleQuoted reads what stands between double quotes, and how many bytes that takes
// with the second of them. A backslash is one unless it stands before what a shell would
// read otherwise.
func doubleQuoted(rest string, word *strings.Builder) (int, error) {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("\"\\$`", rest[i+1]) >= 0:
			i++
			word.WriteByte(rest[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, errors.New(`a quotation mark " is not closed`)
}
