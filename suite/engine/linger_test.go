package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// bothWays is a connection whose input can end before its output.
type bothWays struct {
	*io.PipeReader
	*io.PipeWriter
}

func (b bothWays) CloseWrite() error { return b.PipeWriter.Close() }

func (b bothWays) Close() error {
	_ = b.PipeWriter.Close()
	return b.PipeReader.Close()
}

// late is a program whose lists come late: after a time, or when its input ends.
type late struct {
	takes time.Duration
	held  bool
	turns bool // it answers one request after the other
	all   int  // the number of the request from which on all are held, and not only lists; 0 if none is
}

func (l *late) open(context.Context) (io.ReadWriteCloser, error) {
	in, ours := io.Pipe()
	answers, theirs := io.Pipe()
	go l.serve(in, theirs)
	return bothWays{answers, ours}, nil
}

func (l *late) serve(in io.Reader, out *io.PipeWriter) {
	ended := make(chan struct{})
	var under sync.WaitGroup
	asked := 0
	read := make(chan string, 1000) // like a pipe of the system it takes what nobody has read yet
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			read <- lines.Text()
		}
	}()
	for line := range read {
		m := gjson.Parse(line)
		if !m.Get("id").Exists() {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no"}`
		switch m.Get("method").Str {
		case "initialize":
			answer = `"result":{"protocolVersion":"` + m.Get("params.protocolVersion").Str +
				`","capabilities":{"resources":{}},"serverInfo":{"name":"late","version":"1"}}`
		case "ping":
			answer = `"result":{}`
		case "resources/list":
			answer = aList
		}
		asked++
		held := l.held && (answer == aList || l.all > 0 && asked >= l.all)
		reply := func() {
			if held {
				<-ended
			} else if answer == aList {
				time.Sleep(l.takes)
			} else {
				time.Sleep(time.Millisecond)
			}
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, answer)
		}
		if l.turns {
			reply()
		} else {
			under.Go(reply)
		}
	}
	close(ended)
	under.Wait()
	_ = out.Close()
}

// What is released by the end of the input was not flushed; what comes while we happen to
// close, and the next time before that, is slow.
func TestSlowIsNotUnflushed(t *testing.T) {
	for name, c := range map[string]struct {
		late
		want string
	}{
		"quick":               {late{}, "STDIO-03:pass"},
		"slow":                {late{takes: 11 * time.Second}, "STDIO-03:pass"},
		"slow, one by one":    {late{takes: 11 * time.Second, turns: true}, "STDIO-03:pass"},
		"slower":              {late{takes: 39 * time.Second}, "STDIO-03:pass"},
		"released by the end": {late{held: true}, "STDIO-03:fail"},
		"and so is the third one, in the ordinary time":  {late{held: true, all: 3}, "STDIO-03:fail"},
		"and so is the fourth one, in the ordinary time": {late{held: true, all: 4}, "STDIO-03:fail"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "late", Pipe: c.open, Command: []string{"late"}}},
						Revisions: []requirement.Revision{requirement.R20250618},
					},
					Tool:   reports.Tool{Name: "test"},
					Limits: target.Limits{Budget: map[bool]time.Duration{false: time.Hour}[c.all > 0]},
					Select: func(row Row) bool {
						return row.Requirement.ID == "STDIO-03"
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				// what is left in the program ends
				time.Sleep(time.Hour)
				// the first time it may have looked otherwise
				got, _ := strings.CutSuffix(strings.TrimSpace(verdicts(r.Report(false))), " inconsistent")
				if got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}
