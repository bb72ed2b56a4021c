package main

import (
	"regexp"
	"strings"
)

var capital = regexp.MustCompile("[A-Z]")

// snake is a name as Python writes it.
func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
}

// PythonPath is the path as an f-string has it.
func (c call) PythonPath() string {
	return c.filled(func(name string) string { return "{quote(" + snake(name) + ", safe='')}" })
}
