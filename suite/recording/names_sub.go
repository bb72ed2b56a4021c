package recording

// The scenarios about subscriptions and changes.
const (
	Listening Name = "listening" // listen streams on which nothing is made to happen
	Changes   Name = "changes"   // resources and the list change under the eyes of two sessions
)

// The marks of [Changes], each set before the trigger is fired, and of
// [Shutdown].
const (
	MarkOther    MarkName = "other"    // the other resource is changed
	MarkUpdate   MarkName = "update"   // the subscribed resource is changed
	MarkAdd      MarkName = "add"      // a resource is added to the list
	MarkRemove   MarkName = "remove"   // a resource is removed from the list
	MarkSilenced MarkName = "silenced" // the subscribed resource is changed again, after a subscription was given up
	MarkDoubled  MarkName = "doubled"  // the subscribed resource is changed again, after it was subscribed once more
	MarkNext     MarkName = "next"     // and again, after another resource was subscribed and unsubscribed
	MarkForeign  MarkName = "foreign"  // and again, after another session has unsubscribed it
	MarkShutdown MarkName = "shutdown" // the target ends its subscriptions
)
