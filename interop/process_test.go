package interop

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/interop/clients/outcome"
)

// keptOutput is how much of the output of a server a failure shows, in bytes.
const keptOutput = 8 << 10

// TestMain is one of the clients in Go where it is started as one:
//
//	NAME REVISION (http|sse) URL
//	NAME REVISION stdio COMMAND [ARG...]
//	NAME REVISION walk URL...
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains(goClients, os.Args[1]) {
		os.Args = os.Args[1:]
		talk, walk := gosdkTalk, gosdkWalk
		if os.Args[0] == "mcpgo" {
			talk, walk = mcpgoTalk, mcpgoWalk
		}
		outcome.Main(os.Args[0], talk, walk)
		return
	}
	os.Exit(m.Run())
}

// goClients are made with the official Go SDK and with mark3labs/mcp-go.
var goClients = []string{"gosdk", "mcpgo"}

// build makes the program of a package of go.mod.
func build(t *testing.T, pkg string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server.exe") // the ending is for Windows; others do not mind
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return program
}

// version is the release of the module that go.mod requires for a package.
func version(t *testing.T, pkg string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Module.Version}}", pkg)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", pkg, err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// present skips the test if what a command names is not installed, and fails it
// if what is installed is another release than the rulings are about.
func present(t *testing.T, s *Server, command []string, targets string) {
	t.Helper()
	for _, arg := range command {
		// Java's class paths end so
		path, ok := strings.CutPrefix(strings.TrimSuffix(arg, "/*"), "{targets}/")
		if !ok {
			continue
		}
		path = filepath.Join(targets, filepath.FromSlash(path))
		if _, err := os.Stat(path); err != nil {
			t.Skipf("not installed: %v", err)
		}
		if v, ok := release(t, s, path); ok && v != s.Version {
			t.Fatalf("%s of %s is installed, the rulings are about %s", v, s.Name, s.Version)
		}
	}
}

// release is the version of a server that is installed at a path; ok is false
// if something else is.
func release(t *testing.T, s *Server, path string) (v string, ok bool) {
	t.Helper()
	module := filepath.FromSlash("/node_modules/" + s.Npm + "/")
	if i := strings.LastIndex(path, module); s.Npm != "" && i >= 0 {
		data, err := os.ReadFile(filepath.Join(path[:i+len(module)], "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		return gjson.GetBytes(data, "version").String(), true
	}
	info, err := buildinfo.ReadFile(path)
	if s.Installed == "" || err != nil {
		return "", false
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == s.Installed && info.Main.Path != "" {
			return m.Version, true
		}
	}
	return "", false
}

// freePort is a port of the loopback interface on which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// listen starts a server and returns when it listens. The server is ended with
// the test.
func listen(t *testing.T, command []string, env map[string]string, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := net.DialTimeout("tcp", u.Host, time.Second); err == nil {
		conn.Close()
		t.Skipf("another program listens on %s", u.Host)
	}
	if conn, err := net.DialTimeout("tcp", u.Host, time.Second); err == nil {
		conn.Close()
		t.Skipf("another program listens at %s, where the server cannot help listening", u.Host)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = os.Environ()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Dir = t.TempDir()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // that it was killed is no news
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("%s cannot be ended: %v", command[0], err)
		}
		<-ended
		if t.Failed() {
			t.Logf("the server said:\n%s", tail(t, output.Name()))
		}
	})
	for deadline := time.Now().Add(start); ; {
		conn, err := net.DialTimeout("tcp", u.Host, time.Second)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("the server ended before it listened: %v", cmd.ProcessState)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not listen: %v", err)
		}
	}
}

// tail is the end of a file.
func tail(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Log(err)
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > keptOutput {
		if _, err := f.Seek(-keptOutput, io.SeekEnd); err != nil {
			t.Log(err)
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, keptOutput))
	if err != nil {
		t.Log(err)
	}
	return data
}
