package areatest

import (
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

const (
	ListOf     = `{"resources":[]}`
	Mismatched = `{"code":-32020,"message":"Header mismatch"}`
)

// over is a line that came over HTTP.
func HTTPLine(step recording.Step, status int, l rt.Line) rt.Line {
	l.Step, l.Status = step, status
	if l.Method == "" && l.ID == "" {
		l.Method = "resources/list"
	}
	if l.Outcome == "" && l.Result == "" && l.Error == "" && l.Reply == "" {
		l.Outcome = recording.HTTPOnly
	}
	return l
}

// Mime adds a Content-Type.
func Mime(kind string, l rt.Line) rt.Line {
	l.Header = http.Header{"Content-Type": {kind}}
	return l
}

func WithTags(l rt.Line, pairs ...string) rt.Line {
	l.Tags = Pairs(pairs...)
	return l
}

var (
	OkList    = rt.Line{Result: ListOf}
	HeaderErr = rt.Line{Error: Mismatched}
	NoMessage = rt.Line{}
	Oneway    = rt.Line{ID: "-", Method: "notifications/cancelled", Outcome: recording.Sent}
)

func WithCode(code string) rt.Line { return rt.Line{Error: `{"code":` + code + `,"message":"no"}`} }
