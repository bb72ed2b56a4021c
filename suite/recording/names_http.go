package recording

// The scenarios about HTTP transports, sessions, event streams and security.
const (
	HTTPHeaders   Name = "http-headers"   // modern requests with headers missing, wrong, or oddly written
	HTTPStatuses  Name = "http-statuses"  // notifications, malformed bodies, and unusual but conforming headers
	HTTPSessions  Name = "http-sessions"  // legacy sessions: their ids, versions and end
	HTTPStreams   Name = "http-streams"   // event streams that answer requests, and the one opened by GET
	HTTPResume    Name = "http-resume"    // a stream asked for again by the id of its last event
	HTTPBroadcast Name = "http-broadcast" // two GET streams, a subscription, and one change
	TwoClients    Name = "two-clients"    // two clients side by side, with the same request ids
	SSEEndpoint   Name = "sse-endpoint"   // the event stream of HTTP+SSE, opened by hand
	Origins       Name = "origins"        // requests with foreign, own and no Origin
	Credentials   Name = "credentials"    // requests without valid credentials, and the resource metadata
	Rights        Name = "rights"         // protected resources asked for by callers without the right
	PublicAddress Name = "public-address" // a local server asked at another address of the machine
	LogSecrets    Name = "log-secrets"    // requests with a made-up token while logging is at its most talkative
)
