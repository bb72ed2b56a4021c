package recording

import (
	"maps"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Name names a scenario.
type Name string

// Names are those of several scenarios.
type Names []Name

// Code is a machine-readable reason: why a requirement was not applicable, or
// could not be established. Codes are contract: scripts depend on them.
type Code string

// The codes of not-applicable verdicts.
const (
	CodeUndeclared   Code = reports.CodeUndeclared   // the target does not declare the feature
	CodeOptedOut     Code = reports.CodeOptedOut     // switched off by the user
	CodeCombination  Code = "combination"            // the requirement is about another combination
	CodeNeedsSubject Code = reports.CodeNeedsSubject // nothing to judge it on: say, no template is listed
	CodeNeedsConfig  Code = reports.CodeNeedsConfig  // the target file has to say something first
	CodeNotExercised Code = reports.CodeNotExercised // there was no occasion
	CodeUntestable   Code = "untestable"             // cannot be seen from outside
	CodeNoCheck      Code = "no-check"               // this release has no check for it
	CodePermission   Code = "permission"             // a permission: nothing to violate
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
	CodeUnconfirmed Code = "unconfirmed"    // red once, and not seen a second time
	CodePanic       Code = "internal"       // our own fault
)

// Everything is no scenario: it stands for all frames of all clean and capable sessions of
// a combination.
const Everything Name = "everything"

// Every is no scenario either: as an input of a check it stands for the recordings of all
// scenarios of the combination.
const Every Name = "every"

// The scenarios that several areas judge: lists, reads and messages. The scripts of package
// scenario say what each step of a recording is, and what its tags mean.
const (
	WalkResources   Name = "walk-resources"   // every page of resources/list
	WalkTemplates   Name = "walk-templates"   // every page of resources/templates/list
	Reads           Name = "reads"            // a read of each listed resource, or of a sample
	MissingReads    Name = "missing-reads"    // reads of resources that do not exist
	KnownReads      Name = "known-reads"      // reads of resources whose contents are known
	InvalidMessages Name = "invalid-messages" // what is no JSON, no request, or asks for an unknown method
)

// The scenarios about versions, capabilities, metadata and requests for input.
const (
	Discovery     Name = "discovery"      // server/discover
	FirstMessages Name = "first-messages" // requests that open a connection, and requests with a log level
	BareRequests  Name = "bare-requests"  // what a modern-only target does with legacy messages
	Undeclared    Name = "undeclared"     // features that a target does not declare
	Metadata      Name = "metadata"       // requests with unusual but legal metadata
	InputReads    Name = "input-reads"    // a resource whose read asks for input
)

// The scenarios about HTTP sessions.
const (
	HTTPSessions Name = "http-sessions" // legacy sessions: their ids, versions and end
	TwoClients   Name = "two-clients"   // two clients side by side, with the same request ids
	HTTPResume   Name = "http-resume"   // a stream asked for again by the id of its last event
)

// The scenarios about subscriptions and changes.
const (
	Listening     Name = "listening"     // listen streams on which nothing is made to happen
	SelfUpdates   Name = "self-updates"  // which of the listed resources change by themselves
	SelfChanges   Name = "self-changes"  // a resource changes by itself under the eyes of a session
	Subscriptions Name = "subscriptions" // a listed resource is subscribed and unsubscribed
	Changes       Name = "changes"       // resources and the list change under the eyes of two sessions
)

// The scenarios about URIs, templates and completion.
const (
	// reads of what is no URI, of an unknown scheme, and without a URI
	MalformedReads   Name = "malformed-reads"
	URISubscriptions Name = "uri-subscriptions" // subscriptions to what is no URI
	Traversal        Name = "traversal"         // reads that try to leave a served directory
	// reads of every listed template expanded with values of all kinds
	TemplateSweep Name = "template-sweep"
	// reads of templates expanded with configured arguments
	Expansions           Name = "expansions"
	TemplateCompletions  Name = "template-completions"  // completions of the variables of listed templates
	MalformedCompletions Name = "malformed-completions" // completions with members missing or wrong
	UndeclaredCompletion Name = "undeclared-completion" // a completion without the capability
)

// RefusalText is the message of the errors by which we refuse requests of the
// target. A target that passes it on as its own error shows nothing but that it
// asked.
const RefusalText = "this client offers no such method"

// Step names a line of a script: the exchanges that it sends bear it.
type Step string

// The steps of all scripts.
const (
	StepAnswer                  Step = "answer" // our answer to a request of the target
	StepAlive                   Step = "alive"  // a request for a sign of life
	StepResume                  Step = "resume" // a request for the rest of a broken stream
	StepInitialized, StepCancel Step = "initialized", "cancel"
	// a request that shows whether the answer to another one is held back
	StepPrompt Step = "prompt"
	// a plain read of a resource about which a request was refused
	StepStillThere     Step = "still-there"
	StepStop           Step = "stop"             // the end of a listen stream
	StepDiscoverByList Step = "discover-by-list" // a list, where server/discover was not answered
	// StepLost is what is added to the step of an exchange during which a session was
	// lost: the connection ended, or the target no longer answered.
	StepLost Step = "/lost"
)

// Sent is the step without what is added where the session was lost: it says what was sent.
func (s Step) Sent() Step { return Step(strings.TrimSuffix(string(s), string(StepLost))) }

// The steps that are known beside the areas as well: those of several scripts, of [Changes], and of
// [TwoClients].
const (
	StepPage, StepRead, StepList, StepGuessed    Step = "page", "read", "list", "guessed"
	StepInitialize, StepDiscover, StepBefore     Step = "initialize", "discover", "before"
	StepSubscribe, StepUnsubscribe, StepComplete Step = "subscribe", "unsubscribe", "complete"
	StepStream, StepListen, StepNotJSON          Step = "stream", "listen", "not-json"
	StepFirstList, StepSecondTemplates           Step = "first-list", "second-templates"
	StepFirstAgain, StepSecondAgain              Step = "first-again", "second-again"
)

// MarkName names an instant of a script.
type MarkName string

// MarkUpdate stands before the change of a resource that is subscribed.
const MarkUpdate MarkName = "update"

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

// The tags that are known beside the areas as well.
const (
	TagURI, TagTemplate  Tag = "uri", "template"
	TagListed            Tag = "listed"   // the size of the list; of a template, that it is listed
	TagType              Tag = "type"     // the MIME type in the list, or known from the target file
	TagText              Tag = "text"     // what is expected to be read
	TagContains          Tag = "contains" // set if the text is only a part
	TagPage              Tag = "page"     // of a list its number, from 1 on
	TagEnd               Tag = "end"      // on the last page: why there was no further one
	TagOrigin, TagMethod Tag = "origin", "method"
	TagName              Tag = "name" // what a listen stream is for
	TagWho               Tag = "who"  // the watcher, which subscribes, or the bystander
	TagOpen              Tag = "open" // set if a GET stream stands
	TagAck               Tag = "ack"  // the number of the frame that acknowledged the stream
	// set if the target answered after a stream that was neither acknowledged nor refused, or closed it
	// ("closed")
	TagAlive  Tag = "alive"
	TagMarker Tag = "marker" // what the file outside of a directory contains
	// TagLeaked and TagProven belong to a reply that gave away what lies outside, once it
	// was judged: what it gave away, and whether a marker of the target file shows it.
	// The reply itself is cut then.
	TagLeaked, TagProven Tag = "leaked", "leak-proven"
	// TagCancelled marks exchanges that the script itself cancelled: that they stay
	// unanswered is no finding.
	TagCancelled Tag = "cancelled"
)
