package world

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

const maxFile = 32 << 20

// Load reads a world from a YAML (or JSON, which is YAML) file. Members that no
// world has are errors; the error names file and line, and the member that may
// have been meant.
func Load(fsys fs.FS, name string) (World, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return World{}, err
	}
	return Parse(name, data)
}

// Parse reads a world from the bytes of a file; name is for messages only.
func Parse(name string, data []byte) (World, error) {
	if len(data) > maxFile {
		return World{}, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	var w World
	if err := yaml.UnmarshalWithOptions(data, &w, yaml.Strict()); err != nil {
		return World{}, describe(name, err)
	}
	if w.Name == "" {
		w.Name = strings.TrimSuffix(strings.TrimSuffix(base(name), ".yaml"), ".json")
	}
	if err := w.Validate(); err != nil {
		return World{}, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// describe makes one sentence of an error of the YAML reader, which would
// otherwise quote the file over several lines.
func describe(name string, err error) error {
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) && unknown.Token != nil {
		at := fmt.Sprintf("%s:%d", name, unknown.Token.Position.Line)
		if m := unknownField.FindStringSubmatch(unknown.Message); m != nil {
			if meant := closest(m[1]); meant != "" {
				return fmt.Errorf("%s: unknown member %q: did you mean %q?", at, m[1], meant)
			}
			return fmt.Errorf("%s: unknown member %q", at, m[1])
		}
		return fmt.Errorf("%s: %s", at, unknown.Message)
	}
	var located yaml.Error
	if errors.As(err, &located) && located.GetToken() != nil {
		return fmt.Errorf("%s:%d: %s", name, located.GetToken().Position.Line, located.GetMessage())
	}
	return fmt.Errorf("%s: %w", name, err)
}

// closest returns the member name that is most like the given one, if any is.
func closest(given string) string {
	best, distance := "", len(given)/3+2
	for member := range members() {
		if d := edits(strings.ToLower(given), strings.ToLower(member)); d < distance || d == distance && best != "" && member < best {
			best, distance = member, d
		}
	}
	return best
}

// members collects the names of all members of all parts of a world.
func members() map[string]bool {
	names := map[string]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if tag := t.Field(i).Tag.Get("yaml"); tag != "" {
					names[tag] = true
					walk(t.Field(i).Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[World]())
	return names
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
