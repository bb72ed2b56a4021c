package journal

import (
	"bytes"
	"encoding/json"
	"io"
)

// encoded is a value as JSON, with characters such as < and & as they stand.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteJSON writes entries as the file of Options.Writer has them: a JSON object a line.
func WriteJSON(w io.Writer, entries []Entry) (n int64, err error) {
	for i := range entries {
		line, err := encoded(&entries[i])
		if err != nil {
			return n, err
		}
		written, err := w.Write(append(line, '\n'))
		n += int64(written)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// WriteTo writes the entries that are kept, see [WriteJSON].
func (j *Journal) WriteTo(w io.Writer) (int64, error) { return WriteJSON(w, j.Query(Query{})) }
