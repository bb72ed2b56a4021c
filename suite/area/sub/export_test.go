package sub

var (
	KeepsSessions = keepsSessions
	ComesAfter    = comesAfter
)
