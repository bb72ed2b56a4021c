// Package yamlfile reads YAML files that people write by hand, strictly: a field
// that the program does not know, a value of the wrong type or a name given
// twice is an error that says where it stands and, if it can be guessed, what
// was meant. All problems of a file are reported at once.
//
// Fields are named by `yaml:"name"` tags; fields without a tag, and those tagged
// "-", cannot be set from a file. Types with an UnmarshalText method are read
// with it wherever a single value stands. Anchors and aliases work; merge keys
// and tags other than !!str do not. An empty value means that the field is not
// given.
package yamlfile

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 8 << 20

const (
	maxDepth    = 100     // nesting of values
	maxNodes    = 1 << 20 // values after aliases are replaced
	maxProblems = 20      // reported for one file
	maxBrackets = 1000    // nesting of brackets before the file is parsed
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

// Index knows where the fields of a file stand.
type Index struct {
	File string
	at   map[string]Pos
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

// Problem describes what is wrong with a field that could be read.
func (x *Index) Problem(path, format string, args ...any) Problem {
	return Problem{Pos: x.At(path), Path: path, Message: fmt.Sprintf(format, args...)}
}

// Decode reads data into a pointer to a struct or map. The error is an [*Error] that
// lists all problems; the index is valid even then. The name of the file only
// serves messages.
func Decode(file string, data []byte, into any) (*Index, error) {
	d := &decoder{index: &Index{File: file, at: make(map[string]Pos)}, anchors: make(map[string]ast.Node), fields: make(map[reflect.Type]map[string][]int)}
	root := reflect.ValueOf(into)
	if root.Kind() != reflect.Pointer || root.IsNil() || root.Elem().Kind() != reflect.Struct && root.Elem().Kind() != reflect.Map {
		return d.index, fmt.Errorf("yamlfile: cannot decode into %T: a pointer to a struct or map is needed", into)
	}
	body, problem := parse(data)
	if problem != nil {
		return d.index, &Error{File: file, Problems: []Problem{*problem}}
	}
	if body != nil {
		d.value("", body, root.Elem(), 0)
	}
	if len(d.problems) > 0 {
		return d.index, &Error{File: file, Problems: d.problems}
	}
	return d.index, nil
}

// parse reads the one document of a file; nil if it is empty.
func parse(data []byte) (body ast.Node, problem *Problem) {
	if len(data) > MaxSize {
		return nil, &Problem{Message: fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}
	}
	if p := tooDeep(data); p != nil {
		return nil, p
	}
	// The parser has no promise against panics on hostile input.
	defer func() {
		if r := recover(); r != nil {
			body, problem = nil, &Problem{Message: fmt.Sprintf("the file cannot be read as YAML: %v", r)}
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
			return nil, &Problem{Pos: position(doc.Body), Message: "the file holds more than one document"}
		}
		body = doc.Body
	}
	return body, nil
}

// tooDeep refuses nesting that would exhaust the stack of the parser.
func tooDeep(data []byte) *Problem {
	deep := func(line int) *Problem {
		return &Problem{Pos: Pos{Line: line, Column: 1}, Message: "the values are nested too deeply"}
	}
	brackets, line, lead := 0, 1, 0
	leading := true
	for _, c := range data {
		switch c {
		case '\n':
			line, lead, leading = line+1, 0, true
			continue
		case '[', '{':
			brackets++
		case ']', '}':
			brackets = max(brackets-1, 0)
		case '-', '?', ':':
			if leading {
				lead++
			}
		case ' ', '\t':
		default:
			leading = false
		}
		if brackets > maxBrackets || lead > maxBrackets {
			return deep(line)
		}
	}
	return nil
}

// syntax turns an error of the parser into a problem.
func syntax(err error) *Problem {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		p := &Problem{Message: e.GetMessage()}
		if t := e.GetToken(); t != nil {
			p.Pos = tokenPos(t)
		}
		return p
	}
	return &Problem{Message: "the file cannot be read as YAML: " + err.Error()}
}

func position(n ast.Node) Pos {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return position(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return position(m.Key)
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
