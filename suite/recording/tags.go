package recording

import (
	"maps"
	"strconv"
)

// Tag names a fact about an exchange, such as the template that a URI was expanded from.
type Tag string

// Tags are facts about an exchange, by name.
type Tags map[Tag]string

// With joins tags into new ones; of two of the same name the later one counts.
func (t Tags) With(more ...Tags) Tags {
	all := Tags{}
	maps.Copy(all, t)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// The tags of reads and of what is read.
const (
	TagURI      Tag = "uri"
	TagListed   Tag = "listed"   // the size of the list; of a template, that it is listed
	TagSize     Tag = "size"     // in the list, or known from the target file
	TagType     Tag = "type"     // the MIME type in the list, or known from the target file
	TagText     Tag = "text"     // what is expected to be read
	TagContains Tag = "contains" // set if the text is only a part
	TagBase64   Tag = "base64"
	TagSHA256   Tag = "sha256"
	TagForm     Tag = "form" // what is odd about a URI: the name of its entry in the corpus
	TagClass    Tag = "class"
	TagAllow    Tag = "allow"
	TagMatching Tag = "matching"
	TagServed   Tag = "served" // set if the target lists the URI, or a template that could mean it
)

// The tags of templates and their completions.
const (
	TagTemplate  Tag = "template"
	TagArgument  Tag = "argument"
	TagMIME      Tag = "mime" // the MIME type of the listed template
	TagKind      Tag = "kind" // what is special about the value of the variables
	TagValue     Tag = "value"
	TagVariables Tag = "variables" // "1" if there is no more than one
	TagInvented  Tag = "invented"  // set if no value of the first variable was known
	TagNever     Tag = "never"     // the values that must not come, one in a line
)

// The tags of lists.
const (
	TagPage Tag = "page" // its number, from 1 on
	TagEnd  Tag = "end"  // on the last page: why there was no further one
)

// The tags of sessions and versions.
const (
	TagVersion     Tag = "version"
	TagSession     Tag = "session"
	TagSessionless Tag = "sessionless" // set where a legacy target keeps no sessions
	TagOrigin      Tag = "origin"
	TagMethod      Tag = "method"
	TagFeature     Tag = "feature"
	TagLevel       Tag = "level"  // of log messages
	TagWalked      Tag = "walked" // set if the request was served in the walk
)

// The tags of streams, subscriptions and changes.
const (
	TagName        Tag = "name"        // what a listen stream is for
	TagWho         Tag = "who"         // the watcher, which subscribes, or the bystander
	TagOther       Tag = "other"       // the resource that has nothing to do with the change
	TagLook        Tag = "look"        // counts the looks at a list
	TagOpen        Tag = "open"        // set if a GET stream stands
	TagTemplates   Tag = "templates"   // the size of the list of templates
	TagAck         Tag = "ack"         // the number of the frame that acknowledged the stream
	TagAlive       Tag = "alive"       // set if the target answered after a stream that was neither acknowledged nor refused
	TagEnded       Tag = "ended"       // the milliseconds after which the stream ended by itself
	TagStopped     Tag = "stopped"     // the number of the last frame before we ended the stream
	TagUnsupported Tag = "unsupported" // what was asked for and not declared
	TagAccepted    Tag = "accepted"    // set if the target took the subscription
)

// The tags of reads that ask for input.
const (
	TagMatters    Tag = "matters"    // set if the target file says that the state matters
	TagUnanswered Tag = "unanswered" // a key for which the target file has no answer
	TagRound      Tag = "round"
)

// TagRequired is the tag that names the i-th capability which the target file says a
// read needs.
func TagRequired(i int) Tag { return Tag("required:" + strconv.Itoa(i)) }

// The tags of reads that try to leave a directory.
const (
	TagRoot    Tag = "root"    // the directory
	TagMarker  Tag = "marker"  // what the file outside contains
	TagLinks   Tag = "links"   // whether the target file forbids links
	TagGuessed Tag = "guessed" // set if the directory is not named by the target file
	// TagLeaked and TagProven belong to a reply that gave away what lies outside, once it
	// was judged: what it gave away, and whether a marker of the target file shows it.
	// The reply itself is cut then.
	TagLeaked Tag = "leaked"
	TagProven Tag = "leak-proven"
)

// TagCancelled marks exchanges that the script itself cancelled: that they stay
// unanswered is no finding.
const TagCancelled Tag = "cancelled"
