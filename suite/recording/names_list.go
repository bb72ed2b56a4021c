package recording

// The scenarios about lists, pages and reads.
const (
	Relist         Name = "relist"          // the list, the reads, the list again, and reads that failed once more
	Paging         Name = "paging"          // the same pages asked for again and again, on a session of their own
	TemplatePaging Name = "template-paging" // the same pages of templates asked for again and again
	BadCursors     Name = "bad-cursors"     // cursors that were never handed out
	SameList       Name = "same-list"       // the list on two connections, before and after other requests
	ListParams     Name = "list-params"     // resources/list with and without params
	TaskRead       Name = "task-read"       // a read with a task parameter
	KnownReads     Name = "known-reads"     // reads of resources whose contents are known
	CompleteWalks  Name = "complete-walks"  // walks through lists whose entries are known
)
