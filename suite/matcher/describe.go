package matcher

import (
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// Describe says in a few words how the target answered, so that "to" and what was
// asked can follow.
func Describe(x *recording.Exchange) string {
	status := ""
	if x.Status >= 300 {
		status = " with HTTP " + strconv.Itoa(x.Status)
	}
	switch {
	case x.Failed():
		if x.Status > 0 {
			status = " with HTTP " + strconv.Itoa(x.Status)
		}
		return describeError(x.Error(), status)
	case x.Outcome == recording.Replied && x.Result().Exists():
		return "a result" + status + " (" + judge.Brief(WithoutMeta(x.Result())) + ")"
	case x.Outcome == recording.Replied:
		return "a reply without result and error" + status + " (" + judge.Brief(x.Message()) + ")"
	case x.Outcome == recording.HTTPOnly && x.Status > 0:
		return "HTTP " + strconv.Itoa(x.Status) + " without a JSON-RPC response"
	case x.Outcome == recording.Refused && x.Status > 0:
		return "HTTP " + strconv.Itoa(x.Status) + " again and again"
	case x.Outcome == recording.Canceled:
		return "no answer before the run ended"
	}
	words := map[recording.Outcome]string{
		recording.Sent: "no answer (none was due)", recording.Silent: "silence", recording.Lost: "no answer but a lost connection",
		recording.Unsent: "no answer: it could not be sent",
	}[x.Outcome]
	if words == "" {
		words = "no answer"
	}
	return words + InBrackets(x.Reason)
}

// WithoutMeta is an object without the metadata that most results and requests
// carry, and that sentences are not about.
func WithoutMeta(object gjson.Result) gjson.Result {
	if !object.IsObject() || !object.Get("_meta").Exists() {
		return object
	}
	var members []string
	object.ForEach(func(name, value gjson.Result) bool {
		if name.Str != "_meta" {
			members = append(members, name.Raw+":"+value.Raw)
		}
		return true
	})
	return gjson.Parse("{" + strings.Join(members, ",") + "}")
}

// describeError says what an error holds, even if it is none in form.
func describeError(e gjson.Result, status string) string {
	code, message := e.Get("code"), e.Get("message")
	switch {
	case !e.IsObject():
		return "an error that is no object" + status + " (" + judge.Brief(e) + ")"
	case !code.Exists() && !message.Exists():
		return "an error without a code" + status
	case !code.Exists():
		return "an error without a code" + status + " (" + judge.Brief(message) + ")"
	case !message.Exists():
		return "error " + judge.Brief(code) + status + " without a message"
	}
	return "error " + judge.Brief(code) + status + " (" + judge.Brief(message) + ")"
}

// InBrackets is the reason of an exchange for the middle of a sentence. That there
// was no answer is said already.
func InBrackets(reason string) string {
	reason = strings.TrimLeft(strings.TrimPrefix(reason, "no answer"), ", ")
	if reason == "" {
		return ""
	}
	if d, ok := strings.CutPrefix(reason, "within "); ok {
		return " for " + d
	}
	return " (" + strings.TrimPrefix(reason, "although ") + ")"
}
