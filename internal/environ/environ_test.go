package environ

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/telling"
)

// lastOf is what a program sees of "K=V" pairs: of several values the last one, names sorted.
func lastOf(pairs []string) string {
	last := map[string]string{}
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		last[name] = pair
	}
	all := make([]string, 0, len(last))
	for _, pair := range last {
		all = append(all, pair)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestGrant: what a program gets of an environment, and what has precedence.
func TestGrant(t *testing.T) {
	unix := environment{own: strings.Fields(`HOME=/h LOGNAME=l PATH=/p SHELL=/s TERM=xterm USER=u
		PWD=/w LANG=C X=x TOKEN=t path=no HOME2=no CI=true GITHUB_TOKEN=g GITHUB_ENV=f GITHUB_OUTPUT=f
		ACTIONS_RUNTIME_TOKEN=a ACTIONS_ID_TOKEN_REQUEST_URL=a CI_JOB_TOKEN=c CI_REGISTRY_PASSWORD=c
		SYSTEM_ACCESSTOKEN=s RUNNER_TEMP=r BUILDKITE_AGENT_ACCESS_TOKEN=b BASH_ENV=e F=(){:;}
		BASH_FUNC_f%%=()`)}
	windows := environment{windows: true, own: strings.Fields(`=C:=C:\ Path=p SystemRoot=w ComSpec=c 
		PATHEXT=.EXE TEMP=t tmp=t UserProfile=u APPDATA=a ProgramFiles=f Secret=s GitHub_Token=g`)}
	const most = "HOME2=no LANG=C LOGNAME=l PATH=/p PWD=/w SHELL=/s TERM=xterm TOKEN=t USER=u path=no "
	const few = "LOGNAME=l PATH=/p SHELL=/s TERM=xterm USER=u "
	const usualThere = "APPDATA=a ComSpec=c PATHEXT=.EXE Path=p ProgramFiles=f SystemRoot=w TEMP=t tmp=t " +
		"UserProfile=u "
	for name, c := range map[string]struct {
		own   environment
		grant Grant
		want  string
	}{
		"nothing": {environment{}, Grant{}, ""},
		"usual": {unix, Grant{},
			few + "HOME=/h"},
		"named": {unix, Grant{Pass: []string{"X", "GITHUB_TOKEN"}},
			few + "HOME=/h X=x GITHUB_TOKEN=g"},
		"all": {unix, Grant{All: true},
			most + "HOME=/h X=x CI=true"},
		"all and named": {unix, Grant{All: true, Pass: []string{"CI_JOB_TOKEN"}},
			most + "HOME=/h X=x CI=true CI_JOB_TOKEN=c"},
		"a function, by name": {unix, Grant{Pass: []string{"F"}},
			few + "HOME=/h F=(){:;}"},
		"set over all others": {unix, Grant{[]string{"X=1", "HOME=2", "CI=3", "X=4"}, []string{"X"}, true},
			most + "HOME=2 X=4 CI=3"},
		"usual on Windows": {windows, Grant{},
			usualThere},
		"named on Windows": {windows, Grant{Pass: []string{"SECRET"}},
			usualThere + "Secret=s"},
		"all on Windows": {windows, Grant{All: true},
			usualThere + "Secret=s"},
		"a runner's, by name": {windows, Grant{Pass: []string{"GITHUB_TOKEN"}},
			usualThere + "GitHub_Token=g"},
	} {
		vars, err := c.own.vars(&c.grant)
		got := lastOf(append(c.own.usual(), vars...))
		if err != nil || got != lastOf(strings.Fields(c.want)) {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, c.want)
		}
	}
	for want, g := range map[string]Grant{
		"env-pass NONE: the variable is not set": {Pass: []string{"NONE"}},

		"env-pass x: the variable is not set":                                        {Pass: []string{"x"}},
		`env-pass "X": a variable is passed by its name alone, env gives it a value`: {Pass: []string{"X=1"}},
		`env-pass "": a variable is passed by its name alone, env gives it a value`:  {Pass: []string{""}},
		"env number 2 is not of the form K=V": {Set: []string{"A=",
			"=b"}},
	} {
		if _, err := unix.vars(&g); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNothing: without any usual variable a program gets none, and not all of them.
func TestNothing(t *testing.T) {
	for _, pair := range here().usual() {
		name := here().name(pair)
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	if got := Of(nil); got == nil || len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// TestSecrets: which values of an environment are masked.
func TestSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for pair, want := range map[string]string{
		"API_TOKEN=s3cr3t-value":                "s3cr3t-value",
		"AUTH_HEADER_VALUE=Bearer s3cr3t-value": "Bearer s3cr3t-value|s3cr3t-value",

		"BASIC_AUTH=Basic dTpwYXNzd29y": "Basic dTpwYXNzd29y|dTpwYXNzd29y|passwor|u:passwor",

		"DB_PASS= padded-value\n":                              "padded-value",
		"API_TOKENS=t0ken-one, t0ken-two":                      "t0ken-one|t0ken-one, t0ken-two|t0ken-two",
		`GOOGLE_CREDENTIALS={"type":"x","private_key":"k3y"}`:  `k3y|{"type":"x","private_key":"k3y"}`,
		"DATABASE_URL=postgres://app:s3cr3t-value@db/app":      "s3cr3t-value",
		"REPO=ssh://developer@host/x":                          "",
		"PROXY=http://token-as-user@host":                      "token-as-user",
		"HOOK=https://hooks.example/services/T0a1b2c3d4e5f6g7": "T0a1b2c3d4e5f6g7",
		"FEED=https://h/?api_key=s3cr3t-value&page=2":          "s3cr3t-value",
		"TOKENIZERS_PARALLELISM=disabled-value":                "",
		"SSH_AUTH_SOCK=/tmp/agent.sock-of-mine":                "",
		"GIT_AUTHOR_NAME=A. Developer":                         "",
		"GOOGLE_APPLICATION_CREDENTIALS=" + file:               "",
		"POSTGRES_PASSWORD=postgres":                           "",
		"AUTH_BACKEND=Database":                                "",
		"DB_PASSWORD=developer":                                "",
		"AUTH_ISSUER=https://login.example.com/tenant":         "",
		"LANG=something-else":                                  "",
		"NAMED=something-else":                                 "something-else",
	} {
		e := environment{own: []string{"USER=developer", pair}}
		got := e.secrets(func(name string) bool { return telling.Name(name) || name == "NAMED" })
		slices.Sort(got)
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %s", pair, got, want)
		}
	}
}

// TestAdvice: how programs say that a variable is missing, and what is said of it.
func TestAdvice(t *testing.T) {
	e := environment{own: strings.Fields("HOME=/h PERSONAL_TOKEN=g DEBUG=1 DATABASE_URL=d")}
	const pass, set = " passes on what is set here", " sets what is not set here"
	const general = "it got PATH, HOME and few other"
	for said, want := range map[string]string{
		"a log\nPERSONAL_TOKEN environment variable is required\n": "--env-pass PERSONAL_TOKEN" + pass,
		"Error: BRAVE_API_KEY is required":                         "--env BRAVE_API_KEY=VALUE" + set,
		"Please set A_TOKEN and TEAM_ID": "--env A_TOKEN=VALUE --env " +
			"TEAM_ID=VALUE" + set,
		"KeyError: 'MAPS_KEY'": "--env MAPS_KEY=VALUE" + set,
		"DATABASE_URL must be set, REDIS_URL is missing": "--env-pass DATABASE_URL" + pass +
			", --env REDIS_URL=VALUE" + set,
		"TOKEN is not set": "--env TOKEN=VALUE" + set,
		"Error [ERR_MODULE_NOT_FOUND]: must be set up\ncode: 'MODULE_NOT_FOUND', required": general,
		"[DEBUG] starting\nERROR: HTTP must be JSON, and GIVEN_URL set":                    general,
		"loaded SOME_THING": general,
		"":                  general,
	} {
		got := e.advice(said, []string{"GIVEN_URL=1"}, true)
		if !strings.Contains(got, want) || strings.Contains(got, general) != (want == general) {
			t.Errorf("%q: got %q, want %s", said, got, want)
		}
		if got := e.advice(said, []string{"GIVEN_URL=1"}, false); (got == "") != (want == general) {
			t.Errorf("%q, not ended: got %q", said, got)
		}
	}
	if got := (environment{[]string{"HOME=/h"}, false}).advice("it broke", nil, true); got != "" {
		t.Errorf("nothing was withheld, and yet: %q", got)
	}
}
