package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// actionFile is what is read of the action for GitHub.
type actionFile struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			ID, Run string
			Env     map[string]string
		}
	}
}

var actionInput = regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)

// action N [INPUT=VALUE...]: the step of action.yml that judges is run as GitHub runs it,
// and ends with exit status N. In a value | stands for the end of a line. What the step
// gives to the job stands in the files outputs and summary.
func action(ts *testscript.TestScript, _ bool, args []string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		ts.Fatalf("the action needs bash")
	}
	data, err := os.ReadFile(filepath.Join(repository, "action.yml"))
	ts.Check(err)
	var file actionFile
	ts.Check(yaml.Unmarshal(data, &file))
	given := map[string]string{}
	for name, input := range file.Inputs {
		given[name] = input.Default
	}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if _, known := file.Inputs[name]; !known {
			ts.Fatalf("the action has no input %q", name)
		}
		given[name] = strings.ReplaceAll(value, "|", "\n")
	}
	for _, step := range file.Runs.Steps {
		if step.ID != "judge" {
			continue
		}
		for variable, from := range step.Env {
			m := actionInput.FindStringSubmatch(from)
			if m == nil {
				ts.Fatalf("%s comes from %q, which is no input", variable, from)
			}
			ts.Setenv(variable, given[m[1]])
		}
		// The program lies where the step before it would have put it.
		temp := ts.MkAbs("runner")
		ts.Setenv("RUNNER_TEMP", temp)
		ts.Check(os.MkdirAll(temp, 0o700))
		if err := os.Symlink(filepath.SplitList(ts.Getenv("PATH"))[0],
			filepath.Join(temp, "mcpcheck-bin")); !errors.Is(err, fs.ErrExist) {
			ts.Check(err)
		}
		for variable, name := range map[string]string{"GITHUB_OUTPUT": "outputs",
			"GITHUB_STEP_SUMMARY": "summary"} {
			ts.Setenv(variable, ts.MkAbs(name))
			ts.Check(os.WriteFile(ts.MkAbs(name), nil, 0o600))
		}
		ts.Check(os.WriteFile(ts.MkAbs("step.sh"), []byte(step.Run), 0o600))
		status(ts, false, []string{args[0], bash, "--noprofile", "--norc", "-eo", "pipefail", "step.sh"})
		return
	}
	ts.Fatalf("the action has no step that judges")
}
