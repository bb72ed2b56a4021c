package compare

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// bare is a round between two sides that are not asked anything by way of a session.
func bare() *round {
	at := &target.Target{Endpoints: []target.Endpoint{{Command: []string{"x"}}}}
	c := &comparison{cfg: Config{Direct: at, Through: at}.withDefaults(), index: map[string]int{}}
	c.report = c.newReport(time.Now())
	talking := func(name string) *talk {
		return &talk{side: &side{name: name, cfg: &c.cfg, reasons: map[requirement.Revision]string{}}, at: &reached{Endpoint: &at.Endpoints[0]},
			rev: requirement.R20251125, silent: map[string]int{}}
	}
	r := &round{comparison: c, rev: requirement.R20251125, direct: talking("direct"), through: talking("through"), listed: map[string]string{}}
	c.direct, c.through = r.direct.side, r.through.side
	return r
}

// says is an answer: a result, an error, or, after a "!", why there is none.
func says(s string) answer {
	if why, ok := strings.CutPrefix(s, "!"); ok {
		return answer{none: why}
	}
	body := gjson.Parse(s)
	if e := body.Get("error"); e.Exists() {
		return answer{failed: true, body: e}
	}
	return answer{body: body}
}

// outcome is what a round came to, in a word.
func outcome(r *round) string {
	var words []string
	for range r.report.Differences {
		words = append(words, "difference")
	}
	for range r.report.Unsteady {
		words = append(words, "unsteady")
	}
	for range r.report.Gaps {
		words = append(words, "gap")
	}
	return strings.Join(words, " ")
}

// TestSettle: only what both sides say again is a difference, only what the server's own
// answers differ in is the server's, and what could not be seen again is open.
func TestSettle(t *testing.T) {
	const a, b, lost, no, other = `{"x":"a"}`, `{"x":"b"}`, "!lost", `{"error":{"code":-1}}`, `{"error":{"code":-2}}`
	for _, x := range []struct {
		name           string
		first, through string   // the gateway's answers
		own            []string // the server's
		want           string
	}{
		{"steady", b, b, []string{a, a, a, a}, "difference"},
		{"the server changes", b, b, []string{a, b, a, a}, "unsteady"},
		{"the server fails once", b, b, []string{a, a, no, a}, "unsteady"},
		{"the gateway flaps", b, a, []string{a, a, a, a}, "gap"},
		{"the gateway is lost", b, lost, []string{a, a, a, a}, "gap"},
		{"the server is lost", b, b, []string{a, a, a, lost}, "gap"},
		{"both are lost", b, lost, []string{a, a, lost, lost}, "gap"},
		{"the gateway never answers", lost, lost, []string{a, a, a, a}, "difference"},
		{"the gateway answers at last", lost, a, []string{a, a, a, a}, "gap"},
		{"the server answers no more", lost, lost, []string{a, a, lost, lost}, "gap"},
		{"the server goes unanswered once", lost, a, []string{a, lost, a, a}, "unsteady"},
		{"errors", other, other, []string{no, no, no, no}, "difference"},
		{"errors of the gateway that change", other, a, []string{no, no, no, no}, "gap"},
	} {
		r := bare()
		q := &question{group: Read, subject: "u", direct: says(x.own[0]), through: says(x.first)}
		q.found = q.compare(names{}, q.direct, q.through)
		var own []answer
		for _, s := range x.own {
			own = append(own, says(s))
		}
		r.settle(t.Context(), q, says(x.through), own)
		if got := outcome(r); got != x.want {
			t.Errorf("%s: %q, not %q: %+v", x.name, got, x.want, r.report)
		}
	}
}

// TestSettleEnds: comparing what was asked again ends with the comparison.
func TestSettleEnds(t *testing.T) {
	r := bare()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := &question{group: Read, subject: "u", direct: says("1"), through: says("2")}
	q.found = q.compare(names{}, q.direct, q.through)
	r.settle(ctx, q, says("2"), []answer{says("1"), says("1"), says("1"), says("1")})
	if got := outcome(r); got != "gap" {
		t.Errorf("%q", got)
	}
}

// TestSettleLongLists: of long lists that differ in every entry the first differences are told.
func TestSettleLongLists(t *testing.T) {
	list := func(change string) answer {
		a := answer{body: gjson.Parse(`{"resources":[]}`), end: endDone}
		for i := range maxEntries {
			name := "u" + number(i).Raw
			a.entries = append(a.entries, entry{name, gjson.Parse(`{"name":"` + change + `"}`)})
		}
		return a
	}
	r := bare()
	q := &question{group: Listed, subject: "resources/list", match: matchLists("resources/list", "resources"), direct: list("a"), through: list("b")}
	q.found = q.compare(names{}, q.direct, q.through)
	r.settle(t.Context(), q, q.through, []answer{q.direct, list("c"), list("d"), list("e")})
	if r.report.Summary.Omitted != maxEntries-maxDifferences {
		t.Errorf("%d omitted", r.report.Summary.Omitted)
	}
}

// TestAskedAfresh: what was used up before is no reason not to ask again.
func TestAskedAfresh(t *testing.T) {
	r := bare()
	const method = "resources/read"
	r.direct.silent[method], r.through.silent[method] = maxSilent, maxSilent
	r.bytes.Store(plenty + 1)
	read := &question{group: Read, subject: "u", ask: func(_ context.Context, side *talk) answer {
		if r.bytes.Load() > plenty || side.silent[method] >= maxSilent {
			return answer{none: unread, void: true}
		}
		if side == r.direct {
			return says(`"a"`)
		}
		return says(`"b"`)
	}}
	read.found = read.compare(names{}, says(`"a"`), says(`"b"`))
	read.direct = says(`"a"`)
	r.asked = []*question{read}
	r.confirm(t.Context())
	if got := outcome(r); got != "difference" {
		t.Errorf("%q: %+v", got, r.report.Gaps)
	}
}

// TestTalkSettles: where sessions at a URL are limited, the server is given time before
// the end of one and after it.
func TestTalkSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		direct, server, err := embedded.Target(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		dialer, err := direct.Endpoints[0].Dialer(target.DialOptions{Transport: requirement.Stdio})
		if err != nil {
			t.Fatal(err)
		}
		took := func(instances int, over requirement.Transport) time.Duration {
			cfg := Config{Direct: direct, Through: direct}.withDefaults()
			s, err := newSide("direct", direct, &cfg)
			if err != nil {
				t.Fatal(err)
			}
			talk := &talk{side: s, at: &reached{Endpoint: &target.Endpoint{Instances: instances}, transport: over, dialer: dialer},
				rev: requirement.R20251125, silent: map[string]int{}}
			if _, err := talk.session(t.Context()); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			talk.close()
			return time.Since(began)
		}
		free := took(0, requirement.HTTP)
		if limited := took(1, requirement.HTTP); limited < free+2*session.Settle {
			t.Errorf("%s, and without a limit %s", limited, free)
		}
		if limited := took(1, requirement.Stdio); limited >= free+session.Settle {
			t.Errorf("on stdio %s", limited)
		}
	})
}

// TestUnacknowledged: a listen request that could not be sent or waited for says nothing
// about a side.
func TestUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		direct, server, err := embedded.Target(reference.Options{Latency: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		r := bare()
		r.rev = requirement.R20260728
		if r.direct.side, err = newSide("direct", direct, &r.cfg); err != nil {
			t.Fatal(err)
		}
		r.direct.rev = r.rev
		dialer, err := direct.Endpoints[0].Dialer(target.DialOptions{Transport: requirement.Stdio})
		if err != nil {
			t.Fatal(err)
		}
		r.direct.at = &reached{Endpoint: &direct.Endpoints[0], transport: requirement.Stdio, dialer: dialer}
		defer r.direct.close()
		if _, err := r.direct.session(t.Context()); err != nil {
			t.Fatal(err)
		}
		const over = "it is over"
		for _, after := range []time.Duration{0, time.Second} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, errors.New(over))
			sub := r.subscribe(ctx, r.direct, "note:shopping")
			cancel()
			if !sub.answer.void || after == 0 && !strings.Contains(sub.answer.none, over) {
				t.Errorf("after %s: %+v", after, sub.answer)
			}
		}
	})
}

// TestSuggestionsAreCompletions: only answers to completions suggest values.
func TestSuggestionsAreCompletions(t *testing.T) {
	r := bare()
	body := says(`{"completion":{"values":["x"]}}`)
	empty := says(`{"completion":{"values":[""]}}`)
	r.asked = []*question{
		{group: Read, subject: "t:{a} a=", direct: body},
		{group: Completion, subject: "t:{a} a=", direct: empty},
	}
	if got := r.suggestions("t:{a}"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	r.asked = append(r.asked, &question{group: Completion, subject: "t:{a} a=x", direct: body})
	if got := r.suggestions("t:{a}"); got["a"] != "x" {
		t.Errorf("%v", got)
	}
}

// unreachable is an endpoint where nobody is.
func unreachable() target.Endpoint {
	return target.Endpoint{Name: "gone", Pipe: func(context.Context) (io.ReadWriteCloser, error) { return nil, errors.New("nobody is there") }}
}

// TestUnreachedEndpoint: an endpoint that is not there is told, though another answers,
// and the revisions that it may offer are not missed.
func TestUnreachedEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		direct, server, err := embedded.Target(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		direct.Endpoints = direct.Endpoints[:1]
		through := *direct
		one := direct.Endpoints[0]
		one.Revisions = []requirement.Revision{requirement.R20251125}
		through.Endpoints = []target.Endpoint{one, unreachable()}
		r, err := Run(t.Context(), Config{Direct: direct, Through: &through, Revisions: []requirement.Revision{requirement.R20250618, requirement.R20251125}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary.Outcome != NotEstablished || len(r.Compared) != 1 || len(r.Gaps) != 2 || !strings.Contains(r.Gaps[0].Reason, "nobody is there") ||
			r.Gaps[1].Revision != string(requirement.R20250618) {
			t.Errorf("%s: %+v", r.Headline(), r.Gaps)
		}
	})
}
