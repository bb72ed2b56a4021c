package hook

import (
	"slices"
	"strings"
)

// Methods is a pattern of methods made ready; nil matches every method.
type Methods []string

// MethodsOf makes a pattern ready: "" matches every method, one that ends in "*" by its beginning, and
// several alternatives are separated by "|".
func MethodsOf(pattern string) Methods {
	if pattern == "" {
		return nil
	}
	return strings.Split(pattern, "|")
}

// Has reports whether a method matches.
func (m Methods) Has(method string) bool {
	return m == nil || slices.ContainsFunc(m, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == method || open && strings.HasPrefix(method, prefix)
	})
}
