package target

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// emit writes a field of a target file in YAML, in lines without indentation of
// its own: "name: value" or a name and what is below it.
func emit(name string, value any) []string {
	return emitField(plainText(name), reflect.ValueOf(value))
}

func emitField(name string, v reflect.Value) []string {
	lines, single := emitValue(v)
	if single {
		return []string{name + ": " + lines[0]}
	}
	return append([]string{name + ":"}, indent(lines, "  ")...)
}

// emitValue writes a value; single says that it goes on the line of its name.
func emitValue(v reflect.Value) (lines []string, single bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return []string{"null"}, true
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case Value:
		return []string{emitShort(x)}, true
	case time.Duration:
		return []string{x.String()}, true
	}
	nothing := "{}"
	switch v.Kind() {
	case reflect.String:
		return []string{plainText(v.String())}, true
	case reflect.Struct:
		lines = emitStruct(v)
	case reflect.Map:
		lines = emitMap(v)
	case reflect.Slice:
		lines, nothing = emitList(v), "[]"
	default:
		return []string{fmt.Sprint(v.Interface())}, true
	}
	if len(lines) == 0 {
		return []string{nothing}, true
	}
	return lines, false
}

// fields walks over the fields of a struct that files can have, by their names there.
func fields(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for f, value := range v.Fields() {
			if name := f.Tag.Get("yaml"); name != "" && name != "-" && !yield(name, value) {
				return
			}
		}
	}
}

// visit walks over a value and all that it holds, with their paths in files, and with what they are by the
// tag "is" of a field: entries are what their list or mapping is.
func visit(path, is string, v reflect.Value, see func(path, is string, v reflect.Value)) {
	see(path, is, v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(path, is, v.Elem(), see)
		}
	case reflect.Struct:
		for f, field := range v.Fields() {
			if name := f.Tag.Get("yaml"); name != "" && name != "-" {
				visit(strings.TrimPrefix(path+"."+name, "."), f.Tag.Get("is"), field, see)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(fmt.Sprintf("%s[%d]", path, i), is, v.Index(i), see)
		}
	case reflect.Map:
		for _, k := range keys(v) {
			visit(path+"."+k.String(), is, v.MapIndex(k), see)
		}
	}
}

// given reports whether a field has a value.
func given(v reflect.Value) bool {
	return v.IsValid() && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0)
}

func emitStruct(v reflect.Value) (lines []string) {
	for name, field := range fields(v) {
		if !field.IsZero() {
			lines = append(lines, emitField(name, field)...)
		}
	}
	return lines
}

// keys are those of a mapping, sorted.
func keys(v reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
		return cmp.Compare(a.String(), b.String())
	})
}

func emitMap(v reflect.Value) (lines []string) {
	for _, k := range keys(v) {
		lines = append(lines, emitField(plainText(k.String()), v.MapIndex(k))...)
	}
	return lines
}

func emitList(v reflect.Value) (lines []string) {
	for i := range v.Len() {
		item, _ := emitValue(v.Index(i))
		item = indent(item, "  ")
		item[0] = "- " + strings.TrimPrefix(item[0], "  ")
		lines = append(lines, item...)
	}
	return lines
}

// emitShort writes a value in its short form, if it has one.
func emitShort(v Value) string {
	var parts []string
	switch {
	case v.Env != "":
		parts = append(parts, "env: "+quoteText(v.Env))
	case !v.Public:
		return plainText(v.Value)
	default:
		parts = append(parts, "value: "+quoteText(v.Value))
	}
	if v.Public {
		parts = append(parts, "public: true")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func indent(lines []string, by string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = by + l
	}
	return out
}

// plainForm is a text that begins with a letter or a slash and has no space in it.
var plainForm = regexp.MustCompile(`^[A-Za-z/](?:[\w/.:@+-]*[\w/.@+-])?$`)

// plainText writes a string without quotes where no reader of YAML could take
// it for anything else.
func plainText(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return s
	}
	if !plainForm.MatchString(s) || len(s) > 200 {
		return quoteText(s)
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return quoteText(s)
	}
	return s
}

// quoteText writes a string in double quotes, with escapes that are those of YAML as well.
// Bytes that are no UTF-8 become U+FFFD: YAML cannot hold them.
func quoteText(s string) string {
	return strconv.QuoteToGraphic(strings.ToValidUTF8(s, string(utf8.RuneError)))
}
