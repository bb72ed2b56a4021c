package record

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// EncodeWorld writes a world as the YAML of a world file, without the members that say
// nothing.
func EncodeWorld(w world.World) ([]byte, error) {
	return yaml.MarshalWithOptions(partOf(reflect.ValueOf(w)), yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(false))
}

// partOf is the members of a part of a world, in the order of its type.
func partOf(v reflect.Value) yaml.MapSlice {
	var all yaml.MapSlice
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == ",inline" {
			all = append(all, partOf(v.Field(i))...)
			continue
		}
		if f := v.Field(i); name != "" && name != "-" && !f.IsZero() {
			all = append(all, yaml.MapItem{Key: name, Value: plain(f)})
		}
	}
	return all
}

// tame are texts that every YAML reader takes for themselves when they are written as they are:
// printable lines that neither begin nor end with a blank.
var tame = regexp.MustCompile(`^(?:[!-~](?:[ -~]*[!-~])?\n?)*$`)

// quoted is a text that is written in quotation marks.
type quoted string

// MarshalYAML writes the text as JSON does, which is YAML.
func (q quoted) MarshalYAML() ([]byte, error) { return json.Marshal(string(q)) }

// plain is a value as it is to be written.
func plain(v reflect.Value) any {
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		if written, err := text.MarshalText(); err == nil {
			return string(written)
		}
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return v.Interface().(time.Duration).String()
	case v.Kind() == reflect.String && !tame.MatchString(v.String()):
		return quoted(v.String())
	case v.Kind() == reflect.Pointer:
		return plain(v.Elem())
	case v.Kind() == reflect.Struct:
		return partOf(v)
	case v.Kind() == reflect.Interface && !v.IsNil():
		return plain(v.Elem())
	case v.Kind() == reflect.Map:
		return plainMap(v)
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// plainMap is a map with its names in order.
func plainMap(v reflect.Value) yaml.MapSlice {
	var all yaml.MapSlice
	for _, key := range v.MapKeys() {
		all = append(all, yaml.MapItem{Key: plain(key), Value: plain(v.MapIndex(key))})
	}
	slices.SortFunc(all, func(a, b yaml.MapItem) int { return strings.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
	return all
}
