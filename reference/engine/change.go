package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Put adds a resource at the end of the list or replaces the one with its URI.
// Subscribers of a replaced one are notified, and everyone who asked for it when
// the list has changed.
func (e *Engine) Put(r world.Resource) error { return e.Change([]world.Resource{r}, nil) }

// Remove takes a resource away and reports whether it was there.
func (e *Engine) Remove(uri string) bool {
	e.change.Lock()
	was, listed := e.store.remove(uri)
	e.change.Unlock()
	if listed {
		e.ListChanged()
	}
	return was
}

// Touch notifies the subscribers of a resource as if its content had changed. It
// reports whether there is such a resource.
func (e *Engine) Touch(uri string) bool {
	if !e.exists(e.ctx, uri) {
		return false
	}
	e.notifyUpdated(uri)
	return true
}

// ListChanged tells clients that the list of resources has changed.
func (e *Engine) ListChanged() {
	if !e.served().caps.ListChanged {
		return
	}
	for _, s := range e.open() {
		s.notifyListChanged()
	}
}

// EndSubscriptions ends all listen streams as a shutdown does, and nothing else.
func (e *Engine) EndSubscriptions() {
	for _, s := range e.open() {
		s.farewell()
	}
}

func (e *Engine) notifyUpdated(uri string) {
	if !e.served().caps.Subscribe {
		return
	}
	for _, s := range e.open() {
		s.notifyUpdated(uri)
	}
}

// alter makes a change of the world. It notifies clients of the resources that have been replaced, and of a
// list that has changed.
func (e *Engine) alter(change func() (updated []string, listChanged bool, err error)) error {
	e.change.Lock()
	updated, listChanged, err := change()
	e.change.Unlock()
	if listChanged {
		e.ListChanged()
	}
	for _, uri := range updated {
		e.notifyUpdated(uri)
	}
	return err
}

// Update changes a resource in place: change gets a copy of it. It reports whether
// there is such a resource; the error is that of Put, or says that change gave it
// another URI.
func (e *Engine) Update(uri string, change func(r *world.Resource) error) (found bool, err error) {
	err = e.alter(func() ([]string, bool, error) {
		en := e.store.get(uri)
		if found = en != nil; !found {
			return nil, false, nil
		}
		r := en.res.Clone()
		err := change(&r)
		if err == nil && r.URI != uri {
			err = fmt.Errorf("resource %s: its URI cannot be changed", uri)
		}
		if err == nil {
			err = r.Validate()
		}
		if err != nil {
			return nil, false, err
		}
		return e.store.put(r)
	})
	return found, err
}

// Change puts and removes resources at once: clients are told of a changed list
// once, and of each resource that was there and is replaced. None is put if
// one of them cannot be served.
func (e *Engine) Change(put []world.Resource, remove []string) error {
	for _, r := range put {
		if err := r.Validate(); err != nil {
			return err
		}
	}
	return e.alter(func() (updated []string, listChanged bool, err error) {
		_, listChanged = e.store.remove(remove...)
		for _, r := range put {
			replaced, changed, err := e.store.put(r.Clone())
			if err != nil {
				return updated, listChanged, err // Validate has seen that the content can be read
			}
			updated, listChanged = append(updated, replaced...), listChanged || changed
		}
		return updated, listChanged, nil
	})
}

// PutTemplate adds a template at the end of the list or replaces the one with its
// URI template, and tells clients that the list of resources has changed.
func (e *Engine) PutTemplate(t world.Template) error {
	if err := t.Validate(); err != nil {
		return err
	}
	e.setTemplates(func(all []world.Template) []world.Template {
		i := slices.IndexFunc(all, func(o world.Template) bool { return o.URITemplate == t.URITemplate })
		if i < 0 {
			return append(all, t.Clone())
		}
		all[i] = t.Clone()
		return all
	})
	e.ListChanged()
	return nil
}

// RemoveTemplate takes a template away and reports whether it was there.
func (e *Engine) RemoveTemplate(uriTemplate string) bool {
	was := false
	e.setTemplates(func(all []world.Template) []world.Template {
		return slices.DeleteFunc(all, func(t world.Template) bool {
			was = was || t.URITemplate == uriTemplate
			return t.URITemplate == uriTemplate
		})
	})
	if was {
		e.ListChanged()
	}
	return was
}

func (e *Engine) setTemplates(change func([]world.Template) []world.Template) {
	e.change.Lock()
	defer e.change.Unlock()
	before := e.served()
	w := before.world
	w.Templates = change(slices.Clone(w.Templates))
	e.state.Store(takeSnapshot(w, before.pageSize, before))
}

// World is a copy of the world as it is now.
func (e *Engine) World() world.World {
	e.change.Lock()
	defer e.change.Unlock()
	w := e.served().world
	w.Resources = e.store.all()
	return w.Clone()
}

// Replace serves another world from now on, on the same connections. Clients are
// told of what is different for them. The name of the world, on which cursors depend,
// stays.
func (e *Engine) Replace(w world.World, pageSize int) error {
	if err := w.Validate(); err != nil {
		return err
	}
	if pageSize < 0 {
		return errors.New("the page size must not be negative")
	}
	w = w.Clone()
	return e.alter(func() ([]string, bool, error) {
		before := e.served()
		updated, listChanged, err := e.store.replace(w.Resources)
		if err == nil {
			w.Name = before.world.Name
			e.state.Store(takeSnapshot(w, pageSize, before))
			listChanged = listChanged || !reflect.DeepEqual(before.world.Templates, w.Templates)
		}
		return updated, listChanged, err
	})
}

// PageSize is the number of entries on a page; 0 if all are on one.
func (e *Engine) PageSize() int { return e.served().pageSize }

// Counts is how much there is in the world.
func (e *Engine) Counts() (resources, templates int) {
	return e.store.len(), len(e.served().templates)
}
