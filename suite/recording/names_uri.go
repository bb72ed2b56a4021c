package recording

// The scenarios about URIs, templates, completion and errors.
const (
	MalformedReads       Name = "malformed-reads"       // reads of what is no URI, of an unknown scheme, and without a URI
	URISubscriptions     Name = "uri-subscriptions"     // subscriptions to what is no URI
	Traversal            Name = "traversal"             // reads that try to leave a served directory
	TemplateSweep        Name = "template-sweep"        // reads of every listed template expanded with values of all kinds
	TemplateCompletions  Name = "template-completions"  // completions of the variables of listed templates
	MalformedCompletions Name = "malformed-completions" // completions with members missing or wrong
	UndeclaredCompletion Name = "undeclared-completion" // a completion without the capability
)

// The tags of an exchange whose reply gave away what lies outside of a served directory,
// once it was judged: TagLeaked says what, and TagProven is set if a marker of the target
// file shows it. The reply itself is cut then.
const (
	TagLeaked Tag = "leaked"
	TagProven Tag = "leak-proven"
)
