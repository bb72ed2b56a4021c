package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	module = "github.com/mcpcheck/mcpcheck"
	root   = "../.."
	// maxTokens is how much a file of Go may hold that is no test, maxColumns how wide its lines may be; tabs
	// count four.
	maxTokens, maxColumns = 4500, 110
)

// pkg is what "go list -deps -json" says of a package.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// list lists the packages of the module, by path without the module's.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]pkg{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, module+"/"); ok {
			all[name] = p
		}
	}
}

// under reports whether a package of the module is one of the given or below it.
func under(name string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool {
		return name == r || strings.HasPrefix(name, r+"/")
	})
}

// TestImports: judge and accused share no code, the judges cannot reach the target,
// reports stand alone, and Ginkgo is shown in one place only.
func TestImports(t *testing.T) {
	all := list(t)
	if len(all) < 10 {
		t.Fatalf("only %d packages were found", len(all))
	}
	rules := []struct {
		who, not, except []string
	}{
		{who: []string{"suite"}, not: []string{"reference"}},
		{who: []string{"reference"}, not: []string{"suite"}},
		{who: []string{"reports"}, not: []string{"suite", "reference"}},
		{
			who: []string{"suite/verdict", "suite/recording", "suite/judge", "suite/requirement",
				"suite/clientcheck"},
			not: []string{"suite/transport", "suite/session", "suite/scenario", "suite/engine", "suite/area"},
		},
		{who: []string{"suite", "reference", "reports", "internal", "fixtures"}, not: []string{"cmd"}},
		// What both sides use holds constants, reads files, masks or quotes text, writes
		// reports or handles processes, and judges nothing; only the embedded
		// reference knows both.
		{who: []string{"internal"}, not: []string{"suite", "reference"},
			except: []string{"internal/embedded"}},
	}
	for name, p := range all {
		for _, r := range rules {
			if !under(name, r.who...) || under(name, r.except...) {
				continue
			}
			for _, d := range p.Deps {
				if dep, ok := strings.CutPrefix(d, module+"/"); ok && under(dep, r.not...) {
					t.Errorf("%s depends on %s", name, dep)
				}
			}
		}
		for _, d := range p.Deps {
			if strings.HasPrefix(d, "github.com/onsi/ginkgo/") && under(name, "suite") &&
				!under(name, "suite/conformance") {
				t.Errorf("%s depends on %s: a run goes without Ginkgo", name, d)
			}
		}
		for _, i := range p.Imports {
			// An area knows of no other one, and reaches the target through scenarios only.
			if dep, ok := strings.CutPrefix(i, module+"/"); ok && under(name, "suite/area") &&
				name != "suite/area" && name != "suite/area/areatest" &&
				under(dep, "suite/area", "suite/engine", "suite/transport") {
				t.Errorf("the area %s imports %s", name, i)
			}
			if strings.HasPrefix(i, "github.com/onsi/ginkgo/") && !under(name, "suite/conformance") ||
				strings.HasPrefix(i, "github.com/onsi/gomega") && !under(name, "suite/conformance",
					"suite/matcher", "suite/verdict", "suite/area") {
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
}

// unfinished are words that have no place in what is finished, and paths that mean
// something on one machine only.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b|/wo` + `rk/|\.\./sha` +
	`red|NOT` + `ES\.md`)

// measure counts the tokens of a file that are no comments, and lists the lines that are too wide. Those
// inside a raw string of several lines may be, and those of a comment that are indented.
func measure(src []byte) (tokens int, wide []int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, 0)
	raw := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.SEMICOLON || text != "\n" {
			tokens++
		}
		if lines := strings.Count(text, "\n"); tok == token.STRING && lines > 0 {
			for i := range lines + 1 {
				raw[file.Line(pos)+i] = true
			}
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if columns > maxColumns && !raw[i+1] && !strings.HasPrefix(strings.TrimSpace(line), "//\t") {
			wide = append(wide, i+1)
		}
	}
	return tokens, wide
}

// TestFiles: no file is too long or too wide, and none has a forbidden word in it.
func TestFiles(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".yaml", ".yml", ".txt", ".txtar":
		default:
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" && !bytes.Contains(data, []byte("DO NOT EDIT")) {
			tokens, wide := measure(data)
			if tokens > maxTokens && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s has %d tokens, more than %d", path, tokens, maxTokens)
			}
			for _, line := range wide {
				t.Errorf("%s:%d is wider than %d columns", path, line, maxColumns)
			}
		}
		for i, line := range strings.Split(string(data), "\n") {
			if word := unfinished.FindString(line); word != "" {
				t.Errorf("%s:%d: %q", path, i+1, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
