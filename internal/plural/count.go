package plural

import (
	"fmt"
	"strings"
)

// Count is a number with the word for what it counts: "1 frame", "2 frames".
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// List joins names, no more than the limit: "A, B and 2 more".
func List(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}
