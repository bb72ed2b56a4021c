// Package plural puts the words of a sentence into the number that goes with a count.
package plural

import "regexp"

var choice = regexp.MustCompile(`\{([^{}|]*)\|([^{}|]*)\}`)

// Of is a text, or the format of one, in which each {one|many} has become its first part if
// n is 1, and its second one otherwise.
func Of(n int, text string) string {
	if n == 1 {
		return choice.ReplaceAllString(text, "$1")
	}
	return choice.ReplaceAllString(text, "$2")
}
