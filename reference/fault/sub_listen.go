package fault

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func subListenCode() code {
	return code{
		"sub-20-same-id-closed": closedUnderSameID(),
		"sub-24-rewrites-uris": hook.EditMessage(func(m *hook.Message) {
			if m.Method != hook.NotificationAcknowledged {
				return
			}
			ack, _ := hook.DecodeObject(m.Raw)
			uris, _ := hook.ObjectAt(ack, "params", "notifications")["resourceSubscriptions"].([]any)
			for i := range uris {
				uri, _ := uris[i].(string)
				scheme, rest, _ := strings.Cut(uri, ":")
				uris[i] = strings.ToUpper(scheme) + ":" + rest
			}
			m.Raw = hook.Encode(ack)
		}),
		"sub-32-closing-ends-all": closingEndsAll(),
		"sub-32-id-taken-over":    takenOver(),
		"sub-33-sent-by-itself":   sentByItself(),
		"sub-37-answered-at-once": hook.EditReply(hook.MethodListen, func(c *hook.Call, r *hook.Reply) {
			if r.Open {
				*r = hook.Reply{
					Result: hook.Object{
						"resultType": "complete",
						"_meta":      hook.Object{subscriptionID: c.IDValue()},
					},
				}
			}
		}),
		"sub-37-dropped-at-once": hook.OnHTTP(
			local(listening),
			func(x hook.Serving) {
				short, cancel := context.WithTimeout(x.Context(), 100*time.Millisecond)
				defer cancel()
				x.Serve(x.W, x.WithContext(short))
			},
		),
		"sub-39-progress-on-streams": fanOut(),
	}
}

// listening matches requests that open a listen stream.
func listening(r *http.Request) bool { return posted(r)["method"] == hook.MethodListen }

const methodCancelled = "notifications/cancelled"

// closingEndsAll sends no update on the listen streams that stand when another one is closed.
func closingEndsAll() hook.Hooks {
	var mu sync.Mutex
	opened := map[*hook.Call]int{} // in which order
	silent := 0                    // those opened up to then are
	return hook.Join(
		hook.EditCall(hook.MethodListen, func(c *hook.Call) {
			mu.Lock()
			defer mu.Unlock()
			opened[c] = len(opened) + 1
		}),
		hook.Withhold(hook.NotificationUpdated, func(m hook.Message) bool {
			mu.Lock()
			defer mu.Unlock()
			return m.Call != nil && opened[m.Call] <= silent
		}),
		hook.OnHTTP(func(r *http.Request) bool { return r.Header.Get(headerMethod) == hook.MethodListen },
			func(x hook.Serving) {
				x.Next()
				mu.Lock()
				defer mu.Unlock()
				silent = len(opened)
			}),
	)
}

// takenOver has one listen stream for each request id: that of whoever came last.
func takenOver() hook.Hooks {
	var latest sync.Map // calls by id
	return hook.Join(
		hook.EditReply(hook.MethodListen, func(c *hook.Call, r *hook.Reply) {
			if r.Open && c.Transport == hook.HTTP {
				latest.Store(string(c.ID), c)
			}
		}),
		hook.Withhold(hook.NotificationUpdated+"|"+hook.NotificationListChanged, func(m hook.Message) bool {
			if m.Call == nil || m.Transport != hook.HTTP {
				return false
			}
			last, ok := latest.Load(string(m.Call.ID))
			return ok && last != m.Call
		}),
	)
}

// closedUnderSameID answers a listen request by a stream that ends at once, if there is one under the same
// id, even that of another client.
func closedUnderSameID() hook.Hooks {
	var open sync.Map // ids
	return hook.OnHTTP(local(listening), func(x hook.Serving) {
		id := posted(x.Request)["id"]
		if _, taken := open.LoadOrStore(id, true); taken {
			x.W.Header().Set("Content-Type", "text/event-stream")
			x.W.Header().Set("X-Accel-Buffering", "no")
			return
		}
		defer open.Delete(id)
		x.Next()
	})
}

// sentByItself sends an update for a stream that is cancelled, when whatever was under way has long arrived.
func sentByItself() hook.Hooks {
	const later = 250 * time.Millisecond
	var watched sync.Map // URIs by connection and id
	note := func(c hook.Calling) {
		switch c.Method {
		case hook.MethodListen:
			filter, _ := c.Param("notifications").(hook.Object)
			if uris, _ := filter["resourceSubscriptions"].([]any); len(uris) > 0 {
				watched.Store([2]string{c.Session.ID(), string(c.ID)}, uris[0])
			}
		case methodCancelled:
			id := c.Param("requestId")
			stream := [2]string{c.Session.ID(), string(hook.Encode(id))}
			if uri, ok := watched.Load(stream); ok && hook.Acts(c) {
				watched.Delete(stream)
				update := hook.NewNotification(
					hook.NotificationUpdated,
					hook.Object{"_meta": hook.Object{subscriptionID: id}, "uri": uri},
				)
				// A connection that has ended hears nothing.
				time.AfterFunc(later, func() { _ = c.Session.Send(context.Background(), update.Raw) })
			}
		}
	}
	return hook.OnMethod(hook.MethodListen+"|"+methodCancelled, func(c hook.Calling) *hook.Reply {
		if c.Transport == hook.Stdio {
			note(c)
		}
		return c.Next()
	})
}

// fanOut sends progress to the listen streams of the same connection, too, and over HTTP to those of all; to
// the latest if there are many.
func fanOut() hook.Hooks {
	const most = 64
	var mu sync.Mutex
	var streams []*hook.Call
	return hook.Join(
		hook.EditReply(hook.MethodListen, func(c *hook.Call, r *hook.Reply) {
			if r.Open {
				mu.Lock()
				defer mu.Unlock()
				streams = append(streams, c)
				streams = streams[max(len(streams)-most, 0):]
			}
		}),
		hook.OnNotification(hook.NotificationProgress, func(m hook.Sending) error {
			if m.Call == nil || m.Call.Method == hook.MethodListen {
				return m.Next()
			}
			mu.Lock()
			open := slices.Clone(streams)
			mu.Unlock()
			for _, c := range open {
				if c.Transport != m.Transport ||
					m.Transport == hook.Stdio && c.Session.ID() != m.Session.ID() {
					continue // there the request may be unknown, or have been answered long ago
				}
				if n, ok := hook.DecodeObject(m.Raw); ok && hook.Acts(m) {
					params := hook.MakeObjectAt(n, "params")
					hook.MakeObjectAt(params, "_meta")[subscriptionID] = c.IDValue()
					// A stream that has ended takes nothing more.
					_ = c.Emit(m, hook.NewNotification(hook.NotificationProgress, params))
				}
			}
			return m.Next()
		}),
	)
}
