package pagetest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "write the generated parts of the pages anew")

// TestGenerated: what the programs, the sources and the descriptions know stands in the pages as
// they say it. With -update it is written anew.
func TestGenerated(t *testing.T) {
	part := regexp.MustCompile(`(?s)(<!-- generated: ([^\n]*) -->\n).*?(<!-- end -->)`)
	bin := build(t)
	for _, p := range pages(t) {
		text := part.ReplaceAllStringFunc(p.text, func(was string) string {
			m := part.FindStringSubmatch(was)
			return m[1] + generate(t, bin, strings.Fields(m[2])) + m[3]
		})
		switch {
		case text == p.text:
		case !*update:
			t.Errorf("%s is out of date: call make docs", p.name)
		default:
			if err := os.WriteFile(filepath.Join(root, p.name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// generate writes one part of a page.
func generate(t *testing.T, bin string, words []string) string {
	t.Helper()
	switch words[0] {
	case "commands":
		return commandTable(say(t, bin, append(words[1:], "--help")...))
	case "flags":
		return flagTable(say(t, bin, append(words[1:], "--help")...))
	case "deviations":
		return deviations(t, say(t, bin, append([]string{"mockserver"}, append(words[1:], "--json")...)...))
	case "faults":
		return faultsByArea(t, say(t, bin, "mockserver", "faults", "--json"))
	case "clients":
		return clients(t, say(t, bin, "mockserver", "verify", "--list", "--json", "-"))
	case "worlds":
		return worlds(say(t, bin, "mockserver", "worlds"))
	case "routes":
		return routes(t)
	case "fields":
		return fields(t)
	case "inputs":
		return inputs(t)
	case "source":
		return source(t, words[1], strings.Join(words[2:], " "))
	}
	t.Fatalf("nothing is known of %q", words)
	return ""
}

// say returns what a program prints.
func say(t *testing.T, bin string, words ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, words[0]), words[1:]...).Output()
	if err != nil {
		t.Fatal(words, err)
	}
	return string(out)
}

// read reads a file of the module.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// cell is a text in a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// entries returns the terms of a list in a help text, each with what is said of it.
func entries(help, title string, term *regexp.Regexp) (all [][2]string) {
	_, list, _ := strings.Cut(help, "\n"+title+":\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		if m := term.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			all = append(all, [2]string{strings.TrimSpace(m[1]), m[2]})
		} else if len(all) > 0 {
			all[len(all)-1][1] += " " + line
		}
	}
	return all
}

// flagTable makes a table of the flags in a help text, those of the program itself left out.
func flagTable(help string) string {
	var b strings.Builder
	b.WriteString("| flag | meaning |\n|---|---|\n")
	flag := regexp.MustCompile(`^ {2,6}((?:-\w, )?--\S+(?: '[^']+'| \S+)?)  +(\S.*)$`)
	for _, e := range entries(help, "Flags", flag) {
		if !strings.Contains(e[0], "--help") && !strings.Contains(e[0], "--version") {
			fmt.Fprintf(&b, "| `%s` | %s |\n", cell(e[0]), cell(e[1]))
		}
	}
	return b.String()
}

// commandTable makes a table of the commands in a help text.
func commandTable(help string) string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, e := range entries(help, "Available Commands", regexp.MustCompile(`^  (\S+)  +(\S.*)$`)) {
		if e[0] != "completion" && e[0] != "help" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", e[0], cell(e[1]))
		}
	}
	return b.String()
}

// A deviation is a fault or a quirk as mockserver tells of it.
type deviation struct {
	Name, Area, Summary string
	Permits, Needs      []string
}

// decode reads JSON.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// deviations makes a table of quirks or faults.
func deviations(t *testing.T, text string) string {
	var all []deviation
	decode(t, []byte(text), &all)
	var b strings.Builder
	b.WriteString("| name | what happens | it needs |\n|---|---|---|\n")
	for _, d := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Name, cell(d.Summary), cell(strings.Join(d.Needs, "; ")))
	}
	return b.String()
}

// faultsByArea makes a table of the areas of faults, with the first of each.
func faultsByArea(t *testing.T, text string) string {
	var all []deviation
	decode(t, []byte(text), &all)
	first := map[string]string{}
	for _, d := range all {
		if first[d.Area] == "" {
			first[d.Area] = d.Name
		}
	}
	var b strings.Builder
	b.WriteString("| area | such as |\n|---|---|\n")
	for _, a := range slices.Sorted(maps.Keys(first)) {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", a, first[a])
	}
	return b.String()
}

// clients makes a table of the requirements on clients.
func clients(t *testing.T, text string) string {
	var all []struct{ ID, Title, Level, Grade string }
	decode(t, []byte(text), &all)
	var b strings.Builder
	b.WriteString("| id | level | a violation | requirement |\n|---|---|---|---|\n")
	for _, r := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Level, r.Grade, cell(r.Title))
	}
	return b.String()
}

// worlds makes a table of the ready worlds.
func worlds(text string) string {
	var b strings.Builder
	b.WriteString("| world | size | what it is for |\n|---|---|---|\n")
	for _, m := range regexp.MustCompile(`(?m)^(\S+)  +(\S.*?)  +(\S.*)$`).FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m[1], m[2], cell(m[3]))
	}
	return b.String()
}

// routes makes a table of the routes of the admin interface.
func routes(t *testing.T) string {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	decode(t, read(t, "reference/admin/openapi.json"), &doc)
	var b strings.Builder
	b.WriteString("| request | what it does |\n|---|---|\n")
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			var route struct{ Summary string }
			if raw := doc.Paths[path][method]; raw != nil {
				decode(t, raw, &route)
				fmt.Fprintf(&b, "| `%s %s` | %s |\n", strings.ToUpper(method), path, cell(route.Summary))
			}
		}
	}
	return b.String()
}

// fields makes a table of the members of a target file.
func fields(t *testing.T) string {
	var doc struct {
		Fields map[string]struct{ Text string }
	}
	if err := yaml.Unmarshal(read(t, "suite/target/annotations.yaml"), &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| member | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Fields)) {
		if text := doc.Fields[name].Text; text != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(text))
		}
	}
	return b.String()
}

// inputs makes a table of the inputs and outputs of the action.
func inputs(t *testing.T) string {
	var doc struct {
		Inputs, Outputs yaml.MapSlice
	}
	if err := yaml.Unmarshal(read(t, "action.yml"), &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| | name | meaning |\n|---|---|---|\n")
	for _, kind := range []struct {
		name string
		all  yaml.MapSlice
	}{{"input", doc.Inputs}, {"output", doc.Outputs}} {
		for _, x := range kind.all {
			text := x.Value.(map[string]any)["description"]
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", kind.name, x.Key, cell(fmt.Sprint(text)))
		}
	}
	return b.String()
}

// source copies a declaration, which begins with a line and ends with the next one that is not
// indented.
func source(t *testing.T, name, begins string) string {
	t.Helper()
	_, rest, ok := strings.Cut("\n"+string(read(t, name)), "\n"+begins)
	if !ok {
		t.Fatalf("%s has no %q", name, begins)
	}
	end := regexp.MustCompile(`(?m)^[})]+$\n`).FindStringIndex(rest)
	if end == nil {
		t.Fatalf("%s: %q does not end", name, begins)
	}
	return "```go\n" + begins + rest[:end[1]] + "```\n"
}

// TestReasonCodes: the page of verdicts has every reason code.
func TestReasonCodes(t *testing.T) {
	sources := string(read(t, "suite/recording/names.go")) + string(read(t, "reports/report.go"))
	code := regexp.MustCompile(`(?m)^(?:const |\t)Code\w+\s+(?:Code\s+)?= "([^"]+)"`)
	codes := code.FindAllStringSubmatch(sources, -1)
	text := string(read(t, "docs/verdicts.md"))
	if len(codes) < 20 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, c := range codes {
		if !strings.Contains(text, "`"+c[1]+"`") {
			t.Errorf("docs/verdicts.md does not explain %s", c[1])
		}
	}
}

// TestTheFindingOfTheREADME: what the first page shows is what the tutorial makes.
func TestTheFindingOfTheREADME(t *testing.T) {
	finding := regexp.MustCompile(`(?s)\n✗ .*?\n  repeat [^\n]*\n`)
	shown := finding.FindString(string(read(t, "README.md")))
	if shown == "" || !strings.Contains(string(read(t, "docs/tutorial.md")), shown) {
		t.Errorf("docs/tutorial.md does not have the finding of README.md:\n%s", shown)
	}
}
