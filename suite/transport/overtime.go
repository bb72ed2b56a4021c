package transport

import "time"

// Overtime is more time for a process whose time is up while it is still at work: it has as much
// to do as it would on another machine, and this one is slow or has other work.
type Overtime struct {
	limit, given time.Duration
	working      func() bool
	looks, idle  int  // in all, and the last ones in turn that found it idle
	seen         bool // it was found at work
	// waited, if set, is how much of all its time the process has waited for a processor, which
	// is no time that it would take on a machine of its own.
	waited func() time.Duration
}

// NewOvertime is for a process that had a time, and tells by a function whether it has been at work
// since it was asked last; nil if there is no telling, and then there is no more time.
func NewOvertime(limit time.Duration, working func() bool) *Overtime {
	return &Overtime{limit: limit, working: working}
}

// overtimes is how many times its time a process gets in all, as long as it works; and
// starvedOvertimes with all that it waits for a processor.
const overtimes, starvedOvertimes = 3, 30

// More is how much longer to wait; 0 if the process idles or has had three times its time. The
// first look may meet it while it takes breath, so there is another one; and what was at work has
// a moment to end, or to say that it has started.
func (o *Overtime) More() time.Duration {
	const part, shortest, longest, moment = 20, 50 * time.Millisecond, time.Second, 3
	if o.working == nil {
		return 0
	}
	o.looks++
	if o.idle++; o.working() {
		o.idle, o.seen = 0, true
	}
	allowed := 0
	switch {
	case o.seen:
		allowed = moment
	case o.looks == 1:
		allowed = 1
	}
	step := min(max(o.limit/part, shortest), longest)
	if o.idle > allowed {
		return 0
	}
	most := overtimes * o.limit
	if o.waited != nil {
		most = min(most+o.waited(), starvedOvertimes*o.limit)
	}
	if o.limit+o.given+step > most {
		return 0
	}
	o.given += step
	return step
}

// Given is how much more time there was for a process that was at work.
func (o *Overtime) Given() time.Duration {
	if !o.seen {
		return 0
	}
	return o.given
}
