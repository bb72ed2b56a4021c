package world

import "context"

// Source is a content that is fetched for each read: a file, say. It may be used
// from several goroutines.
type Source interface {
	// Fetch returns the content. An error that is fs.ErrNotExist means that the
	// resource is gone. The text of any other goes to the client, within an internal
	// error: it must not tell what is no business of clients, a path of the server say.
	Fetch(ctx context.Context) (Content, error)
}

// Content is what a Source has fetched.
type Content struct {
	Data []byte
	// Binary has it sent as a blob; otherwise Data is UTF-8.
	Binary bool
	// MIMEType takes the place of that of the resource, unless it is empty.
	MIMEType string
}

// Finder finds the resources of a template which the world does not hold. It may be
// used from several goroutines.
type Finder interface {
	// Find returns the resource at these decoded values, and whether there is one. Its
	// URI is set by the caller.
	Find(ctx context.Context, values map[string]string) (Resource, bool)
	// Suggest lists values of a variable that begin with what has been typed, in any
	// case of the letters.
	Suggest(ctx context.Context, variable, typed string) []string
}
