package environ

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/telling"
	"github.com/tidwall/gjson"
)

// plain fits values of variables with telling names that are no secrets, but words of which reports consist.
var plain = regexp.MustCompile(`^(?i:anonymous|changeme|database|disabled|filesystem|identity|keychain|` +
	`localhost|metadata|optional|osxkeychain|password|postgres|production|` +
	`development|protocol|required|resources?|` +
	`standard|undefined|wincred)$`)

// Secrets lists what reports must not show of our environment, whether or not a program gets it: the
// values of variables with telling names, and credentials in URLs. Files that are there, ordinary words,
// and the values of usual variables are none.
func Secrets() []string { return here().secrets(telling.Name) }

// Secrets lists the values that the grant gives by names, but for such as those.
func (g *Grant) Secrets() []string {
	e := here()
	given := e.secrets(func(name string) bool { return e.find(g.Pass, name) >= 0 })
	return append(given, environment{own: g.Set}.secrets(func(string) bool { return true })...)
}

func (e environment) secrets(named func(name string) bool) (found []string) {
	common := e.usual()
	for _, pair := range e.own {
		name, value, _ := strings.Cut(pair, "=")
		value = strings.TrimSpace(value)
		_, missing := os.Stat(value)
		switch u, err := url.Parse(value); {
		case filepath.IsAbs(value) && missing == nil, plain.MatchString(value),
			slices.ContainsFunc(common, func(c string) bool { return strings.HasSuffix(c, "="+value) }):
		case err == nil && u.Host != "":
			found = append(found, telling.URL(u)...)
		case named(name):
			found = append(found, parts(value)...)
		}
	}
	return found
}

// parts lists the secrets of a value: itself, the entries of a list, and what JSON has under telling names.
func parts(value string) []string {
	found := telling.Credentials(value)
	if members := gjson.Parse(value); members.IsObject() {
		members.ForEach(func(name, member gjson.Result) bool {
			if member.Type == gjson.String && telling.Name(name.Str) {
				found = append(found, member.Str)
			}
			return true
		})
	} else if list := strings.Split(value, ","); len(list) > 1 {
		for _, entry := range list {
			found = append(found, strings.TrimSpace(entry))
		}
	}
	return found
}
