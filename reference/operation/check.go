package operation

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The verbs of the vocabulary, and the sorts of messages to which each can be done.
var verbs = table(`
set      request reply response notification http-request http-answer event
drop     request reply response notification http-request http-answer event
retype   request reply response notification http-answer
rewrite  request reply response notification http-request http-answer event
code     reply response
silence  request reply response notification event
delay    request reply response notification http-request event
repeat   response notification event
reorder  response notification
abort    request reply response notification http-request
send     request reply response notification
answer   request http-request
note     request reply response notification http-request
`)

// arguments are the members that belong to some verbs only.
var arguments = table(`
to       set note
as       retype
pattern  rewrite
with     rewrite
where    set drop retype rewrite
was      code
after    send
apart    send
per      note
`)

// table is the words behind the first of each line.
func table(lines string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		words := strings.Fields(line)
		all[words[0]] = words[1:]
	}
	return all
}

// roots are the names that paths into a sort of message can begin with. Those after
// the empty one can be tested only.
var roots = map[string][]string{
	OnRequest:      {"method", "params", "header", "", "id", "session", noted, mock},
	OnReply:        {"result", "error", "status", "header", "", about, noted, mock},
	OnResponse:     {"jsonrpc", "id", "result", "error", raw, "", about, "session", noted, mock},
	OnNotification: {"jsonrpc", "id", "method", "params", raw, "", about, "session", noted, mock},
	OnHTTPRequest:  {"header", "", "verb", "path", "body", noted, mock},
	OnHTTPAnswer:   {"status", "header", "body", "", about},
	OnEvent:        {"type", "id", "data", raw, "", "retry", "stream", "answer"},
}

// retypes are what As can be.
var retypes = []string{"string", "number", "array", "element", "json", "base64", "plain"}

// Words are what there is to choose from for members of operations and tests, by the names of the members.
func Words() map[string][]string {
	return map[string][]string{
		"on": slices.Sorted(maps.Keys(roots)), "era": {"legacy", "modern"}, "per": {perConnection, perSession,
			perRevision}, "as": retypes, "type": kinds,
	}
}

// given are the verbs that the operation has, in the order of their names.
func (o *Operation) given() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(verbs)), func(verb string) bool { return !o.has(verb) })
}

// has reports whether a member is given.
func (o *Operation) has(member string) bool {
	v := reflect.ValueOf(o).Elem().FieldByName(strings.ToUpper(member[:1]) + member[1:])
	return !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0)
}

// Given is how many of some alternatives are given.
func Given(alternatives ...bool) (n int) {
	for _, is := range alternatives {
		if is {
			n++
		}
	}
	return n
}

// on is the sort of message.
func (o *Operation) on() string { return cmp.Or(o.On, OnReply) }

// at is the path of the member that is changed; empty if none is.
func (o *Operation) at() string { return o.Set + o.Drop + o.Retype + o.Rewrite }

// Check says what is wrong with the operation; nothing if it can be done.
func (o *Operation) Check() Problems {
	c, on, known := &Problems{}, o.on(), roots[o.on()]
	words := Words()
	c.OneOf("on", o.On, words["on"])
	c.OneOf("era", o.Era, words["era"])
	c.OneOf("per", o.Per, words["per"])
	for _, transport := range hook.MethodsOf(o.Transport) {
		c.OneOf("transport", transport, []string{hook.Stdio, hook.HTTP, hook.SSE})
	}
	names := o.given()
	if len(names) != 1 {
		c.Say("", "needs exactly one of %s", strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
		return *c
	}
	if known == nil {
		return *c
	}
	verb := names[0]
	if !slices.Contains(verbs[verb], on) {
		c.Say(verb, "cannot be done to a message of the sort %s, but to %s", on,
			strings.Join(verbs[verb], ", "))
		return *c
	}
	if slices.Contains([]string{OnHTTPRequest, OnHTTPAnswer, OnEvent}, on) &&
		(o.Method != "" || o.Era != "") {
		c.Say("method", "method and era cannot be told of a message of the sort %s: test its body or data",
			on)
	}
	if path := o.at(); path != "" {
		o.checkPath(c, verb, path)
	}
	o.checkArguments(c, verb)
	c.placeholders("to", o.To, known)
	c.placeholders("send", o.Send, known)
	if a := o.Answer; a != nil {
		c.placeholders("answer.message", a.Message, known)
		c.placeholders("answer.data", a.Data, known)
		c.placeholders("answer.result", a.Result, known)
		if a.Template {
			c.placeholders("answer.raw", a.Raw, known)
			c.placeholders("answer.body", a.Body, known)
		}
	}
	for i, t := range o.When {
		c.test(fmt.Sprintf("when[%d]", i), t, known)
	}
	for i, t := range o.Where {
		c.test(fmt.Sprintf("where[%d]", i), t, nil)
	}
	return *c
}

// checkPath checks the path of what is changed.
func (o *Operation) checkPath(c *Problems, verb, text string) {
	p, err := parsePath(text)
	if err != nil {
		c.Say(verb, "%v", err)
		return
	}
	all := roots[o.on()]
	writable := all[:slices.Index(all, "")]
	if !slices.Contains(writable, p[0].name) {
		c.Say(verb, "%q does not begin with %s, which is what can be changed in a message of the sort %s%s",
			text, strings.Join(writable, ", "), o.on(), nearest.Question(p[0].name, writable))
	}
	if o.on() == OnReply && len(p) == 1 && (p[0].name == "result" || p[0].name == "error") {
		c.Say(verb, "a reply has either a result or an error: do this to a response")
	}
}

// checkArguments checks what belongs to a verb only.
func (o *Operation) checkArguments(c *Problems, verb string) {
	for member, verbs := range arguments {
		if o.has(member) && !slices.Contains(verbs, verb) {
			c.Say(member, "belongs to %s only", strings.Join(verbs, ", "))
		}
	}
	if o.Skip < 0 || o.Count < 0 || o.Every < 0 || max(o.Skip, o.Count, o.Every) > maxCount {
		c.Say("", "skip, count and every must be between 0 and %d", maxCount)
	}
	c.chance(o.Chance)
	switch verb {
	case "retype":
		c.OneOf("as", o.As, retypes)
		if o.As == "" {
			c.Say("as", "is missing: %s", strings.Join(retypes, ", "))
		}
	case "rewrite":
		if _, err := regexp.Compile(o.Pattern); err != nil || o.Pattern == "" {
			c.Say("pattern", "is no regular expression: %q", o.Pattern)
		}
	case "delay":
		if err := o.Delay.Validate(); err != nil {
			c.Say("delay", "%v", err)
		} else if o.Delay.Kind == KindDribble {
			c.Say("delay", "cannot be a dribble here: that is a rule of its own")
		}
	case "repeat":
		Between(c, "repeat", o.Repeat, 2, maxRepeat)
	case "reorder":
		Between(c, "reorder", time.Duration(o.Reorder), 0, maxDelay)
	case "answer":
		o.Answer.check(c, o.on())
	}
}

const maxRepeat = 1000

func (a *Stub) check(c *Problems, on string) {
	if a.Status != 0 && (a.Status < 200 || a.Status > 599) {
		c.Say("answer.status", "%d is not between 200 and 599", a.Status)
	}
	given := Given(a.Result != nil, a.Code != 0, a.Raw != "")
	if _, err := base64.StdEncoding.Strict().DecodeString(a.Base64); err != nil {
		c.Say("answer.base64", "no standard base64: %v", err)
	}
	switch {
	case on == OnHTTPRequest && (given > 0 || a.Status == 0):
		c.Say("answer", "to an http-request is a status, and may have header and either body or base64")
	case on == OnHTTPRequest && a.Body != "" && a.Base64 != "":
		c.Say("answer", "body and base64 exclude each other")
	case on == OnRequest && given+Given(a.Base64 != "") != 1:
		c.Say("answer", "to a request is exactly one of result, code, raw and base64")
	case on == OnRequest && a.Body != "":
		c.Say("answer.body", "belongs to the answer to an http-request")
	case a.Template && (a.Base64 != "" || a.Result != nil || a.Code != 0):
		c.Say("answer.template",
			"belongs to raw and body: in a result and an error placeholders always stand for values")
	}
}

func (c *Problems) test(member string, t Test, roots []string) {
	p, err := parsePath(t.At)
	switch {
	case err != nil:
		c.Say(member+".at", "%v", err)
	case !p.single():
		c.Say(member+".at", "%q leads to more than one member", t.At)
	case roots != nil && (len(p) == 0 || !slices.Contains(roots, p[0].name)):
		c.begins(member+".at", fmt.Sprintf("%q", t.At), p, roots)
	}
	c.OneOf(member+".type", t.Type, kinds)
	if in, err := parsePath(t.In); err != nil || !in.single() || t.In != "" &&
		(roots == nil || !slices.Contains(roots, in[0].name)) {
		c.Say(member+".in", "%q is no path of one member of the message", t.In)
	}
	if _, err := regexp.Compile(t.Matches); err != nil {
		c.Say(member+".matches", "is no regular expression: %q", t.Matches)
	}
}

// begins complains about a path that begins with none of the roots.
func (c *Problems) begins(member, written string, p path, roots []string) {
	known := slices.DeleteFunc(slices.Clone(roots), func(s string) bool { return s == "" })
	hint := ""
	if len(p) > 0 {
		hint = nearest.Question(p[0].name, known)
	}
	c.Say(member, "%s does not begin with %s%s", written, strings.Join(known, ", "), hint)
}

// maxOperations bounds those of a rule.
const maxOperations = 100

// CheckAll says what is wrong with the operations of a rule, as in "do[0].set".
func CheckAll(do []Operation) (found Problems) {
	if len(do) > maxOperations {
		found.Say("do", "there are more than %d operations", maxOperations)
	}
	for i := range do {
		found.Below(fmt.Sprintf("do[%d]", i), do[i].Check())
	}
	return found
}

// Check says what is wrong with the rule.
func (r *Rule) Check() Problems {
	found := r.Limits.Check()
	switch given := Given(len(r.Do) > 0, r.Fault != "", r.Quirk != "", r.Fail != nil, r.Delay != nil); {
	case given == 0:
		found.Say("do", "is missing: what is to be done? Or give fault, quirk, fail or delay")
	case given > 1:
		found.Say("", "do, fault, quirk, fail and delay exclude each other")
	}
	if r.Fail != nil {
		if err := r.Fail.Validate(); err != nil {
			found.Say("fail", "%v", err)
		}
	}
	if r.Delay != nil {
		if err := r.Delay.Validate(); err != nil {
			found.Say("delay", "%v", err)
		}
	}
	return append(found, CheckAll(r.Do)...)
}
