package record

import (
	"bytes"
	"strconv"
	"time"
)

// maxRetry bounds the time that a server asks for before a stream is opened again.
const maxRetry = time.Minute

// event is a server-sent event of which the lines come one by one.
type event struct {
	kind, id string
	hasID    bool
	retry    time.Duration
	hasRetry bool
	data     []byte
	hasData  bool
}

// line takes a line without its end, which is not empty, and says which field it is.
func (e *event) line(text []byte) (name string, value []byte) {
	field, value, _ := bytes.Cut(text, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch name = string(field); name {
	case "event":
		e.kind = string(value)
	case "id":
		e.id, e.hasID = string(value), true
	case "retry":
		if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
			e.retry, e.hasRetry = min(time.Duration(ms)*time.Millisecond, maxRetry), true
		}
	case "data":
		if e.hasData {
			e.data = append(e.data, '\n')
		}
		e.data, e.hasData = append(e.data, value...), true
	}
	return name, value
}
