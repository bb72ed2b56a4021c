package tmpl

// The members that have a meaning, in lists and in contents.
var (
	templateMembers = []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "lastModified", "_meta"}
)
