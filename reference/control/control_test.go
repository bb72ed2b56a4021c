package control_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		parse func(string) (control.Rule, error)
		text  string
		want  control.Rule
	}{
		{control.ParseFault, "page-01-null-cursor", control.Rule{Fault: "page-01-null-cursor"}},
		{control.ParseFault, "reset:method=resources/read:count=2:skip=1",
			control.Rule{Fault: "reset", Limits: control.Limits{Method: "resources/read", Count: 2,
				Skip: 1}}},
		{control.ParseFault, "reset:session=S:identity=T:uri=file:///a,b:*",
			control.Rule{Fault: "reset", Limits: control.Limits{Session: "S", Identity: "T",
				URI: "file:///a,b:*"}}},
		{control.ParseQuirk, "long-cursors:method=resources/list", control.Rule{Quirk: "long-cursors",
			Limits: control.Limits{Method: "resources/list"}}},
		{control.ParseLatency, "50ms",
			control.Rule{Delay: &control.Delay{Kind: operation.KindFixed, Min: 50 * time.Millisecond}}},
		{control.ParseLatency, "fixed:1s:count=1",
			control.Rule{Delay: &control.Delay{Kind: operation.KindFixed, Min: time.Second},
				Limits: control.Limits{Count: 1}}},
		{control.ParseLatency, "uniform:10ms-90ms:method=ping",
			control.Rule{Delay: &control.Delay{Kind: operation.KindUniform, Min: 10 * time.Millisecond,
				Max: 90 * time.Millisecond}, Limits: control.Limits{Method: "ping"}}},
		{control.ParseLatency, "lognormal:50ms,0.5",
			control.Rule{Delay: &control.Delay{Kind: operation.KindLognormal, Min: 50 * time.Millisecond,
				Sigma: 0.5}}},
		{control.ParseLatency, "dribble:1KiB/s",
			control.Rule{Delay: &control.Delay{Kind: operation.KindDribble, Rate: 1024}}},
		{control.ParseFailure, "-32603:message=busy:count=2",
			control.Rule{Fail: &control.Failure{Code: -32603, Message: "busy"},
				Limits: control.Limits{Count: 2}}},
		{control.ParseFailure, "http503", control.Rule{Fail: &control.Failure{Status: 503}}},
	} {
		got, err := test.parse(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.text, got, err)
		}
		data, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var back control.Rule
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("%s: %v, %+v", data, err, back)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		parse      func(string) (control.Rule, error)
		text, want string
	}{
		{control.ParseFault, "page-01-nul-cursor", "did you mean page-01-null-cursor"},
		{control.ParseFault, "rset", "did you mean reset"},
		{control.ParseFault, "", "exactly one of"},
		{control.ParseFault, "reset:count=x", `the limit count is "x"`},
		{control.ParseFault, "reset:count=0", `the limit count is "0"`},
		{control.ParseFault, "reset:skip=-1", "between 0 and"},
		{control.ParseFault, "reset:often", `"often" is not written key=value`},
		{control.ParseFault, "reset:often=1", `unknown limit "often"`},
		{control.ParseFault, "reset:message=x", "only a failure has a message"},
		{control.ParseFault, "reset:uri=a:{", "no URI template"},
		{control.ParseFault, "stdio-03-no-last-newline:count=1", "cannot be limited"},
		{control.ParseQuirk, "long-cursor", "did you mean long-cursors"},
		{control.ParseLatency, "fast", `delay "fast"`},
		{control.ParseLatency, "-1s", "between 0 and"},
		{control.ParseLatency, "2h", "between 0 and"},
		{control.ParseLatency, "uniform:10ms", "uniform:10ms-90ms"},
		{control.ParseLatency, "uniform:90ms-10ms", "before it begins"},
		{control.ParseLatency, "lognormal:50ms", "lognormal:50ms,0.5"},
		{control.ParseLatency, "lognormal:50ms,-1", "sigma"},
		{control.ParseLatency, "lognormal:50ms,NaN", "sigma"},
		{control.ParseLatency, "dribble:1KiB", "dribble:1KiB/s"},
		{control.ParseLatency, "dribble:0/s", "at least one byte"},
		{control.ParseLatency, "dribble:99999999999999999MiB/s", "no number of bytes"},
		{control.ParseFailure, "broken", "neither the code"},
		{control.ParseFailure, "http99", "between 200 and 599"},
		{control.ParseFailure, "0", "needs a code"},
	} {
		_, err := test.parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, not %q", test.text, err, test.want)
		}
	}
}

func TestDelaysAreWrittenAsTheyAreRead(t *testing.T) {
	for _, text := range []string{"50ms", "uniform:10ms-1m0s", "lognormal:50ms,0.5", "dribble:1KiB/s",
		"dribble:3MB/s", "dribble:7B/s"} {
		d, err := control.ParseDelay(text)
		if err != nil || d.String() != text {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

// TestEveryFaultAndQuirkIsARule: all can be switched on, and failures of the
// connection have names of their own.
func TestEveryFaultAndQuirkIsARule(t *testing.T) {
	set := control.New(0, nil)
	for _, name := range control.FaultNames() {
		if _, err := control.ParseFault(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range control.QuirkNames() {
		status, err := set.Add(control.Rule{Quirk: name})
		if err != nil || status.Requirement == "" || status.Summary == "" {
			t.Error(status, err)
		}
		if _, found := set.Find(status.ID); !found {
			t.Errorf("%s is not found", status.ID)
		}
	}
	for _, c := range control.ConnectionFailures() {
		if _, is := fault.Find(c.Name); is || c.Summary == "" || len(c.Transports) == 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestOrder(t *testing.T) {
	set := control.New(0, nil)
	err := set.Start([]control.Rule{
		{ID: "quirk", Quirk: "long-cursors"}, {ID: "fault-1", Fault: "page-01-null-cursor"},
		{ID: "fault-2", Fault: "page-01-null-cursor"},
		{ID: "reset", Fault: "reset"},
		{ID: "delay", Delay: &control.Delay{Kind: operation.KindFixed, Min: 0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []control.Rule{{ID: "fault-0", Fault: "page-01-null-cursor"},
		{ID: "fail", Fail: &control.Failure{Code: 1}}} {
		if _, err := set.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	order := func() (ids []string) {
		for _, s := range set.List() {
			ids = append(ids, s.ID)
		}
		return ids
	}
	if got := order(); !slices.Equal(got, []string{"delay", "fail", "reset", "fault-0", "fault-1", "fault-2",
		"quirk"}) {
		t.Error(got)
	}
	if !set.Remove("reset") || set.Remove("reset") {
		t.Error("removed never, or twice")
	}
	set.Clear()
	if len(order()) != 0 {
		t.Error(order())
	}
}
