package verdict

import (
	"bytes"
	"encoding/json"

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
	ordinary := ordinaryID(id)
	for _, x := range sent {
		switch {
		case len(x.ID) == 0 || x.Request > m.Frame.Number:
		case ordinary && ordinaryID(x.ID):
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

// ordinaryID reports whether an id is a small number in its usual form, of which two
// are the same only if they are written alike.
func ordinaryID(id json.RawMessage) bool {
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= 15 && (id[0] != '0' || len(id) == 1)
}
