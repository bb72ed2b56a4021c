package recording

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

// Everything is no scenario: it stands for all frames of all clean sessions of
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
)

// The scenarios about subscriptions and changes.
const (
	Listening Name = "listening" // listen streams on which nothing is made to happen
	Changes   Name = "changes"   // resources and the list change under the eyes of two sessions
)

// The scenarios about URIs, templates and completion.
const (
	MalformedReads       Name = "malformed-reads"       // reads of what is no URI, of an unknown scheme, and without a URI
	URISubscriptions     Name = "uri-subscriptions"     // subscriptions to what is no URI
	Traversal            Name = "traversal"             // reads that try to leave a served directory
	TemplateSweep        Name = "template-sweep"        // reads of every listed template expanded with values of all kinds
	TemplateCompletions  Name = "template-completions"  // completions of the variables of listed templates
	MalformedCompletions Name = "malformed-completions" // completions with members missing or wrong
	UndeclaredCompletion Name = "undeclared-completion" // a completion without the capability
)

// RefusalText is the message of the errors by which we refuse requests of the
// target. A target that passes it on as its own error shows nothing but that it
// asked.
const RefusalText = "this client offers no such method"
