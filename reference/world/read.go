package world

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Problem is something that is wrong with a file.
type Problem struct {
	File string
	Line int    // from 1; 0 if it is unknown
	Path string // of the member: resources[2].blob; empty for the file as a whole
	Text string
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems are all that is wrong with a file. It is the error of Load and Parse: a
// line for each.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

const (
	maxNodes    = 1_000_000
	maxDepth    = 100
	maxProblems = 100
)

// reader puts a YAML document into the parts of a world. Unlike the reader of the YAML
// library it goes on after a mistake, so that a file is put right in one go, and
// remembers the line of every member, for mistakes that only the whole shows.
type reader struct {
	file     string
	anchors  map[string]ast.Node
	lines    map[string]int
	nodes    int
	problems Problems
	spoilt   []string // paths at which something is wrong
}

// read reads a document into a pointer to a part of a world.
func read(file string, data []byte, into any) (r *reader, err error) {
	r = &reader{file: file, anchors: map[string]ast.Node{}, lines: map[string]int{}}
	defer func() {
		if p := recover(); p != nil { // the parser is not ours
			err = Problems{{File: file, Text: "this is no YAML that can be read"}}
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors write it
	if !utf8.Valid(data) {
		return nil, Problems{unreadable(file, data)}
	}
	if line, deep := nested(data); deep {
		return nil, Problems{{File: file, Line: line, Text: "the values are nested too deeply"}}
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, Problems{syntax(file, err)}
	}
	var body ast.Node
	for _, d := range doc.Docs {
		if d.Body == nil {
			continue
		}
		if body != nil {
			r.report("", d.Body, "a second document: a file holds one")
			break
		}
		body = d.Body
	}
	if body != nil {
		r.value(reflect.ValueOf(into).Elem(), body, "", 0)
	}
	return r, nil
}

// unreadable says where the bytes are that are no UTF-8. The YAML library would take
// something else for them.
func unreadable(file string, data []byte) Problem {
	if len(data) > 1 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff) {
		return Problem{File: file, Line: 1, Text: "the file is in UTF-16: save it as UTF-8"}
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return Problem{
		File: file, Line: 1 + bytes.Count(data[:at], []byte("\n")),
		Text: fmt.Sprintf("the byte 0x%02x is no UTF-8: save the file as UTF-8, and write bytes that are no text as blob", data[at]),
	}
}

// decode reads a part of a world that is no file.
func decode(what string, data []byte, into any) error {
	r, err := read(what, data, into)
	if err != nil {
		return err
	}
	if len(r.problems) > 0 {
		return r.problems
	}
	return nil
}

func syntax(file string, err error) Problem {
	var located yaml.Error
	if errors.As(err, &located) && located.GetToken() != nil {
		return Problem{File: file, Line: located.GetToken().Position.Line, Text: located.GetMessage()}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return Problem{File: file, Text: text}
}

func (r *reader) report(path string, at ast.Node, format string, args ...any) {
	line := 0
	if at != nil && at.GetToken() != nil {
		line = at.GetToken().Position.Line
	}
	if len(r.spoilt) < maxProblems {
		r.spoilt = append(r.spoilt, path)
	}
	r.add(Problem{File: r.file, Line: line, Path: path, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) add(p Problem) {
	switch {
	case len(r.problems) < maxProblems:
		r.problems = append(r.problems, p)
	case len(r.problems) == maxProblems:
		r.problems = append(r.problems, Problem{File: r.file, Text: "and more"})
	}
}

// line is that of a member or, if it is not there, of what should have it.
func (r *reader) line(path string) int {
	for {
		if line, ok := r.lines[path]; ok || path == "" {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}

// sound reports whether nothing was wrong with the form of a member, nor with that of
// anything in it.
func (r *reader) sound(path string) bool {
	return len(r.spoilt) < maxProblems && !slices.ContainsFunc(r.spoilt, func(s string) bool {
		rest, within := strings.CutPrefix(s, path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[') ||
			strings.HasPrefix(path, s+".") || strings.HasPrefix(path, s+"[")
	})
}

// bare takes the node out of anchors, aliases and tags; nil if that leads nowhere.
func (r *reader) bare(n ast.Node, path string) ast.Node {
	for range maxDepth {
		switch v := n.(type) {
		case *ast.AnchorNode:
			r.anchors[name(v.Name)] = v.Value
			n = v.Value
		case *ast.AliasNode:
			target, ok := r.anchors[name(v.Value)]
			if !ok {
				r.report(path, v, "there is no anchor %q before this", name(v.Value))
				return nil
			}
			n = target
		case *ast.TagNode:
			n = v.Value
		case *ast.LiteralNode:
			return v.Value
		default:
			return n
		}
	}
	r.report(path, n, "anchors that lead to each other")
	return nil
}

func name(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

// within counts the nodes and how deep they lie; false if there are too many.
func (r *reader) within(n ast.Node, path string, depth int) bool {
	if r.nodes > maxNodes {
		return false
	}
	r.nodes++
	if r.nodes > maxNodes || depth >= maxDepth {
		r.nodes = maxNodes + 1 // there is no point in going on
		r.report("", n, "more than can be read: %d values, %d levels", maxNodes, maxDepth)
		return false
	}
	return true
}

// value puts a node into v.
func (r *reader) value(v reflect.Value, n ast.Node, path string, depth int) {
	if !r.within(n, path, depth) {
		return
	}
	if n = r.bare(n, path); n == nil {
		return
	}
	if _, null := n.(*ast.NullNode); null {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Struct {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem(), n, path, depth+1)
			return
		}
		p := reflect.New(v.Type().Elem())
		r.value(p.Elem(), n, path, depth+1)
		v.Set(p)
	case reflect.Struct:
		r.object(v, n, path, depth)
	case reflect.Slice:
		r.list(v, n, path, depth)
	case reflect.Map:
		r.dictionary(v, n, path, depth)
	case reflect.Interface:
		if plain := r.plain(n, path, depth); plain != nil {
			v.Set(reflect.ValueOf(plain))
		}
	default:
		r.scalar(v, n, path)
	}
}

// pairs are the members of a mapping, those that it merges from elsewhere first; ok is
// false if it is none.
func (r *reader) pairs(n ast.Node, path string, depth int) (all []*ast.MappingValueNode, ok bool) {
	var own []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		own = m.Values
	case *ast.MappingValueNode:
		own = []*ast.MappingValueNode{m}
	default:
		return nil, false
	}
	for _, pair := range own {
		if _, merges := pair.Key.(*ast.MergeKeyNode); !merges {
			continue
		}
		if !r.within(pair, path, depth) {
			return nil, true
		}
		merged, ok := r.pairs(r.bare(pair.Value, path), path, depth+1)
		if !ok {
			r.report(path, pair, "<< takes a mapping")
		}
		all = append(all, merged...)
	}
	for _, pair := range own {
		if _, merges := pair.Key.(*ast.MergeKeyNode); !merges {
			all = append(all, pair)
		}
	}
	return all, true
}

func key(pair *ast.MappingValueNode) string {
	if s, ok := pair.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return name(pair.Key)
}

func (r *reader) object(v reflect.Value, n ast.Node, path string, depth int) {
	pairs, ok := r.pairs(n, path, depth)
	if !ok {
		r.report(path, n, "must have members (%s)", strings.Join(slices.Sorted(fieldsOf(v.Type())), ", "))
		return
	}
	for _, pair := range pairs {
		member := key(pair)
		at := join(path, member)
		field, known := fieldOf(v, member)
		if !known {
			r.report(path, pair, "%s", unknown(v.Type(), member))
			continue
		}
		r.lines[at] = pair.Key.GetToken().Position.Line
		field.SetZero()
		r.value(field, pair.Value, at, depth+1)
	}
}

func join(path, member string) string {
	if path == "" {
		return member
	}
	return path + "." + member
}

func (r *reader) list(v reflect.Value, n ast.Node, path string, depth int) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		r.report(path, n, "must be a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values)))
	for i, element := range s.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if element != nil && element.GetToken() != nil {
			r.lines[at] = element.GetToken().Position.Line
		}
		r.value(v.Index(i), element, at, depth+1)
	}
}

func (r *reader) dictionary(v reflect.Value, n ast.Node, path string, depth int) {
	pairs, ok := r.pairs(n, path, depth)
	if !ok {
		r.report(path, n, "must have members")
		return
	}
	m := reflect.MakeMap(v.Type())
	for _, pair := range pairs {
		at := join(path, key(pair))
		r.lines[at] = pair.Key.GetToken().Position.Line
		element := reflect.New(v.Type().Elem()).Elem()
		r.value(element, pair.Value, at, depth+1)
		m.SetMapIndex(reflect.ValueOf(key(pair)), element)
	}
	v.Set(m)
}

// plain is any value in the form of decoded JSON.
func (r *reader) plain(n ast.Node, path string, depth int) any {
	if scalar, ok := n.(ast.ScalarNode); ok {
		v := scalar.GetValue()
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			r.report(path, n, "JSON has no such number")
			return nil
		}
		return v
	}
	if _, ok := n.(*ast.SequenceNode); ok {
		list := []any{}
		r.list(reflect.ValueOf(&list).Elem(), n, path, depth)
		return list
	}
	object := map[string]any{}
	r.dictionary(reflect.ValueOf(&object).Elem(), n, path, depth)
	return object
}

func (r *reader) scalar(v reflect.Value, n ast.Node, path string) {
	if _, ok := n.(ast.ScalarNode); !ok {
		r.report(path, n, "must be %s", form(v))
		return
	}
	given := n.(ast.ScalarNode).GetValue()
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(fmt.Sprint(given))
		if err != nil {
			r.report(path, n, "must be %s, and is %q", form(v), clip(fmt.Sprint(given)))
			return
		}
		v.SetInt(int64(d))
		return
	}
	if v.Kind() == reflect.String {
		text, ok := given.(string)
		if !ok {
			text = name(n) // as it is written
		}
		v.SetString(text)
		return
	}
	value := reflect.ValueOf(given)
	fits := false
	switch v.Kind() {
	case reflect.Bool:
		if fits = value.Kind() == reflect.Bool; fits {
			v.SetBool(value.Bool())
		}
	case reflect.Int, reflect.Int64:
		switch {
		case value.CanInt():
			fits = true
			v.SetInt(value.Int())
		case value.CanUint() && value.Uint() <= math.MaxInt64:
			fits = true
			v.SetInt(int64(value.Uint()))
		}
	case reflect.Float64:
		if fits = value.CanFloat() || value.CanInt() || value.CanUint(); fits {
			v.SetFloat(value.Convert(v.Type()).Float())
		}
	}
	if !fits {
		r.report(path, n, "must be %s, and is %q", form(v), clip(fmt.Sprint(given)))
	}
}

// form says what a member has to be.
func form(v reflect.Value) string {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return "a duration such as 150ms or 2s"
	}
	switch v.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}
