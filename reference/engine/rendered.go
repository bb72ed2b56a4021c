package engine

import (
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// maxRendered bounds the memory for results that are kept as they were sent.
const maxRendered = 32 << 20

// renderedOverhead is what a kept result is reckoned to take beside its bytes.
const renderedOverhead = 512

// renderKey names a result by all that it is made of, beside the snapshot that its
// cache belongs to: what has changed has another name, so that nothing that is kept
// can be out of date.
type renderKey struct {
	method, revision string
	entry            *entry // of a read
	version, after   uint64 // of a list: that of the store, and where the page begins
}

// renderings keeps results as bytes: those that were used of late, as many as there is
// room for. There are two generations, each of half the size; when the young one is
// full, the old one goes.
type renderings struct {
	mu         sync.RWMutex
	young, old map[renderKey]*journal.Shared
	size       int // of the young
}

func (c *renderings) get(k renderKey) *journal.Shared {
	c.mu.RLock()
	found := c.young[k]
	aged := c.old[k]
	c.mu.RUnlock()
	if found == nil && aged != nil {
		c.put(k, aged)
		return aged
	}
	return found
}

// reply is a kept result as a reply; nil if there is none.
func (c *renderings) reply(k renderKey) *hook.Reply {
	if kept := c.get(k); kept != nil {
		return &hook.Reply{Rendered: kept}
	}
	return nil
}

// keep renders a result, which has all members but those that every result of the revision
// has, and keeps it under its key.
func (e *Engine) keep(c *renderings, k renderKey, result hook.Object) *hook.Reply {
	if hook.Modern(k.revision) {
		e.complete(result)
	}
	rendered := journal.NewShared(append(hook.AppendEncoded([]byte(`"result":`), result), '}'))
	c.put(k, rendered)
	return &hook.Reply{Rendered: rendered}
}

// put keeps a result, unless it would take the room of all others.
func (c *renderings) put(k renderKey, s *journal.Shared) {
	size := len(s.Bytes()) + renderedOverhead
	if size > maxRendered/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[k] != nil {
		return // another request was quicker
	}
	if c.young == nil || c.size+size > maxRendered/2 {
		c.old, c.young, c.size = c.young, map[renderKey]*journal.Shared{}, 0
	}
	c.young[k] = s
	c.size += size
}
