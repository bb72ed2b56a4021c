package verdict

import (
	"bytes"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Detail is what the strict reader says about a flaw.
func Detail(f *wire.Frame, code wire.FlawCode) string {
	for _, flaw := range f.Flaws {
		if flaw.Code == code {
			return flaw.Detail
		}
	}
	return ""
}

// Asker finds the request that a response answers: the one with its id, whatever
// the type.
func Asker(sent []*recording.Exchange, m Message) *recording.Exchange {
	var alike *recording.Exchange
	id := m.ID()
	ordinary := wire.OrdinaryID(id)
	for _, x := range sent {
		switch {
		case len(x.ID) == 0 || x.Request > m.Frame.Number:
		case ordinary && wire.OrdinaryID(x.ID):
			if bytes.Equal(x.ID, id) {
				return x
			}
		case wire.SameID(x.ID, id):
			return x
		case gjson.ParseBytes(x.ID).String() == m.Get("id").String():
			alike = x
		}
	}
	return alike
}
