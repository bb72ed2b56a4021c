package main

import (
	"embed"
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// shown has a file for each requirement that a fault of the reference can show, named as its id:
// its [examples] as JSON. TestExamples writes them. Where no fault shows within one process they are
// written by hand, and have only what is missing and the command to see it.
//
//go:embed examples
var shown embed.FS

// examples are a violation and its counterpart, from judging the reference.
type examples struct {
	// Missing says why there are none; See is a command that shows some.
	Missing     string                   `json:"missing,omitempty"`
	See         string                   `json:"see,omitempty"`
	Fault       string                   `json:"fault,omitempty"`
	Summary     string                   `json:"summary,omitempty"`
	Combination *requirement.Combination `json:"combination,omitempty"`
	Red         *example                 `json:"red,omitempty"`
	Green       *example                 `json:"green,omitempty"`
}

// example is a result as reports have it, with the frames of its evidence.
type example struct {
	*reports.Result
	Frames []reports.Frame `json:"frames"`
}

// report is a report of that one result, in which frames stand in the order of their numbers.
func (e *example) report() *reports.Report {
	frames := slices.Clone(e.Frames)
	slices.SortFunc(frames, func(a, b reports.Frame) int { return a.Number - b.Number })
	return &reports.Report{Results: []reports.Result{*e.Result}, Frames: frames}
}

// illustrate adds the examples.
func (x *explanation) illustrate() error {
	e := &examples{}
	x.Examples = e
	switch data, err := shown.ReadFile("examples/" + x.ID + ".json"); {
	case err == nil:
		return json.Unmarshal(data, e)
	case x.OfClients:
		e.Missing = "the reference is a server, and this is about clients; what yours does can be seen"
		e.See = "mockserver verify --only " + x.ID + " -- CLIENT"
	case !x.Check && len(x.Quirks) > 0:
		e.Missing = "nothing can be violated; the quirk shows what is permitted"
		e.See = "mockserver --http 127.0.0.1:8931 --quirk " + x.Quirks[0].Name
	case !x.Check:
		e.Missing = "there is no check that could be seen at work"
	default:
		e.Missing = "no fault of the reference server has been recorded yet"
	}
	return nil
}
