package scenario

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of scripts whose recordings several areas judge: above each script stands what they are. Those
// that who plays or reports a run knows as well are declared beside recordings.
const (
	StepPlain, StepContext, StepConfigured, StepPattern recording.Step = "plain", "context", "configured",
		"pattern"
	// StepAgain is what is added to the step of a first message that is sent once more.
	StepAgain recording.Step = "-again"
)

// The steps of [recording.Changes] and [recording.SelfChanges].
const (
	StepListed, StepAdded, StepRemoved                recording.Step = "listed", "added", "removed"
	StepBesideListed, StepBesideChanged, StepBorrowed recording.Step = "beside-listed", "beside-changed",
		"borrowed"
	StepSubscribeAgain, StepSubscribeNext        recording.Step = "subscribe-again", "subscribe-next"
	StepForeignSubscribe, StepForeignUnsubscribe recording.Step = "foreign-subscribe",
		"foreign-unsubscribe"
	StepUnsubscribeNext, StepSecondStream recording.Step = "unsubscribe-next", "stream-2"
	StepUnchanged, StepAtOnce, StepLater  recording.Step = "unchanged", "at-once", "later"
	StepBeside, StepNewcomer              recording.Step = "beside", "newcomer"
)

// The steps of [recording.FirstMessages] and [recording.Listening].
const (
	StepFirstDiscover, StepFirstRead, StepLogged recording.Step = "first-discover", "first-read", "logged"
	StepCursor, StepCursorSource                 recording.Step = "cursor", "cursor-source"
	StepDuring, StepSettled                      recording.Step = "during", "settled"
)

// The steps of [recording.InvalidMessages].
const (
	StepUnknownMethod, StepNoMethod, StepArray recording.Step = "unknown-method", "no-method", "array"
	StepNullID, StepDoubledMember              recording.Step = "null-id", "doubled-member"
	StepNotUTF8, StepMistypedMethod            recording.Step = "not-utf-8", "mistyped-method"
)

// The steps of [recording.HTTPSessions] and [recording.TwoClients].
const (
	StepDelete, StepNoVersion, StepUse, StepWithoutID recording.Step = "delete", "no-version", "use",
		"without-id"
	StepUnknownID, StepOtherRevision, StepAfterOther recording.Step = "unknown-id", "other-revision",
		"after-other"
	StepBadVersion, StepGetBadVersion                 recording.Step = "bad-version", "get-bad-version"
	StepDeleteBadVersion, StepAfterDelete, StepReopen recording.Step = "delete-bad-version", "after-delete",
		"reopen"
	StepGetWithoutID, StepGetAfterDelete            recording.Step = "get-without-id", "get-after-delete"
	StepDeleteAgain, StepChosenID, StepSecondClient recording.Step = "delete-again", "chosen-id",
		"second-client"
)

// The steps of [recording.Metadata] and [recording.BareRequests].
const (
	StepAnonymous, StepPlainAgain, StepUnknownKey, StepTraced recording.Step = "anonymous", "plain-again",
		"unknown-key", "traced"
	StepOtherClient, StepPlainRead, StepProgressToken recording.Step = "other-client", "plain-read",
		"progress-token"
	StepNoMeta, StepNoParams recording.Step = "no-meta", "no-params"
)

// The steps of [recording.MalformedReads] and [recording.Traversal], of which most read the entries of the
// corpus of URIs by their classes, and of [recording.TemplateSweep].
const (
	StepMalformed, StepStranger, StepOdd, StepVariant recording.Step = "malformed", "stranger", "odd",
		"variant"
	StepDots, StepEncoded, StepTrick, StepSystem recording.Step = "dots", "encoded", "trick", "system"
	StepUntyped, StepExact, StepTemplate         recording.Step = "untyped", "exact", "template"
	StepSweep, StepKnown                         recording.Step = "sweep", "known"
)

// The marks of [recording.Changes], each set before the trigger is fired.
const (
	MarkOther  recording.MarkName = "other"  // the other resource is changed
	MarkAdd    recording.MarkName = "add"    // a resource is added to the list
	MarkRemove recording.MarkName = "remove" // a resource is removed from the list
	// the subscribed resource is changed again, after a subscription was given up
	MarkSilenced recording.MarkName = "silenced"

	// the silence after a subscription was given up has been listened to
	MarkSilenceHeard recording.MarkName = "silence-heard"
	// the subscribed resource is changed again, after it was read, and another one subscribed and
	// unsubscribed
	MarkNext    recording.MarkName = "next"
	MarkDoubled recording.MarkName = "doubled" // and again, after it was subscribed once more
	// and again, after another session has subscribed it as well
	MarkShared  recording.MarkName = "shared"
	MarkForeign recording.MarkName = "foreign" // and again, after that one has unsubscribed it
)

// The tags of reads and templates.
const (
	TagSize      recording.Tag = "size" // in the list, or known from the target file
	TagForm      recording.Tag = "form" // what is odd about a URI: the name of its entry in the corpus
	TagMatching  recording.Tag = "matching"
	TagOf        recording.Tag = "of"     // the listed URI that one was made of
	TagServed    recording.Tag = "served" // set if the target lists the URI, or a template that could mean it
	TagArgument  recording.Tag = "argument"
	TagMIME      recording.Tag = "mime" // the MIME type of the listed template
	TagKind      recording.Tag = "kind" // what is special about the value of the variables
	TagValue     recording.Tag = "value"
	TagVariables recording.Tag = "variables" // "1" if there is no more than one
)

// The tags of reads that try to leave a directory.
const (
	TagRoot     recording.Tag = "root"     // the directory
	TagLinks    recording.Tag = "links"    // whether the target file forbids links
	TagGuessed  recording.Tag = "guessed"  // set if the directory is not named by the target file
	TagUnserved recording.Tag = "unserved" // set if no URI below it is listed and no template leads there
)

// The tags of sessions and versions, of streams, subscriptions and changes.
const (
	TagVersion, TagSession recording.Tag = "version", "session"
	TagSessionless         recording.Tag = "sessionless" // set where a legacy target keeps no sessions
	TagWalked              recording.Tag = "walked"      // set if the request was served in the walk
	TagHeard               recording.Tag = "heard"       // an update followed
	// the resource that has nothing to do with the change
	TagOther recording.Tag = "other"
	TagLook  recording.Tag = "look" // counts the looks at a list
	// "no" if no update came of what was subscribed, in a session that stood
	TagTold      recording.Tag = "told"
	TagTemplates recording.Tag = "templates" // the size of the list of templates
	// the milliseconds after which the stream ended by itself
	TagEnded recording.Tag = "ended"
	// the number of the last frame before we ended the stream
	TagStopped     recording.Tag = "stopped"
	TagUnsupported recording.Tag = "unsupported" // what was asked for and not declared
	TagAccepted    recording.Tag = "accepted"    // set if the target took the subscription
)
