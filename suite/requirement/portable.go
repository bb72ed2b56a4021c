package requirement

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// RowsSchema names the format of a catalogue as JSON.
const RowsSchema = "mcpcheck.rows/1"

// portable is a catalogue as JSON. It has all that a judge needs, so that other releases judge by it.
type portable struct {
	Schema string         `json:"schema"`
	Areas  []portableArea `json:"areas"`
}

type portableArea struct {
	Name         string        `json:"name"`
	Title        string        `json:"title"`
	Profile      string        `json:"profile,omitempty"`
	Rows         []portableRow `json:"rows"`
	Observations []Observation `json:"observations"`
}

type portableRow struct {
	Requirement
	// By holds the terms in each of the revisions.
	By       map[Revision]Terms `json:"by_revision"`
	GridOnly bool               `json:"grid_only,omitempty"`
}

// MarshalRows returns the catalogue as JSON: the same bytes for the same rows.
func (c *Catalogue) MarshalRows() ([]byte, error) {
	p := portable{Schema: RowsSchema}
	for _, a := range c.areas {
		x := portableArea{Name: a.Name, Title: a.Title, Profile: a.Profile, Rows: []portableRow{},
			Observations: append([]Observation{}, a.Observations...)}
		for _, r := range a.Rows {
			x.Rows = append(x.Rows, portableRow{r, r.in, r.gridOnly})
		}
		p.Areas = append(p.Areas, x)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	err := e.Encode(p)
	return b.Bytes(), err
}

// ReadRows reads what [Catalogue.MarshalRows] writes. An error says which row has a value that this release
// does not know.
func ReadRows(data []byte) (*Catalogue, error) {
	var p portable
	if err := jsonv2.Unmarshal(data, &p, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, errors.New(safe.Clean(err.Error(), 300))
	}
	if p.Schema != RowsSchema {
		return nil, fmt.Errorf("the schema is %q instead of %q", safe.Clean(p.Schema, 60), RowsSchema)
	}
	var areas []Area
	for _, x := range p.Areas {
		a := Area{Name: x.Name, Title: x.Title, Profile: x.Profile, Observations: x.Observations}
		for _, w := range x.Rows {
			r := w.Requirement
			r.in, r.gridOnly = w.By, w.GridOnly
			if what := r.unknown(); r.Area() != a.Name || what != "" {
				return nil, fmt.Errorf("the requirement %q in the area %q has an unknown value: %q",
					safe.Clean(r.ID, 60), safe.Clean(a.Name, 60), safe.Clean(what, 60))
			}
			a.Rows = append(a.Rows, r)
		}
		areas = append(areas, a)
	}
	return NewCatalogue(areas...)
}

// unknown is a revision, transport, level, grade or basis of the row that this release does not know; empty if
// it knows all of them.
func (r *Requirement) unknown() string {
	for _, rev := range slices.Concat(r.Revisions, slices.Collect(maps.Keys(r.in))) {
		if !rev.Known() {
			return string(rev)
		}
	}
	for _, t := range r.Transports {
		if !slices.Contains(Transports(), t) {
			return string(t)
		}
	}
	for _, t := range append(slices.Collect(maps.Values(r.in)), r.Terms) {
		switch {
		case !slices.Contains([]Level{Must, Should, May}, t.Level):
			return cmp.Or(t.Level, "no level")
		case !slices.Contains([]Grade{Fail, Warn, Info, Control}, t.Grade):
			return cmp.Or(string(t.Grade), "no grade")
		case !slices.Contains([]Basis{Normative, Schema, SchemaDoc, External, Implied}, t.Basis):
			return cmp.Or(string(t.Basis), "no basis")
		}
	}
	return ""
}
