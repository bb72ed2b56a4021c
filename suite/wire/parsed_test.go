package wire

import (
	"fmt"
	"strings"
	"testing"
)

// TestParsed: of members with one name the first counts, however many there are, and a result that is kept
// apart is that of the message. Copies of a frame share what it is parsed into until it is forgotten.
func TestParsed(t *testing.T) {
	many := "{"
	for i := range 200 {
		many += fmt.Sprintf(`"m%d":%d,`, i, i)
	}
	f := Frame{Dir: In, Raw: []byte(many + `"id":7,"id":8,"result":{}}`), Long: &Long{`{"contents":[]}`}}
	f.Keep()
	again, p := f, f.Parsed()
	m := &p.Messages[0]
	if again.Parsed() != p || p.Kind != KindResponse || m.Get("id").Raw != "7" || !m.HasID([]byte("7.0")) ||
		m.HasID([]byte("8")) ||
		m.Get("m199").Raw != "199" || m.Get("m200").Exists() || !m.Get("result.contents").IsArray() {
		t.Errorf("%+v", p)
	}
	if f.Forget(); again.Parsed() == p {
		t.Error("it was not forgotten")
	}
}

// TestParsedCost: what a frame is parsed into counts as a part of it, and does not grow with the number of
// its members.
func TestParsedCost(t *testing.T) {
	for raw, most := range map[string]int64{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                  1024,
		"{" + strings.Repeat(`"id":1,`, 100_000) + `"x":0}`:     1024,
		"[" + strings.Repeat(`{},`, 100_000) + `{}]`:            300 << 10,
		`{"id":"` + strings.Repeat(`\u0061`, 100_000) + `"}`:    200_000,
		`{"id":"` + strings.Repeat(`a`, 1_000_000) + `"}`:       1024,
		strings.Repeat(" ", 1000) + `{"method":"x","params":1}`: 1024,
	} {
		f := &Frame{Dir: In, Raw: []byte(raw)}
		if extra := cost(f) - cost(&Frame{Dir: Out, Raw: f.Raw}); extra <= 0 || extra > most {
			t.Errorf("%.40s: %d bytes more", raw, extra)
		}
	}
}
