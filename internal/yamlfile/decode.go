package yamlfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// decoder copies a tree of nodes into Go values.
type decoder struct {
	index    *Index
	problems []Problem
	anchors  map[string]ast.Node
	open     []string // aliases being replaced
	nodes    int
	fields   map[reflect.Type]map[string][]int
}

// fail notes a problem; past the bound nothing is noted.
func (d *decoder) fail(path string, n ast.Node, format string, args ...any) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{Pos: position(n), Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// name is a path as messages show it.
func name(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

// value copies a node to a settable value.
func (d *decoder) value(path string, n ast.Node, to reflect.Value, depth int) {
	d.nodes++
	if depth > maxDepth || d.nodes > maxNodes {
		d.fail(path, n, "%s: the values are nested too deeply or too many", name(path))
		d.nodes = maxNodes // ends the walk
		return
	}
	n, done := d.resolve(path, n)
	defer done()
	if n == nil {
		return
	}
	if _, seen := d.index.at[path]; !seen {
		d.index.at[path] = position(n)
	}
	if n.Type() == ast.NullType {
		return
	}
	if to.Kind() == reflect.Pointer {
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		d.value(path, n, to.Elem(), depth+1)
		return
	}
	if text, ok := scalar(n); ok && reflect.PointerTo(to.Type()).Implements(textType) {
		u, _ := to.Addr().Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText([]byte(text)); err != nil {
			d.fail(path, n, "%s: %v", name(path), err)
		}
		return
	}
	d.plain(path, n, to, depth)
}

// resolve replaces anchors, aliases and string tags by what they stand for. The
// returned function must be called when the node has been dealt with.
func (d *decoder) resolve(path string, n ast.Node) (ast.Node, func()) {
	opened := 0
	done := func() { d.open = d.open[:len(d.open)-opened] }
	for range maxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			d.anchors[x.Name.GetToken().Value] = x.Value
			n = x.Value
		case *ast.AliasNode:
			alias := x.Value.GetToken().Value
			target, ok := d.anchors[alias]
			if !ok {
				d.fail(path, n, "%s: there is no anchor &%s before this alias", name(path), alias)
				return nil, done
			}
			if slices.Contains(d.open, alias) {
				d.fail(path, n, "%s: the alias *%s contains itself", name(path), alias)
				return nil, done
			}
			d.open = append(d.open, alias)
			opened++
			n = target
		case *ast.TagNode:
			if tag := x.Start.Value; tag != "!!str" {
				d.fail(path, n, "%s: the tag %s is not supported", name(path), tag)
				return nil, done
			}
			n = x.Value
		case *ast.CommentGroupNode, nil:
			return nil, done
		default:
			return n, done
		}
	}
	d.fail(path, n, "%s: the values are nested too deeply", name(path))
	return nil, done
}

// scalar is the text of a single value as it was written.
func scalar(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// plain copies a node that is neither null nor an alias.
func (d *decoder) plain(path string, n ast.Node, to reflect.Value, depth int) {
	switch to.Kind() {
	case reflect.Struct:
		d.structure(path, n, to, depth)
	case reflect.Map:
		d.mapping(path, n, to, depth)
	case reflect.Slice:
		d.list(path, n, to, depth)
	case reflect.Interface:
		if v := d.any(path, n, depth); v != nil {
			to.Set(reflect.ValueOf(v))
		}
	default:
		d.single(path, n, to)
	}
}

// pairs lists the members of a mapping; ok is false if the node is none.
func pairs(n ast.Node) (values []*ast.MappingValueNode, ok bool) {
	switch x := n.(type) {
	case *ast.MappingNode:
		return x.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}, true
	}
	return nil, false
}

// key is the name of a member.
func (d *decoder) key(path string, m *ast.MappingValueNode) (string, bool) {
	if m.Key.IsMergeKey() {
		d.fail(path, m.Key, "%s: merge keys (<<) are not supported", name(path))
		return "", false
	}
	var k ast.Node = m.Key
	if mk, ok := k.(*ast.MappingKeyNode); ok {
		k = mk.Value
	}
	text, ok := scalar(k)
	if !ok {
		d.fail(path, m.Key, "%s: a name must be a single value", name(path))
	}
	return text, ok
}

func (d *decoder) structure(path string, n ast.Node, to reflect.Value, depth int) {
	members, ok := pairs(n)
	if !ok {
		d.fail(path, n, "%s must have fields, such as %q, not %s", name(path), example(to.Type()), what(n))
		return
	}
	fields, ok := d.fields[to.Type()]
	if !ok {
		fields = fieldsOf(to.Type())
		d.fields[to.Type()] = fields
	}
	for _, m := range members {
		k, ok := d.key(path, m)
		if !ok {
			continue
		}
		i, known := fields[k]
		if !known {
			d.fail(join(path, k), m.Key, "unknown field %q%s%s", k, within(path), suggest(k, names(to.Type())))
			continue
		}
		d.index.at[join(path, k)] = position(m.Key)
		d.value(join(path, k), m.Value, to.FieldByIndex(i), depth+1)
	}
}

func (d *decoder) mapping(path string, n ast.Node, to reflect.Value, depth int) {
	members, ok := pairs(n)
	if !ok {
		d.fail(path, n, "%s must map names to values, not be %s", name(path), what(n))
		return
	}
	if to.Type().Key().Kind() != reflect.String {
		d.fail(path, n, "%s cannot be set from a file", name(path))
		return
	}
	made := reflect.MakeMapWithSize(to.Type(), len(members))
	for _, m := range members {
		k, ok := d.key(path, m)
		if !ok {
			continue
		}
		item := reflect.New(to.Type().Elem()).Elem()
		d.index.at[join(path, k)] = position(m.Key)
		d.value(join(path, k), m.Value, item, depth+1)
		made.SetMapIndex(reflect.ValueOf(k).Convert(to.Type().Key()), item)
	}
	to.Set(made)
}

func (d *decoder) list(path string, n ast.Node, to reflect.Value, depth int) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(path, n, "%s must be a list, not %s", name(path), what(n))
		return
	}
	made := reflect.MakeSlice(to.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		d.value(fmt.Sprintf("%s[%d]", path, i), item, made.Index(i), depth+1)
	}
	to.Set(made)
}

// any is a node as JSON would be read: map[string]any, []any, string, bool,
// int64, uint64, float64 or nil.
func (d *decoder) any(path string, n ast.Node, depth int) any {
	if members, ok := pairs(n); ok {
		made := make(map[string]any, len(members))
		for _, m := range members {
			if k, ok := d.key(path, m); ok {
				var item any
				d.value(join(path, k), m.Value, reflect.ValueOf(&item).Elem(), depth+1)
				made[k] = item
			}
		}
		return made
	}
	switch x := n.(type) {
	case *ast.SequenceNode:
		made := make([]any, len(x.Values))
		for i, item := range x.Values {
			d.value(fmt.Sprintf("%s[%d]", path, i), item, reflect.ValueOf(&made[i]).Elem(), depth+1)
		}
		return made
	case *ast.IntegerNode:
		return x.Value
	case *ast.FloatNode:
		return x.Value
	case *ast.BoolNode:
		return x.Value
	case *ast.InfinityNode, *ast.NanNode:
		d.fail(path, n, "%s: %s is no number in JSON", name(path), n.GetToken().Value)
		return nil
	}
	text, ok := scalar(n)
	if !ok {
		d.fail(path, n, "%s cannot be %s", name(path), what(n))
		return nil
	}
	return text
}

// single copies a single value to a string, number, truth value or duration.
func (d *decoder) single(path string, n ast.Node, to reflect.Value) {
	text, ok := scalar(n)
	if !ok {
		d.fail(path, n, "%s must be %s, not %s", name(path), wanted(to.Type()), what(n))
		return
	}
	ok = true
	switch {
	case to.Type() == durationType:
		v, err := time.ParseDuration(text)
		if ok = err == nil; ok {
			to.SetInt(int64(v))
		}
	case to.Kind() == reflect.String:
		to.SetString(text)
	case to.Kind() == reflect.Bool:
		b, is := n.(*ast.BoolNode)
		if ok = is; ok {
			to.SetBool(b.Value)
		}
	case to.CanInt():
		v, is := integer(n)
		if ok = is && !to.OverflowInt(v); ok {
			to.SetInt(v)
		}
	case to.CanFloat():
		v, err := strconv.ParseFloat(text, 64)
		if ok = err == nil && !math.IsInf(v, 0) && !math.IsNaN(v); ok {
			to.SetFloat(v)
		}
	default:
		d.fail(path, n, "%s cannot be set from a file", name(path))
		return
	}
	if !ok {
		d.fail(path, n, "%s must be %s, not %s", name(path), wanted(to.Type()), quote(text))
	}
}

func integer(n ast.Node) (int64, bool) {
	x, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch v := x.Value.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

// wanted names the type of a single value.
func wanted(t reflect.Type) string {
	switch {
	case t == durationType:
		return `a duration such as "10s" or "1m30s"`
	case t.Kind() == reflect.String:
		return "a single value"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return "a number"
	}
	return "a whole number"
}

// what names a node.
func what(n ast.Node) string {
	if _, ok := pairs(n); ok {
		return "a mapping"
	}
	if _, ok := n.(*ast.SequenceNode); ok {
		return "a list"
	}
	if text, ok := scalar(n); ok {
		return quote(text)
	}
	return strings.ToLower(n.Type().String())
}

// quote shows the beginning of a value.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}
