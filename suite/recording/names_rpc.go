package recording

// The scenarios about messages, the handshake, stdio, progress and cancellation.
const (
	InvalidMessages Name = "invalid-messages" // what is no JSON, no request, or asks for an unknown method
)

// TagCancelled marks exchanges that the script itself cancelled: that they stay
// unanswered is no finding.
const TagCancelled Tag = "cancelled"

// FactListens is the note in [Facts] which says that a listen stream was
// acknowledged.
const FactListens = "listens"
