package adminclient

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/leaktest"
)

// TestMain runs the tests and sees that no goroutine is left behind.
func TestMain(m *testing.M) { leaktest.Main(m) }
