package judge_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/judge"
)

func TestRisky(t *testing.T) {
	for _, x := range []struct{ uri, name, want string }{
		{"delete://users/{id}", "", "delete"},
		{"DELETE://users/1", "", "delete"},
		{"db://tables/drop/{table}", "", "drop"},
		{"job://shutdown.example/now", "", "shutdown"},
		{"job://{name}", "runTests", "run"},
		{"job://1", "Delete all notes", "delete"},
		{"job://user_removal", "", "removal"},
		{"job://d%65lete/1", "", "delete"},
		{"job://1?action=kill", "", "kill"},
		{"file:///runbook/dropdown.md", "Undeleted, and executives", ""},
		{"note:shopping", "", ""},
		{"", "", ""},
		{"%zz", "", ""},
	} {
		if got := judge.Risky(x.uri, x.name); got != x.want {
			t.Errorf("%s %q: %q instead of %q", x.uri, x.name, got, x.want)
		}
	}
}
