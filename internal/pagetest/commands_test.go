package pagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// bound is how long the commands of a page may take.
const bound = 3 * time.Minute

// A command is one of a page, with the output that the page shows.
type command struct {
	text   string
	output []string
	at     int
}

// commands returns the commands of a console block.
func (b block) commands() (all []command) {
	for i, line := range b.lines {
		last := len(all) - 1
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, command{text: text, at: b.at + i})
		} else if last >= 0 && len(all[last].output) == 0 && strings.HasSuffix(all[last].text, `\`) {
			all[last].text += "\n" + line
		} else if last >= 0 {
			all[last].output = append(all[last].output, line)
		}
	}
	return all
}

// built is the directory of the programs, once there is one.
var built string

// programs builds the programs of the module, once, and returns their directory.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pagetest")
	if err != nil {
		return "", err
	}
	built = dir
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// build returns the directory of the programs.
func build(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built) // it may be gone
	}
	os.Exit(code)
}

// TestCommands: the commands of the pages do and print what the pages say.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the programs for half a minute")
	}
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the pages are written for bash")
	}
	bin := build(t)
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.run(t, bin)
		})
	}
}

// run plays the commands of a page in one shell.
func (p page) run(t *testing.T, bin string) {
	dir := filepath.Join(t.TempDir(), "page")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	port := freePorts(t, p)
	script, all := p.script(t, bin, port)
	if len(all) == 0 {
		t.Skip("no command is run")
	}
	if _, err := exec.LookPath("curl"); err != nil && strings.Contains(script, "curl ") {
		t.Skip("there is no curl")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "HOME="+filepath.Dir(dir), "GITHUB_ACTIONS=", "NO_COLOR=1",
		"GOPATH="+goEnv(t, "GOPATH"), "GOCACHE="+goEnv(t, "GOCACHE"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, c := range all {
		asked := i+1 < len(all) && strings.HasPrefix(all[i+1].text, "echo $?")
		c.compare(t, p.name, filepath.Dir(dir), i, asked, port)
	}
}

// begin stops the server that runs beside, once the shell ends or another one starts.
const begin = `stop() { [ -z "$server" ] || { kill $server; wait $server; server=; } 2>/dev/null; }
trap stop EXIT
rc=0
`

// script returns what the shell does for a page, and the commands that it plays.
func (p page) script(t *testing.T, bin string, port *strings.Replacer) (script string, all []command) {
	script = begin
	for _, b := range p.blocks {
		switch {
		case b.file != "":
			text := port.Replace(strings.Join(b.lines, "\n"))
			script += fmt.Sprintf("cat > %s <<'END OF FILE'\n%s\nEND OF FILE\n", b.file, text)
		case b.lang != "console":
		case b.mark != "":
			for _, c := range b.commands() {
				knownFlags(t, p, bin, c)
			}
		default:
			for _, c := range b.commands() {
				script += c.script(len(all), port)
				all = append(all, c)
			}
		}
	}
	return script, all
}

// compare looks at what the i-th command printed and how it ended, unless the page asks for that.
func (c command) compare(t *testing.T, page, dir string, i int, asked bool, port *strings.Replacer) {
	t.Helper()
	out, err := os.ReadFile(filepath.Join(dir, "out."+strconv.Itoa(i)))
	if err != nil {
		t.Fatal(err)
	}
	rc, err := os.ReadFile(filepath.Join(dir, "rc."+strconv.Itoa(i)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(rc)); got != c.status() && !asked {
		t.Errorf("%s:%d: %s ends with status %s:\n%s", page, c.at, c.text, got, end(out))
	}
	var want []string
	for _, line := range c.output {
		want = append(want, port.Replace(line))
	}
	if len(want) > 0 && !shown(want).Match(out) {
		t.Errorf("%s:%d: %s prints\n%s\nand not\n%s", page, c.at, c.text, end(out), strings.Join(want, "\n"))
	}
}

// end is the end of an output, where a page shows most.
func end(out []byte) []byte { return out[max(0, len(out)-4000):] }

// listens matches commands of servers, which run beside those that follow.
var listens = regexp.MustCompile(`^mockserver (?:replay |record )?.*--http ([0-9.]+):(\d+)`)

// script returns what the shell does for a command: its output and status go to files beside the
// directory.
func (c command) script(i int, port *strings.Replacer) string {
	text := port.Replace(c.text)
	m := listens.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(text, "mockserver verify") {
		run := fmt.Sprintf("{ (exit $rc); %s\n} >../out.%d 2>&1 </dev/null; ", text, i)
		return run + fmt.Sprintf("rc=$?; echo $rc >../rc.%d\n", i)
	}
	return fmt.Sprintf("stop\n{ %s\n} >../out.%d 2>&1 </dev/null & server=$!\n"+
		"for _ in {1..200}; do (exec 3<>/dev/tcp/%s/%s) 2>/dev/null && break; sleep 0.05; done\n"+
		"sleep 0.1; rc=0; echo $rc >../rc.%[2]d\n", "exec "+text, i, m[1], m[2])
}

// status returns the exit status that the page gives a command.
func (c command) status() string {
	if m := regexp.MustCompile(`#.*\bstatus (\d+)`).FindStringSubmatch(c.text); m != nil {
		return m[1]
	}
	return "0"
}

// shown returns a pattern for an output as a page shows it. A number stands for any, unless it is
// alone on its line.
func shown(lines []string) *regexp.Regexp {
	alone := regexp.MustCompile(`^[0-9]+$`)
	number := regexp.MustCompile(`(^|[ (:#"≈])[0-9][0-9,.]*([ ):,;"/]|$)`)
	var p strings.Builder
	p.WriteString(`(?s)\A`)
	for _, line := range lines {
		line = strings.TrimRight(line, " ")
		if line == "…" {
			p.WriteString(`.*?`)
			continue
		}
		var parts []string
		for _, part := range strings.Split(line, "…") {
			if alone.MatchString(line) {
				parts = append(parts, regexp.QuoteMeta(part))
				continue
			}
			var q strings.Builder
			for rest := part; rest != ""; {
				at := number.FindStringSubmatchIndex(rest)
				if at == nil {
					q.WriteString(regexp.QuoteMeta(rest))
					break
				}
				q.WriteString(regexp.QuoteMeta(rest[:at[3]]) + `[0-9][0-9,.]*`)
				rest = rest[at[4]:]
			}
			parts = append(parts, q.String())
		}
		p.WriteString(`(?:` + strings.Join(parts, `[^\n]*?`) + `)[ ]*\n`)
	}
	p.WriteString(`\z`)
	return regexp.MustCompile(p.String())
}

// freePorts replaces the ports of the mock on a page by free ones.
func freePorts(t *testing.T, p page) *strings.Replacer {
	t.Helper()
	var pairs []string
	for _, port := range []string{"8931", "8932", "8933"} {
		if !strings.Contains(p.text, port) {
			continue
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, free, _ := net.SplitHostPort(l.Addr().String())
		pairs = append(pairs, port, free)
	}
	return strings.NewReplacer(pairs...)
}

// knownFlags: a command that is not run has only flags that the program knows.
func knownFlags(t *testing.T, p page, bin string, c command) {
	t.Helper()
	own, _, _ := strings.Cut(c.text, "#")
	own, _, _ = strings.Cut(own, " -- ")
	for part := range strings.SplitSeq(own, "&&") {
		words := strings.Fields(part)
		program := func(i int) bool {
			return i < len(words) && (words[i] == "mcpcheck" || words[i] == "mockserver")
		}
		for len(words) > 0 && (!program(0) || program(1)) { // npx -p mcpcheck mockserver
			words = words[1:]
		}
		if len(words) < 2 {
			continue
		}
		args := []string{"--help"}
		for i, w := range words[1:] {
			if strings.HasPrefix(w, "-") || i > 1 {
				break
			}
			args = append(args[:i], w, "--help")
		}
		help, err := exec.Command(filepath.Join(bin, words[0]), args...).CombinedOutput()
		if err != nil {
			t.Errorf("%s:%d: %v: %s", p.name, c.at, err, help)
		}
		for _, w := range words[1:] {
			flag, _, _ := strings.Cut(w, "=")
			if strings.HasPrefix(flag, "--") && !strings.Contains(string(help), flag) {
				t.Errorf("%s:%d: %s has no %s", p.name, c.at, words[0], flag)
			}
		}
	}
}

// TestGoFiles: the Go files to copy that use packages of the module fit these.
func TestGoFiles(t *testing.T) {
	dir, overlay := t.TempDir(), map[string]string{}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			text := strings.Join(b.lines, "\n") + "\n"
			if b.lang != "go" || b.file == "" || !strings.Contains(text, "github.com/mcpcheck/mcpcheck/") {
				continue
			}
			file := filepath.Join(dir, b.file)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Abs(filepath.Join(root, "docs", b.file)) // where only the Go tool sees it
			if err != nil {
				t.Fatal(err)
			}
			overlay[name] = file
		}
	}
	if len(overlay) == 0 {
		t.Fatal("there are none")
	}
	raw, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "-overlay", list, "./docs")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// goEnv is a variable of the Go tool, which would depend on HOME.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
