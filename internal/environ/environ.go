// Package environ makes the environment of programs that are started, which are strangers: they get
// the usual variables of our own one, what is named, and nothing else.
package environ

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

var (
	// usual fits what the official SDKs' clients give to servers on stdio. usualWindows fits what they give
	// on Windows, and what interpreters need there to find programs.
	usual        = regexp.MustCompile(`^(HOME|LOGNAME|PATH|SHELL|TERM|USER)$`)
	usualWindows = regexp.MustCompile(`^(APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATH|PATHEXT|` +
		`PROCESSOR_ARCHITECTURE|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERNAME|USERPROFILE)$`)
	// runners fits variables that CI systems set for their own steps. Among them are credentials, and files
	// by which a step gives commands.
	runners = regexp.MustCompile(`^(GITHUB|ACTIONS|RUNNER|CI|GITLAB|SYSTEM|ENDPOINT_AUTH|SECUREFILE|` +
		`BITBUCKET|BUILDKITE|CIRCLE|CIRRUS|TRAVIS|APPVEYOR|TEAMCITY|JENKINS|HUDSON|DRONE|WOODPECKER|` +
		`SEMAPHORE|CODEBUILD|GITEA|FORGEJO)_|^BASH_ENV$`)
)

// Grant says which variables a program gets beside the usual ones of our environment. Of one variable All
// gives way to Pass, and Pass to Set.
type Grant struct {
	// Set lists variables, "K=V".
	Set []string
	// Pass names variables of our environment, which have to be set.
	Pass []string
	// All gives all of them but those of a CI system, which have to be named.
	All bool
}

// Register adds the flags --env, --env-pass and --env-all; program says who is started.
func (g *Grant) Register(f *pflag.FlagSet, program string) {
	f.StringArrayVar(&g.Set, "env", nil, "set a variable for "+program+", `K=V`; may be repeated")
	f.StringSliceVar(&g.Pass, "env-pass", nil,
		"pass variables of the environment to "+program+", `NAME,...`; without this few are passed")
	f.BoolVar(&g.All, "env-all", false,
		"pass the environment to "+program+", but for what a CI system sets for itself, such as GITHUB_TOKEN")
}

// Given reports whether it has anything.
func (g *Grant) Given() bool { return len(g.Set)+len(g.Pass) > 0 || g.All }

// Vars lists the variables, "K=V". The error names one that cannot be passed, or is not
// set; it begins with env or env-pass.
func (g *Grant) Vars() ([]string, error) { return here().vars(g) }

// Of lists all variables of a program that is started: the usual ones, and those that are set, "K=V". It is
// never nil, for which [os/exec] would pass all of ours.
func Of(set []string) []string { return append(here().usual(), set...) }

// environment is one of a system, as [os.Environ] lists it.
type environment struct {
	own     []string
	windows bool // names are the same in upper and lower case
}

func here() environment { return environment{os.Environ(), runtime.GOOS == "windows"} }

// name is that of a variable, as it is compared.
func (e environment) name(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	if e.windows {
		return strings.ToUpper(name)
	}
	return name
}

// find is the index of a variable in a list, or -1.
func (e environment) find(pairs []string, name string) int {
	return slices.IndexFunc(pairs, func(pair string) bool { return e.name(pair) == e.name(name) })
}

// those lists the variables whose names fit a pattern, or do not. Values that begin like a function are left
// out, since shells would run them. It is never nil.
func (e environment) those(pattern *regexp.Regexp, fit bool) []string {
	return slices.DeleteFunc(append([]string{}, e.own...), func(pair string) bool {
		name := e.name(pair)
		return name == "" || pattern.MatchString(name) != fit || strings.HasPrefix(pair[len(name):], "=()")
	})
}

func (e environment) usual() []string {
	if e.windows {
		return e.those(usualWindows, true)
	}
	return e.those(usual, true)
}

func (e environment) vars(g *Grant) (vars []string, err error) {
	if g.All {
		vars = e.those(runners, false)
	}
	for _, name := range g.Pass {
		name = strings.TrimSpace(name)
		switch i := e.find(e.own, name); {
		case e.name(name) == "" || strings.Contains(name, "="):
			const mistaken = "env-pass %q: a variable is passed by its name alone, env gives it a value"
			return nil, fmt.Errorf(mistaken, e.name(name))
		case i < 0:
			return nil, fmt.Errorf("env-pass %s: the variable is not set", name)
		default:
			vars = append(vars, e.own[i])
		}
	}
	for i, pair := range g.Set {
		if strings.Index(pair, "=") < 1 {
			return nil, fmt.Errorf("env number %d is not of the form K=V", i+1)
		}
	}
	return append(vars, g.Set...), nil
}
