package target

import "slices"

// Secrets lists every value that reports must not show: header values and
// environment values of endpoints, identities and triggers that are not marked
// public, what is listed as secret, and passwords and keys in URLs and command
// lines. The list is sorted and holds each value once; it includes short
// values, which a masker passes over.
func (t *Target) Secrets() []string {
	var found []string
	add := func(values ...string) { found = append(found, values...) }
	all := func(m map[string]Value) {
		for _, v := range m {
			add(v.secrets()...)
		}
	}
	for i := range t.Endpoints {
		e := &t.Endpoints[i]
		all(e.Env)
		all(e.Header)
		add(urlSecrets(e.URL)...)
		_, hidden := hideArgs(e.Command)
		add(hidden...)
	}
	for i := range t.Identities {
		all(t.Identities[i].Env)
		all(t.Identities[i].Header)
	}
	for _, tr := range t.Triggers.All() {
		if tr == nil {
			continue
		}
		if tr.Exec != nil {
			all(tr.Exec.Env)
			_, hidden := hideArgs(tr.Exec.Command)
			add(hidden...)
		}
		if tr.HTTP != nil {
			all(tr.HTTP.Header)
			add(urlSecrets(tr.HTTP.URL)...)
		}
	}
	for _, v := range t.Secret {
		add(v.secrets()...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}
