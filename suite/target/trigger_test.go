package target

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sh skips tests that need a POSIX shell.
func sh(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this system")
	}
}

func TestExec(t *testing.T) {
	sh(t)
	dir := t.TempDir()
	t.Setenv("MCPCHECK_TEST_WORD", "inherited")
	t.Setenv("MCPCHECK_TEST_OTHER", "withheld")
	tr := Trigger{Exec: &Exec{
		Command: []string{"sh", "-c", `echo "$MCPCHECK_TEST_WORD $MCPCHECK_TEST_OTHER $WORD" > out`},
		Env:     map[string]Value{"WORD": Plain("${own}")}, EnvPass: []string{"MCPCHECK_TEST_WORD"}, Dir: dir,
	}}
	if err := tr.Fire(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil || string(got) != "inherited  ${own}\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestExecErrors(t *testing.T) {
	sh(t)
	for name, c := range map[string]struct {
		exec Exec
		want string
	}{
		"fails": {Exec{Command: []string{"sh", "-c", "echo it broke >&2; exit 3"}},
			`the trigger sh failed: exit status 3; it said "it broke"`},
		"fails quietly": {Exec{Command: []string{"sh", "-c", "exit 3"}},
			`the trigger sh failed: exit status 3`},
		"is missing": {Exec{Command: []string{"mcpcheck-no-such-program"}},
			"the trigger mcpcheck-no-such-program cannot be started"},
		"is empty": {Exec{}, "the command of the trigger is empty"},
		"needs a value": {Exec{Command: []string{"sh"},
			Env: map[string]Value{"A": FromEnv("MCPCHECK_UNSET_VARIABLE")}},
			"env A: the environment variable MCPCHECK_UNSET_VARIABLE is not set"},
		"hangs": {Exec{Command: []string{"sh", "-c", "sleep 60 & sleep 60"},
			Timeout: 50 * time.Millisecond}, "it did not end within 50ms"},
		"is long-winded": {Exec{Command: []string{"sh", "-c",
			"yes ü | head -c 100000 >&2; echo end >&2; exit 1"}}, `end"`},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			err := (&Trigger{Exec: &c.exec}).Fire(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 3*keptOutput ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %.300v\nwant %s", err, c.want)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("it took %s", d)
			}
		})
	}
}

// TestExecLeavesNothing: what the command left running in its group is ended.
func TestExecLeavesNothing(t *testing.T) {
	sh(t)
	if _, err := exec.LookPath("sleep"); err != nil || os.PathSeparator != '/' {
		t.Skip("needs process groups")
	}
	mark := filepath.Join(t.TempDir(), "mark")
	tr := Trigger{Exec: &Exec{Command: []string{"sh", "-c",
		"(sleep 0.3; touch " + mark + ") >/dev/null 2>&1 &"}}}
	if err := tr.Fire(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child of the command outlived it")
	}
}

func TestExecCanceled(t *testing.T) {
	sh(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the run was interrupted"))
	err := (&Trigger{Exec: &Exec{Command: []string{"sh", "-c", "sleep 60"}}}).Fire(ctx)
	if err == nil {
		t.Error("the command ran")
	}
}

func TestCall(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 100)
		n, _ := r.Body.Read(body)
		got = r.Method + " " + r.URL.Path + " " + r.Header.Get("X-Key") + " " + r.Host + " " +
			string(body[:n])
		if r.URL.Path == "/bad" {
			http.Error(w, "no such\nthing", http.StatusTeapot)
		}
	}))
	defer server.Close()
	t.Setenv("MCPCHECK_TEST_KEY", "k1")
	call := Call{URL: server.URL + "/x?key=hush", Body: "b",
		Header: map[string]Value{"X-Key": FromEnv("MCPCHECK_TEST_KEY"), "Host": Plain("example.com")}}
	if err := (&Trigger{HTTP: &call}).Fire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got != "POST /x k1 example.com b" {
		t.Errorf("the server got %q", got)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Method: "PUT", URL: server.URL + "/bad?key=hush"},
			`was answered 418 I'm a teapot; it said "no such\nthing"`},
		{Call{URL: closed.URL + "/?key=hush"}, "failed: "},
		{Call{URL: "http://h\x00/"}, "is no valid request"},
		{Call{URL: server.URL, Header: map[string]Value{"A": FromEnv("MCPCHECK_UNSET_VARIABLE")}},
			"header A: the environment variable"},
	} {
		err := (&Trigger{HTTP: &c.call}).Fire(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestCallTimesOut(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	err := (&Trigger{HTTP: &Call{URL: server.URL, Timeout: 30 * time.Millisecond}}).Fire(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no answer within 30ms") {
		t.Errorf("got %v", err)
	}
}

func TestOtherTriggers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := (&Trigger{Wait: &Wait{For: time.Minute}}).Fire(t.Context()); err != nil ||
			time.Since(start) != time.Minute {
			t.Errorf("it waited %s: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := (&Trigger{Wait: &Wait{For: time.Minute}}).Fire(ctx); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	if err := (&Trigger{Tool: &Tool{Name: "x"}}).Fire(t.Context()); !errors.Is(err, ErrToolCall) {
		t.Errorf("got %v", err)
	}
	own := errors.New("own")
	if err := (&Trigger{Func: func(context.Context) error { return own }}).Fire(t.Context()); !errors.Is(err,
		own) {
		t.Errorf("got %v", err)
	}
	if err := (&Trigger{}).Fire(t.Context()); err == nil {
		t.Error("an empty trigger fired")
	}
}

func TestTriggers(t *testing.T) {
	all := Triggers{Update: &Trigger{URI: "a:b"}, Shutdown: &Trigger{}}
	var names []string
	for name, tr := range all.All() {
		if tr != nil {
			names = append(names, name)
		}
		if name == "shutdown" {
			break
		}
	}
	if strings.Join(names, " ") != "update shutdown" {
		t.Errorf("got %q", names)
	}
	for range all.All() {
		break // stopping early is fine
	}
	if _, _, ok := all.Pair(); ok {
		t.Error("one trigger is no pair")
	}
	all.UpdateOther = &Trigger{URI: "c:d"}
	if a, b, ok := all.Pair(); a != "a:b" || b != "c:d" || !ok {
		t.Errorf("got %q, %q, %v", a, b, ok)
	}
}
