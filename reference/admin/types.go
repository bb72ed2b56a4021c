package admin

import (
	"encoding/json"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// Problem is what went wrong with a request.
type Problem struct {
	// Code says what sort of problem it is, for programs.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Field is the member or parameter that is wrong, members of members after a dot; empty
	// if it is none in particular.
	Field string `json:"field,omitempty"`
}

// Refusal is the body of every answer that is no success.
type Refusal struct {
	Error Problem `json:"error"`
}

// ResourceSummary is a resource in a list.
type ResourceSummary struct {
	URI      string `json:"uri"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
}

// ResourceList is a part of the resources, in the order of listing.
type ResourceList struct {
	Resources []ResourceSummary `json:"resources"`
	// Total is how many there are in all.
	Total int `json:"total"`
}

// TemplateList is all templates, each as a world file has it.
type TemplateList struct {
	Templates []json.RawMessage `json:"templates"`
}

// Touch names the resource whose subscribers are to be notified.
type Touch struct {
	URI string `json:"uri"`
}

// RuleList is all rules, outermost first.
type RuleList struct {
	Rules []control.Status `json:"rules"`
}

// Deviation is a fault or quirk that a rule can switch on.
type Deviation struct {
	Name string `json:"name"`
	// Requirement is that which a fault breaks, or "connection"; or those, with commas
	// between them, by which a quirk is permitted.
	Requirement string `json:"requirement,omitempty"`
	Summary     string `json:"summary"`
}

// DeviationList is all faults and quirks that there are.
type DeviationList struct {
	Faults []Deviation `json:"faults"`
	Quirks []Deviation `json:"quirks"`
}

// SessionList is the open sessions, oldest first.
type SessionList struct {
	Sessions []reference.Session `json:"sessions"`
}

// Ask is a request of the server's to the client of a session.
type Ask struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
	// Undeclared sends it although the client has not declared the capability.
	Undeclared bool `json:"undeclared,omitempty"`
	// Timeout is how long the answer is awaited; 0 means 5s.
	Timeout Duration `json:"timeout,omitempty"`
}

// StepList is the steps of the timeline, in the order of the world.
type StepList struct {
	Steps []reference.StepStatus `json:"steps"`
}

// StateList is states of scenarios, by name.
type StateList struct {
	States map[string]string `json:"states"`
}

// Identity is an owner of a token.
type Identity = guard.Owner

// IdentityList is the owners of the tokens that the server demands; empty if it demands none.
type IdentityList struct {
	Identities []Identity `json:"identities"`
}

// Query selects entries of the journal: all members that are set must hold.
type Query struct {
	// Direction is "in" or "out".
	Direction journal.Direction `json:"direction,omitempty"`
	// Kinds are alternatives; Kind is one more of them.
	Kinds     []journal.Kind `json:"kinds,omitempty"`
	Kind      journal.Kind   `json:"kind,omitempty"`
	Method    string         `json:"method,omitempty"`
	URI       string         `json:"uri,omitempty"`
	Session   string         `json:"session,omitempty"`
	Transport string         `json:"transport,omitempty"`
	// Identity is the name of an owner, or the fingerprint of a token.
	Identity string `json:"identity,omitempty"`
	Rule     string `json:"rule,omitempty"`
	// Since leaves out the entries up to this number.
	Since uint64 `json:"since,omitempty"`
	// Limit is how many entries are wanted at the most, from the oldest on or, with Newest,
	// the newest.
	Limit  int  `json:"limit,omitempty"`
	Newest bool `json:"newest,omitempty"`
}

// EntryList is entries of the journal, oldest first.
type EntryList struct {
	Entries []journal.Entry `json:"entries"`
	// Last is the newest number in the journal, Lost how many entries it no longer has.
	Last uint64 `json:"last"`
	Lost uint64 `json:"lost"`
}

// Wait waits until entries are there.
type Wait struct {
	Query Query `json:"query,omitzero"`
	// Count is how many entries have to be selected; 0 means 1.
	Count int `json:"count,omitempty"`
	// Timeout is how long to wait; 0 means 5s.
	Timeout Duration `json:"timeout,omitempty"`
}

// Assertion is what must hold of the journal: exactly one of Exactly, AtLeast and InOrder is set.
type Assertion struct {
	// Query is that of Exactly and AtLeast.
	Query   Query `json:"query,omitzero"`
	Exactly *int  `json:"exactly,omitempty"`
	AtLeast *int  `json:"atLeast,omitempty"`
	// InOrder wants an entry for each query, each after the one before it.
	InOrder []Query `json:"inOrder,omitempty"`
}

// Outcome says whether what was waited for, or asserted, is so.
type Outcome struct {
	Met bool `json:"met"`
	// Message says what is lacking; empty if nothing is.
	Message string `json:"message,omitempty"`
	// Entries are those that were waited for, 1000 at the most.
	Entries []journal.Entry `json:"entries,omitempty"`
	// Last is the newest number in the journal.
	Last uint64 `json:"last"`
}

// Verify is how the clients are to be judged.
type Verify struct {
	// Name is what the client is called in the report; empty means what it says of itself.
	Name string `json:"name,omitempty"`
	// Strict counts warnings as failures.
	Strict bool `json:"strict,omitempty"`
	// Only limits the verdicts to these ids.
	Only []string `json:"only,omitempty"`
	// Ended says that the client has ended, SingleClient that there was but one.
	Ended        bool `json:"ended,omitempty"`
	SingleClient bool `json:"singleClient,omitempty"`
	// Since leaves out the entries up to this number.
	Since uint64 `json:"since,omitempty"`
}

// Duration is a time span, in JSON a string such as "1.5s".
type Duration = operation.Duration

// The bounds of requests.
const (
	// DefaultTimeout is how long is waited where a request does not say, MaxTimeout the
	// longest that one can ask for.
	DefaultTimeout = Duration(5 * time.Second)
	MaxTimeout     = Duration(time.Minute)
	// DefaultLimit is how many entries or resources an answer has where the request does not
	// say, MaxLimit the most that one can ask for.
	DefaultLimit = 1000
	MaxLimit     = 10_000
	// MaxBody is the longest body of a request in bytes.
	MaxBody = 32 << 20
)
