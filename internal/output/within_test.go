package output

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithin: a writer has until the end of the run, ten seconds at least, and writes nothing after that.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		left, takes time.Duration
		given       bool
	}{
		{time.Minute, 50 * time.Second, true}, {time.Minute, 70 * time.Second, false},
		{-time.Minute, 9 * time.Second, true}, {-time.Minute, 11 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			late := make(chan error, 1)
			err := Within(time.Now().Add(c.left), func(w io.Writer) error {
				time.Sleep(c.takes)
				_, err := io.WriteString(w, "x")
				late <- err
				return err
			})(&b)
			if wrote := <-late; (err == nil) != c.given ||
				b.String() != map[bool]string{true: "x"}[c.given] || !c.given &&
				!errors.Is(wrote, os.ErrClosed) {
				t.Errorf("%+v: %v, %v, %q", c, err, wrote, b.String())
			}
		})
	}
}
