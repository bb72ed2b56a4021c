package transport

import (
	"net/http"
	"sync"
)

// Reuse says whether HTTP connections serve one request after the other, for all clients that share it. The
// zero value is ready for use, and they do.
type Reuse struct {
	mu      sync.Mutex
	stopped bool
	waiting map[*client]bool
}

// Stop has connections end with each response, and ends those that wait for another request.
func (u *Reuse) Stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stopped = true
	for c := range u.waiting {
		c.rt.CloseIdleConnections()
	}
}

// Resume has connections wait for further requests again.
func (u *Reuse) Resume() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stopped = false
}

// join adds a client, whose connections may wait for further requests, until it leaves.
func (u *Reuse) join(c *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.waiting == nil {
		u.waiting = map[*client]bool{}
	}
	u.waiting[c] = true
}

func (u *Reuse) leave(c *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.waiting, c)
}

// mark has the connection of a request end with the response, if all do.
func (u *Reuse) mark(req *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	req.Close = u.stopped
}
