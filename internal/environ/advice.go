package environ

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// lacks is a line that says that something is not there. variable is the name of what may be one, code
	// an error code that looks like that.
	lacks = regexp.MustCompile(`(?im)^.*\b(?:env|environ|environment|variables?|set|unset|missing|must|` +
		`needs?|needed|requires?|required|provided?|specify|` +
		`specified|configured?|undefined|empty|found|keyerror)\b.*$`)
	variable = regexp.MustCompile(`\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|TOKEN|SECRET|PASSWORD|APIKEY)\b`)
	code     = regexp.MustCompile(`^(?:ERR|E|INVALID|UNSUPPORTED)_|_(?:ERROR|FOUND|EXCEPTION|FAILED)$`)
)

// Misses stands in an advice if the program seems to miss a variable.
const Misses = "it seems to miss a variable"

// Advice says, to go on a sentence with, how a program gets the variables that it seems to miss: by what it
// has said, and what it was given beside the usual variables. Of one that has ended, and named none, it says
// what programs get; it is empty if nothing was withheld.
func Advice(said string, set []string, ended bool) string { return here().advice(said, set, ended) }

func (e environment) advice(said string, set []string, ended bool) string {
	given := append(e.usual(), set...)
	withheld := slices.ContainsFunc(e.own, func(pair string) bool {
		return e.name(pair) != "" && e.find(given, pair) < 0
	})
	var pass, unset []string
	for _, name := range variable.FindAllString(strings.Join(lacks.FindAllString(said, -1), "\n"), -1) {
		switch {
		case e.find(given, name) >= 0 || code.MatchString(name):
		case e.find(e.own, name) >= 0:
			pass = append(pass, name)
		default:
			unset = append(unset, "--env "+name+"=VALUE")
		}
		given = append(given, name) // named once
	}
	var ways []string
	if len(pass) > 0 {
		ways = append(ways, "--env-pass "+strings.Join(pass, ",")+" passes on what is set here")
	}
	if len(unset) > 0 {
		ways = append(ways, strings.Join(unset, " ")+" sets what is not set here")
	}
	switch {
	case len(ways) > 0:
		return "; " + Misses + ": " + strings.Join(ways, ", ")
	case ended && withheld:
		return "; it got PATH, HOME and few other variables of this environment: if it needs more, " +
			"--env-pass NAME passes one on, and --env-all nearly all"
	}
	return ""
}
