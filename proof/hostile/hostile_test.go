//go:build unix

package hostile

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCases: the table can be read, is as long as it is meant to be, and has every transport.
func TestCases(t *testing.T) {
	all, err := cases()
	if err != nil {
		t.Fatal(err)
	}
	over := map[string]int{}
	for _, c := range all {
		over[c.Over]++
	}
	if len(all) < 120 || over["stdio"] < 30 || over["http"] < 30 || over["sse"] < 10 || over["tls"] < 5 {
		t.Errorf("%d cases: %v", len(all), over)
	}
}

func TestExpand(t *testing.T) {
	for text, want := range map[string]string{
		"{answer}|{half}|{id}": "abcd|ab|7", "{length:-1} {n}": "3 2", "{pad:3}{open:2}{close:2}": "xxx[[]]",
		`{"a":{id}}`: `{"a":7}`, "{": "{", "{pad:x}": "{pad:x}",
		"{items:2}": `{"uri":"test://0","name":"0"},{"uri":"test://1","name":"1"}`,
	} {
		if got := expand(text, "abcd", "7", 2); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

// TestSample: a few of the servers are judged as they should be. How long that takes is no
// matter here: the machine may be busy.
func TestSample(t *testing.T) {
	program := built(t)
	for name, want := range map[string]string{
		"stdio-banner":       "initialize was not answered",
		"http-close-at-once": "",
		"tls-expired":        "certificate has expired",
		"sse-foreign-port":   "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := play(t, program, name)
			if o.Panics || o.Orphans > 0 || len(o.Reds) > 0 || o.Result != "not-established" ||
				o.Status != 3 || o.Memory > mostMemory || !strings.Contains(o.Cause, want) {
				t.Errorf("%+v", o)
			}
		})
	}
}

// TestParsed: a frame that has many members, or a long id, takes neither much memory nor much time to judge.
func TestParsed(t *testing.T) {
	program := built(t)
	for name, red := range map[string]string{"stdio-long-number": "", "http-duplicate-members": "RPC-25"} {
		t.Run(name, func(t *testing.T) {
			o := play(t, program, name)
			if o.Took > budget+ending || o.Memory > mostMemory || o.Result == "" || red != "" &&
				!slices.Contains(o.Reds, red) {
				t.Errorf("%+v", o)
			}
		})
	}
}

// built is a fresh mcpcheck.
func built(t *testing.T) (program string) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow")
	}
	program = filepath.Join(t.TempDir(), "mcpcheck")
	if out, err := exec.Command("go", "build", "-o", program,
		"github.com/mcpcheck/mcpcheck/cmd/mcpcheck").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestMain is a hostile server where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || !slices.Contains([]string{"serve", "listen", "stay"}, os.Args[1]) {
		os.Exit(m.Run())
	}
	if err := be(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(2)
	}
}

// be is a hostile server, or what one leaves behind.
func be(how, name string) error {
	if how == "stay" {
		stay(name)
		return nil
	}
	c, err := find(name)
	if err != nil {
		return err
	}
	h := &hostile{hostileCase: c}
	if how == "serve" {
		h.stdio()
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr()) // whoever started it reads this
	if c.Over == "tls" {
		if l, err = secured(l, c.Certificate); err != nil {
			return err
		}
	}
	return h.listen(l)
}
