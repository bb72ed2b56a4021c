package client

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

const nothingDone = "the client did nothing with resources, or was never let in: it listed, read and subscribed to nothing that the server looked at"

// Idle is the sentence about a client that did nothing with resources; empty of others. Of such
// a client nothing is established, since what it did is too little to go by.
func Idle(r *reports.Report) string {
	if slices.ContainsFunc(r.Observations, func(o reports.Observation) bool { return o.ID == string(codeNothingDone) }) {
		return nothingDone
	}
	return ""
}

// ExitCode is the status with which a program ends that has judged a client: as for reports
// about servers, but also 3 where nothing is established because there was too little to judge.
func ExitCode(r *reports.Report, strict bool) int {
	code := r.ExitCode(strict, false)
	if code == reports.ExitOK && r.Summary.Outcome == reports.NotEstablished {
		return reports.ExitNotEstablished
	}
	return code
}

// atWork reports whether a client asked for anything about resources, and was not turned away
// at the door.
func (r *record) atWork() bool {
	for _, c := range r.conversations {
		for _, m := range c.requests() {
			if !strings.HasPrefix(m.method, "resources/") && m.method != methodComplete && m.method != methodListen {
				continue
			}
			a := r.status[m.Seq]
			if a == nil || a.HTTP.Status != http.StatusUnauthorized && a.HTTP.Status != http.StatusForbidden {
				return true
			}
		}
	}
	return false
}

// withhold blocks the verdicts on lists and resources that an idle client gave no occasion for:
// they cannot be established.
func withhold(verdicts []judgement) {
	for i := range verdicts {
		v := &verdicts[i]
		about := v.row.Profile == "pagination" || v.row.Profile == "resources"
		if about && v.row.LevelIn(v.in.Revision) == requirement.Must && (v.verdict.Outcome == verdict.NotApplicable || v.verdict.Outcome == verdict.Blocked) {
			v.verdict = verdict.Result{Outcome: verdict.Blocked, Code: codeNothingDone, Reason: nothingDone}
		}
	}
}

// unsettle takes back that an idle client is conformant, also where the rules that say so were
// not selected.
func unsettle(s *reports.Summary) {
	if s.Outcome != reports.Conformant {
		return
	}
	s.Outcome, s.Conformant = reports.NotEstablished, false
	for i := range s.Combinations {
		if s.Combinations[i].Outcome == reports.Conformant {
			s.Combinations[i].Outcome = reports.NotEstablished
		}
	}
}
