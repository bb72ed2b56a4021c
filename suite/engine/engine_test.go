package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// lister is a server of 2025-11-25 that answers resources/list with what list says
// for the n-th such request; empty means no answer.
type lister struct {
	list func(n int64) string

	asked, now atomic.Int64
}

func (l *lister) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	l.now.Add(1)
	go func() {
		defer l.now.Add(-1)
		defer func() { _ = theirs.Close() }()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			m := gjson.ParseBytes(in.Bytes())
			result := `{}`
			switch m.Get("method").Str {
			case "initialize":
				result = `{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},` +
					`"serverInfo":{"name":"lister","version":"1"}}`
			case "server/discover":
				_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+
					"\n", m.Get("id").Raw)
				continue
			case "resources/list":
				if result = l.list(l.asked.Add(1)); result == "" {
					continue
				}
			}
			if m.Get("id").Exists() {
				_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.Get("id").Raw,
					result)
			}
		}
	}()
	return ours, nil
}

// prepared is a run of these requirements against the lister.
func prepared(t *testing.T, ctx context.Context, l *lister, ids ...string) *Run {
	t.Helper()
	r, err := Prepare(ctx, Config{
		Target: &target.Target{
			Endpoints: []target.Endpoint{{Name: "lister", Pipe: l.open}},
			// the detection of modern ones lists as well
			Revisions: []requirement.Revision{requirement.R20251125},
		},
		Tool:   reports.Tool{Name: "test"},
		Select: func(row Row) bool { return slices.Contains(ids, row.Requirement.ID) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verdicts lists the results of a report.
func verdicts(r *reports.Report) string {
	var all []string
	for _, x := range r.Results {
		s := x.ID + ":" + string(x.Verdict)
		if x.ReasonCode != "" {
			s += ":" + x.ReasonCode
		}
		all = append(all, s)
	}
	for _, o := range r.Observations {
		all = append(all, o.ID)
	}
	return strings.Join(all, " ")
}

const right, wrong = `{"resources":[]}`, `{"resources":{}}`

// always lists the same.
func always(s string) func(int64) string { return func(int64) string { return s } }

func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		list func(n int64) string
		want string
	}{
		"right": {always(right), "LIST-01:pass LIST-09:not-applicable:permission"},
		"wrong": {always(wrong), "LIST-01:fail LIST-09:not-applicable:permission"},
		"wrong once": {func(n int64) string { return map[bool]string{true: wrong, false: right}[n <= 1] },
			"LIST-01:pass LIST-09:not-applicable:permission inconsistent"},
		"deaf": {always(""), "LIST-01:blocked:no-answer LIST-09:not-applicable:permission"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &lister{list: c.list}
				r := prepared(t, t.Context(), l, "LIST-01", "LIST-09")
				r.Execute(t.Context())
				report := r.Report(false)
				if got := verdicts(report); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				synctest.Wait()
				if n := l.now.Load(); n != 0 {
					t.Errorf("%d connections are left", n)
				}
				again := rejudged(t, r)
				if a, b := encoded(t, report), encoded(t, again); a != b {
					t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
				}
			})
		})
	}
}

// encoded is what a report says about the target.
// rejudged is the report on a run that was recorded and judged again.
func rejudged(t *testing.T, r *Run) *reports.Report {
	t.Helper()
	var file bytes.Buffer
	if err := r.Record(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Rejudge(&file, reports.Tool{Name: "test"}, false)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func encoded(t *testing.T, r *reports.Report) string {
	t.Helper()
	b, err := json.Marshal([]any{r.Target, r.Results, r.Observations, r.Frames, r.Summary})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInterruptedRun(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		code  recording.Code
		said  string
	}{
		"signal": {ErrInterrupted, recording.CodeInterrupted, "interrupted"},
		"budget": {ErrBudget, recording.CodeBudget, "budget"},
		"volume": {ErrVolume, recording.CodeVolume, "volume"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				l := &lister{list: always(right)}
				r := prepared(t, ctx, l, "LIST-01")
				l.list = always("")
				time.AfterFunc(time.Second, func() { cancel(c.cause) })
				begin := time.Now()
				r.Execute(ctx)
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
				report := r.Report(false)
				if got, want := verdicts(report), "LIST-01:blocked:"+string(c.code); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				var file bytes.Buffer
				if err := r.Record(&file); err != nil {
					t.Fatal(err)
				}
				again, err := Rejudge(&file, reports.Tool{Name: "test"}, false)
				if err != nil || report.Summary.Interrupted != c.said || again.Summary.Interrupted != c.said {
					t.Errorf("got %q and %q, %v", report.Summary.Interrupted, again.Summary.Interrupted, err)
				}
				synctest.Wait()
				if n := l.now.Load(); n != 0 {
					t.Errorf("%d connections are left", n)
				}
			})
		})
	}
}

func TestNothingSelectedLeavesNothingOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{list: always(right)}
		if r := prepared(t, t.Context(), l); len(r.Rows()) != 0 || r.Unreachable() != "" {
			t.Errorf("got %d rows, %q", len(r.Rows()), r.Unreachable())
		}
		synctest.Wait()
		if n := l.now.Load(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
	})
}

// The milder verdict stands where a calm round shows it, if that is not red for the first time, and what
// shows differently is an observation.
func TestSettle(t *testing.T) {
	const lost = "the connection was closed"
	for _, c := range []struct {
		first    verdict.Outcome
		rounds   []verdict.Outcome
		want     verdict.Outcome
		cut      string
		observed int
	}{
		{verdict.Fail, []verdict.Outcome{verdict.Fail}, verdict.Fail, "", 0},
		{verdict.Fail, []verdict.Outcome{verdict.Warn}, verdict.Warn, "", 1},
		{verdict.Fail, []verdict.Outcome{verdict.Pass}, verdict.Pass, "", 1},
		{verdict.Fail, []verdict.Outcome{verdict.Blocked}, verdict.Blocked, "", 0},
		{verdict.Fail, []verdict.Outcome{verdict.Blocked, verdict.Fail}, verdict.Fail, "", 0},
		{verdict.Fail, []verdict.Outcome{verdict.Fail, verdict.Fail, verdict.Pass}, verdict.Fail, "", 1},
		{verdict.Warn, []verdict.Outcome{verdict.Fail}, verdict.Warn, "", 1},
		{verdict.Warn, []verdict.Outcome{verdict.Pass}, verdict.Pass, "", 1},
		{verdict.Warn, []verdict.Outcome{verdict.Pass}, verdict.Blocked, lost, 0},
		{verdict.Fail, []verdict.Outcome{verdict.NotApplicable}, verdict.Blocked, lost, 0},
		// it was not played: nobody is cleared by that
		{verdict.Fail, []verdict.Outcome{verdict.NotApplicable}, verdict.Blocked, "", 0},
		{verdict.Fail, []verdict.Outcome{verdict.Fail}, verdict.Fail, lost, 0},
	} {
		at := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}
		take := func(broken string) *Take {
			take := newTake(&recording.Facts{Combination: at, Notes: map[string]string{}})
			rec := &recording.Recording{}
			if broken != "" {
				rec.Broken = &recording.Broken{Code: recording.CodeDied, Reason: broken}
			}
			take.Recordings[recording.Reads], take.Took[recording.Reads] = rec, 0
			return take
		}
		req, _ := area.Catalogue().Find("READ-01")
		row := Row{Requirement: req, Combination: at}
		judged := func(outcome verdict.Outcome, frame int) *Judgement {
			return &Judgement{Row: row, Result: verdict.Result{Outcome: outcome, Actual: "a", Reason: "b",
				From: []recording.Name{recording.Reads}, Frames: []int{frame}}}
		}
		r := &Run{catalogue: catalogue{Set: area.BuiltIn()}, takes: round{at: take("")},
			judged: map[judgedOn]*Judgement{}, answers: map[*Take]*takeAnswers{}}
		for _, outcome := range c.rounds {
			again := take(c.cut)
			r.rounds = append(r.rounds, round{at: again})
			r.judged[judgedOn{keyOf(row), again}] = judged(outcome, 9)
		}
		got := r.settle(judged(c.first, 1), map[requirement.Combination]string{})
		if got.Outcome != c.want || len(got.Observations) != c.observed {
			t.Errorf("%s, then %s: got %s, %v", c.first, c.rounds, got.Outcome, got.Observations)
		}
		if got.Outcome == verdict.Blocked && (got.Code != recording.CodeUnconfirmed ||
			!slices.Equal(got.Frames, []int{1})) {
			t.Errorf("%s, then %s: %+v", c.first, c.rounds, got)
		}
		for _, o := range got.Observations {
			if o.ID != "inconsistent" || !slices.Equal(o.Frames, []int{1, 9}) {
				t.Errorf("got %+v", o)
			}
		}
	}
}

func TestScenariosStandInOrder(t *testing.T) {
	var combinations []requirement.Combination
	for _, rev := range requirement.Revisions() {
		combinations = append(combinations, requirement.Combination{Revision: rev,
			Transport: requirement.HTTP}, requirement.Combination{Revision: rev,
			Transport: requirement.Stdio})
	}
	slices.Reverse(combinations)
	sortCombinations(combinations)
	all := catalogue{Set: area.BuiltIn()}.list(combinations, nil)
	for i := 1; i < len(combinations); i++ {
		if a, b := combinations[i-1], combinations[i]; a.Revision > b.Revision || a.Revision == b.Revision &&
			a.Transport == requirement.HTTP {
			t.Errorf("%s stands before %s", a, b)
		}
	}
	for _, c := range combinations {
		at := map[recording.Name]int{}
		phase := scenario.Read
		for i, sc := range (catalogue{Set: area.BuiltIn()}).scenariosFor(all, c) {
			at[sc.Name] = i + 1
			for _, name := range sc.After {
				if at[name] == 0 {
					t.Errorf("%s: %s is played before %s", c, sc.Name, name)
				}
			}
			if sc.Phase < phase {
				t.Errorf("%s: %s is played in the phase %d after one of %d", c, sc.Name, sc.Phase, phase)
			}
			phase = sc.Phase
		}
	}
	if got := (catalogue{Set: area.BuiltIn()}).scenariosFor(catalogue{Set: area.BuiltIn()}.list(
		combinations[:1], func(r Row) bool { return r.Requirement.ID == "LIST-01" }),
		combinations[0]); len(got) == 0 || len(got) > 3 {
		t.Errorf("%d scenarios are played for one requirement", len(got))
	}
}

// TestJudgingEnds: what is not judged when the time for judging is over is blocked.
func TestJudgingEnds(t *testing.T) {
	r := &Run{cfg: Config{Target: &target.Target{}}.withDefaults()}
	r.catalogue = catalogue{Set: r.cfg.Areas}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrBudget)
	r.judging = ctx
	at := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}
	rows := r.catalogue.list([]requirement.Combination{at}, func(row Row) bool {
		return row.Requirement.ID == "LIST-01"
	})
	take := newTake(&recording.Facts{Combination: at, Declared: []byte(`{"capabilities":{"resources":{}}}`)})
	take.Recordings[recording.WalkResources] = &recording.Recording{
		Exchanges: []*recording.Exchange{{Step: recording.StepPage, Outcome: recording.Silent}},
	}
	if j := r.row(rows[0], take); j.Outcome != verdict.Blocked || j.Code != recording.CodeBudget {
		t.Errorf("%s (%s): %s", j.Outcome, j.Code, j.Reason)
	}
}

func TestRestoreRefusesWhatIsWrong(t *testing.T) {
	head := `{"schema":"` + RecordingSchema + `","complete":true`
	for name, c := range map[string]struct{ file, want string }{
		"nothing":        {``, "truncated"},
		"cut":            {`{"schema":"`, "truncated"},
		"no JSON":        {`hello`, "cannot be read"},
		"another file":   {`{"schema":"x","complete":true}`, "format"},
		"more behind it": {head + "}\n{}", "more follows"},
		"incomplete":     {`{"schema":"` + RecordingSchema + `"}`, "truncated"},
		"frame numbers":  {head + `,"frames":[{"number":2}]}`, "frames[0]"},
		"no such result": {head + `,"frames":[{"number":1},{"number":2,"result_of":1}]}`, "frames[1]"},
		"null take":      {head + `,"takes":[null]}`, "facts are missing"},
		"null recording": {head + `,"takes":[{"facts":{},"recordings":[null]}]}`, "null"},
		"null exchange":  {head + `,"takes":[{"facts":{},"recordings":[{"exchanges":[null]}]}]}`, "null"},
		"null session":   {head + `,"takes":[{"facts":{},"recordings":[{"sessions":[null]}]}]}`, "null"},
		"missing frame": {head + `,"takes":[{"facts":{},"recordings":[{"scenario":"x","frames":[1]}]}]}`,
			"does not exist"},
		"unknown row":        {head + `,"rows":[{"id":"NO-01"}]}`, "does not know"},
		"row without a take": {head + `,"rows":[{"id":"LIST-01"}]}`, "no recording"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := restore(strings.NewReader(c.file), nil); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %q", err, c.want)
			}
		})
	}
}

// TestRetriedHandshakes: a handshake that got lost, and was tried again, is remarked upon
// with what was seen of both attempts, also of sessions that are expendable.
func TestRetriedHandshakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handshakes atomic.Int64
		open := func(context.Context) (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer func() { _ = theirs.Close() }()
				for in := bufio.NewScanner(theirs); in.Scan(); {
					m := gjson.ParseBytes(in.Bytes())
					answer := `"error":{"code":-32601,"message":"no"}`
					switch m.Get("method").Str {
					case "initialize":
						if m.Get("params.protocolVersion").Str == "2025-11-25" && handshakes.Add(1) == 2 {
							continue // it is the first after detection
						}
						answer = `"result":{"protocolVersion":"2025-11-25",` +
							`"capabilities":{"resources":{}},"serverInfo":{"name":"x","version":"1"}}`
					case "ping":
						answer = `"result":{}`
					}
					if m.Get("id").Exists() {
						_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw,
							answer)
					}
				}
			}()
			return ours, nil
		}
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{Name: "lossy", Pipe: open}}},
			Tool:   reports.Tool{Name: "test"},
			Select: func(row Row) bool {
				return row.Combination.Revision == requirement.R20251125 && (row.Requirement.ID == "RPC-09" ||
					row.Requirement.ID == "RPC-13")
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		report := r.Report(false)
		var told []reports.Observation
		for _, o := range report.Observations {
			if o.ID == "handshake-retried" {
				told = append(told, o)
			}
		}
		if len(told) != 1 || told[0].Requirement != "RPC-09" || !strings.Contains(told[0].Detail,
			"led to: a result") {
			t.Fatalf("%+v", told)
		}
		var sent []string
		for _, n := range told[0].Evidence {
			f := report.Frames[n-1]
			sent = append(sent, f.Session+" "+f.Direction+" "+gjson.GetBytes(f.Data, "method").Str)
		}
		if len(sent) != 3 || sent[0] == sent[1] || !strings.HasSuffix(sent[0], "out initialize") ||
			!strings.HasSuffix(sent[1], "out initialize") || !strings.Contains(sent[2], " in ") {
			t.Errorf("the evidence is %q", sent)
		}
		again := rejudged(t, r)
		if a, b := encoded(t, report), encoded(t, again); a != b {
			t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
		}
	})
}

// A recording is JSON, also of messages that were sent with bytes that are no UTF-8: judged
// again they are what they were.
func TestRecordingOfBytesThatAreNoUTF8(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := prepared(t, t.Context(), &lister{list: always(right)}, "RPC-20")
		r.Execute(t.Context())
		var file bytes.Buffer
		if err := r.Record(&file); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(file.Bytes()) {
			t.Error("the recording is no UTF-8")
		}
		again, err := restore(&file, nil)
		if err != nil {
			t.Fatal(err)
		}
		var odd int
		for c, take := range r.takes {
			for name, rec := range take.Recordings {
				for i, x := range rec.Exchanges {
					if restored := again.takes[c].Recordings[name].Exchanges[i]; !bytes.Equal(x.Params,
						restored.Params) {
						t.Errorf("%s, %s: %q became %q", name, x.Step, x.Params, restored.Params)
					}
					if !utf8.Valid(x.Params) {
						odd++
					}
				}
			}
		}
		if odd == 0 {
			t.Error("nothing that is no UTF-8 was sent")
		}
	})
}
