package clientcheck_test

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestTheSuiteIsAGoodClient: in the sessions in which mcpcheck does not probe on purpose, it
// breaks no rule for clients.
func TestTheSuiteIsAGoodClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		target, server, err := embedded.Complete(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close() //nolint:errcheck // the server is not what is tested
		run, err := suite.Prepare(t.Context(), suite.Config{Target: target,
			Limits: suite.Limits{Budget: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		run.Execute(t.Context())
		for _, c := range run.Combinations() {
			take := run.Take(c)
			if take == nil || take.Recordings[recording.Everything] == nil {
				t.Errorf("%v was not recorded", c)
				continue
			}
			// On purpose the identity is left out once (a SHOULD), and one answer is
			// kept back to see whether the server asks again.
			deliberate := map[string]bool{"CL-09": true, "CL-34": true}
			r := judged(t, noted(string(c.Transport), take.Recordings[recording.Everything].Frames),
				clientcheck.Options{})
			if r.Summary.Pass < 5 {
				t.Errorf("%v: only %d rows passed", c, r.Summary.Pass)
			}
			for _, x := range r.Results {
				if x.Verdict.Red() && !deliberate[x.ID] {
					t.Errorf("%v: %s %s: %s", c, x.ID, x.Verdict, x.Actual)
					for _, n := range x.Evidence {
						t.Logf("  %.300s", r.Frame(n).Data)
					}
				}
			}
		}
	})
}

// noted turns what the suite recorded into what a server would have noted.
func noted(transport string, frames []wire.Frame) []journal.Entry {
	var all []journal.Entry
	asked := map[string]uint64{}
	for i := range frames {
		f := &frames[i]
		if f.Dir != wire.Out && f.Dir != wire.In {
			continue
		}
		e := journal.Entry{Time: time.Unix(0, 0).Add(f.At), Transport: transport, Session: f.Session}
		e.Classify(f.Raw)
		e.Raw, e.Size, e.Seq = f.Raw, f.Size, uint64(len(all)+1)
		key := f.Session + "|" + f.Channel
		if f.Dir == wire.Out {
			e.Direction, asked[key] = journal.In, e.Seq
		} else {
			e.Direction, e.RequestSeq = journal.Out, asked[key]
		}
		if transport != "http" {
			e.RequestSeq = 0
		}
		if f.HTTP != nil {
			path, _ := url.Parse(f.HTTP.URL)
			e.HTTP = &journal.HTTP{Method: f.HTTP.Method, Path: path.Path, Status: f.HTTP.Status,
				Header: f.HTTP.Header}
		}
		if len(f.Raw) == 0 {
			e.Kind = map[journal.Direction]journal.Kind{journal.In: journal.HTTPRequest,
				journal.Out: journal.HTTPAnswer}[e.Direction]
		}
		if f.Event != nil {
			e.EventID = f.Event.ID
		}
		if transport == "http" {
			e.Connection = f.Session
		}
		all = append(all, e)
	}
	return all
}
