package engine

import (
	"fmt"
	"reflect"
	"sort"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// entry is a resource at its place in the list. An entry is never changed:
// replacing a resource replaces its entry.
type entry struct {
	seq  uint64 // grows with every insertion; cursors refer to it
	res  world.Resource
	data []byte // the decoded content
	size int64
}

// store keeps the resources in the order of their insertion. A place in the list
// is a sequence number and not an index, so that it stays good when other
// resources come and go.
type store struct {
	mu    sync.RWMutex
	list  []*entry // by seq
	byURI map[string]*entry
	last  uint64
}

func newStore(resources []world.Resource) (*store, error) {
	s := &store{byURI: map[string]*entry{}}
	for _, r := range resources {
		if _, _, err := s.put(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// put adds or replaces a resource. It says whether there was one before, and
// whether the list looks different now.
func (s *store) put(r world.Resource) (existed, listChanged bool, err error) {
	data, err := r.Bytes()
	if err != nil {
		return false, false, fmt.Errorf("resource %s: %w", r.URI, err)
	}
	e := &entry{res: r, data: data, size: int64(len(data))}
	if r.Size != nil {
		e.size = *r.Size
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, existed := s.byURI[r.URI]
	if !existed {
		s.last++
		e.seq = s.last
		s.list = append(s.list, e)
		s.byURI[r.URI] = e
		return false, !r.Hidden, nil
	}
	e.seq = old.seq
	s.list[s.index(e.seq)] = e
	s.byURI[r.URI] = e
	return true, listing(old) != listing(e) || !reflect.DeepEqual(decorations(old), decorations(e)), nil
}

// listing is what the list shows of an entry, as far as it can be compared.
func listing(e *entry) [7]any {
	r := e.res
	return [7]any{r.Hidden, r.Name, r.Title, r.Description, r.MIMEType, e.size, r.Directory()}
}

func decorations(e *entry) []any {
	return []any{e.res.Annotations, e.res.Icons, e.res.Meta}
}

// index is the place of the first entry from seq on.
func (s *store) index(seq uint64) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].seq >= seq })
}

// remove says whether there was such a resource and whether it was listed.
func (s *store) remove(uri string) (was, listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, was := s.byURI[uri]
	if !was {
		return false, false
	}
	i := s.index(e.seq)
	s.list = append(s.list[:i:i], s.list[i+1:]...)
	delete(s.byURI, uri)
	return true, !e.res.Hidden
}

func (s *store) get(uri string) (*entry, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := s.byURI[uri]
	return e, ok
}

// page returns up to n listed entries after seq (all, if n is 0) and whether
// there are more.
func (s *store) page(seq uint64, n int) (entries []*entry, more bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.list[s.index(seq+1):] {
		if e.res.Hidden {
			continue
		}
		if n > 0 && len(entries) == n {
			return entries, true
		}
		entries = append(entries, e)
	}
	return entries, false
}
