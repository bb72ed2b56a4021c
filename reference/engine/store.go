package engine

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// snapshot is what is served beside the resources. It is replaced, never changed.
type snapshot struct {
	world     world.World // without resources
	caps      world.Capabilities
	templates []*template
	slow      bool   // what a template stands for may take time
	last      uint64 // the newest place in the list of templates
	pageSize  int
	rendered  *renderings
}

// served is the present state.
func (e *Engine) served() *snapshot { return e.state.Load() }

// takeSnapshot makes the state of a world. Templates that were served before keep
// their places, as far as the order allows.
func takeSnapshot(w world.World, pageSize int, before *snapshot) *snapshot {
	s := &snapshot{world: w, caps: w.Offered(), pageSize: pageSize, rendered: &renderings{}}
	s.world.Resources = nil
	old := map[string]*template{}
	if before != nil {
		s.last = before.last
		for _, t := range before.templates {
			old[t.URITemplate] = t
		}
	}
	at := uint64(0)
	for _, t := range w.Templates {
		compiled := compileTemplate(t)
		if was := old[t.URITemplate]; was != nil && was.seq > at {
			compiled.seq = was.seq
		} else {
			s.last++
			compiled.seq = s.last
		}
		at = compiled.seq
		s.slow = s.slow || t.Source != nil || t.Finds != "" || t.Delay > 0 || t.Steps > 0
		s.templates = append(s.templates, compiled)
	}
	return s
}

// offers reports whether a method is one of tools or prompts that the world has some of.
func (s *snapshot) offers(method string) bool {
	switch method {
	case methodTools, methodCall:
		return len(s.world.Tools) > 0
	case methodPrompts, methodPrompt:
		return len(s.world.Prompts) > 0
	}
	return false
}

// entry is a resource at its place in the list. An entry is never changed:
// replacing a resource replaces its entry.
type entry struct {
	seq  uint64 // grows with every insertion; cursors refer to it
	res  world.Resource
	data []byte // the decoded content; nil if it is made for each read, or when it is first read
	lazy bool   // it is made for each read
	size int64  // -1 if it is unknown

	first sync.Once // makes a generated content that is kept
}

// content is the decoded content, unless it is made for each read.
func (e *entry) content() []byte {
	if e.res.Generate != nil && !e.lazy {
		e.first.Do(func() { e.data, _ = e.res.Bytes() }) // what is generated always can be
	}
	return e.data
}

// constant reports whether every read of the entry yields the same, for everyone and at
// once. What a template stands for is made anew each time, and has no place in the list.
func (e *entry) constant() bool {
	r := &e.res
	return e.seq > 0 && r.Source == nil && r.Input == nil && r.Contains == nil && r.Delay == 0 &&
		r.Steps == 0 && r.Fails == "" && len(r.Identities) == 0
}

// maxGenerated bounds the memory for generated contents that are kept.
const maxGenerated = 64 << 20

// newEntry makes the entry of a resource. A generated content is kept, once it has been
// read, if there is room for it: a big world must not take long to start.
func newEntry(r world.Resource, room int) (*entry, error) {
	e := &entry{res: r}
	switch {
	case r.Source != nil:
		e.lazy, e.size = true, -1
	case r.Generate != nil && r.Generate.Bytes > room:
		e.lazy, e.size = true, int64(r.Generate.Bytes)
	case r.Generate != nil:
		e.size = int64(r.Generate.Bytes)
	default:
		data, err := r.Bytes()
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", r.URI, err)
		}
		e.data, e.size = data, int64(len(data))
	}
	if r.Size != nil {
		e.size = *r.Size
	}
	return e, nil
}

// kept is how much generated content the entry keeps at the most.
func (e *entry) kept() int {
	if e == nil || e.lazy || e.res.Generate == nil {
		return 0
	}
	return e.res.Generate.Bytes
}

func (e *entry) private() int {
	if e == nil || len(e.res.Identities) == 0 {
		return 0
	}
	return 1
}

// store keeps the resources in the order of their insertion. A place in the list
// is a sequence number and not an index, so that it stays good when other
// resources come and go.
type store struct {
	mu    sync.RWMutex
	list  []*entry // by seq
	byURI map[string]*entry
	last  uint64
	// version grows with every change of what is there.
	version uint64
	// kept is how much generated content is kept, private how many resources show
	// themselves to some only.
	kept, private int
}

func newStore(resources []world.Resource) (*store, error) {
	s := &store{}
	_, _, err := s.replace(resources)
	return s, err
}

// put adds or replaces a resource. It says which one has been replaced, and whether the list looks different
// now.
func (s *store) put(r world.Resource) (updated []string, listChanged bool, err error) {
	s.mu.RLock()
	room := maxGenerated - s.kept + s.byURI[r.URI].kept()
	s.mu.RUnlock()
	e, err := newEntry(r, room)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, existed := s.byURI[r.URI]
	s.version++
	s.kept += e.kept() - old.kept()
	s.private += e.private() - old.private()
	s.byURI[r.URI] = e
	if existed {
		e.seq = old.seq
		s.list[s.index(e.seq)] = e
		return []string{r.URI}, !reflect.DeepEqual(listing(old), listing(e)), nil
	}
	s.last++
	e.seq = s.last
	s.list = append(s.list, e)
	return nil, !r.Hidden, nil
}

// replace puts other resources in place of all. It says which of those that stay
// have changed, and whether the list looks different now.
func (s *store) replace(resources []world.Resource) (updated []string, listChanged bool, err error) {
	next := make([]*entry, 0, len(resources))
	byURI := make(map[string]*entry, len(resources))
	kept, private := 0, 0
	for _, r := range resources {
		e, err := newEntry(r, maxGenerated-kept)
		if err != nil {
			return nil, false, err
		}
		kept += e.kept()
		private += e.private()
		next = append(next, e)
		byURI[r.URI] = e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := uint64(0)
	for _, e := range next {
		old := s.byURI[e.res.URI]
		if old != nil && !reflect.DeepEqual(old.res, e.res) {
			updated = append(updated, e.res.URI)
		}
		if old != nil && old.seq > at {
			e.seq = old.seq
		} else {
			s.last++
			e.seq = s.last
		}
		at = e.seq
	}
	listChanged = !slices.EqualFunc(shown(s.list), shown(next), func(a, b *entry) bool {
		return a.res.URI == b.res.URI && reflect.DeepEqual(listing(a), listing(b))
	})
	s.list, s.byURI, s.kept, s.private = next, byURI, kept, private
	s.version++
	return updated, listChanged, nil
}

// shown are the entries that the list shows.
func shown(list []*entry) []*entry {
	return slices.DeleteFunc(slices.Clone(list), func(e *entry) bool { return e.res.Hidden })
}

// all are the resources in their order.
func (s *store) all() []world.Resource {
	s.mu.RLock()
	defer s.mu.RUnlock()
	resources := make([]world.Resource, len(s.list))
	for i, e := range s.list {
		resources[i] = e.res
	}
	return resources
}

func (s *store) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list)
}

// listing is what the list shows of an entry.
func listing(e *entry) []any {
	r := &e.res
	return []any{r.Hidden, r.Name, r.Title, r.Description, r.MIMEType, e.size, r.Directory(), r.Annotations,
		r.Icons, r.Meta}
}

// index is the place of the first entry from seq on.
func (s *store) index(seq uint64) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].seq >= seq })
}

// remove takes resources away. It says whether there was one of them, and whether one was listed.
func (s *store) remove(uris ...string) (was, listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []uint64
	for _, uri := range uris {
		e, ok := s.byURI[uri]
		if !ok {
			continue
		}
		gone = append(gone, e.seq)
		delete(s.byURI, uri)
		s.kept -= e.kept()
		s.private -= e.private()
		listed = listed || !e.res.Hidden
	}
	if len(gone) == 0 {
		return false, false
	}
	s.version++
	slices.Sort(gone)
	s.list = slices.DeleteFunc(s.list, func(e *entry) bool {
		_, is := slices.BinarySearch(gone, e.seq)
		return is
	})
	return true, listed
}

func (s *store) get(uri string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byURI[uri]
}

// state is the version of the store, and whether everyone sees the same of it.
func (s *store) state() (version uint64, alike bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version, s.private == 0
}

// page returns up to n entries after seq that are listed for the sender of a message (all, if n is
// 0) and whether there are more.
func (s *store) page(seq uint64, n int, t *hook.Trace) (entries []*entry, more bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.list[s.index(seq+1):] {
		if e.res.Hidden || e.shownTo(t) == nil {
			continue
		}
		if n > 0 && len(entries) == n {
			return entries, true
		}
		entries = append(entries, e)
	}
	return entries, false
}

// shownTo is the entry, or nil if the resource does not show itself to the client from whom a message has
// come. Without a message it is the server itself that looks, which sees everything.
func (e *entry) shownTo(t *hook.Trace) *entry {
	if e == nil || len(e.res.Identities) == 0 || t == nil || t.Token != "" &&
		(slices.Contains(e.res.Identities, t.Token) ||
			slices.Contains(e.res.Identities, journal.Fingerprint(t.Token))) {
		return e
	}
	return nil
}
