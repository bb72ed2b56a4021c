package verdict

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// ReadOf names a read by the URI as it was sent.
func ReadOf(x *recording.Exchange) string { return "a read of " + judge.Brief(x.Param("uri")) }

// EmptyContents reports whether a read succeeded with nothing in it.
func EmptyContents(x *recording.Exchange) bool {
	c := x.Value("contents")
	return x.Succeeded() && c.IsArray() && len(c.Array()) == 0
}

// Hollow reports whether a read succeeded with nothing in it, in whatever form: no contents,
// contents of another type, or a result that is null.
func Hollow(x *recording.Exchange) bool {
	return x.Succeeded() && !Yields(x) && !AsksForInput(x)
}

// Yields reports whether a read succeeded with something in it.
func Yields(x *recording.Exchange) bool {
	return x.Succeeded() && len(x.Value("contents").Array()) > 0
}

// Bodies are the texts and blobs of a read. Unlike [ContentsOf] it looks at the reply alone: scripts call it
// while frames of the exchange may still come, such as what HTTP says to a request that was answered on
// another stream.
func Bodies(x *recording.Exchange) []string {
	list := resultOf(x).Get("contents")
	if !list.IsArray() {
		return nil
	}
	var all []string
	for _, c := range list.Array() {
		all = append(all, c.Get("text").Raw+" "+c.Get("blob").Raw)
	}
	return all
}

// NotFound reports whether an error says that a resource does not exist: the code
// of the legacy revisions, or that of 2026-07-28.
func NotFound(x *recording.Exchange) bool {
	return x.HasCode(-32002, CodeInvalidParams)
}

// ReadsUnknown reports whether the target does not know resources/read at all: it
// refused every read of a listed or known resource as an unknown method. That is
// judged elsewhere, and refusals of other reads say nothing then.
func (v *Verdict) ReadsUnknown() bool {
	refused := 0
	for _, name := range []recording.Name{recording.Reads, recording.KnownReads} {
		r := v.Input(name)
		if r == nil {
			continue
		}
		for _, x := range r.Calls("resources/read") {
			switch {
			case Unknown(x):
				refused++
			case x.Outcome == recording.Replied:
				return false
			}
		}
	}
	if refused > 0 {
		v.NotExercised("the target does not know resources/read")
	}
	return refused > 0
}

// InputRequired lists the results that ask for input.
func InputRequired(v *Verdict) []*recording.Exchange {
	return recording.Keep(v.Exchanges, AsksForInput)
}

// Leaked says what a read yields from outside of the root; empty if nothing. A
// marker of the target file is sure; what only looks like a file of the system is not.
// Error messages give a marker away as well as contents do.
func Leaked(x *recording.Exchange) (what string, sure bool) {
	if told := x.Tags[recording.TagLeaked]; told != "" {
		return told, x.Tags[recording.TagProven] != ""
	}
	marker := x.Tags[recording.TagMarker]
	if marker != "" && strings.Contains(x.Error().Raw, marker) {
		return "an error with what a file outside of the root contains", true
	}
	looks := ""
	for _, c := range ContentsOf(x) {
		text := c.Get("text").String()
		if data, err := judge.Decode(c.Get("blob").String()); err == nil {
			text += string(data)
		}
		if marker != "" && strings.Contains(text, marker) {
			return "a file outside of the root", true
		}
		if looks == "" {
			looks = judge.SystemFile(text)
		}
	}
	if looks != "" {
		return "what looks like " + looks, false
	}
	return "", marker != ""
}

// Reading is a read that yielded contents.
type Reading struct {
	*recording.Exchange
	Contents []Item
}

// Readings lists the reads of some steps that have a result, other than those that
// ask for input; for the rest it says why not.
func (v *Verdict) Readings(steps ...recording.Step) []Reading {
	var all []Reading
	for _, x := range v.Steps(steps...) {
		switch {
		case !v.Answered(x):
		case !x.Succeeded():
			v.NeedsSubject("no resource could be read: %v", x)
		case AsksForInput(x):
			v.NeedsSubject("the target asks for input before it lets a resource be read")
		default:
			all = append(all, Reading{x, ContentsOf(x)})
		}
	}
	return all
}

// AsksForInput tells a request for input from a final result (2026-07-28).
func AsksForInput(x *recording.Exchange) bool {
	return resultOf(x).Get("resultType").Str == "input_required"
}

// ContentsOf lists the items of contents that a read yielded.
func ContentsOf(x *recording.Exchange) []Item {
	type key struct{}
	all, _ := x.Note(key{}, func() any { return slices.Clip(contentItems(x)) }).([]Item)
	return all
}

func contentItems(x *recording.Exchange) []Item {
	list := resultOf(x).Get("contents")
	if !list.IsArray() {
		return nil
	}
	var all []Item
	for i, c := range list.Array() {
		all = append(all,
			Item{wire.LookedUp(c), fmt.Sprintf("content %d of %s", i+1, judge.Brief(x.Param("uri"))),
				slices.Clip(x.Evidence())})
	}
	return all
}

// UnreadableShape reports whether the contents of a read are of a shape in which nothing
// can be looked for, and says so: READ-01 and READ-03 judge that, once.
func (v *Verdict) UnreadableShape(x *recording.Exchange) bool {
	list := resultOf(x).Get("contents")
	bad := list.Exists() && !list.IsArray() || slices.ContainsFunc(ContentsOf(x), func(c Item) bool {
		return !judge.IsString(c.Get("text")) && !judge.IsString(c.Get("blob"))
	})
	if bad {
		v.NeedsSubject("the contents are not of the right shape: see READ-01 and READ-03")
	}
	return bad
}

// The error codes of the modern revisions, and those of JSON-RPC.
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
)

// Unknown reports whether a request was refused because the target does not know
// its method.
func Unknown(x *recording.Exchange) bool {
	return x.HasCode(CodeMethodNotFound)
}

// Broken reports whether a target that is there answered with the HTTP status of a
// failure of its own, and with nothing else.
func Broken(x *recording.Exchange) bool {
	return x.Status >= http.StatusInternalServerError && x.Status != http.StatusServiceUnavailable &&
		len(x.Replies) == 0
}

// Withstood notes a violation if a probe took the target down or was never
// answered, and reports whether there is an answer to look at.
func (v *Verdict) Withstood(x *recording.Exchange, about string) bool {
	switch {
	case x.Fatal:
		v.Fail(x, "an error, and a target that goes on serving", "the target was lost over %s, twice%s",
			about, matcher.InBrackets(x.Reason)).SharedCause(v.EndedBy(x)).
			Hint("catch what goes wrong while a request is handled, and answer it with an error")
		return false
	case NoResponse(x):
		f := v.Fail(x, "an answer", "%v to %s", x, about).
			Hint("answer every request, if need be with an error")
		if x.Outcome == recording.Silent && x.Method == "resources/read" {
			f.SharedCause(UnansweredRead)
		}
		return false
	}
	return v.Answered(x)
}

// UnansweredRead is the cause of what breaks each requirement that is about reads of what cannot be read.
const UnansweredRead = "a read that is to be refused is not answered"

// NoResponse reports whether a request, however odd it may be, got no response from a target that goes on:
// silence, or an HTTP status of success without one.
func NoResponse(x *recording.Exchange) bool {
	return x.Outcome == recording.Silent || x.Outcome == recording.HTTPOnly && x.Status > 0 &&
		x.Status < http.StatusMultipleChoices
}

// DiesOfText reports whether the target is lost over text that is no JSON, which RPC-14 and
// SEC-63 judge: that other input which it cannot read ends it as well has the same cause. r is
// the recording of [recording.InvalidMessages].
func (v *Verdict) DiesOfText(r *recording.Recording) bool {
	if !r.LostOverText() {
		return false
	}
	v.NotExercised("the target dies of input that it cannot read: see RPC-14 and SEC-63")
	return true
}

// Doubles reports whether the target answers the ordinary requests for a list twice,
// which RPC-09 judges: then each further place where it does so has the same cause. The
// check has to name the walks among its inputs.
func (v *Verdict) Doubles() bool {
	for _, name := range BothWalks {
		r := v.Input(name)
		if r != nil && slices.ContainsFunc(r.Steps(recording.StepPage), func(x *recording.Exchange) bool {
			return len(x.Replies) > 1
		}) {
			v.NotExercised("the target answers ordinary requests twice: see RPC-09")
			return true
		}
	}
	return false
}

// LostWords says how a connection ended over a request.
func LostWords(x *recording.Exchange) string {
	if x.Fatal && x.Outcome == recording.Replied {
		return matcher.Describe(x) + ", and nothing was answered after it, twice"
	}
	if x.Fatal && x.Outcome == recording.Silent {
		return x.Reason + ", and so it was again when the same message was sent alone"
	}
	if x.Fatal {
		return "the connection ended" + matcher.InBrackets(x.Reason) +
			", and did so again when the same message was sent alone"
	}
	return "the connection ended" + matcher.InBrackets(x.Reason)
}

// Reaction is what became of a message that could upset the target.
func Reaction(x *recording.Exchange) string {
	if x.Fatal {
		return LostWords(x)
	}
	return matcher.Describe(x)
}

// Baseline reports whether the ordinary request of a script was served; where it
// was not, deviations from it say nothing.
func (v *Verdict) Baseline(step recording.Step) bool {
	x := v.Step(step)
	if !v.Answered(x) {
		return false
	}
	if !x.Succeeded() {
		v.NotExercised("the ordinary request, with which others would be compared, is refused: %v", x)
	}
	v.RestsOn(x)
	return x.Succeeded()
}

// Gone reports whether a request about a resource that was listed or read before was refused, as a plain read
// is that followed it (see [scenario.Client.OfListed]): resources may come and go. Then it skips the
// requirement.
func (v *Verdict) Gone(x *recording.Exchange) bool {
	if x == nil || x.Succeeded() {
		return false
	}
	for _, again := range v.Steps(recording.StepStillThere) {
		if again.Tags[recording.TagURI] == x.URI() && again.Request > x.Request &&
			!again.Succeeded() {
			v.NotExercised("the resource %s was there before, and is no longer: %v to a plain read",
				judge.Quote(x.URI()), again)
			return true
		}
	}
	return false
}

// RefusedHandshake is the answer to initialize of a modern-only target. A target
// that performs the handshake, or lists legacy versions, is none.
func (v *Verdict) RefusedHandshake() (*recording.Exchange, bool) {
	x := v.Step(recording.StepInitialize)
	if x == nil {
		return nil, false
	}
	if x.Succeeded() || v.Facts.ListsLegacy() {
		v.NotExercised("the target is not modern-only: it serves or lists revisions with a handshake")
		return nil, false
	}
	return x, true
}
