package recording

// The scenarios about versions, capabilities, metadata, caching hints and
// requests for input.
const (
	Discovery      Name = "discovery"           // server/discover
	FirstMessages  Name = "first-messages"      // requests that open a connection, and requests with a log level
	Versions       Name = "versions"            // requests under versions that nobody implements
	Advertised     Name = "advertised"          // the versions that discovery lists, each in its own era
	AfterHandshake Name = "after-handshake"     // a modern request after a handshake
	BareRequests   Name = "bare-requests"       // what a modern-only target does with legacy messages
	Capabilities   Name = "capabilities"        // what a target does for the capabilities it declares
	Undeclared     Name = "undeclared"          // features that a target does not declare
	Metadata       Name = "metadata"            // requests with unusual but legal metadata
	BadMetadata    Name = "bad-metadata"        // requests whose metadata lacks something or is ill-typed
	LogLevels      Name = "log-levels"          // logging/setLevel
	InputReads     Name = "input-reads"         // a resource whose read asks for input
	Superfluous    Name = "superfluous-answers" // answers that nobody asked for
	Callers        Name = "callers"             // the same requests by several callers
)
