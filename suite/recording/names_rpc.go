package recording

// The scenarios about messages, the handshake, stdio, progress and cancellation.
const (
	RequestIDs          Name = "request-ids"          // requests under unusual but legal ids
	InvalidMessages     Name = "invalid-messages"     // what is no JSON, no request, or asks for an unknown method
	Concurrency         Name = "concurrency"          // many requests in flight together
	ClientNotifications Name = "client-notifications" // notifications, known and unknown
	Batches             Name = "batches"              // arrays of messages
	Handshake           Name = "handshake"            // a handshake in slow motion: the end of it is held back
	Pings               Name = "pings"                // ping with and without params
	FaultyHandshake     Name = "faulty-handshake"     // initialize with members missing
	Negotiation         Name = "negotiation"          // initialize with a version that nobody implements
	Framing             Name = "framing"              // messages split and joined on stdio, and a long one
	Progress            Name = "progress"             // reads with progress tokens
	OddCancellations    Name = "odd-cancellations"    // cancellations of what is not under way, and malformed ones
	CancelRace          Name = "cancel-race"          // requests that are cancelled at once
	CancelledRead       Name = "cancelled-read"       // a slow read that is cancelled
	DroppedReads        Name = "dropped-reads"        // many slow reads whose streams are closed
	ResumedRead         Name = "resumed-read"         // a slow read whose stream is closed and resumed
	ListenChurn         Name = "listen-churn"         // listen streams opened and closed again and again
)

// TagCancelled marks exchanges that the script itself cancelled: that they stay
// unanswered is no finding.
const TagCancelled = "cancelled"

// FactListens is the note in [Facts] which says that a listen stream was
// acknowledged.
const FactListens = "listens"
