package world

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// Repeat makes Count resources of one: in its URI, name, title, description, text and
// generated line {n} stands for a number, which begins with From and has leading
// zeros up to Width digits.
type Repeat struct {
	Count int `yaml:"count"`
	From  int `yaml:"from"`
	Width int `yaml:"width"`
}

const (
	maxRepeat       = 1_000_000
	maxRepeatWidth  = 20
	maxRepeatedText = 256 << 20
)

// number stands for the number of a repeated resource.
const number = "{n}"

func (r Resource) repeatProblems() problems {
	p := r.Repeat
	if p == nil {
		return nil
	}
	var found problems
	operation.Between(&found, "repeat.count", p.Count, 1, maxRepeat)
	if p.From < 0 || p.From > 1<<40 {
		found.Say("repeat.from", "must be between 0 and 2^40")
	}
	operation.Between(&found, "repeat.width", p.Width, 0, maxRepeatWidth)
	if p.Count > 1 && !strings.Contains(r.URI, number) {
		found.Say("uri", "must have {n} in it, because the resource is repeated")
	}
	if r.Text != nil && len(*r.Text)*max(p.Count, 0) > maxRepeatedText {
		found.Say("text",
			"is too long to be repeated so often: generate makes contents only when they are read")
	}
	if r.Blob != nil && len(*r.Blob) > 0 && p.Count > 1 {
		found.Say("blob", "would be the same in all resources: repeat text or generate")
	}
	return found
}

// Expand makes the resources that Repeat stands for. It fails if a Repeat is
// inconsistent.
func (w World) Expand() (World, error) {
	total, repeated := 0, false
	for _, r := range w.Resources {
		if r.Repeat == nil {
			total++
			continue
		}
		if found := r.repeatProblems(); len(found) > 0 {
			return World{}, fmt.Errorf("resource %s: %s", r.URI, found[0])
		}
		repeated = true
		total += r.Repeat.Count
	}
	if !repeated {
		return w, nil
	}
	if total > maxRepeat {
		return World{}, errors.New("the world has more than a million resources")
	}
	all := make([]Resource, 0, total)
	for _, r := range w.Resources {
		all = r.expand(all)
	}
	w.Resources = all
	return w, nil
}

// expand adds the resources that one stands for.
func (r Resource) expand(all []Resource) []Resource {
	if r.Repeat == nil {
		return append(all, r)
	}
	p := *r.Repeat
	r.Repeat = nil
	for i := range p.Count {
		n := fmt.Sprintf("%0*d", p.Width, p.From+i)
		one := r.Clone()
		for _, s := range []*string{&one.URI, &one.Name, &one.Title, &one.Description, one.Text} {
			if s != nil {
				*s = strings.ReplaceAll(*s, number, n)
			}
		}
		if one.Generate != nil {
			one.Generate.Line = strings.ReplaceAll(one.Generate.Line, number, n)
		}
		all = append(all, one)
	}
	return all
}
