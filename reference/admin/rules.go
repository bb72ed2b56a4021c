package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
)

func deviations(*reference.Server) DeviationList {
	list := DeviationList{Faults: []Deviation{}, Quirks: []Deviation{}}
	for _, f := range fault.All() {
		list.Faults = append(list.Faults, Deviation{f.Name, f.Requirement, f.Summary})
	}
	for _, f := range control.ConnectionFailures() {
		list.Faults = append(list.Faults, Deviation{f.Name, "connection", f.Summary})
	}
	for _, q := range quirk.All() {
		list.Quirks = append(list.Quirks, Deviation{q.Name, q.Requirement, q.Summary})
	}
	return list
}

func postRule(c *call, r control.Rule) (status control.Status, err error) {
	if err := r.Validate(); err != nil {
		return status, problem(CodeInvalid, ruleField(r, err), "%s",
			strings.ReplaceAll(err.Error(), "see mockserver ", "see GET /deviations for "))
	}
	if status, err = c.server.AddRule(r); err != nil {
		return status, problem(CodeConflict, "", "%s", err)
	}
	status.Warnings = append(status.Warnings, hindrances(c.server, r)...)
	return status, nil
}

// hindrances say why the fault or the quirk of a rule cannot show on this server, as far as that can be
// told from here.
func hindrances(server *reference.Server, r control.Rule) []string {
	var found []string
	say := func(format string, args ...any) {
		found = append(found, cmp.Or(r.Fault, r.Quirk)+" "+fmt.Sprintf(format, args...))
	}
	needs, n := r.Needs(), server.PageSize()
	whole := func(pageSize int) bool { return pageSize == 0 || pageSize >= server.Health().Resources }
	if needs.PageSize > 0 && n != needs.PageSize &&
		// other quirks need pages, or none, of whatever size
		(r.Fault != "" || needs.PageSize == 1 || whole(n) != whole(needs.PageSize)) {
		say("shows with a page size of %d only, and that of this server is %d: start it with "+
			"--page-size %[1]d", needs.PageSize, n)
	}
	if needs.World != "" && server.Health().World != needs.World {
		say("shows in the world %q only: start the server with --world %[1]s", needs.World)
	}
	if len(needs.Served) > 0 {
		say("shows only where nothing but %s is served: start the server with --revision %[1]s",
			strings.Join(needs.Served, ","))
	}
	if len(needs.Revisions) > 0 {
		say("shows in %s only", strings.Join(needs.Revisions, ", "))
	}
	if len(needs.Transports) > 0 {
		say("shows over %s only", strings.Join(needs.Transports, ", "))
	}
	if needs.Trigger {
		say("shows when a resource or the list changes meanwhile")
	}
	if needs.Authorization && len(server.Owners()) == 0 {
		say("shows only where a bearer token is demanded: start the server with --token-env")
	}
	return found
}

// ruleField is the member that is to blame for a rule that is invalid, as far as that is
// known: with a single deviation, whichever it is.
func ruleField(r control.Rule, err error) string {
	if p := (operation.Problem{}); errors.As(err, &p) {
		return strings.NewReplacer("[", ".", "]", "").Replace(p.Member)
	}
	var given []string
	for name, is := range map[string]bool{"fault": r.Fault != "", "quirk": r.Quirk != "",
		"fail": r.Fail != nil, "delay": r.Delay != nil, "do": len(r.Do) > 0} {
		if is {
			given = append(given, name)
		}
	}
	probe := r
	probe.Limits = control.Limits{}
	if len(given) != 1 || probe.Validate() == nil {
		return "" // the limits, or how many there are
	}
	return given[0]
}

// timeout is how long a request wants to wait.
func timeout(d Duration) (time.Duration, error) {
	switch {
	case d == 0:
		return time.Duration(DefaultTimeout), nil
	case d < 0 || d > MaxTimeout:
		return 0, problem(CodeInvalid, "timeout", "timeout must be between 0s and %s",
			time.Duration(MaxTimeout))
	}
	return time.Duration(d), nil
}

// within ends a context after a time, for a reason that can be read.
func within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
}

func postAsk(c *call, a Ask) (answer reference.Answer, err error) {
	if a.Method == "" {
		return answer, problem(CodeInvalid, "method", "method is missing")
	}
	if a.Params != nil {
		if err := decode(a.Params, &map[string]any{}); err != nil {
			return answer, problem(CodeInvalid, "params", "params must be a JSON object")
		}
	}
	patience, err := timeout(a.Timeout)
	if err != nil {
		return answer, err
	}
	ctx, cancel := within(c.Context(), patience)
	defer cancel()
	answer, err = c.server.Ask(ctx, c.PathValue("id"), reference.Ask{Method: a.Method, Params: a.Params,
		Undeclared: a.Undeclared})
	switch {
	case errors.Is(err, reference.ErrNoSession):
		return answer, problem(CodeNotFound, "id", "%s", err)
	case errors.Is(err, reference.ErrNotAsked):
		return answer, problem(CodeConflict, "", "%s", err)
	case err != nil:
		return answer, problem(CodeTimeout, "", "%s", err)
	}
	return answer, nil
}

func states(s *reference.Server) StateList { return StateList{s.States()} }

func putStates(c *call, in StateList) (StateList, error) {
	if err := c.server.SetStates(in.States); err != nil {
		return in, problem(CodeInvalid, "states", "%s", err)
	}
	return states(c.server), nil
}
