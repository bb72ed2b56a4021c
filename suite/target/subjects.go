package target

import "time"

// Subjects are resources, templates and completions whose behaviour is known
// beforehand. All are optional.
type Subjects struct {
	// Texts and Blobs are readable resources with known contents.
	Texts []Text `yaml:"texts"`
	Blobs []Blob `yaml:"blobs"`
	// Missing are URIs that certainly lead to nothing.
	Missing []string `yaml:"missing"`
	// Complete is every URI that a complete walk of resources/list delivers,
	// in any order; CompleteTemplates every URI template.
	Complete          []string `yaml:"complete"`
	CompleteTemplates []string `yaml:"complete-templates"`
	// Templates are URI templates with arguments that are known to work, or
	// not to.
	Templates []Template `yaml:"templates"`
	// Completions are arguments with the values expected for them.
	Completions []Completion `yaml:"completions"`
	// Broken is a URI whose backend fails on every read. If it takes a
	// trigger to break it, that is triggers.break.
	Broken string `yaml:"broken"`
	// Slow is a resource that takes a while to read.
	Slow *Slow `yaml:"slow"`
	// Input is a resource whose read asks for input (2026-07-28).
	Input *Input `yaml:"input"`
	// Protected are resources that some identity must not see.
	Protected []Protected `yaml:"protected"`
	// Roots are directories served under file: URIs, with what must stay out
	// of reach.
	Roots []Root `yaml:"roots"`
}

// Text is a text resource with known contents.
type Text struct {
	URI string `yaml:"uri"`
	// Text is the expected text; nil means that only text as such is
	// expected, whatever it says.
	Text *string `yaml:"text"`
	// MIMEType is the expected media type; empty means any.
	MIMEType string `yaml:"mime-type"`
	// Contains says that Text is only a part of the contents. Otherwise they
	// must agree character for character, line ends included.
	Contains bool `yaml:"contains"`
}

// Blob is a binary resource with known contents: Base64 or SHA256 (Size is
// optional with both).
type Blob struct {
	URI string `yaml:"uri"`
	// Base64 is the contents in the standard alphabet with padding.
	Base64 string `yaml:"base64"`
	// SHA256 is the digest of the contents in hexadecimal.
	SHA256 string `yaml:"sha256"`
	// Size is the number of bytes; nil means that it is not known.
	Size     *int64 `yaml:"size"`
	MIMEType string `yaml:"mime-type"`
}

// Template is a URI template with known expansions.
type Template struct {
	// Template is the URI template as the target lists it.
	Template  string      `yaml:"template"`
	Arguments []Arguments `yaml:"arguments"`
}

// Arguments are values for the variables of a template and what a read of the
// expansion yields: a text, an error (Missing), or, with neither, any contents.
type Arguments struct {
	// Vars gives each variable a value, before any percent-encoding.
	// Variables left out are undefined in the sense of RFC 6570.
	Vars map[string]string `yaml:"vars"`
	// Text is the expected text.
	Text *string `yaml:"text"`
	// Contains says that Text is only a part of the contents.
	Contains bool `yaml:"contains"`
	// Missing says that these arguments lead to no resource.
	Missing bool `yaml:"missing"`
}

// Completion is an argument of a template with the values expected for it.
type Completion struct {
	Template string `yaml:"template"`
	Argument string `yaml:"argument"`
	// Prefix is what has been typed so far.
	Prefix string `yaml:"prefix"`
	// Context gives the values of other arguments (2025-06-18 on).
	Context map[string]string `yaml:"context"`
	// Values must all be among the suggestions.
	Values []string `yaml:"values"`
	// Never lists values that must not be suggested to this caller.
	Never []string `yaml:"never"`
}

// Slow is a resource that takes a while to read.
type Slow struct {
	URI string `yaml:"uri"`
	// AtLeast is how long a read certainly takes.
	AtLeast time.Duration `yaml:"at-least"`
	// Progress says that the target reports progress meanwhile.
	Progress bool `yaml:"progress"`
}

// Input is a resource whose read asks for input first.
type Input struct {
	URI string `yaml:"uri"`
	// Answers holds the result to give to each input request, by its key in
	// inputRequests; "*" stands for every other key.
	Answers map[string]map[string]any `yaml:"answers"`
	// Requires names the client capabilities that the read needs, such as
	// "elicitation"; empty if unknown.
	Requires []string `yaml:"requires"`
	// StateMatters says that the outcome depends on requestState, so that a
	// tampered state must be refused.
	StateMatters bool `yaml:"state-matters"`
	// Text is the expected text after the last answer; nil means any.
	Text *string `yaml:"text"`
}

// Protected is a resource that an identity must not see.
type Protected struct {
	URI string `yaml:"uri"`
	// Identity names the one that must be refused.
	Identity string `yaml:"identity"`
}

// Root is a directory that the target serves under file: URIs.
type Root struct {
	// Root is the file: URI of the directory.
	Root string `yaml:"root"`
	// Canary is a file outside the root that must not be readable.
	Canary *Canary `yaml:"canary"`
	// Sibling is a file: URI in a directory beside the root whose name
	// begins with the name of the root, such as /srv/data-old/x for the root
	// /srv/data; its contents are those of the canary.
	Sibling string `yaml:"sibling"`
	// Symlink is a file: URI inside the root that links to the canary.
	Symlink string `yaml:"symlink"`
	// ForbidLinks says that links which lead out of the root must not be
	// followed. Without it, following them is taken as intended.
	ForbidLinks bool `yaml:"forbid-links"`
	// Template is a URI template whose variable names a file below the root.
	Template string `yaml:"template"`
}

// Canary is a file that must stay out of reach. If its contents come back, the
// target has let somebody out of the root.
type Canary struct {
	// URI or Path says where the file is.
	URI  string `yaml:"uri"`
	Path string `yaml:"path"`
	// Content is a marker that the file contains and nothing else served
	// does: at least 8 bytes.
	Content string `yaml:"content"`
}

// given says which subjects are set, by the name of the field.
func (s *Subjects) given() map[string]bool {
	return map[string]bool{
		"texts":              len(s.Texts) > 0,
		"blobs":              len(s.Blobs) > 0,
		"missing":            len(s.Missing) > 0,
		"complete":           len(s.Complete) > 0,
		"complete-templates": len(s.CompleteTemplates) > 0,
		"templates":          len(s.Templates) > 0,
		"completions":        len(s.Completions) > 0,
		"broken":             s.Broken != "",
		"slow":               s.Slow != nil,
		"input":              s.Input != nil,
		"protected":          len(s.Protected) > 0,
		"roots":              len(s.Roots) > 0,
	}
}
