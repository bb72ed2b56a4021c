package compare

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// bare is a round between two sides that are not asked anything.
func bare() *round {
	at := &target.Target{Endpoints: []target.Endpoint{{Command: []string{"x"}}}}
	c := &comparison{cfg: Config{Direct: at, Through: at}.withDefaults(), index: map[string]int{},
		direct: &side{target: at}, through: &side{target: at}}
	c.report = c.newReport(time.Now())
	return &round{comparison: c, rev: requirement.R20251125, through: &talk{}}
}

// says is what a side answers to a read: a result, an error, or, after a "!", why there is none.
func says(s string) *book {
	x := said(readResource, s)
	if why, ok := strings.CutPrefix(s, "!"); ok {
		x.Outcome, x.Reason = recording.Silent, why
	} else if !gjson.Get(s, "error").Exists() {
		x = said(readResource, `{"result":`+s+`}`)
	}
	x.Params = []byte(`{"uri":"u"}`)
	return (&talk{}).read(takes{recording.Reads: {Exchanges: []*recording.Exchange{x}}})
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
	const a, b, lost, no, other = `{"x":"a"}`, `{"x":"b"}`, "!lost", `{"error":{"code":-1}}`,
		`{"error":{"code":-2}}`
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
		var own []*book
		for _, s := range x.own {
			own = append(own, says(s))
		}
		r.settle(t.Context(), names{}.compare(own[0], says(x.first)), own, says(x.through))
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
	one, two := says("1"), says("2")
	r.settle(ctx, names{}.compare(one, two), []*book{one, one, one, one}, two)
	if got := outcome(r); got != "gap" {
		t.Errorf("%q", got)
	}
}

// TestSettleLongLists: of long lists that differ in every entry the first differences are told.
func TestSettleLongLists(t *testing.T) {
	const many = 20_000
	list := func(change string) *book {
		b := listing("done")
		for i := range many {
			k := key{walks[0], strconv.Itoa(i), true}
			b.put(k, answer{body: gjson.Parse(`{"name":"` + change + `"}`), times: 1, whole: true})
		}
		return b
	}
	r := bare()
	first, other := list("a"), list("b")
	r.settle(t.Context(), names{}.compare(first, other), []*book{first, list("c"), list("d"), list("e")},
		other)
	if r.report.Summary.Omitted != many-maxDifferences {
		t.Errorf("%d omitted", r.report.Summary.Omitted)
	}
}

// unreachable is an endpoint where nobody is.
func unreachable() target.Endpoint {
	return target.Endpoint{Name: "gone", Pipe: func(context.Context) (io.ReadWriteCloser, error) {
		return nil, errors.New("nobody is there")
	}}
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
		r, err := Run(t.Context(), Config{Direct: direct, Through: &through,
			Revisions: []requirement.Revision{requirement.R20250618, requirement.R20251125}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary.Outcome != NotEstablished || len(r.Compared) != 1 || len(r.Gaps) != 2 ||
			!strings.Contains(r.Gaps[0].Reason, "nobody is there") ||
			r.Gaps[1].Revision != string(requirement.R20250618) {
			t.Errorf("%s: %+v", r.Headline(), r.Gaps)
		}
	})
}
