package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/profile"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Run is one run against one target. [Prepare] makes it, [Run.Execute] plays and
// judges, [Run.Report] says what came out.
type Run struct {
	catalogue  catalogue
	cfg        Config
	transcript *wire.Transcript
	limiter    func(context.Context) error
	patience   *session.Patience
	// starts and ends limit how many processes start at once, and how many end.
	starts, ends pool.Semaphore
	jobs         pool.Semaphore // for scenarios that are played
	// watches is for those that watch silence, where sessions are cheap, and for what they build on: they
	// hardly do anything but wait, and the others fit into the time that they take. Watching are the names of
	// all these.
	watches  pool.Semaphore
	watching map[recording.Name]bool
	sessions atomic.Int64
	longs    *wire.Results
	turns    *wire.Turns
	began    time.Time
	judging  context.Context // ends some time after playing has to
	over     chan struct{}   // closed when the run has to end before it is over
	endEarly func()

	endpoints []*endpoint
	stages    []*pool.Pool
	rows      []Row
	leftOut   []string // ids of the requirements that a quick run leaves out

	takes   round                   // of the first play
	rounds  []round                 // what was played again, in this order
	judged  map[judgedOn]*Judgement // in the rounds, and at first
	answers map[*Take]*takeAnswers  // of what was played
	tried   map[key]int             // in how many rounds the scripts of a row were played
	ended   error                   // why the run ended early; nil if it did not
	took    time.Duration

	begun   sync.Once
	results *results
	done    chan struct{} // closed when the run is over
	masks   func() *mask.Masker
	leaked  func() leaks // once everything was played

	recorded *reports.Target // of a run that is judged again

	stopServers func() // those that were started
}

// endpoint is an endpoint and what was found out about it.
type endpoint struct {
	*target.Endpoint
	number      int // of those of the target, from 1 on
	transport   requirement.Transport
	dialer      transport.Dialer
	found       *session.Found
	others      []requirement.Revision // that are served, too, and were not asked for
	limit       *pool.Limit            // of its connections; nil if they are not limited
	only        requirement.Revision   // the one that is judged; empty means all
	unreachable string
	reasons     map[requirement.Revision]string // why a revision is not served
	// unoffered says that it offers none of the revisions that were asked for; empty if
	// it does, or all were asked for.
	unoffered string
	cause     error
	// broken is why no session can be opened although the endpoint is what the
	// user says it is; see misspeaks, and [session.Found.Spread].
	broken  error
	habits  session.Habits
	profile profile.Profile
	reuse   transport.Reuse
}

// Prepare finds out what the target speaks and plans the run. An error of type
// [*UsageError] means that the configuration cannot be run. If nothing of the
// target can be reached, the run has no rows: [Run.Unreachable] says why.
func Prepare(ctx context.Context, cfg Config) (_ *Run, err error) {
	if cfg.Target == nil || len(cfg.Target.Endpoints) == 0 {
		return nil, usage("there is no target: give a command, a URL or a target file")
	}
	measured := cfg.Limits.Over(cfg.Target.Limits).Budget <= 0
	cfg = cfg.withDefaults()
	cfg.Progress = oneByOne(cfg.Progress)
	r := &Run{
		catalogue: catalogue{cfg.Areas, cfg.Quick}, cfg: cfg,
		transcript: wire.NewTranscript(wire.Budget{Frame: cfg.MessageBytes, Total: cfg.RunBytes}),
		limiter:    session.Paced(cfg.Rate),
		longs:      &wire.Results{}, turns: wire.NewTurns(), began: time.Now(), starts: pool.Starts(),
		ends: pool.Ends(), jobs: make(pool.Semaphore, cfg.Jobs), watches: make(pool.Semaphore, 4*cfg.Jobs),
		watching: catalogue{cfg.Areas, cfg.Quick}.watching(), takes: round{},
	}
	r.patience = session.NewPatience(func() time.Duration { return r.cfg.Budget / inVain })
	if cfg.Jobs == 1 {
		r.watches = r.jobs // one at a time, whatever it is
	}
	r.prepare()
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	defer func() { r.ended, r.took = context.Cause(ctx), time.Since(r.began) }() // before cancel
	if cfg.Target, err = r.serve(ctx); err != nil {
		return nil, err
	}
	if measured {
		r.allow(time.Since(r.began)) // where servers were started, that took its time
	}
	defer func() {
		if err != nil || len(r.rows) == 0 {
			r.stopServers() // nobody will execute it
		}
	}()
	for i := range cfg.Target.Endpoints {
		e := &endpoint{Endpoint: &cfg.Target.Endpoints[i], number: i + 1,
			reasons: map[requirement.Revision]string{}}
		if len(cfg.candidates(e.Endpoint)) == 0 {
			continue
		}
		cfg.Progress(Event{Kind: Connecting, Title: e.Label()})
		asked := time.Now()
		if err := r.detect(ctx, e); err != nil {
			r.abandon()
			return nil, err
		}
		if measured && e.found != nil {
			r.allow(time.Since(asked))
		}
		r.endpoints = append(r.endpoints, e)
	}
	if cfg.Quick {
		r.newestOnly()
	}
	for _, e := range r.endpoints {
		r.askOthers(ctx, e)
	}
	if err := r.plan(); err != nil {
		r.abandon()
		return nil, err
	}
	if len(r.rows) == 0 {
		r.abandon() // nobody will execute it
	}
	return r, nil
}

// oneByOne tells of one event at a time.
func oneByOne(tell func(Event)) func(Event) {
	var telling sync.Mutex
	return func(e Event) {
		telling.Lock()
		defer telling.Unlock()
		tell(e)
	}
}

// inVain is the part of the time for the whole run, one in so many, that is spent on waiting for a target
// that asks to be called later and then refuses again: what it does answer is to be judged in the rest.
const inVain = 5

// allow gives a run more time where it took long to find out what the target speaks: the
// target starts slowly, or the machine has other work.
func (r *Run) allow(detection time.Duration) {
	const times, most = 100, 30 * time.Minute
	r.cfg.Budget = max(r.cfg.Budget, min(times*detection, most))
}

// prepare sets up what a run needs to give verdicts.
func (r *Run) prepare() {
	r.judging = context.Background()
	r.judged, r.tried, r.answers = map[judgedOn]*Judgement{}, map[key]int{}, map[*Take]*takeAnswers{}
	r.results, r.done, r.over = &results{started: make(chan struct{})}, make(chan struct{}),
		make(chan struct{})
	r.endEarly = sync.OnceFunc(func() { close(r.over) })
	r.leaked = sync.OnceValue(r.leaks)
	r.masks = sync.OnceValue(func() *mask.Masker { return mask.NewMasker(r.cfg.Target.Secrets()) })
}

// bounded limits a context to what is left of the budget, and to a transcript that
// is not full. Processes that are started in it are not waited for as long once it has ended for that.
func (r *Run) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithDeadlineCause(ctx, r.Deadline(), ErrBudget)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-r.transcript.Full():
			cancel(ErrVolume)
		case <-ctx.Done():
		}
	}()
	ends := context.AfterFunc(ctx, r.endEarly)
	return transport.Until(ctx, r.over), func() { ends(); cancel(nil); stop() }
}

// instances is how many sessions of the endpoint can stand at once; 0 if they are not limited.
func (e *endpoint) instances() int {
	if e.profile.Seen(profile.OneSession) != "" || e.profile.Seen(profile.OneProcess) != "" {
		return 1
	}
	return e.Instances
}

// abandon closes what detection left open.
func (r *Run) abandon() {
	for _, e := range r.endpoints {
		if e.found != nil {
			e.found.Close()
		}
	}
}

func (r *Run) nextID() string { return fmt.Sprintf("s%d", r.sessions.Add(1)) }

// plan sets up a stage for each combination and lists the rows.
func (r *Run) plan() error {
	taken := map[requirement.Combination]*endpoint{}
	var combinations []requirement.Combination
	for _, e := range r.endpoints {
		if e.found == nil {
			continue
		}
		for _, rev := range e.found.Served {
			if e.only != "" && rev != e.only {
				continue
			}
			c := requirement.Combination{Revision: rev, Transport: e.transport}
			if other := taken[c]; other != nil {
				one, two := other.Label(), e.Label()
				if one == two { // addresses of one server
					one, two = other.Address(), e.Address()
				}
				return usage("%s is served by two endpoints, %s and %s: judge them one at a time", c, one,
					two)
			}
			taken[c] = e
			combinations = append(combinations, c)
			r.stages = append(r.stages, r.stage(e, c))
		}
	}
	sortCombinations(combinations)
	slices.SortFunc(r.stages, func(a, b *pool.Pool) int {
		return slices.Index(combinations, a.Combination) - slices.Index(combinations, b.Combination)
	})
	r.rows = r.catalogue.list(combinations, r.cfg.Select)
	if r.cfg.Quick {
		r.rows, r.leftOut = r.catalogue.withoutDestructive(r.rows, r.cfg.Asked)
		r.cfg.Shown.Quick = r.quick()
	}
	return nil
}

// stage sets up the stage of a combination on the session that detection left.
func (r *Run) stage(e *endpoint, c requirement.Combination) *pool.Pool {
	t := r.cfg.Target
	st := r.newStage(e, e.limit, &recording.Facts{
		Combination: c, Endpoint: e.number, Declared: e.found.Declared[c.Revision],
		Served: e.served(c.Revision),
		Owned:  e.Owned(), Local: e.Local(), Configured: t.Configured(), Allowed: t.Allowed(),
		DeclaredIn: e.found.DeclaredIn[c.Revision], Nameless: e.found.Nameless, Notes: map[string]string{},
	})
	if s := e.found.Open[c.Revision]; s != nil {
		st.Adopt(s)
	}
	if e.found.Spare != nil && !c.Revision.Modern() {
		st.Spare = e.found.Spare.Hand()
	}
	if single := e.profile.Seen(profile.OneSession); single != "" && !c.Revision.Modern() {
		st.Establish(recording.FactSingle, single)
	}
	if one := e.profile.Seen(profile.OneConnection); one != "" {
		st.Establish(recording.FactOneConnection, one)
	}
	if e.found.Spread[c.Revision] != nil {
		st.Establish(recording.FactSpread, e.broken.Error())
	}
	return st
}

// newStage sets up the stage of a combination with sessions of its own.
func (r *Run) newStage(e *endpoint, limit *pool.Limit, facts *recording.Facts) *pool.Pool {
	probes, instances := 4, e.instances()
	if e.transport == requirement.Stdio {
		probes = 1 // each is a process
	}
	// where there are no sessions, none ends another one
	if e.profile.Seen(profile.OneSession) != "" && facts.Combination.Revision.Modern() {
		limit, instances = nil, e.Instances
	}
	o := pool.Options{Common: r.common(r.cfg.StartTimeout), Dialer: e.dialer, Broken: e.broken, Limit: limit,
		Hasten: limit != nil && e.profile.Seen(profile.Stays) != ""}
	o.Habits, o.Nameless, o.Barred = &e.habits, e.profile.Seen(profile.Nameless) != "",
		e.profile.Seen(profile.Barred) != ""
	if e.Owned() {
		o.Starts, o.Ends, o.Jobs = r.starts, r.ends, r.jobs
		if limit == nil {
			o.Probes = r.room()
		}
	}
	return pool.New(&scenario.Stage{
		Combination: facts.Combination, Facts: facts, Instances: instances, Target: r.cfg.Target,
		Endpoint:   e.Endpoint,
		Transcript: r.transcript, SecurityProbes: r.cfg.SecurityProbes, OneByOne: e.Server() != nil &&
			limit.OneByOne(),
		Limits: scenario.Limits{Limits: r.cfg.Limits, Probes: min(probes, r.cfg.Jobs)},
	}, o)
}

// room is how many expendable sessions of a combination are enough to keep all jobs busy where the
// target answers slowly: combinations that are judged side by side do so together.
func (r *Run) room() int {
	n := 0
	for _, e := range r.endpoints {
		switch {
		case e.found == nil:
		case e.only != "":
			n++
		default:
			n += len(e.found.Served)
		}
	}
	return min(4, r.cfg.Jobs/max(n, 1))
}

// Rows lists what the run can judge, in the order of the report; once it was started,
// what it judges.
func (r *Run) Rows() []Row { return slices.Clone(r.rows) }

// Deadline is when the time for the whole run is spent.
func (r *Run) Deadline() time.Time { return r.began.Add(r.cfg.Budget) }

// Unreachable says, in one sentence, why there is nothing to judge; empty if
// there is.
func (r *Run) Unreachable() string {
	if len(r.stages) > 0 {
		return ""
	}
	why := r.UnreachableEndpoints()
	for _, e := range r.endpoints {
		if e.unoffered != "" {
			why = append(why, e.Label()+" offers none of the revisions asked for: "+e.unoffered)
		}
	}
	if len(why) == 0 {
		return "no endpoint of the target uses a transport that was asked for and has one of the " +
			"revisions asked for"
	}
	return strings.Join(why, "; ")
}

// UnreachableEndpoints says, a sentence each, which endpoints could not be reached
// and why.
func (r *Run) UnreachableEndpoints() []string {
	var why []string
	for _, e := range r.endpoints {
		if e.unreachable != "" {
			why = append(why, e.Label()+": "+e.unreachable)
		}
	}
	return why
}
