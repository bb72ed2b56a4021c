package recording

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestNoteOnce: scripts that ask at once get one value, which is made once: that of a long list is large.
func TestNoteOnce(t *testing.T) {
	var r Recording
	var made atomic.Int32
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			<-begin
			v := r.Note("key", func() any {
				for range 1000 {
					runtime.Gosched() // the others come meanwhile
				}
				return made.Add(1)
			})
			if v != int32(1) {
				t.Errorf("got %v", v)
			}
		})
	}
	close(begin)
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}
