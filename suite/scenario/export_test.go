package scenario

// What tests outside of the package use, because they need the areas as well.
type Server = server

// NewServer is a scripted target.
func NewServer(script Answer) *Server { return &server{script: script} }

var (
	ServerStage = stage
	Lively      = lively
	ListedAs    = listedAs
)
