package proof

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// worker is a connection to a server that hands each line to a worker, which takes a moment for it, and
// refuses some at once.
type worker struct {
	io.Reader
	in  *io.PipeWriter
	out *io.PipeReader
}

func (w *worker) Write(b []byte) (int, error) { return w.in.Write(b) }

func (w *worker) Close() error {
	_ = w.in.Close()
	return w.out.Close()
}

func employ(server io.ReadWriteCloser, refused func(line string) bool) *worker {
	in, lines := io.Pipe()
	out, answers := io.Pipe()
	go func() {
		_, err := io.Copy(answers, server)
		_ = answers.CloseWithError(err)
	}()
	go func() {
		defer server.Close()
		work := make(chan string, 1000)
		defer close(work)
		go func() {
			for line := range work {
				time.Sleep(20 * time.Millisecond)
				_, _ = io.WriteString(server, line)
			}
		}()
		for r := bufio.NewReader(in); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if !refused(line) {
				work <- line
				continue
			}
			_, _ = io.WriteString(answers,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`+"\n")
		}
	}()
	return &worker{out, lines, out}
}

// refusing judges a requirement on a server that refuses some lines, in 2025-11-25.
func refusing(t *testing.T, id string, refused func(line string) bool) (report *reports.Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		text := "a text"
		server, err := reference.New(reference.World{Resources: []reference.Resource{{URI: "note:a",
			Name: "a", Text: &text}}}, reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		endpoint := target.Endpoint{Pipe: func(context.Context) (io.ReadWriteCloser, error) {
			c, err := server.Pipe(context.Background()) // it outlives the dialling
			if err != nil {
				return nil, err
			}
			return employ(c, refused), nil
		}}
		report, err = suite.Run(t.Context(), suite.Config{
			Target: &target.Target{Endpoints: []target.Endpoint{endpoint}},
			Limits: suite.Limits{Budget: time.Hour},
			Only:   []string{id}, Revisions: []requirement.Revision{requirement.R20251125},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return report
}

// TestEmptyLineRefused: the refusal of an empty line is not taken for one of the request before it, which is
// still at work.
func TestEmptyLineRefused(t *testing.T) {
	report := refusing(t, "STDIO-05", func(line string) bool { return line == "\n" })
	var seen []string
	for _, o := range report.Observations {
		if strings.HasSuffix(o.ID, "-refused") {
			seen = append(seen, o.ID)
		}
	}
	if want := []string{"blank-line-refused"}; !slices.Equal(seen, want) ||
		report.Summary.Fail+report.Summary.Warn+report.Summary.Blocked > 0 {
		t.Errorf("%q instead of %q; %+v", seen, want, report.Summary)
	}
}

// TestNotificationRefused: of several notifications the one that is answered is shown.
func TestNotificationRefused(t *testing.T) {
	refused := func(line string) bool {
		return strings.Contains(line, "notifications/cancelled") && !strings.Contains(line, "requestId")
	}
	report := refusing(t, "CANC-01", refused)
	if report.Summary.Fail != 1 {
		t.Errorf("%+v", report.Summary)
	}
	for _, x := range report.Results {
		for _, f := range report.Frames {
			if slices.Contains(x.Evidence, f.Number) && f.Direction == "out" && !refused(string(f.Data)) {
				t.Errorf("%s is shown, which was not answered", f.Data)
			}
		}
	}
}
