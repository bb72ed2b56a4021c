package recording

// Step names a line of a script: the exchanges that it sends bear it.
type Step string

// The steps of all scripts.
const (
	StepAnswer         Step = "answer" // our answer to a request of the target
	StepAlive          Step = "alive"  // a request for a sign of life
	StepResume         Step = "resume" // a request for the rest of a broken stream
	StepInitialized    Step = "initialized"
	StepCancel         Step = "cancel"
	StepStop           Step = "stop"             // the end of a listen stream
	StepDiscoverByList Step = "discover-by-list" // a list, where server/discover was not answered
	StepTrigger        Step = "trigger"          // a tool call that makes the target change
	// StepLost is what is added to the step of an exchange during which a session was
	// lost: the connection ended, or the target no longer answered.
	StepLost Step = "/lost"
	// StepAgain is what is added to the step of a first message that is sent once more.
	StepAgain Step = "-again"
)

// The steps of several scripts.
const (
	StepPage        Step = "page"
	StepSubscribe   Step = "subscribe"
	StepUnsubscribe Step = "unsubscribe"
	StepPlain       Step = "plain"
	StepRead        Step = "read"
	StepComplete    Step = "complete"
	StepGuessed     Step = "guessed"
	StepContext     Step = "context"
	StepConfigured  Step = "configured"
	StepFirstList   Step = "first-list"
)

// The steps of [Undeclared].
const (
	StepList            Step = "list"
	StepFeature         Step = "feature"
	StepDeclaredFeature Step = "declared-feature"
)

// The steps of [Changes].
const (
	StepStream             Step = "stream"
	StepListed             Step = "listed"
	StepBusy               Step = "busy"
	StepSubscribeAgain     Step = "subscribe-again"
	StepForeignUnsubscribe Step = "foreign-unsubscribe"
	StepSubscribeNext      Step = "subscribe-next"
	StepUnsubscribeNext    Step = "unsubscribe-next"
	StepUnsubscribeAgain   Step = "unsubscribe-again"
	StepAdded              Step = "added"
	StepRemoved            Step = "removed"
)

// The steps of [TemplateCompletions], [MalformedCompletions] and [UndeclaredCompletion].
const (
	StepTyped           Step = "typed"
	StepNoRef           Step = "no-ref"
	StepNoArgument      Step = "no-argument"
	StepNoValue         Step = "no-value"
	StepUnknownType     Step = "unknown-type"
	StepNumberValue     Step = "number-value"
	StepUnknownArgument Step = "unknown-argument"
	StepUnknownURI      Step = "unknown-uri"
	StepUndeclared      Step = "undeclared"
)

// The steps of [Discovery] and [FirstMessages].
const (
	StepDiscover      Step = "discover"
	StepFirstDiscover Step = "first-discover"
	StepFirstRead     Step = "first-read"
	StepCursor        Step = "cursor"
	StepLogged        Step = "logged"
	StepAfterLogs     Step = "after-logs"
	StepThenDiscover  Step = "then-discover"
)

// The steps of [InvalidMessages].
const (
	StepUnknownMethod  Step = "unknown-method"
	StepNoMethod       Step = "no-method"
	StepArray          Step = "array"
	StepNoURI          Step = "no-uri"
	StepNotJSON        Step = "not-json"
	StepNotUTF8        Step = "not-utf-8"
	StepMistypedMethod Step = "mistyped-method"
)

// The steps of [HTTPSessions].
const (
	StepDelete           Step = "delete"
	StepNoVersion        Step = "no-version"
	StepUse              Step = "use"
	StepWithoutID        Step = "without-id"
	StepUnknownID        Step = "unknown-id"
	StepOtherRevision    Step = "other-revision"
	StepAfterOther       Step = "after-other"
	StepBadVersion       Step = "bad-version"
	StepGetBadVersion    Step = "get-bad-version"
	StepDeleteBadVersion Step = "delete-bad-version"
	StepAfterDelete      Step = "after-delete"
	StepReopen           Step = "reopen"
)

// The steps of [InputReads].
const (
	StepRetry          Step = "retry"
	StepBare           Step = "bare"
	StepAsk            Step = "ask"
	StepLingering      Step = "lingering"
	StepRootsOnly      Step = "roots-only"
	StepRetryEmpty     Step = "retry-empty"
	StepAfterAbandoned Step = "after-abandoned"
	StepAskAgain       Step = "ask-again"
	StepAskToTamper    Step = "ask-to-tamper"
	StepTampered       Step = "tampered"
	StepAskForOther    Step = "ask-for-other"
	StepOtherCaller    Step = "other-caller"
)

// The steps of [Listening].
const (
	StepListen Step = "listen"
	StepBefore Step = "before"
	StepDuring Step = "during"
)

// The steps of [KnownReads].
const (
	StepText Step = "text"
	StepBlob Step = "blob"
)

// The further steps of [MalformedReads].
const (
	StepUntyped Step = "untyped"
	StepExact   Step = "exact"
)

// The steps of [Metadata].
const (
	StepAnonymous   Step = "anonymous"
	StepPlainAgain  Step = "plain-again"
	StepUnknownKey  Step = "unknown-key"
	StepTraced      Step = "traced"
	StepOtherClient Step = "other-client"
	StepPlainRead   Step = "plain-read"
)

// The steps of [TwoClients].
const (
	StepSecondTemplates Step = "second-templates"
	StepFirstAgain      Step = "first-again"
	StepSecondAgain     Step = "second-again"
	StepSecondClient    Step = "second-client"
)

// The steps of [TemplateSweep].
const (
	StepSweep Step = "sweep"
	StepKnown Step = "known"
)

// StepTemplate is the step of [Traversal] that expands a template with a way out.
const StepTemplate Step = "template"

// The steps of [MalformedReads] and [Traversal] that read the entries of the corpus of
// URIs, by their classes.
const (
	StepMalformed Step = "malformed"
	StepStranger  Step = "stranger"
	StepOdd       Step = "odd"
	StepVariant   Step = "variant"
	StepDots      Step = "dots"
	StepEncoded   Step = "encoded"
	StepTrick     Step = "trick"
	StepSystem    Step = "system"
)

// The steps of [BareRequests].
const (
	StepInitialize Step = "initialize"
	StepNoMeta     Step = "no-meta"
	StepNoParams   Step = "no-params"
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
	MarkDoubled  MarkName = "doubled"  // the subscribed resource is changed again, after it was subscribed once more
	MarkNext     MarkName = "next"     // and again, after another resource was subscribed and unsubscribed
	MarkForeign  MarkName = "foreign"  // and again, after another session has unsubscribed it
)
