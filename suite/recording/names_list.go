package recording

// The scenarios about lists, pages and reads.
const (
	KnownReads Name = "known-reads" // reads of resources whose contents are known
)
