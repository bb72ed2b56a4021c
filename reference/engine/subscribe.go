package engine

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func (e *Engine) serveSubscription(ctx context.Context, s *session, c *hook.Call,
	params *arguments) *hook.Reply {
	uri, r := e.uriParam(params)
	if r != nil {
		return r
	}
	if c.Method == "resources/unsubscribe" {
		s.mu.Lock()
		delete(s.subscribed, uri)
		s.mu.Unlock()
		return &hook.Reply{Result: hook.Object{}}
	}
	if !e.exists(ctx, viewerOf(ctx), uri) {
		return notFound(c.Revision, uri)
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
	return &hook.Reply{Result: hook.Object{}}
}

// serveListen opens a stream. The acknowledgment goes out before anything else
// of it.
func (e *Engine) serveListen(ctx context.Context, c *hook.Call, given *arguments) *hook.Reply {
	x := exchangeOf(ctx)
	params := given.decode()
	filter, ok := params["notifications"].(hook.Object)
	if !ok {
		return fail(codeInvalidParams, `"notifications" must be an object`)
	}
	l := &listen{session: x.session, exchange: x, call: c, id: c.IDValue(), key: idKey(c.ID)}
	granted, why := e.grant(ctx, l, filter)
	if why != "" {
		return fail(codeInvalidParams, why)
	}
	if x.session.transport == hook.HTTP { // the session is this stream, and ends with it
		if err := e.register(x.session); err != nil {
			return failAt(http.StatusServiceUnavailable, codeInternal, "Internal error: "+err.Error())
		}
	}
	if why := x.session.addListen(l); why != "" {
		return fail(codeInvalidRequest, why)
	}
	x.held.Store(true)
	ack := hook.NewNotification(hook.NotificationAcknowledged, hook.Object{
		"_meta":         hook.Object{metaSubscription: l.id},
		"notifications": granted,
	})
	if err := l.emit(ack); err != nil {
		x.session.dropListen(l)
		return &hook.Reply{Silent: true}
	}
	l.release()
	return &hook.Reply{Open: true}
}

// grant reads the filter and says what of it is honoured, or what is wrong.
func (e *Engine) grant(ctx context.Context, l *listen, filter hook.Object) (granted hook.Object, why string) {
	granted = hook.Object{}
	for _, name := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if v, there := filter[name]; there {
			if _, ok := v.(bool); !ok {
				return nil, `"` + name + `" must be true or false`
			}
		}
	}
	if filter["resourcesListChanged"] == true && e.served().caps.ListChanged {
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
		if e.exists(ctx, viewerOf(ctx), uri) && !slices.Contains(l.uris, uri) {
			l.uris = append(l.uris, uri)
			honoured = append(honoured, uri)
		}
	}
	if e.served().caps.Subscribe {
		granted["resourceSubscriptions"] = honoured
	} else {
		l.uris = nil
	}
	return granted, ""
}
