package verify

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
)

// CodeNothingDone is the reason code, and the id of the observation, of a client that did
// nothing with resources.
const CodeNothingDone = "nothing-done"

const nothingDone = "the client did nothing with resources, or was never let in: it listed, read and subscribed to nothing that the server looked at"

// Idle is the sentence about a client that did nothing with resources; empty of others. Of such
// a client nothing is established, since what it did is too little to go by.
func Idle(r *reports.Report) string {
	if slices.ContainsFunc(r.Observations, func(o reports.Observation) bool { return o.ID == CodeNothingDone }) {
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
	for _, c := range r.talks {
		for _, m := range c.requests() {
			if !strings.HasPrefix(m.method, "resources/") && m.method != "completion/complete" && m.method != hook.MethodListen {
				continue
			}
			a := r.status[m.seq()]
			if a == nil || a.HTTP == nil || a.HTTP.Status != http.StatusUnauthorized && a.HTTP.Status != http.StatusForbidden {
				return true
			}
		}
	}
	return false
}

// idle notes that the client did nothing with resources: what has to hold of lists and resources
// cannot be established.
func (w *writer) idle() {
	w.unused = true
	for _, v := range w.rulings {
		about := v.rule.Profile == profileLists || v.rule.Profile == profileResources
		if about && v.judged == 0 && v.rule.LevelIn(v.group.revision) == reports.LevelMust {
			v.idles = []idle{{string(reports.Blocked), CodeNothingDone, nothingDone}}
		}
	}
}

// withhold takes back that an idle client is conformant, also where the rules that say so were
// not selected.
func (w *writer) withhold() {
	s := &w.report.Summary
	if !w.unused || s.Outcome != reports.Conformant {
		return
	}
	s.Outcome, s.Conformant = reports.NotEstablished, false
	for i := range s.Combinations {
		if s.Combinations[i].Outcome == reports.Conformant {
			s.Combinations[i].Outcome = reports.NotEstablished
		}
	}
}
