package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// RecordingSchema names the format of a recorded run.
const RecordingSchema = "mcpcheck.recording/2"

// file is a recorded run: everything that checks look at, and what a report says
// about the run itself.
type file struct {
	head
	Frames []wire.Frame    `json:"frames"`
	Takes  []*recordedTake `json:"takes"`
	// Complete comes last, so that its absence shows a truncated file.
	Complete bool `json:"complete"`
}

// head is what a recorded run says about itself.
type head struct {
	Schema  string          `json:"schema"`
	Tool    reports.Tool    `json:"tool"`
	Target  reports.Target  `json:"target"`
	Config  reports.Config  `json:"config"`
	OptOut  []target.OptOut `json:"opt_out,omitempty"`
	Partial bool            `json:"partial,omitempty"`
	Ended   string          `json:"ended,omitempty"`
	Began   time.Time       `json:"began,omitzero"`
	Took    time.Duration   `json:"took"`
	Rows    []recordedRow   `json:"rows"`
}

type recordedRow struct {
	ID          string                  `json:"id"`
	Combination requirement.Combination `json:"combination"`
}

// recordedTake is a [Take]: of the first play, or of a round, which are numbered from 1 on.
type recordedTake struct {
	takeHead
	Recordings []*recordedPlay `json:"recordings"`
	takeTail
}

type takeHead struct {
	Round int              `json:"round,omitempty"`
	Early bool             `json:"early,omitempty"`
	Facts *recording.Facts `json:"facts"`
}

type takeTail struct {
	Took       map[recording.Name]time.Duration `json:"took"`
	Unfinished map[recording.Name]bool          `json:"unfinished,omitempty"`
}

// recordedPlay is a recording with its frames by number.
type recordedPlay struct {
	*recording.Recording
	FrameNumbers []int `json:"frames"`
}

// Record writes the run so that it can be judged again. Secrets are masked, and what
// the target gave away of other files is cut. It is written piece by piece: what a target sent may be all
// that fits into memory.
func (r *Run) Record(w io.Writer) error {
	masker := r.masks()
	h := head{
		Schema: RecordingSchema, Tool: r.cfg.Tool, Target: r.target(), Config: r.shown(),
		Partial: r.cfg.Partial, Ended: r.interrupted(), Began: r.began, Took: r.took, Rows: []recordedRow{},
	}
	for _, o := range r.cfg.Target.OptOut {
		h.OptOut = append(h.OptOut, target.OptOut{ID: o.ID, Reason: masker.String(o.Reason)})
	}
	for _, row := range r.rows {
		h.Rows = append(h.Rows, recordedRow{ID: row.Requirement.ID, Combination: row.Combination})
	}
	out := &pieces{w: w, mask: masker}
	out.value(h, "", "}")
	out.text(",\n\"frames\":[")
	leaks := r.leaks()
	type result struct {
		long   *wire.Long
		cut    judge.LeakCut
		leaked bool
	}
	written := map[result]int{} // the frames in which they stand
	for n := 1; n <= r.transcript.Len(); n++ {
		if frame, ok := r.transcript.Frame(n); ok {
			cut, leaked := leaks[n]
			switch long := (result{frame.Long, cut, leaked}); {
			case long.long == nil:
			case written[long] > 0:
				frame.Long, frame.ResultOf = nil, written[long]
			default:
				frame.Raw, frame.Long, written[long] = frame.Whole(), nil, n
			}
			out.item(n > 1, maskFrame(leaks.without(frame, masker), masker))
		}
	}
	out.text("],\n\"takes\":[")
	some := false
	for _, st := range r.stages {
		for i, takes := range r.all() {
			if take := takes[st.Combination]; take != nil {
				out.take(some, take, i)
				some = true
			}
		}
	}
	out.text("],\n\"complete\":true}\n")
	return out.err
}

// pieces writes JSON value by value. It keeps the first error, after which it
// writes nothing.
type pieces struct {
	w    io.Writer
	mask *mask.Masker
	room bytes.Buffer
	err  error
}

func (p *pieces) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// value writes a value, without what it begins and ends with. Secrets that stand in reasons
// and parameters are masked here, those of frames were before.
func (p *pieces) value(v any, before, behind string) {
	if p.err != nil {
		return
	}
	p.room.Reset()
	e := json.NewEncoder(&p.room)
	e.SetEscapeHTML(false)
	if p.err = e.Encode(v); p.err == nil {
		raw := bytes.TrimPrefix(bytes.TrimSuffix(p.room.Bytes(), []byte(behind+"\n")), []byte(before))
		if !utf8.Valid(raw) { // has no place in JSON; frames have it in base64
			raw = bytes.ToValidUTF8(raw, []byte(string(utf8.RuneError)))
		}
		_, p.err = p.w.Write(p.mask.Mask(raw))
	}
}

// item writes a value of a list.
func (p *pieces) item(further bool, v any) {
	p.next(further)
	p.value(v, "", "")
}

func (p *pieces) next(further bool) {
	if further {
		p.text(",")
	}
	p.text("\n")
}

// take writes a take exchange by exchange: all of them together may be more than all frames.
func (p *pieces) take(further bool, take *Take, round int) {
	noteLeaks(take)
	p.next(further)
	p.value(takeHead{Round: round, Early: take.Early, Facts: take.Facts}, "", "}")
	p.text(`,"recordings":[`)
	for i, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		p.play(i > 0, take.Recordings[name])
	}
	p.text("],")
	p.value(takeTail{take.Took, take.Unfinished}, "{", "")
}

func (p *pieces) play(further bool, rec *recording.Recording) {
	numbers := make([]int, 0, len(rec.Frames))
	for i := range rec.Frames {
		numbers = append(numbers, rec.Frames[i].Number)
	}
	const end = "]}"
	p.next(further)
	p.value(struct {
		*recording.Recording
		FrameNumbers []int  `json:"frames"`
		Exchanges    [0]int `json:"exchanges"` // which come now
	}{rec, numbers, [0]int{}}, "", end)
	for i, x := range rec.Exchanges {
		p.item(i > 0, x)
	}
	p.text(end)
}

func maskFrame(f wire.Frame, m *mask.Masker) wire.Frame {
	f.Raw = masked(m, &f)
	f.Text = m.String(f.Text)
	if f.HTTP != nil {
		h := *f.HTTP
		h.URL = m.String(h.URL)
		h.Header = h.Header.Clone()
		for _, values := range h.Header {
			for i := range values {
				values[i] = m.String(values[i])
			}
		}
		f.HTTP = &h
	}
	return f
}

// Rejudge reads a recorded run and judges it again, without the target. An error
// says what is wrong with the file.
func Rejudge(rd io.Reader, tool reports.Tool, strict bool) (*reports.Report, error) {
	r, err := restore(rd, nil)
	if err != nil {
		return nil, err
	}
	return r.rejudge(tool, strict), nil
}

// rejudge judges a restored run.
func (r *Run) rejudge(tool reports.Tool, strict bool) *reports.Report {
	r.cfg.Tool = tool
	r.results.expect(r.rows)
	var all []*Judgement
	for _, row := range r.rows {
		all = append(all, r.row(row, r.takes[row.Combination]))
	}
	r.conclude(all)
	for _, j := range all {
		r.results.give(j)
	}
	close(r.done)
	return r.Report(strict)
}

// restore turns a recorded run into one that can be judged by some areas, or by those that are built in.
func restore(rd io.Reader, areas *area.Set) (*Run, error) {
	var f file
	decoder := json.NewDecoder(rd)
	if err := decoder.Decode(&f); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, errors.New("the recording is truncated")
		}
		return nil, fmt.Errorf("the recording cannot be read: %w", err)
	}
	switch {
	case f.Schema != RecordingSchema:
		return nil, fmt.Errorf("this is no recording of the format %s: it says schema %q", RecordingSchema,
			f.Schema)
	case !f.Complete:
		return nil, errors.New("the recording is truncated: its last member is missing")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more follows the recording, from byte %d on: it was written to after its end",
			decoder.InputOffset())
	}
	r := recalled(&f, areas)
	causes := map[string]error{"": nil, string(recording.CodeBudget): ErrBudget,
		string(recording.CodeVolume): ErrVolume}
	if cause, known := causes[f.Ended]; known {
		r.ended = cause
	} else {
		r.ended = ErrInterrupted
	}
	r.cfg.Target.OptOut = f.OptOut
	if err := r.restoreFrames(f.Frames); err != nil {
		return nil, err
	}
	for i, t := range f.Takes {
		take, err := r.restoreTake(t)
		if err != nil {
			return nil, fmt.Errorf("takes[%d]: %w", i, err)
		}
		const most = 1000
		n := t.Round
		if n < 0 || n > most {
			return nil, fmt.Errorf("takes[%d] is of the round %d", i, n)
		}
		for len(r.rounds) < n {
			r.rounds = append(r.rounds, round{})
		}
		r.all()[n][take.Facts.Combination] = take
	}
	return r, r.restoreRows(f.Rows)
}

// recalled is a run without what was played in it.
func recalled(f *file, areas *area.Set) *Run {
	r := &Run{
		cfg: Config{Tool: f.Tool, Shown: f.Config, Partial: f.Partial, Embedded: f.Target.Embedded,
			Areas:  areas,
			Limits: target.Limits{QuietWindow: time.Duration(f.Config.QuietWindowMS) * time.Millisecond},
			Target: &target.Target{Name: f.Target.Name}}.withDefaults(),
		recorded: &f.Target, began: f.Began, took: f.Took,
		takes: round{},
	}
	r.catalogue = catalogue{Set: r.cfg.Areas}
	r.prepare()
	return r
}

// restoreFrames fills the transcript; frames must be numbered from 1 on.
func (r *Run) restoreFrames(frames []wire.Frame) error {
	longs := map[int]*wire.Long{}
	for i := range frames {
		f := &frames[i]
		if f.Number != i+1 {
			return fmt.Errorf("frames[%d] has the number %d", i, f.Number)
		}
		n := f.ResultOf
		if n == 0 {
			continue
		}
		if n < 0 || n > i || frames[n-1].ResultOf != 0 ||
			!gjson.GetBytes(frames[n-1].Raw, "result").IsObject() ||
			gjson.GetBytes(f.Raw, "result").Raw != "{}" {
			return fmt.Errorf("frames[%d] refers to the result of frame %d, which has none", i, n)
		}
		if longs[n] == nil {
			longs[n] = &wire.Long{Text: gjson.GetBytes(frames[n-1].Raw, "result").Raw}
		}
		f.Long = longs[n]
	}
	r.transcript = wire.Restore(frames)
	return nil
}

func (r *Run) restoreTake(t *recordedTake) (*Take, error) {
	if t == nil || t.Facts == nil {
		return nil, errors.New("facts are missing")
	}
	if t.Facts.Notes == nil {
		t.Facts.Notes = map[string]string{}
	}
	take := &Take{Facts: t.Facts, Recordings: map[recording.Name]*recording.Recording{}, Took: t.Took,
		Unfinished: t.Unfinished, Early: t.Early}
	for _, play := range t.Recordings {
		if play == nil || play.Recording == nil || slices.Contains(play.Exchanges, nil) ||
			slices.Contains(play.Sessions, nil) {
			return nil, errors.New("a recording, or a part of one, is null")
		}
		rec := play.Recording
		rec.Facts = t.Facts
		for _, n := range play.FrameNumbers {
			f, ok := r.transcript.Frame(n)
			if !ok {
				return nil, fmt.Errorf("the recording %q names frame %d, which does not exist", rec.Scenario,
					n)
			}
			rec.Frames = append(rec.Frames, f)
		}
		sortFrames(rec)
		for _, x := range rec.Exchanges {
			r.reattach(x)
		}
		for _, h := range rec.Retried {
			r.reattach(h.First)
			r.reattach(h.Second)
		}
		for _, s := range rec.Sessions {
			r.reattach(s.Initialize)
			for _, x := range rec.Exchanges {
				if x.Session == s.ID && rec.Scenario == recording.Everything {
					s.Exchanges = append(s.Exchanges, x)
				}
			}
		}
		take.Recordings[rec.Scenario] = rec
	}
	return take, nil
}

// reattach gives an exchange its first reply back, and parameters that were no UTF-8.
func (r *Run) reattach(x *recording.Exchange) {
	if x == nil {
		return
	}
	if bytes.ContainsRune(x.Params, utf8.RuneError) {
		if f, ok := r.transcript.Frame(x.Request); ok {
			if sent := gjson.GetBytes(f.Raw, "params"); sent.Exists() {
				x.Params = json.RawMessage(sent.Raw)
			}
		}
	}
	if x.Outcome != recording.Replied || len(x.Replies) == 0 {
		return
	}
	f, ok := r.transcript.Frame(x.Replies[0])
	if !ok {
		return
	}
	all := f.Parsed().Messages
	i := slices.IndexFunc(all, func(m wire.Message) bool {
		return m.Get("result").Exists() || m.Get("error").Exists()
	})
	if len(all) > 0 {
		x.Attach(all[max(i, 0)].Object)
	}
}

func (r *Run) restoreRows(rows []recordedRow) error {
	var unknown []string
	for _, row := range rows {
		req, ok := r.catalogue.Find(row.ID)
		if !ok {
			unknown = append(unknown, row.ID)
			continue
		}
		if r.takes[row.Combination] == nil {
			return fmt.Errorf("there is no recording for %s, which a row names", row.Combination)
		}
		r.rows = append(r.rows, Row{Requirement: req, Combination: row.Combination,
			Area: r.catalogue.Area(req.Area())})
	}
	if len(unknown) > 0 {
		return fmt.Errorf("the recording names requirements that this release does not know: %s",
			strings.Join(unknown, ", "))
	}
	return nil
}
