package world

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// collect puts together what a function finds in a part of a world and in all parts within it, each from the
// point of view of the whole.
func collect(part any, find func(part any) problems) problems {
	return collectIn(reflect.ValueOf(part), find)
}

func collectIn(v reflect.Value, find func(part any) problems) (found problems) {
	switch v.Kind() {
	case reflect.Pointer:
		return collectIn(v.Elem(), find) // nil has no parts
	case reflect.Slice:
		for i := range v.Len() {
			if one := collectIn(v.Index(i), find); len(one) > 0 {
				found.Below(fmt.Sprintf("[%d]", i), one)
			}
		}
	case reflect.Struct:
		found = find(v.Interface())
		for i := range v.NumField() {
			if one := collectIn(v.Field(i), find); len(one) > 0 {
				name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
				found.Below(name, one)
			}
		}
	}
	return found
}

// mistakes are what is wrong with a part of a world, but for the parts within it.
func mistakes(part any) problems {
	switch p := part.(type) {
	case interface{ problems() problems }:
		return p.problems()
	case operation.Rule:
		return p.Check()
	}
	return nil
}

// oddities are what a careful author would put right in a part of a world, but for the parts within it.
func oddities(part any) problems {
	switch p := part.(type) {
	case interface{ warnings() problems }:
		return p.warnings()
	case operation.Limits:
		return p.Warnings()
	}
	return nil
}
