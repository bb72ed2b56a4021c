package recording

// The scenarios about versions, capabilities, metadata, caching hints and
// requests for input.
const (
	Discovery     Name = "discovery"      // server/discover
	FirstMessages Name = "first-messages" // requests that open a connection, and requests with a log level
	BareRequests  Name = "bare-requests"  // what a modern-only target does with legacy messages
	Undeclared    Name = "undeclared"     // features that a target does not declare
	Metadata      Name = "metadata"       // requests with unusual but legal metadata
	InputReads    Name = "input-reads"    // a resource whose read asks for input
)
