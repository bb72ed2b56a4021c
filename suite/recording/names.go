package recording

import (
	"maps"
	"strconv"
)

// Name names a scenario.
type Name string

// Code is a machine-readable reason: why a requirement was not applicable, or
// could not be established. Codes are contract: scripts depend on them.
type Code string

// The codes of not-applicable verdicts.
const (
	CodeUndeclared   Code = "capability-undeclared" // the target does not declare the feature
	CodeOptedOut     Code = "opted-out"             // switched off by the user
	CodeCombination  Code = "combination"           // the requirement is about another combination
	CodeNeedsSubject Code = "needs-subject"         // nothing to judge it on: say, no template is listed
	CodeNeedsConfig  Code = "needs-config"          // the target file has to say something first
	CodeNotExercised Code = "not-exercised"         // there was no occasion
	CodeUntestable   Code = "untestable"            // cannot be seen from outside
	CodeNoCheck      Code = "no-check"              // this release has no check for it
	CodePermission   Code = "permission"            // a permission: nothing to violate
)

// The codes of blocked verdicts.
const (
	CodeUnreachable Code = "unreachable"    // no connection
	CodeNoHandshake Code = "no-handshake"   // the session could not be opened
	CodeDied        Code = "target-died"    // the connection ended in the middle
	CodeNoAnswer    Code = "no-answer"      // no answer within the time allowed
	CodeUnreadable  Code = "unreadable"     // what came is no JSON-RPC
	CodeBadReply    Code = "bad-reply"      // a reply of a shape on which nothing can be built
	CodeThrottled   Code = "throttled"      // HTTP 429 or 503 again and again
	CodeTrigger     Code = "trigger-failed" // a trigger of the target file did not do its work
	CodeInterrupted Code = "interrupted"    // the user ended the run
	CodeBudget      Code = "budget"         // the time for the whole run was spent
	CodeVolume      Code = "volume"         // the target sent more than is kept of a run
	CodePanic       Code = "internal"       // our own fault
)

// Step names a line of a script: the exchanges that it sends bear it.
type Step string

// Tag names a fact about an exchange, such as the template that a URI was expanded from.
type Tag string

// Tags are facts about an exchange, by name.
type Tags map[Tag]string

// With joins tags into new ones; of two of the same name the later one counts.
func (t Tags) With(more ...Tags) Tags {
	all := Tags{}
	maps.Copy(all, t)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// TagRequired is the tag that names the i-th capability which the target file says a
// read needs.
func TagRequired(i int) Tag { return Tag("required:" + strconv.Itoa(i)) }

// MarkName names an instant of a script.
type MarkName string

// StepAnswer is the step of exchanges that are our answers to requests of the
// target.
const StepAnswer Step = "answer"

// StepLost is what is added to the step of an exchange during which a session
// was lost: the connection ended, or the target no longer answered.
const StepLost Step = "/lost"

// StepAgain is what is added to the step of a first message that is sent once more.
const StepAgain Step = "-again"

// Everything is no scenario: it stands for all frames of all clean sessions of
// a combination.
const Everything Name = "everything"

// Every is no scenario either: as an input of a check it stands for the recordings of all
// scenarios of the combination.
const Every Name = "every"

// The scenarios. The scripts of package scenario say what each step of a
// recording is, and what its tags mean.
const (
	WalkResources Name = "walk-resources" // every page of resources/list
	WalkTemplates Name = "walk-templates" // every page of resources/templates/list
	Reads         Name = "reads"          // a read of each listed resource, or of a sample
	MissingReads  Name = "missing-reads"  // reads of resources that do not exist
)

// RefusalText is the message of the errors by which we refuse requests of the
// target. A target that passes it on as its own error shows nothing but that it
// asked.
const RefusalText = "this client offers no such method"
