package yamlfile

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
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
	index   *Index
	typed   bool // numbers and truth values are no texts
	anchors map[string]ast.Node
	open    []string // aliases being replaced
	nodes   int
	fields  map[reflect.Type]map[string][]int
}

// fail notes a problem; past the bound nothing is noted. The format is that of the text, with a
// colon before it where the message has one after the path.
func (d *decoder) fail(path string, n ast.Node, format string, args ...any) {
	if len(d.index.Problems) < maxProblems {
		text := fmt.Sprintf(format, args...)
		separator := " "
		if strings.HasPrefix(text, ": ") {
			separator = ""
		}
		d.index.Problems = append(d.index.Problems, Problem{
			Pos: position(n), Path: path, Message: cmp.Or(path, "the file") + separator + text,
			Text: strings.TrimPrefix(text, ": "),
		})
	}
}

// shownName is how many bytes of a name stand in a sentence.
const shownName = 100

// unknown notes a field that there is not.
func (d *decoder) unknown(path string, n ast.Node, k string, t reflect.Type) {
	if len(d.index.Problems) < maxProblems {
		hint := suggest(k, t)
		shown := k
		if len(k) > shownName {
			shown = strings.ToValidUTF8(k[:shownName], "") + "…"
		}
		d.index.Problems = append(d.index.Problems, Problem{
			Pos: position(n), Path: join(path, k), Message: fmt.Sprintf("unknown field %q%s%s", shown,
				within(path), hint),
			Text: fmt.Sprintf("unknown member %q%s", shown, hint), Unknown: k,
		})
	}
}

// within counts the nodes and how deep they lie. The first that is too much ends the walk.
func (d *decoder) within(path string, n ast.Node, depth int) bool {
	if d.nodes > maxNodes {
		return false
	}
	if d.nodes++; depth > maxDepth || d.nodes > maxNodes {
		d.fail(path, n, ": the values are nested too deeply or too many")
		d.nodes = maxNodes + 1
		return false
	}
	return true
}

// value copies a node to a settable value.
func (d *decoder) value(path string, n ast.Node, to reflect.Value, depth int) {
	if !d.within(path, n, depth) {
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
			d.fail(path, n, ": %v", err)
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
				d.fail(path, n, ": there is no anchor &%s before this alias", alias)
				return nil, done
			}
			if slices.Contains(d.open, alias) {
				d.fail(path, n, ": the alias *%s contains itself", alias)
				return nil, done
			}
			d.open = append(d.open, alias)
			opened++
			n = target
		case *ast.TagNode:
			if tag := x.Start.Value; tag != "!!str" {
				d.fail(path, n, ": the tag %s is not supported", tag)
				return nil, done
			}
			n = x.Value
			if _, single := scalar(n); single && !isText(n) {
				n = ast.String(n.GetToken()) // !!str makes a text of it
			}
		case *ast.CommentGroupNode, nil:
			return nil, done
		default:
			return n, done
		}
	}
	d.fail(path, n, ": the values are nested too deeply")
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

// isText reports whether a single value is a text also for readers that know types.
func isText(n ast.Node) bool {
	switch n.Type() {
	case ast.StringType, ast.LiteralType:
		return true
	}
	return false
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

// members lists the members of a mapping, those that it merges from elsewhere first; ok is
// false if the node is none.
func (d *decoder) members(path string, n ast.Node, depth int) (all []*ast.MappingValueNode, ok bool) {
	own, ok := pairs(n)
	if !ok {
		return nil, false
	}
	for _, m := range own {
		if !m.Key.IsMergeKey() {
			continue
		}
		if !d.within(path, m, depth) {
			return nil, true
		}
		from, done := d.resolve(path, m.Value)
		merged, ok := d.members(path, from, depth+1)
		done()
		if !ok {
			d.fail(path, m.Key, ": << takes a mapping")
		}
		all = append(all, merged...)
	}
	for _, m := range own {
		if !m.Key.IsMergeKey() {
			all = append(all, m)
		}
	}
	return all, true
}

// pairs lists the members of a mapping as they are written; ok is false if the node is none.
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
	var k ast.Node = m.Key
	if mk, ok := k.(*ast.MappingKeyNode); ok {
		k = mk.Value
	}
	text, ok := scalar(k)
	if !ok {
		d.fail(path, m.Key, ": a name must be a single value")
	}
	return text, ok
}

func (d *decoder) structure(path string, n ast.Node, to reflect.Value, depth int) {
	members, ok := d.members(path, n, depth)
	if !ok {
		d.fail(path, n, "must have fields, such as %q, not %s", example(to.Type()), what(n))
		return
	}
	fields, ok := d.fields[to.Type()]
	if !ok {
		_, fields = fieldsOf(to.Type())
		d.fields[to.Type()] = fields
	}
	for _, m := range members {
		k, ok := d.key(path, m)
		if !ok {
			continue
		}
		i, known := fields[k]
		if !known {
			d.unknown(path, m.Key, k, to.Type())
			continue
		}
		d.index.at[join(path, k)] = position(m.Key)
		to.FieldByIndex(i).SetZero() // of what has been merged
		d.value(join(path, k), m.Value, to.FieldByIndex(i), depth+1)
	}
}

func (d *decoder) mapping(path string, n ast.Node, to reflect.Value, depth int) {
	members, ok := d.members(path, n, depth)
	if !ok {
		d.fail(path, n, "must map names to values, not be %s", what(n))
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

// plain is a text whose words need no quotes in a list, as those of a command.
var plain = regexp.MustCompile(`^[\w./=-][\w./= -]{0,39}$`)

// address is a URI that needs no quotes in a list.
var address = regexp.MustCompile(`^[A-Za-z][\w.+-]{0,30}:[\w./:@%?&=~+-]{1,80}$`)

func (d *decoder) list(path string, n ast.Node, to reflect.Value, depth int) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		advice := ""
		if text, ok := scalar(n); ok && (plain.MatchString(text) || address.MatchString(text)) &&
			to.Type().Elem().Kind() == reflect.String {
			advice = ": write [" + strings.Join(strings.Fields(text), ", ") + "]"
		}
		d.fail(path, n, "must be a list, not %s%s", what(n), advice)
		return
	}
	made := reflect.MakeSlice(to.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		d.value(path+"["+strconv.Itoa(i)+"]", item, made.Index(i), depth+1)
	}
	to.Set(made)
}

// any is a node as JSON would be read: map[string]any, []any, string, bool,
// int64, uint64, float64 or nil.
func (d *decoder) any(path string, n ast.Node, depth int) any {
	if _, ok := pairs(n); ok {
		made := map[string]any{}
		d.mapping(path, n, reflect.ValueOf(&made).Elem(), depth)
		return made
	}
	switch x := n.(type) {
	case *ast.SequenceNode:
		made := []any{}
		d.list(path, n, reflect.ValueOf(&made).Elem(), depth)
		return made
	case *ast.IntegerNode:
		return x.Value
	case *ast.FloatNode:
		return x.Value
	case *ast.BoolNode:
		return x.Value
	case *ast.InfinityNode, *ast.NanNode:
		d.fail(path, n, ": %s is no number in JSON", n.GetToken().Value)
		return nil
	}
	text, ok := scalar(n)
	if !ok {
		d.fail(path, n, "cannot be %s", what(n))
		return nil
	}
	return text
}

// single copies a single value to a string, number, truth value or duration.
func (d *decoder) single(path string, n ast.Node, to reflect.Value) {
	text, ok := scalar(n)
	if !ok {
		d.fail(path, n, "must be %s, not %s", wanted(to.Type()), what(n))
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
		if d.typed && !isText(n) {
			d.fail(path, n, "must be a text, not %s: put it in quotes", text)
			return
		}
		to.SetString(text)
	case to.Kind() == reflect.Bool:
		b, is := n.(*ast.BoolNode)
		if ok = is; ok {
			to.SetBool(b.Value)
		}
	case to.CanInt():
		x, is := n.(*ast.IntegerNode)
		if ok = is; ok {
			v, err := strconv.ParseInt(fmt.Sprint(x.Value), 10, 64)
			ok = err == nil && !to.OverflowInt(v)
			to.SetInt(v)
		}
	case to.CanFloat():
		v, err := strconv.ParseFloat(text, 64)
		if ok = err == nil && !(d.typed && isText(n)) && !math.IsInf(v, 0) && !math.IsNaN(v); ok {
			to.SetFloat(v)
		}
	default:
		d.fail(path, n, "cannot be set from a file")
		return
	}
	if !ok {
		d.fail(path, n, "must be %s, not %s", wanted(to.Type()), quote(text))
	}
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
