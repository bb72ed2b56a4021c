package main

import "strings"

// Arguments are the names of what a call is given.
func (c call) Arguments() string {
	var names []string
	for _, p := range c.InPath {
		names = append(names, p.Name)
	}
	if len(c.InQuery) > 0 {
		names = append(names, "query")
	}
	if c.Takes != nil {
		names = append(names, "body")
	}
	return strings.Join(names, ", ")
}

// JavaScriptPath is the path as a template literal has it.
func (c call) JavaScriptPath() string {
	return c.filled(func(name string) string { return "${encodeURIComponent(" + name + ")}" })
}

// declared is the arguments of a call with their types.
func declared(c call) string {
	var all []string
	for _, p := range c.InPath {
		all = append(all, p.Name+": string")
	}
	if len(c.InQuery) > 0 {
		var members []string
		needed := false
		for _, p := range c.InQuery {
			members = append(members, p.Name+optional(p.Required)+": "+typescript.of(p.Schema))
			needed = needed || p.Required
		}
		all = append(all, "query"+optional(needed)+": { "+strings.Join(members, "; ")+" }")
	}
	if c.Takes != nil {
		all = append(all, "body: "+typescript.of(*c.Takes))
	}
	return strings.Join(all, ", ")
}

// comment is a text within a comment, which it does not end.
func comment(text string) string { return strings.ReplaceAll(text, "*/", "*\\/") }

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}
