// Package yamlfile reads YAML files that people write by hand, strictly: a field
// that the program does not know, a value of the wrong type or a name given
// twice is an error that says where it stands and, if it can be guessed, what
// was meant. All problems of a file are reported at once.
//
// Fields are named by `yaml:"name"` tags, and those of an embedded struct count as the outer
// one's if it is tagged `yaml:",inline"`; fields without a tag, and those tagged
// "-", cannot be set from a file. A tag `mistaken:"content,body"` lists names, in lower case, that
// people write who mean the field. Types with an UnmarshalText method are read
// with it wherever a single value stands. Anchors, aliases and merge keys (<<) work;
// tags other than !!str do not. An empty value means that the field is not
// given.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 32 << 20

const (
	maxDepth    = 100     // nesting of values
	maxNodes    = 1 << 20 // values after aliases are replaced
	maxProblems = 100     // reported for one file
)

// Pos is a place in a file; lines and columns count from 1, and 0 means unknown.
type Pos struct{ Line, Column int }

// Problem is one thing wrong with a file.
type Problem struct {
	Pos
	// Path is the field, such as "subjects.texts[0].uri"; empty for the file
	// as a whole.
	Path string
	// Message is one sentence without a full stop.
	Message string
	// Text is the message without the path.
	Text string
	// Unknown is the name of a field that there is not; empty if that is not the problem.
	Unknown string
}

// Error is everything wrong with a file.
type Error struct {
	File     string
	Problems []Problem
}

// Error gives each problem a line of its own: "FILE:LINE:COLUMN: MESSAGE".
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		where := e.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", e.File, p.Line, p.Column)
		}
		lines[i] = where + ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

// Index knows where the fields of a file stand, and what is wrong with them.
type Index struct {
	File     string
	Problems []Problem
	at       map[string]Pos
}

// Fail notes what is wrong with a field that could be read.
func (x *Index) Fail(path, format string, args ...any) {
	x.Problems = append(x.Problems, x.Problem(path, format, args...))
}

// Err is an [*Error] with all problems; nil if there are none.
func (x *Index) Err() error {
	if len(x.Problems) == 0 {
		return nil
	}
	return &Error{File: x.File, Problems: x.Problems}
}

// At is the place of a field, or of the nearest field around it that the file
// contains.
func (x *Index) At(path string) Pos {
	for {
		if p, ok := x.at[path]; ok {
			return p
		}
		if path == "" {
			return Pos{}
		}
		i := strings.LastIndexAny(path, ".[")
		path = path[:max(i, 0)]
	}
}

// Has reports whether the file contains a field.
func (x *Index) Has(path string) bool {
	_, ok := x.at[path]
	return ok
}

// Items walks over a list and gives the path of each item, such as "endpoints[0]", with the item.
func Items[T any](list string, items []T) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for i := range items {
			if !yield(fmt.Sprintf("%s[%d]", list, i), &items[i]) {
				return
			}
		}
	}
}

// Problem describes what is wrong with a field that could be read.
func (x *Index) Problem(path, format string, args ...any) Problem {
	text := fmt.Sprintf(format, args...)
	return Problem{Pos: x.At(path), Path: path, Message: text, Text: text}
}

// Unread is why a file could not be read, without its path, which stands in front of the message.
func Unread(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the file cannot be read: %w", e.Err)
	}
	return err
}

// Decode reads data into a pointer to a struct or map. The error is an [*Error] that
// lists all problems; the index is valid even then. The name of the file only
// serves messages.
func Decode(file string, data []byte, into any) (*Index, error) {
	return decode(file, data, into, false)
}

// DecodeTyped is Decode for files in which a number or a truth value cannot stand where a text is
// wanted, unless it is in quotes, nor a text for a number: where true is more likely a mistake than a text.
func DecodeTyped(file string, data []byte, into any) (*Index, error) {
	return decode(file, data, into, true)
}

func decode(file string, data []byte, into any, typed bool) (*Index, error) {
	d := &decoder{
		index: &Index{File: file, at: make(map[string]Pos)}, typed: typed,
		anchors: make(map[string]ast.Node), fields: make(map[reflect.Type]map[string][]int),
	}
	root := reflect.ValueOf(into)
	if root.Kind() != reflect.Pointer || root.IsNil() || root.Elem().Kind() != reflect.Struct &&
		root.Elem().Kind() != reflect.Map {
		return d.index, fmt.Errorf("yamlfile: cannot decode into %T: a pointer to a struct or map is needed",
			into)
	}
	body, problem := parse(data)
	if problem != nil {
		d.index.Problems = []Problem{*problem}
	} else if body != nil {
		d.value("", body, root.Elem(), 0)
	}
	return d.index, d.index.Err()
}

const (
	manyDocuments = "the file holds more than one document"
	// maxMarkers is how many lines may begin a document: the one, and empty ones.
	maxMarkers = 16
)

// marker is a line that begins a document. It can be nothing else, wherever it stands.
var marker = regexp.MustCompile(`(?m)^---(?:[ \t\r]|$)`)

// parse reads the one document of a file; nil if it is empty.
func parse(data []byte) (body ast.Node, problem *Problem) {
	if len(data) > MaxSize {
		return nil, whole(0, fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20))
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors write it
	if !utf8.Valid(data) {
		return nil, unreadable(data)
	}
	if line, deep := nested(data); deep {
		return nil, whole(line, "the values are nested too deeply")
	}
	// The parser takes a time that grows with the square of the number of documents.
	if markers := marker.FindAllIndex(data, maxMarkers+1); len(markers) > maxMarkers {
		return nil, whole(1+bytes.Count(data[:markers[1][0]], []byte("\n")), manyDocuments)
	}
	// The parser has no promise against panics on hostile input.
	defer func() {
		if r := recover(); r != nil {
			body, problem = nil, whole(0, fmt.Sprintf("the file cannot be read as YAML: %v", r))
		}
	}()
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, syntax(err)
	}
	for _, doc := range f.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			p := whole(0, manyDocuments)
			p.Pos = position(doc.Body)
			return nil, p
		}
		body = doc.Body
	}
	return body, nil
}

// unreadable says where the bytes are that are no UTF-8. The parser would take something else
// for them.
func unreadable(data []byte) *Problem {
	if len(data) > 1 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff) {
		return whole(1, "the file is in UTF-16: save it as UTF-8")
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return whole(1+bytes.Count(data[:at], []byte("\n")),
		fmt.Sprintf("the byte 0x%02x is no UTF-8: save the file as UTF-8, and write bytes that are no "+
			"text as base64", data[at]))
}

// whole is a problem of the file as a whole, or of a line of it.
func whole(line int, text string) *Problem {
	p := &Problem{Message: text, Text: text}
	if line > 0 {
		p.Pos = Pos{Line: line, Column: 1}
	}
	return p
}

// syntax turns an error of the parser into a problem.
func syntax(err error) *Problem {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		message := e.GetMessage()
		if message == "value is not allowed in this context" {
			message += " (is the line indented like the one before?)"
		}
		if message == "unexpected key name" {
			message += " (is this YAML, with a field and its value on a line?)"
		}
		if strings.Contains(message, `'\t'`) || strings.Contains(message, "'\t'") {
			message += " (indent with spaces, not with tabs)"
		}
		p := whole(0, message)
		if t := e.GetToken(); t != nil {
			p.Pos = tokenPos(t)
		}
		return p
	}
	return whole(0, "the file cannot be read as YAML: "+err.Error())
}

func position(n ast.Node) Pos {
	switch x := n.(type) {
	case *ast.MappingNode:
		if len(x.Values) > 0 && !x.IsFlowStyle {
			return position(x.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(x.Key)
	}
	if t := n.GetToken(); t != nil {
		return tokenPos(t)
	}
	return Pos{}
}

func tokenPos(t *token.Token) Pos {
	if t.Position == nil {
		return Pos{}
	}
	return Pos{Line: t.Position.Line, Column: t.Position.Column}
}

// Paths lists the fields that the file contains, sorted.
func (x *Index) Paths() []string { return slices.Sorted(maps.Keys(x.at)) }

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
		case (c == '-' || c == '?' || c == ':') && i+1 < len(row) && bytes.IndexByte([]byte(" \t\r\n"),
			row[i+1]) >= 0:
			n++
		default:
			return n
		}
	}
	return n
}
