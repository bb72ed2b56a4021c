package wire

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTranscriptNumbersAndTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := NewTranscript(Budget{})
		for i := range 3 {
			if n, _ := tr.Add(Frame{Session: fmt.Sprint("s", i%2), Raw: []byte("{}")}); n != i+1 {
				t.Errorf("number %d, want %d", n, i+1)
			}
			time.Sleep(time.Second)
		}
		f, ok := tr.Frame(2)
		if !ok || f.Number != 2 || f.At != time.Second || f.Size != 2 {
			t.Errorf("got %+v", f)
		}
		if _, ok := tr.Frame(0); ok {
			t.Error("there is a frame 0")
		}
		if _, ok := tr.Frame(4); ok {
			t.Error("there is a frame 4")
		}
		for after, want := range map[int][]int{0: {1, 3}, 1: {3}, 2: {3}, 3: nil} {
			var numbers []int
			for f := range tr.After("s0", after) {
				numbers = append(numbers, f.Number)
			}
			if !slices.Equal(numbers, want) {
				t.Errorf("after %d: %v", after, numbers)
			}
		}
		if s := tr.Session("s0"); len(s) != 2 || s[1].Number != 3 {
			t.Errorf("got %+v", s)
		}
		if s := tr.Since(1); len(s) != 2 || s[0].Number != 2 || len(tr.Since(-1)) != 3 ||
			len(tr.Since(9)) != 0 {
			t.Errorf("got %+v", s)
		}
		if tr.Now() != 3*time.Second || tr.Len() != 3 {
			t.Errorf("now %v, length %d", tr.Now(), tr.Len())
		}
	})
}

func TestTranscriptCutsFrames(t *testing.T) {
	tr := NewTranscript(Budget{Frame: 4})
	tr.Add(Frame{Raw: []byte("0123456789")})
	f, _ := tr.Frame(1)
	if string(f.Raw) != "0123" || !f.Truncated || f.Size != 10 || !f.HasFlaw(FlawTooLong) {
		t.Errorf("got %+v", f)
	}
}

func TestTranscriptRefusesWhenFull(t *testing.T) {
	tr := NewTranscript(Budget{Total: 3 * frameCost})
	for range 100 {
		tr.Add(Frame{Session: "s"})
	}
	last, _ := tr.Frame(tr.Len())
	if !tr.Overflow() || tr.Len() != 4 || last.Dir != Note {
		t.Errorf("overflow %v, length %d, last %+v", tr.Overflow(), tr.Len(), last)
	}
	full := NewTranscript(Budget{Total: 1000})
	n, _ := full.Add(Frame{HTTP: &HTTP{Header: http.Header{"X": {string(make([]byte, 600))}}}})
	if n != 0 || !full.Overflow() {
		t.Error("headers cost nothing")
	}
}

func TestTranscriptIsSafeForConcurrentUse(t *testing.T) {
	tr := NewTranscript(Budget{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				tr.Add(Frame{Session: fmt.Sprint(i)})
				tr.Since(tr.Len() - 3)
				tr.Session("1")
			}
		})
	}
	wg.Wait()
	for i, f := range tr.Since(0) {
		if f.Number != i+1 || i > 0 && f.At < tr.frames[i-1].At {
			t.Fatalf("frame %d is %+v", i+1, f)
		}
	}
}
