// Package batch is the area BATCH: JSON-RPC batches, which came with 2025-03-26 and
// went with 2025-06-18 (basic/index#batching).
package batch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The scenario of the area.
const Batches recording.Name = "batches" // arrays of messages

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{batchesScenario}

// The steps and tags of the area's scripts.
const (
	stepRequests, stepMixed, stepNotifications, stepEmpty recording.Step = "requests", "mixed",
		"notifications", "empty"
	stepInvalidMember  recording.Step = "invalid-member"
	tagIDs, tagFailing recording.Tag  = "ids", "failing"
)

var batches = recording.Names{Batches}

// Checks lists the checks of basic/index#batching (2025-03-26), and of what is left of it.
var Checks = verdict.Checks{
	"BATCH-01": {From: batches, With: recording.Names{recording.InvalidMessages},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepRequests, stepMixed) {
				if x.Outcome == recording.Lost && v.DiesOfText(v.Input(recording.InvalidMessages)) {
					continue
				}
				if batchJudged(x, v) && (x.Step == stepRequests || takesBatches(v)) {
					allAnswered(x, v)
				}
			}
		}},
	"BATCH-02": {From: batches, Judge: func(v *verdict.Verdict) {
		for _, x := range v.Steps(stepNotifications) {
			if !takesBatches(v) {
				return
			}
			if x.Outcome == recording.Refused || x.Outcome == recording.Canceled || x.Status >= 400 {
				v.Answered(x)
				continue
			}
			v.That(x, !x.Fatal, "a server that takes a batch of notifications, and lives on", "%s",
				verdict.LostWords(x)).SharedCause(v.EndedBy(x))
			for _, n := range append(slices.Clone(x.Replies), x.Others...) {
				if f := v.Frame(n); f != nil && f.Dir == wire.In && f.Parsed().Valid && !f.Parsed().Marked {
					v.Fail(verdict.Several{x, verdict.Frames{n}}, "no answer to a batch of notifications",
						"the answer %s", wire.Excerpt(f.Raw,
							100))
				}
			}
		}
	}},
	"BATCH-03": {From: batches, With: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepMixed) {
				all, asked := v.RepliesOf(x), len(strings.Fields(x.Tags[tagIDs]))
				if !takesBatches(v) {
					return
				}
				if len(missingAnswers(v, x)) == asked {
					v.NotExercised("no request of the mixed batch was answered: see BATCH-01")
					continue
				}
				if len(all) > asked && v.Doubles() {
					continue
				}
				// That there are fewer is BATCH-01's.
				v.That(x, len(all) <= asked, fmt.Sprintf(
					"no more responses than the %d requests beside a notification in a "+
						"batch", asked), "%d responses", len(all)).
					Cause("as many responses as requests in a batch")
			}
		}},
	"BATCH-04": {From: batches, Judge: func(v *verdict.Verdict) {
		if !takesBatches(v) {
			return
		}
		for _, x := range v.Steps(stepEmpty) {
			if batchJudged(x, v) && (x.Status < 400 || x.Status >= 500) {
				v.That(x, x.Failed() && !replyIsArray(v, x), "one JSON-RPC error, not in an array, to an "+
					"empty batch", "%s", emptyAnswer(v, x)).RefusalDue()
			}
		}
		for _, x := range v.Steps(stepInvalidMember) {
			if batchJudged(x, v) {
				v.That(x, len(missingAnswers(v, x)) == 0, "a response to the valid request in a batch with "+
					"an invalid member", "none; %v", x)
			}
		}
	}},
	"BATCH-07": {From: recording.Names{recording.Everything, recording.InvalidMessages},
		Judge: func(v *verdict.Verdict) {
			var ours []int
			for _, x := range v.Steps(scenario.StepArray) {
				ours = append(append(ours, x.Replies...), x.Others...)
				if replyIsArray(v, x) {
					v.Observe(x, "batch-served", "an array with a request in it is answered by an array, "+
						"although the revision has no batches")
				}
			}
			v.NoArrays(ours...)
			for _, x := range v.Steps(scenario.StepArray) {
				if x.Fatal && v.DiesOfText(v.Recording) {
					continue
				}
				// No revision says what is due to an array that the client must not send.
				v.That(x, !x.Fatal, "a server that lives on after it was sent an array, of which the "+
					"revision knows nothing", "%s: an array", verdict.LostWords(x)).
					Title("The server survives an array").Kept().
					Warn("no revision says what is due to an array that clients must not send").
					Hint("answer a message that is no object with error -32600, and go on")
			}
		}},
}

// allAnswered: each request of a batch has its response, one that fails as well.
func allAnswered(x *recording.Exchange, v *verdict.Verdict) {
	missing := missingAnswers(v, x)
	if len(missing) > 0 && idsLost(x, v) >= len(missing) {
		v.Holds() // they have their responses, and what those lack is RPC-16's
		return
	}
	with := ""
	if x.Step == stepMixed {
		with = " that also holds a notification and a method that nobody has"
	}
	ids := strings.Join(strings.Fields(x.Tags[tagIDs]), ", ")
	f := v.That(x, len(missing) == 0, "responses with the ids "+ids+" to the requests of a batch"+with,
		"none with the id %s; %s to the batch", strings.Join(missing, ", "), batchAnswer(v, x)).
		Cause("a response to each request of a batch").
		Hint("handle each message of an array by itself, and answer with an array of the responses")
	if failing := x.Tags[tagFailing]; failing != "" && slices.Equal(missing, []string{failing}) {
		f.Cause("an error response to a request of a batch that fails").
			Hint("put the errors of requests that fail, such as -32601, among the responses of the batch")
	}
}

// idsLost is how many errors in the answer to a batch have no id, where that is so of other errors of the
// target as well.
func idsLost(x *recording.Exchange, v *verdict.Verdict) int {
	if other := v.Input(recording.InvalidMessages); other == nil ||
		!slices.ContainsFunc(other.Steps(scenario.StepUnknownMethod), verdict.LosesID) {
		return 0
	}
	return len(recording.Keep(v.RepliesOf(x), func(m recording.Message) bool {
		return m.Nameless() && m.Get("error").Exists()
	}))
}

// takesBatches reports whether the target answered any request of an ordinary
// batch. If it did not, that is the finding of BATCH-01, and its reactions to
// other batches are consequences.
func takesBatches(v *verdict.Verdict) bool {
	for _, x := range v.Steps(stepRequests) {
		if len(missingAnswers(v, x)) < len(strings.Fields(x.Tags[tagIDs])) {
			return true
		}
	}
	v.NotExercised("the target answers no request of a batch: see BATCH-01")
	return false
}

// batchJudged reports whether the answer to a batch can be judged, also if it is
// that none came.
func batchJudged(x *recording.Exchange, v *verdict.Verdict) bool {
	switch x.Outcome {
	case recording.Silent, recording.Lost, recording.HTTPOnly:
		if x.Status != 401 && x.Status != 403 && x.Status != 429 && x.Status != 503 {
			return true
		}
	}
	return v.Answered(x)
}

// missingAnswers lists the ids of the requests of a batch that got no response.
func missingAnswers(v *verdict.Verdict, x *recording.Exchange) []string {
	ids := strings.Fields(x.Tags[tagIDs])
	for _, m := range v.RepliesOf(x) {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == m.Get("id").String() })
	}
	return ids
}

func replyIsArray(v *verdict.Verdict, x *recording.Exchange) bool {
	return slices.ContainsFunc(append(slices.Clone(x.Replies), x.Others...), func(n int) bool {
		f := v.Frame(n)
		return f != nil && f.Parsed().Kind == wire.KindBatch
	})
}

// batchAnswer says how a batch was answered. That some of its requests were does not make the
// answer a late one.
func batchAnswer(v *verdict.Verdict, x *recording.Exchange) string {
	if x.Outcome == recording.Silent && len(v.RepliesOf(x)) > 0 {
		return "no further answer" + matcher.InBrackets(x.Reason)
	}
	return matcher.Describe(x)
}

func emptyAnswer(v *verdict.Verdict, x *recording.Exchange) string {
	if replyIsArray(v, x) {
		return "an array"
	}
	return matcher.Describe(x)
}
