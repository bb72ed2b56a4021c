package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/tidwall/gjson"
)

// place is where in a message a value stands.
type place struct{ member, pointer string }

// check validates a value against a definition, and names what it breaks under the
// name of a message.
func (s *Set) check(definition, message string, value any, at place) []Violation {
	err := s.compiled[definition].Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var found []Violation
	s.leaves(invalid, func(e *jsonschema.ValidationError) {
		for _, path := range paths(e) {
			found = append(found, s.violation(message, definition, value, path, at))
		}
	})
	return found
}

// leaves visits the errors that have no cause of their own. Of the alternatives of a
// choice none is the one that was meant, so they count as one.
func (s *Set) leaves(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	if _, choice := e.ErrorKind.(*kind.AnyOf); choice || len(e.Causes) == 0 {
		visit(e)
		return
	}
	for _, cause := range e.Causes {
		s.leaves(cause, visit)
	}
}

// paths lists the places that an error is about.
func paths(e *jsonschema.ValidationError) [][]string {
	at := slices.Clip(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		all := make([][]string, len(k.Missing))
		for i, name := range k.Missing {
			all[i] = append(at, name)
		}
		return all
	case *kind.AnyOf:
		return [][]string{append(at, choice)}
	}
	return [][]string{at}
}

// choice stands for the member of which there has to be one out of several: the text
// or the blob of a content.
const (
	choice     = "text"
	choiceWant = "a string, or blob has to be one"
)

// violation describes what is wrong at a path in a value.
func (s *Set) violation(message, definition string, value any, path []string, at place) Violation {
	member, pointer := at.member, at.pointer
	candidates := s.expand(node{"$ref": "#/$defs/" + definition})
	inherited := ""
	present, chosen := true, false
	for _, name := range path {
		inherited = cmp.Or(keyword(candidates, judgedByBelow), inherited)
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if items, ok := value.([]any); ok {
			i, err := strconv.Atoi(name)
			present = err == nil && i >= 0 && i < len(items)
			if present {
				value = items[i]
			}
			member += "[]"
			candidates = s.under(candidates, "items")
			continue
		}
		object, _ := value.(node)
		value, present = object[name]
		step := name
		next := s.named(candidates, name)
		if len(next) == 0 {
			if next = s.under(candidates, "additionalProperties"); len(next) > 0 {
				step = "*"
			}
			chosen = len(next) == 0 && name == choice
		}
		candidates = next
		if member != "" {
			member += "."
		}
		member += step
	}
	v := Violation{Message: message, Member: member, Want: want(candidates), Got: "absent", Pointer: pointer,
		Requirements: strings.Fields(cmp.Or(keyword(candidates, judgedBy), keyword(candidates, judgedByBelow),
			inherited))}
	if present {
		v.Got = got(value)
	}
	if chosen {
		v.Want = choiceWant
	}
	return v
}

// keyword is the text of a keyword in the first schema that has one.
func keyword(all []node, name string) string {
	for _, n := range all {
		if text, _ := n[name].(string); text != "" {
			return text
		}
	}
	return ""
}

// expand lists the schemas that apply to a value together with one: those that it
// refers to, and those of its branches, whether they apply or not.
func (s *Set) expand(n node) []node {
	all := []node{n}
	if name, ok := n["$ref"].(string); ok {
		if target, ok := s.defs[strings.TrimPrefix(name, "#/$defs/")].(node); ok {
			all = append(all, s.expand(target)...)
		}
	}
	branches, _ := n["allOf"].([]any)
	for _, b := range append(slices.Clip(branches), n["then"], n["else"]) {
		if branch, ok := b.(node); ok {
			all = append(all, s.expand(branch)...)
		}
	}
	return all
}

// named lists the schemas of a member, under those of one keyword.
func (s *Set) named(all []node, name string) []node {
	var found []node
	for _, n := range all {
		if properties, ok := n["properties"].(node); ok {
			found = append(found, s.under([]node{properties}, name)...)
		}
	}
	return found
}

func (s *Set) under(all []node, keyword string) []node {
	var found []node
	for _, n := range all {
		if inner, ok := n[keyword].(node); ok {
			found = append(found, s.expand(inner)...)
		}
	}
	return found
}

// want says what schemas ask of a value, by the first of them that says it.
func want(all []node) string {
	for _, n := range all {
		if words, ok := n["enum"].([]any); ok {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = strconv.Quote(fmt.Sprint(w))
			}
			return strings.Join(quoted, " or ")
		}
		switch t := n["type"].(type) {
		case string:
			return article(t) + bounds(n)
		case []any:
			kinds := make([]string, len(t))
			for i, one := range t {
				kinds[i] = article(fmt.Sprint(one))
			}
			return strings.Join(kinds, " or ")
		}
	}
	return "present"
}

// bounds says within which bounds a number or an array has to stay.
func bounds(n node) string {
	low, below := n["minimum"]
	high, above := n["maximum"]
	switch most, limited := n["maxItems"]; {
	case limited:
		return fmt.Sprintf(" of at most %v", most)
	case below && above:
		return fmt.Sprintf(" from %v to %v", low, high)
	case below:
		return fmt.Sprintf(" of %v or more", low)
	}
	return ""
}

func article(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// got describes a value in a few words.
func got(value any) string {
	const shown = 40
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		if len(v) > shown {
			return fmt.Sprintf("a string of %d bytes", len(v))
		}
		return strconv.QuoteToASCII(v)
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	}
	return "an object"
}

// distinct keeps one violation of each member, the first in the message, in the
// order of their names.
func distinct(all []Violation) []Violation {
	if len(all) < 2 {
		return all
	}
	envelope := func(v Violation) int {
		if strings.HasPrefix(v.Message, "JSONRPC") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Violation) int {
		// A pointer to an earlier item is shorter, or smaller letter by letter.
		return cmp.Or(envelope(a)-envelope(b), cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Member, b.Member),
			cmp.Compare(len(a.Pointer), len(b.Pointer)), cmp.Compare(a.Pointer, b.Pointer))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v Violation) bool {
		// The same place can break its type and that of the envelope.
		twice := seen[v.Pointer] || seen[v.Message+" "+v.Member]
		seen[v.Pointer], seen[v.Message+" "+v.Member] = true, true
		return twice
	})
}

// maxDepth is how deep values are looked into, far deeper than any schema.
const maxDepth = 64

// maxPlain is how many strings, numbers and so on of an array are looked at, of each type: more of them
// break nothing else, and there can be as many as fit into a message.
const maxPlain = 1000

// decoded is a value in the form in which it is validated. It is made from what was
// parsed already, so that long strings are not copied; of members with the same name
// the first one counts, as for all judges.
func decoded(r gjson.Result) any { return decode(r, 0) }

func decode(r gjson.Result, depth int) any {
	switch r.Type {
	case gjson.String:
		return r.Str
	case gjson.True:
		return true
	case gjson.False:
		return false
	case gjson.Number:
		return numeral(r.Raw)
	case gjson.JSON:
	default:
		return nil
	}
	deep := depth >= maxDepth
	if r.IsArray() {
		items := []any{}
		if deep {
			return items
		}
		var plain [gjson.JSON + 1]int // how many of a type that holds nothing else
		r.ForEach(func(_, item gjson.Result) bool {
			if item.Type != gjson.JSON {
				if plain[item.Type]++; plain[item.Type] > maxPlain {
					return true
				}
			}
			items = append(items, decode(item, depth+1))
			return true
		})
		return items
	}
	object := node{}
	if deep {
		return object
	}
	r.ForEach(func(name, value gjson.Result) bool {
		if _, twice := object[name.Str]; !twice {
			object[name.Str] = decode(value, depth+1)
		}
		return true
	})
	return object
}

// numeral is a number as it was written. One that would take for ever to be written
// out is replaced by one that is on the same side of every bound, and an integer just
// if it is.
func numeral(raw string) json.Number {
	const length, digits = 40, 3
	_, exponent, _ := strings.Cut(strings.ToLower(raw), "e")
	if len(raw) <= length && len(strings.TrimLeft(exponent, "+-0")) <= digits {
		return json.Number(raw)
	}
	r := gjson.Result{Type: gjson.Number, Raw: raw}
	value, _ := strconv.ParseFloat(raw, 64)
	sign := ""
	if strings.HasPrefix(raw, "-") {
		sign = "-"
	}
	switch whole := judge.IsInteger(r); {
	case value == 0 && whole:
		return "0"
	case whole:
		return json.Number(sign + "1e99")
	case value > -1 && value < 1:
		return json.Number(sign + "0.5")
	}
	return json.Number(sign + "1.5")
}
