package scenario

// What the tests outside of the package use.
const Plenty = plenty

var (
	ListedAs = listedAs
	ReadAll  = readAll
	Together = (*Play).together
)
