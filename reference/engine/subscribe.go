package engine

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// subscription serves resources/subscribe and resources/unsubscribe.
func (q serving) subscription() *hook.Reply {
	s := q.session
	uri, r := q.uriParam()
	if r != nil {
		return r
	}
	if q.Method == "resources/unsubscribe" {
		s.mu.Lock()
		delete(s.subscribed, uri)
		s.mu.Unlock()
		return reply(hook.Object{})
	}
	if !q.exists(q.ctx, uri) {
		return notFound(q.Revision, uri)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.subscribed) >= maxListenResources {
		return fail(codeInternal, "Too many subscriptions")
	}
	if s.subscribed == nil {
		s.subscribed = map[string]bool{}
	}
	s.subscribed[uri] = true
	return reply(hook.Object{})
}

// listen opens a stream. The acknowledgment goes out before anything else of it.
func (q serving) listen() *hook.Reply {
	x := q.exchange
	filter, ok := q.params.decode()["notifications"].(hook.Object)
	if !ok {
		return fail(codeInvalidParams, `"notifications" must be an object`)
	}
	l := &listen{exchange: x, call: q.Call, id: q.IDValue(), key: idKey(q.ID)}
	granted, why := q.grant(l, filter)
	if why != "" {
		return fail(codeInvalidParams, why)
	}
	if x.transport == hook.HTTP { // the session is this stream, and ends with it
		if err := q.register(x.session); err != nil {
			return failAt(http.StatusServiceUnavailable, codeInternal, "Internal error: "+err.Error())
		}
	}
	if why := x.addListen(l); why != "" {
		return fail(codeInvalidRequest, why)
	}
	x.held.Store(true)
	ack := hook.NewNotification(hook.NotificationAcknowledged, hook.Object{
		"_meta":         hook.Object{metaSubscription: l.id},
		"notifications": granted,
	})
	if err := l.emit(ack); err != nil {
		x.dropListen(l)
		return &hook.Reply{Silent: true}
	}
	l.release()
	return &hook.Reply{Open: true}
}

// grant reads the filter and says what of it is honoured, or what is wrong.
func (q serving) grant(l *listen, filter hook.Object) (granted hook.Object, why string) {
	granted = hook.Object{}
	for _, name := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if v, there := filter[name]; there {
			if _, ok := v.(bool); !ok {
				return nil, `"` + name + `" must be true or false`
			}
		}
	}
	if filter["resourcesListChanged"] == true && q.served().caps.ListChanged {
		l.listChanged = true
		granted["resourcesListChanged"] = true
	}
	wanted, there := filter["resourceSubscriptions"]
	if !there {
		return granted, ""
	}
	list, ok := wanted.([]any)
	if !ok || len(list) > maxListenResources {
		return nil, `"resourceSubscriptions" must be an array of URIs`
	}
	honoured := []any{}
	for _, v := range list {
		uri, ok := v.(string)
		if !ok {
			return nil, `"resourceSubscriptions" must be an array of URIs`
		}
		if q.exists(q.ctx, uri) && !slices.Contains(l.uris, uri) {
			l.uris = append(l.uris, uri)
			honoured = append(honoured, uri)
		}
	}
	if q.served().caps.Subscribe {
		granted["resourceSubscriptions"] = honoured
	} else {
		l.uris = nil
	}
	return granted, ""
}
