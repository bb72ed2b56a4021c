// Package schema holds the schemas of the messages of each protocol revision, and
// says where a message breaks them.
//
// The schemas are our own: they stand in types.yaml, where each part says which revisions
// have it, and are compiled once for each revision. They cover the messages that have to do with resources,
// whichever side sends them; of other messages they know no more than the envelope. They
// accept what the published schemas accept, and a little more where reading these
// by the letter would be unfair: any id or none in an error, and any string where
// a URI or base64 is due, which oracles of their own judge. Members that a revision
// does not define are legal everywhere.
package schema

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// Violation is one place in which a message breaks its schema.
type Violation struct {
	// Message is the name of the type that is violated, such as
	// "ListResourcesResult"; of what all messages have in common it is the type
	// of the envelope, such as "JSONRPCResponse".
	Message string
	// Member is the place in the type: names with dots between, [] for the items
	// of an array and * for the keys of a map, as in "resources[].uri". In results
	// it begins inside of the result, elsewhere at the message. It is empty if the
	// message itself is no object.
	Member string
	// Want says in a few words what is due there, Got what stands there.
	Want, Got string
	// Pointer is the first such place in the message, as a JSON pointer.
	Pointer string
	// Requirements are the ids of those that judge the member, as the schema says
	// beside it; empty if none does.
	Requirements []string
}

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: %s has to be %s and is %s (%s)", v.Message, v.Member, v.Want, v.Got, v.Pointer)
}

// Set holds the schemas of one revision. It is safe for concurrent use.
type Set struct {
	defs     node
	compiled map[string]*jsonschema.Schema
	sound    memory // responses in which [Set.Unjudged] found nothing
	members  sync.Map
}

// For is the set of a revision; nil if the revision is unknown.
func For(rev requirement.Revision) *Set {
	if once := sets()[rev]; once != nil {
		return once()
	}
	return nil
}

var sets = sync.OnceValue(func() map[requirement.Revision]func() *Set {
	all := map[requirement.Revision]func() *Set{}
	for _, rev := range requirement.Revisions() {
		all[rev] = sync.OnceValue(func() *Set { return compile(rev) })
	}
	return all
})

// Document is the schema of a revision as JSON Schema 2020-12, with a definition for
// each type; nil if the revision is unknown.
func Document(rev requirement.Revision) []byte {
	s := For(rev)
	if s == nil {
		return nil
	}
	raw, err := json.MarshalIndent(document(s.defs), "", "  ")
	if err != nil {
		return nil // a tree of strings and numbers can always be written
	}
	return raw
}

func document(defs node) node {
	return node{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs}
}

// compile makes the set of a revision. It panics on a definition that is no schema:
// that is an error of this package, which every use of it shows.
func compile(rev requirement.Revision) *Set {
	s := &Set{defs: node{}, compiled: map[string]*jsonschema.Schema{}, sound: newMemory()}
	for name, part := range types().Types {
		if made, ok := inRevision(part.(node), rev); ok {
			s.defs[name] = made
		}
	}
	compiler := jsonschema.NewCompiler()
	address := "mcpcheck:" + string(rev)
	if err := compiler.AddResource(address, any(document(s.defs))); err != nil {
		panic("schema: " + err.Error())
	}
	for name := range s.defs {
		s.compiled[name] = compiler.MustCompile(address + "#/$defs/" + name)
	}
	return s
}

// ResponseIn judges the response to a request for a method: a result, or an error.
// One with both members counts as an error, unless that is null. Like the others it
// lists each type and member once.
func (s *Set) ResponseIn(method string, m gjson.Result) []Violation {
	if e := m.Get("error"); e.Exists() && e.Type != gjson.Null {
		return s.ErrorIn(m)
	}
	value := decoded(m)
	found := s.check("JSONRPCResponse", "JSONRPCResponse", value, place{})
	object, _ := value.(node)
	if result, ok := object["result"].(node); ok {
		name := s.resultType(method, result)
		found = append(found, s.check(name, name, result, place{pointer: "/result"})...)
	}
	return distinct(found)
}

// Unjudged is what of [Set.ResponseIn] has no requirement that judges it. Of what stands
// around a result or error all has one: what was once found in order is known again by
// those alone.
func (s *Set) Unjudged(method string, m gjson.Result) []Violation {
	response := [3]string{method, m.Get("result").Raw, m.Get("error").Raw}
	if s.sound.has(response) {
		return nil
	}
	found := slices.DeleteFunc(s.ResponseIn(method, m), func(v Violation) bool {
		return len(v.Requirements) > 0
	})
	if len(found) == 0 {
		s.sound.add(response)
	}
	return found
}

// resultType names the type of the result of a method.
func (s *Set) resultType(method string, result node) string {
	name := types().Results[method]
	switch {
	case result["resultType"] == "input_required" && s.defs["InputRequiredResult"] != nil:
		return "InputRequiredResult"
	case s.defs[name] == nil || s.defs[types().Requests[method]] == nil:
		return "Result"
	}
	return name
}

// NotificationIn judges a notification.
func (s *Set) NotificationIn(m gjson.Result) []Violation {
	return s.call("JSONRPCNotification", types().Notifications, m)
}

// RequestIn judges a request, of whichever side.
func (s *Set) RequestIn(m gjson.Result) []Violation {
	return s.call("JSONRPCRequest", types().Requests, m)
}

func (s *Set) call(envelope string, names map[string]string, m gjson.Result) []Violation {
	value := decoded(m)
	found := s.check(envelope, envelope, value, place{})
	object, _ := value.(node)
	method, _ := object["method"].(string)
	if name := names[method]; s.defs[name] != nil {
		if p, exists := object["params"]; exists {
			if _, ok := p.(node); !ok {
				return distinct(found) // the envelope says so already
			}
		}
		// What the type says of params says more than what the envelope says.
		found = append(s.check(name, name, value, place{}), found...)
	}
	return distinct(found)
}

// ErrorIn judges an error response.
func (s *Set) ErrorIn(m gjson.Result) []Violation {
	value := decoded(m)
	found := s.check("JSONRPCError", "JSONRPCError", value, place{})
	code := m.Get("error.code")
	if name := types().Errors[strconv.FormatFloat(code.Num, 'f', -1, 64)]; s.defs[name] != nil &&
		code.Type == gjson.Number {
		object, _ := value.(node)
		if e, ok := object["error"].(node); ok {
			found = append(found, s.check(name, name, e, place{member: "error", pointer: "/error"})...)
		}
	}
	return distinct(found)
}

// memory knows texts again, by hashes of 128 bits. It is safe for concurrent use.
type memory struct {
	seeds [2]maphash.Seed
	mu    sync.Mutex
	known map[[2]uint64]bool
}

// remembered is how many texts are remembered; then it begins anew.
const remembered = 1 << 16

func newMemory() memory {
	return memory{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, known: map[[2]uint64]bool{}}
}

func (m *memory) key(texts [3]string) [2]uint64 {
	return [2]uint64{maphash.Comparable(m.seeds[0], texts), maphash.Comparable(m.seeds[1], texts)}
}

func (m *memory) has(texts [3]string) bool {
	key := m.key(texts)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key]
}

func (m *memory) add(texts [3]string) {
	key := m.key(texts)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= remembered {
		clear(m.known)
	}
	m.known[key] = true
}
