package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// arrive is the innermost receiver: it processes the message within the
// exchange of its context.
func (e *Engine) arrive(ctx context.Context, in hook.Incoming) error {
	x := exchangeOf(ctx)
	switch {
	case x == nil:
	case same(in.Raw, x.in.raw):
		x.process(ctx, x.in)
	default:
		x.process(ctx, parse(in.Raw)) // a hook has altered it
	}
	return nil
}

// accept takes the message of an exchange: it passes the receive hooks and is processed.
// The caller has counted it.
func (x *exchange) accept() {
	defer x.uncount()
	x.Context = x.ctx
	if x.Trace == nil {
		x.Trace = &hook.Trace{Transport: x.transport, Session: x.ID(), Server: x.engine.ctx}
	}
	_ = x.engine.receive(x, hook.Incoming{
		Raw: x.in.raw, Transport: x.transport, Session: x.session,
	})
	if !x.held.Load() {
		x.finish()
	}
}

// acceptApart is accept for a goroutine of its own.
func (x *exchange) acceptApart() {
	makeRoom(0)
	x.accept()
}

// makeRoom has the stack of a new goroutine be as large at once as it will have to be.
// Otherwise it grows deep within a call, and all that is on it is moved, which takes longer than
// many an answer.
//
//go:noinline
func makeRoom(i int) byte {
	var room [5 << 10]byte
	return room[i]
}

// process answers one message.
func (x *exchange) process(ctx context.Context, in *incoming) {
	raw := bytes.TrimSpace(in.raw)
	if !in.wellFormed && len(raw) < len(in.raw) {
		in = parse(raw) // there is white space that JSON does not know
	}
	if !in.wellFormed {
		x.refuse(ctx, failAt(http.StatusBadRequest, codeParse, "Parse error: not a JSON text"))
		return
	}
	if raw[0] == '[' {
		x.batch(ctx, raw)
		return
	}
	if m, ok := x.one(ctx, in, false); ok {
		_ = x.emit(ctx, m.Call, m) // a client that has gone is noticed by the transport
	}
}

// refuse answers input of which no id could be read.
func (x *exchange) refuse(ctx context.Context, r *hook.Reply) {
	_ = x.emit(ctx, nil, inEnvelope(x.noID(), r))
}

// inEnvelope is the message with an id that carries a reply, and belongs to no call.
func inEnvelope(id json.RawMessage, r *hook.Reply) hook.Message {
	return hook.Message{Kind: hook.Response, Raw: envelope(id, r), Status: r.Status}
}

// noID is the id of an answer to input whose id could not be read: null by
// JSON-RPC, and absent from 2025-11-25 on, where the schema leaves the choice.
func (s *session) noID() json.RawMessage {
	revision := s.Revision()
	if all := s.engine.supported(s.transport); revision == "" && len(all) > 0 {
		revision = all[0]
	}
	if revision >= hook.R20251125 {
		return nil
	}
	return json.RawMessage("null")
}

// maxBatch bounds the messages of a batch.
const maxBatch = 256

// batch processes an array of messages, which only 2025-03-26 has.
func (x *exchange) batch(ctx context.Context, raw []byte) {
	if x.Revision() != hook.R20250326 {
		x.refuse(ctx, badRequest("there are no batches in this revision"))
		return
	}
	var members []json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || len(members) == 0 || len(members) > maxBatch {
		x.refuse(ctx, badRequest("a batch has 1 to 256 messages"))
		return
	}
	var answers [][]byte
	for _, member := range members {
		if m, ok := x.one(ctx, parse(member), true); ok {
			answers = append(answers, m.Whole().Raw)
		}
	}
	if len(answers) == 0 {
		return
	}
	all := append([]byte{'['}, bytes.Join(answers, []byte{','})...)
	_ = x.emit(ctx, nil, hook.Message{Kind: hook.Response, Raw: append(all, ']')})
}

// one processes a single message; ok says whether there is an answer.
func (x *exchange) one(ctx context.Context, in *incoming, batched bool) (m hook.Message, ok bool) {
	switch in.kind {
	case journal.Response:
		x.answered(in.id, in.raw)
		return m, false
	case "":
		id := in.id
		if id == nil {
			id = x.noID()
		}
		return inEnvelope(id, badRequest(in.why)), true
	}
	c := x.call(in)
	if batched {
		c.Trace = x.Trace.Member(in.method, in.params.uri, in.params.raw, in.kind == journal.Request)
		ctx = hook.WithTrace(ctx, c.Trace)
	}
	if batched && c.Method == methodInitialize {
		return answer(c, fail(codeInvalidRequest, "Invalid request: initialize must not be part of a batch")),
			true
	}
	if c.Notification() {
		if r := x.engine.handle(ctx, c); r != nil && r.Raw != nil {
			return hook.Message{Kind: hook.Response, Raw: r.Raw, Call: c}, true
		}
		return m, false
	}
	return x.answerCall(ctx, c)
}

// call makes the call of a parsed message.
func (x *exchange) call(in *incoming) *hook.Call {
	c := &hook.Call{
		Revision: x.Revision(), Transport: x.transport, ID: in.id,
		Method: in.method, Params: in.params.raw, Header: x.header, Session: x.session, Trace: x.Trace,
	}
	if x.engine.claimsModern(c, &in.params) {
		c.Modern = true
		c.Revision, _ = scan.OneOf(in.params.version, x.engine.spoken().modern...)
	}
	c.Emit = func(ctx context.Context, m hook.Message) error { return x.emit(ctx, c, m) }
	return c
}

// answerCall handles a request, unless it is cancelled meanwhile.
func (x *exchange) answerCall(ctx context.Context, c *hook.Call) (hook.Message, bool) {
	call := x.begin(ctx, idKey(c.ID))
	if call == nil {
		return answer(c, fail(codeInternal, "Too many requests at once")), true
	}
	defer x.done(call)
	r := x.engine.handle(call, c)
	if r == nil || r.Silent {
		x.held.Store(true)
		return hook.Message{}, false
	}
	if r.Open || call.Err() != nil && c.Method != methodInitialize {
		return hook.Message{}, false
	}
	return answer(c, r), true
}

// serve is the innermost handler.
func (e *Engine) serve(ctx context.Context, c *hook.Call) *hook.Reply {
	x := exchangeOf(ctx)
	if x == nil {
		return fail(codeInternal, "Internal error: a call outside its exchange")
	}
	q := serving{e, c, x, ctx, x.argumentsOf(c)}
	c.Modern = e.claimsModern(c, q.params)
	if c.Notification() {
		x.note(c)
		return nil
	}
	if !hook.Pause(ctx, e.config.Latency) {
		return &hook.Reply{}
	}
	if c.Modern {
		return q.modern()
	}
	return q.legacy()
}

// serving is a request that is being served: where, with which params, and on behalf of which message.
type serving struct {
	*Engine
	*hook.Call
	*exchange
	ctx    context.Context
	params *arguments
}

// note takes a notification of the client. Unknown and malformed ones are
// ignored.
func (s *session) note(c *hook.Call) {
	if c.Method == methodInitialized {
		s.mu.Lock()
		s.initialized = true
		s.mu.Unlock()
	}
	if c.Method != methodCancelled {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(c.Params, &params) == nil && params.RequestID != nil && validID(params.RequestID) {
		s.cancelCall(idKey(params.RequestID))
	}
}

// argumentsOf are the params of a call, which hooks may have replaced since they were read.
func (x *exchange) argumentsOf(c *hook.Call) *arguments {
	if same(c.Params, x.in.params.raw) {
		return &x.in.params
	}
	a := &arguments{raw: c.Params}
	if scan.Valid(c.Params) {
		a.read(bytes.TrimLeft(c.Params, blanks))
	}
	return a
}
