package engine

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/trace"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// What a trace can prove something about: messages, lists and reads as they are. All else rests on what
// mcpcheck sends on purpose, on silence, on time, on the end of a session, or on a comparison.
const (
	provable = " RPC-01 RPC-03 RPC-05 RPC-06 RPC-07 RPC-08 RPC-12 RPC-18 RPC-22 RPC-24 " +
		"BATCH-07 ERR-02 ERR-04 ERR-06 ERR-60 META-01 META-02 META-11 META-13 META-15 META-19 META-21 " +
		"PROG-02 HTTP-05 HTTP-07 HTTP-11 HTTP-31 HTTP-35 SSE-01 SSE-02 SSE-03 LIFE-01 " +
		"LIFE-07 DISC-02 DISC-03 DISC-07 LCH-02 SUB-04 MRTR-01 MRTR-04 LIST-01 LIST-02 LIST-05 LIST-14 " +
		"LIST-16 LIST-18 TMPL-01 TMPL-02 TMPL-04 TMPL-05 TMPL-08 TMPL-09 TMPL-16 ANN-01 ANN-03 ANN-05 " +
		"ANN-07 ICON-01 ICON-03 ICON-04 ICON-05 ICON-08 URI-01 URI-02 URI-03 URI-05 URI-06 PAGE-01 " +
		"READ-01 READ-02 READ-03 READ-04 READ-06 READ-07 READ-08 READ-09 READ-12 READ-15 COMP-02 " +
		"COMP-03 COMP-04 COMP-06 CACHE-01 CACHE-03 CACHE-04 CACHE-05 CACHE-07 " +
		declared + bytewise + repeated
	// declared are those that take the declaration of the server, bytewise messages as they were sent;
	// repeated are those that two walks through a list have to break, since a list may change.
	declared = " LIFE-12 LIFE-13 CAP-02 CAP-03 CAP-11 CAP-12 LCH-04 "
	bytewise = " RPC-25 STDIO-01 STDIO-02 "
	repeated = " PAGE-02 PAGE-04 PAGE-12 CACHE-08 "
)

// JudgeTrace judges what a trace shows of a server. An error says what is wrong with the file.
func JudgeTrace(in io.Reader, o trace.Options, tool reports.Tool, strict bool) (*reports.Report, error) {
	t, err := trace.Read(in, o)
	if err != nil {
		return nil, err
	}
	sessions, frames, err := clientcheck.Sessions(t.Entries)
	if err != nil {
		return nil, err
	}
	f := &file{head: head{Tool: tool, Partial: true, Began: t.Entries[0].Time}}
	f.Config.Trace, f.Target.Endpoints = t.Kind, []reports.Endpoint{}
	r := recalled(f, nil)
	r.masks = sync.OnceValue(func() *mask.Masker { return mask.NewMasker(t.Secrets) })
	r.transcript = wire.Restore(frames)
	var all []requirement.Combination
	for _, s := range sessions {
		c := s.Combination
		if r.takes[c] == nil {
			r.takes[c], all = newTake(s.Facts), append(all, c)
			r.takes[c].Recordings = s.Parts[0]
			f.Target.Endpoints = append(f.Target.Endpoints, reports.Endpoint{Transport: string(c.Transport),
				Address: "a trace", Revisions: []string{string(c.Revision)}, Server: server(s.Declared)})
		}
		r.takes[c].sessions = append(r.takes[c].sessions, s)
	}
	sortCombinations(all)
	r.rows = r.catalogue.list(all, nil)
	return r.rejudge(tool, strict), nil
}

// traced judges a row by what a trace shows, session by session. The worst verdict counts.
func (r *Run) traced(k *verdict.Check, row Row, sessions []*clientcheck.Served) verdict.Result {
	const nothing = "the trace shows no occasion to judge it"
	in := func(ids string) bool { return strings.Contains(ids, " "+row.Requirement.ID+" ") }
	worst := verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeNotExercised,
		From: k.Judged(), Reason: nothing}
	switch {
	case !in(provable):
		worst.Reason = "the trace shows no proof of it: that takes requests sent on purpose, or time, as " +
			"\"mcpcheck run\" has them"
		return worst
	case in(bytewise) && (r.cfg.Shown.Trace == "log" || r.cfg.Shown.Trace == "inspector"):
		worst.Reason = "the trace shows no bytes, but what a client has read in them"
		return worst
	}
	none, red := worst, 0
	rank := []verdict.Outcome{verdict.Pass, verdict.Warn, verdict.Fail}
	for _, s := range sessions {
		for _, part := range s.Parts {
			if in(declared) && !s.Shown {
				break
			}
			result := verdict.EvaluateUntil(r.judging, k, row.Requirement, s.Facts, part)
			if result.Outcome.Red() {
				red++
			}
			if slices.Index(rank, result.Outcome) > slices.Index(rank, worst.Outcome) {
				worst = result
			} else if worst.Reason == nothing && result.Code != recording.CodeCombination {
				worst.Reason += ": " + result.Reason
			}
		}
	}
	if red == 1 && in(repeated) {
		return none
	}
	return worst
}
