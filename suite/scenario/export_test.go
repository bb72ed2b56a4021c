package scenario

// What tests outside of the package use, because they need the areas as well.
type Peer = server

// NewPeer is a scripted target.
func NewPeer(script Answer) *Peer { return &server{script: script} }

var (
	PeerStage = stage
	Lively    = lively
	ListedAs  = listedAs
)
