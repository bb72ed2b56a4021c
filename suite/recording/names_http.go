package recording

// The scenarios about HTTP transports, sessions, event streams and security.
const (
	HTTPSessions Name = "http-sessions" // legacy sessions: their ids, versions and end
	TwoClients   Name = "two-clients"   // two clients side by side, with the same request ids
)
