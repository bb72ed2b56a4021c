package recording

import (
	"maps"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Name names a scenario.
type Name string

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
	ForeignMessages Name = "foreign-messages" // what another version of JSON-RPC, or another revision, has
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
	MalformedReads       Name = "malformed-reads"       // reads of what is no URI, of an unknown scheme, and without a URI
	URISubscriptions     Name = "uri-subscriptions"     // subscriptions to what is no URI
	Traversal            Name = "traversal"             // reads that try to leave a served directory
	TemplateSweep        Name = "template-sweep"        // reads of every listed template expanded with values of all kinds
	Expansions           Name = "expansions"            // reads of templates expanded with configured arguments
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
	StepPrompt                  Step = "prompt"           // a request that shows whether the answer to another one is held back
	StepStillThere              Step = "still-there"      // a plain read of a resource about which a request was refused
	StepStop                    Step = "stop"             // the end of a listen stream
	StepDiscoverByList          Step = "discover-by-list" // a list, where server/discover was not answered
	StepTrigger                 Step = "trigger"          // a tool call that makes the target change
	// StepLost is what is added to the step of an exchange during which a session was
	// lost: the connection ended, or the target no longer answered.
	StepLost Step = "/lost"
	// StepAgain is what is added to the step of a first message that is sent once more.
	StepAgain Step = "-again"
)

// Sent is the step without what is added where the session was lost: it says what was sent.
func (s Step) Sent() Step { return Step(strings.TrimSuffix(string(s), string(StepLost))) }

// The steps of several scripts.
const (
	StepPage, StepSubscribe, StepUnsubscribe, StepPlain Step = "page", "subscribe", "unsubscribe", "plain"
	StepRead, StepComplete, StepGuessed, StepContext    Step = "read", "complete", "guessed", "context"
	StepConfigured, StepFirstList                       Step = "configured", "first-list"
)

// The steps of [Undeclared].
const (
	StepList, StepFeature, StepDeclaredFeature Step = "list", "feature", "declared-feature"
)

// The steps of [Changes].
const (
	StepStream, StepListed, StepBusy, StepSubscribeAgain Step = "stream", "listed", "busy", "subscribe-again"
	StepForeignUnsubscribe, StepSubscribeNext            Step = "foreign-unsubscribe", "subscribe-next"
	StepForeignSubscribe                                 Step = "foreign-subscribe"
	StepUnsubscribeNext, StepUnsubscribeAgain, StepAdded Step = "unsubscribe-next", "unsubscribe-again", "added"
	StepBesideListed, StepBesideChanged                  Step = "beside-listed", "beside-changed"
	StepRemoved, StepUnchanged, StepAtOnce, StepLater    Step = "removed", "unchanged", "at-once", "later"
	StepBeside, StepSecondStream, StepCompare            Step = "beside", "stream-2", "compare"
	StepNewcomer, StepBorrowed                           Step = "newcomer", "borrowed"
)

// The steps of [TemplateCompletions], [MalformedCompletions] and [UndeclaredCompletion].
const (
	StepTyped, StepNoRef, StepNoArgument, StepNoValue     Step = "typed", "no-ref", "no-argument", "no-value"
	StepUnknownType, StepNumberValue, StepUnknownArgument Step = "unknown-type", "number-value", "unknown-argument"
	StepUnknownURI, StepUndeclared, StepPattern           Step = "unknown-uri", "undeclared", "pattern"
	StepBrackets, StepNothingLike                         Step = "brackets", "nothing-like"
)

// The steps of [Discovery] and [FirstMessages].
const (
	StepDiscover, StepFirstDiscover, StepFirstRead          Step = "discover", "first-discover", "first-read"
	StepCursorSource                                        Step = "cursor-source"
	StepCursor, StepLogged, StepAfterLogs, StepThenDiscover Step = "cursor", "logged", "after-logs", "then-discover"
)

// The steps of [InvalidMessages].
const (
	StepUnknownMethod, StepNoMethod, StepArray, StepNoURI Step = "unknown-method", "no-method", "array", "no-uri"
	StepNullID, StepDoubledMember                         Step = "null-id", "doubled-member"
	StepUnmarked, StepOtherMethod                         Step = "unmarked", "other-method"
	StepNotJSON, StepNotUTF8, StepMistypedMethod          Step = "not-json", "not-utf-8", "mistyped-method"
)

// The steps of [HTTPSessions].
const (
	StepDelete, StepNoVersion, StepUse, StepWithoutID Step = "delete", "no-version", "use", "without-id"
	StepUnknownID, StepOtherRevision, StepAfterOther  Step = "unknown-id", "other-revision", "after-other"
	StepBadVersion, StepGetBadVersion                 Step = "bad-version", "get-bad-version"
	StepDeleteBadVersion, StepAfterDelete, StepReopen Step = "delete-bad-version", "after-delete", "reopen"
	StepGetWithoutID, StepGetAfterDelete              Step = "get-without-id", "get-after-delete"
	StepDeleteAgain                                   Step = "delete-again"
	StepChosenID                                      Step = "chosen-id"
)

// The steps of [InputReads].
const (
	StepRetry, StepBare, StepAsk, StepLingering       Step = "retry", "bare", "ask", "lingering"
	StepRootsOnly, StepRetryEmpty, StepAfterAbandoned Step = "roots-only", "retry-empty", "after-abandoned"
	StepAskAgain, StepAskToTamper, StepTampered       Step = "ask-again", "ask-to-tamper", "tampered"
	StepAskForOther, StepOtherCaller                  Step = "ask-for-other", "other-caller"
)

// The steps of [Listening].
const (
	StepListen, StepBefore, StepDuring, StepSettled Step = "listen", "before", "during", "settled"
)

// The steps of [KnownReads].
const (
	StepText, StepBlob Step = "text", "blob"
)

// The further steps of [MalformedReads].
const (
	StepUntyped, StepExact Step = "untyped", "exact"
)

// The steps of [Metadata].
const (
	StepAnonymous, StepPlainAgain, StepUnknownKey, StepTraced Step = "anonymous", "plain-again", "unknown-key", "traced"
	StepOtherClient, StepPlainRead, StepProgressToken         Step = "other-client", "plain-read", "progress-token"
)

// The steps of [TwoClients].
const (
	StepSecondTemplates, StepFirstAgain, StepSecondAgain Step = "second-templates", "first-again", "second-again"
	StepSecondClient                                     Step = "second-client"
)

// The steps of [TemplateSweep].
const (
	StepSweep, StepKnown Step = "sweep", "known"
)

// StepTemplate is the step of [Traversal] that expands a template with a way out.
const StepTemplate Step = "template"

// The steps of [MalformedReads] and [Traversal] that read the entries of the corpus of
// URIs, by their classes.
const (
	StepMalformed, StepStranger, StepOdd, StepVariant Step = "malformed", "stranger", "odd", "variant"
	StepDots, StepEncoded, StepTrick, StepSystem      Step = "dots", "encoded", "trick", "system"
)

// The steps of [BareRequests].
const (
	StepInitialize, StepNoMeta, StepNoParams Step = "initialize", "no-meta", "no-params"
)

// MarkName names an instant of a script.
type MarkName string

// The marks of [Changes], each set before the trigger is fired.
const (
	MarkOther    MarkName = "other"    // the other resource is changed
	MarkUpdate   MarkName = "update"   // the subscribed resource is changed
	MarkAdd      MarkName = "add"      // a resource is added to the list
	MarkRemove   MarkName = "remove"   // a resource is removed from the list
	MarkSilenced MarkName = "silenced" // the subscribed resource is changed again, after a subscription was given up

	MarkSilenceHeard MarkName = "silence-heard" // the silence after a subscription was given up has been listened to
	MarkNext         MarkName = "next"          // the subscribed resource is changed again, after it was read, and another one subscribed and unsubscribed
	MarkDoubled      MarkName = "doubled"       // and again, after it was subscribed once more
	MarkShared       MarkName = "shared"        // and again, after another session has subscribed it as well
	MarkForeign      MarkName = "foreign"       // and again, after that one has unsubscribed it
)

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

// The tags of reads and of what is read.
const (
	TagURI                          Tag = "uri"
	TagListed                       Tag = "listed"   // the size of the list; of a template, that it is listed
	TagSize                         Tag = "size"     // in the list, or known from the target file
	TagType                         Tag = "type"     // the MIME type in the list, or known from the target file
	TagText                         Tag = "text"     // what is expected to be read
	TagContains                     Tag = "contains" // set if the text is only a part
	TagBase64, TagSHA256            Tag = "base64", "sha256"
	TagForm                         Tag = "form" // what is odd about a URI: the name of its entry in the corpus
	TagClass, TagAllow, TagMatching Tag = "class", "allow", "matching"
	TagOf                           Tag = "of"     // the listed URI that one was made of
	TagServed                       Tag = "served" // set if the target lists the URI, or a template that could mean it
)

// The tags of templates and their completions.
const (
	TagTemplate, TagArgument Tag = "template", "argument"
	TagMIME                  Tag = "mime" // the MIME type of the listed template
	TagKind                  Tag = "kind" // what is special about the value of the variables
	TagValue                 Tag = "value"
	TagVariables             Tag = "variables" // "1" if there is no more than one
	TagInvented              Tag = "invented"  // set if no value of the first variable was known
	TagNever                 Tag = "never"     // the values that must not come, one in a line
)

// The tags of lists.
const (
	TagPage Tag = "page" // its number, from 1 on
	TagEnd  Tag = "end"  // on the last page: why there was no further one
)

// The tags of sessions and versions.
const (
	TagVersion, TagSession           Tag = "version", "session"
	TagSessionless                   Tag = "sessionless" // set where a legacy target keeps no sessions
	TagOrigin, TagMethod, TagFeature Tag = "origin", "method", "feature"
	TagLevel                         Tag = "level"  // of log messages
	TagWalked                        Tag = "walked" // set if the request was served in the walk
)

// The tags of streams, subscriptions and changes.
const (
	TagHeard       Tag = "heard"       // an update followed
	TagName        Tag = "name"        // what a listen stream is for
	TagWho         Tag = "who"         // the watcher, which subscribes, or the bystander
	TagOther       Tag = "other"       // the resource that has nothing to do with the change
	TagLook        Tag = "look"        // counts the looks at a list
	TagOpen        Tag = "open"        // set if a GET stream stands
	TagTold        Tag = "told"        // "no" if no update came of what was subscribed, in a session that stood
	TagTemplates   Tag = "templates"   // the size of the list of templates
	TagAck         Tag = "ack"         // the number of the frame that acknowledged the stream
	TagAlive       Tag = "alive"       // set if the target answered after a stream that was neither acknowledged nor refused, or closed it ("closed")
	TagEnded       Tag = "ended"       // the milliseconds after which the stream ended by itself
	TagStopped     Tag = "stopped"     // the number of the last frame before we ended the stream
	TagUnsupported Tag = "unsupported" // what was asked for and not declared
	TagAccepted    Tag = "accepted"    // set if the target took the subscription
	TagEventID     Tag = "id"          // the event after which a stream is to go on
)

// The tags of reads that ask for input.
const (
	TagMatters    Tag = "matters"    // set if the target file says that the state matters
	TagUnanswered Tag = "unanswered" // a key for which the target file has no answer
	TagRound      Tag = "round"
)

// TagRequired is the tag that names the i-th capability which the target file says a
// read needs.
func TagRequired(i int) Tag { return Tag("required:" + strconv.Itoa(i)) }

// The tags of reads that try to leave a directory.
const (
	TagRoot    Tag = "root"    // the directory
	TagMarker  Tag = "marker"  // what the file outside contains
	TagLinks   Tag = "links"   // whether the target file forbids links
	TagGuessed Tag = "guessed" // set if the directory is not named by the target file
	// TagUnserved is set if no URI below the directory is listed and no template leads there.
	TagUnserved Tag = "unserved"
	// TagLeaked and TagProven belong to a reply that gave away what lies outside, once it
	// was judged: what it gave away, and whether a marker of the target file shows it.
	// The reply itself is cut then.
	TagLeaked, TagProven Tag = "leaked", "leak-proven"
)

// TagCancelled marks exchanges that the script itself cancelled: that they stay
// unanswered is no finding.
const TagCancelled Tag = "cancelled"
