package list

// The members that have a meaning, in lists and in contents.
var (
	resourceMembers = []string{"uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "lastModified", "_meta"}
)
