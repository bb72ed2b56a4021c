package target

import (
	"fmt"
	"reflect"
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
	switch v.Kind() {
	case reflect.String:
		return []string{plainText(v.String())}, true
	case reflect.Struct:
		return emitStruct(v)
	case reflect.Map:
		return emitMap(v)
	case reflect.Slice:
		return emitList(v)
	case reflect.Float32, reflect.Float64:
		return []string{strconv.FormatFloat(v.Float(), 'g', -1, 64)}, true
	}
	return []string{fmt.Sprint(v.Interface())}, true
}

func emitStruct(v reflect.Value) ([]string, bool) {
	var lines []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == "" || name == "-" || v.Field(i).IsZero() {
			continue
		}
		lines = append(lines, emitField(name, v.Field(i))...)
	}
	if len(lines) == 0 {
		return []string{"{}"}, true
	}
	return lines, false
}

func emitMap(v reflect.Value) ([]string, bool) {
	keys := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	var lines []string
	for _, k := range keys {
		lines = append(lines, emitField(plainText(k), v.MapIndex(reflect.ValueOf(k).Convert(v.Type().Key())))...)
	}
	if len(lines) == 0 {
		return []string{"{}"}, true
	}
	return lines, false
}

func emitList(v reflect.Value) ([]string, bool) {
	var lines []string
	for i := range v.Len() {
		item, _ := emitValue(v.Index(i))
		item = indent(item, "  ")
		item[0] = "- " + strings.TrimPrefix(item[0], "  ")
		lines = append(lines, item...)
	}
	if len(lines) == 0 {
		return []string{"[]"}, true
	}
	return lines, false
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

// plainText writes a string without quotes where no reader of YAML could take
// it for anything else.
func plainText(s string) string {
	letter := func(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '/' }
	if s == "" || !letter(s[0]) || strings.HasSuffix(s, ":") || len(s) > 200 {
		if len(s) == len("2006-01-02") {
			if _, err := time.Parse(time.DateOnly, s); err == nil {
				return s
			}
		}
		return quoteText(s)
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune("_.:@+-", rune(c)) {
			return quoteText(s)
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return quoteText(s)
	}
	return s
}

// quoteText writes a string in double quotes. Bytes that are no UTF-8 become
// U+FFFD: YAML cannot hold them.
func quoteText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
