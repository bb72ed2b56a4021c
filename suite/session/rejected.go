package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// reject closes a session that led nowhere and returns why, with the last words
// of the process, if there were any.
func (f *Found) reject(s *Session, err error) error {
	rec := s.Close(context.Background())
	f.noteEnd(rec)
	var open *OpenError
	if errors.As(err, &open) && rec.Ending != nil {
		said, told := rec.Ending.Stderr, *open
		if open.Code == recording.CodeNoHandshake {
			said = ""
		}
		if last := lastLine(said); last != "" && !strings.Contains(open.Reason, last) {
			told.Reason += "; its standard error ends with: " + last
		}
		if c, ok := s.conn.(interface{ Advice(string, bool) string }); ok {
			failed := open.Code == recording.CodeDied && rec.Ending.Status != "exit status 0"
			told.Reason += c.Advice(open.Reason+"\n"+said, failed)
		}
		err = &told
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Reasons[s.opts.Revision] = err.Error()
	if !s.opts.Revision.Modern() && refusal(err) {
		f.refused[s.opts.Revision] = err.Error()
	}
	if !s.opts.Revision.Modern() && unanswered(err) {
		f.Unanswered[s.opts.Revision] = err.Error()
	}
	if rec.Ending != nil && rec.Ending.By == "target" && s.over == requirement.Stdio &&
		len(s.Incoming(0)) == 0 {
		f.ended[s.opts.Revision] = err.Error()
	}
	if open != nil && open.Offers.Known() && !open.Offers.Modern() {
		f.Offered = append(f.Offered, open.Offers)
	}
	if m := s.spread(); open != nil && open.Code == recording.CodeUnreadable && settles(m, s.opts.Revision) {
		f.Spread[s.opts.Revision] = json.RawMessage(gjson.GetBytes(m, "result").Raw)
	}
	return err
}

// noteEnd notes how the process of a session has ended, if we have ended it.
func (f *Found) noteEnd(s *recording.Session) {
	if end := s.Ending; end != nil && end.By == "us" && end.How != "" && end.Reason == "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ends[end.How]++
	}
}

// Stays says, in one sentence, how a program shows that its processes stay after the end of their input; it
// is empty if one has exited then, or none was ended.
func (f *Found) Stays() string {
	if len(f.ends) == 0 || f.ends["exited"] > 0 {
		return ""
	}
	return "a process did not exit when its input had ended, and had to be terminated"
}

// unanswered reports whether a session could not be opened for want of an answer that can be read.
func unanswered(err error) bool {
	e, ok := errors.AsType[*OpenError](err)
	return ok && slices.Contains([]recording.Code{recording.CodeNoAnswer, recording.CodeDied,
		recording.CodeUnreachable, recording.CodeUnreadable, recording.CodeThrottled}, e.Code)
}

// lastLine is what standard error tells at the end, cut to a length that fits into a sentence.
func lastLine(s string) string {
	line, _ := transport.LastWords(s)
	return short(line)
}

// refusal reports whether a target answered a handshake by an error that need not be about its revision.
func refusal(err error) bool {
	e, ok := errors.AsType[*OpenError](err)
	return ok && e.Code == recording.CodeNoHandshake && !e.Other &&
		e.Status < http.StatusInternalServerError &&
		e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden &&
		e.Status != http.StatusNotFound && e.Status != http.StatusMethodNotAllowed
}

// page is how the body begins that came over HTTP instead of an answer, behind a semicolon.
func (s *Session) page(x *recording.Exchange) string {
	if s.over != requirement.HTTP || x.Outcome != recording.HTTPOnly || x.Status/100 == 3 ||
		wire.Coding(x.Header) != "" {
		return ""
	}
	const few = 80
	for _, f := range s.Incoming(0) {
		if len(f.Raw) > 0 {
			return "; the body begins with " + wire.Excerpt(bytes.TrimSpace(f.Raw), few)
		}
	}
	if strings.HasPrefix(x.Header.Get("Content-Type"), "text/event-stream") {
		return "; no event came"
	}
	return "; the body is empty"
}
