package terminal

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes a value for machines, and for people who look closely: indented, and harmless as
// [HarmlessJSON] writes it. An error says what could not be written.
func WriteJSON(w io.Writer, what, indent string, value any) error {
	encoder := json.NewEncoder(HarmlessJSON(w))
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("writing the %s: %w", what, err)
	}
	return nil
}
