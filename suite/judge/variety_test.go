package judge_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/judge"
)

func TestVariety(t *testing.T) {
	random := func(n int) []byte {
		b := make([]byte, n)
		_, _ = rand.Read(b) // never fails
		return b
	}
	for name, c := range map[string]struct {
		make  func(i int) string
		least float64
		most  float64
	}{
		"equal":           {func(int) string { return "0123456789abcdef" }, 0, 0},
		"counted":         {func(i int) string { return fmt.Sprintf("session-%08d", i) }, 3, 4},
		"counted, longer": {func(i int) string { return fmt.Sprintf("session-%d", i+8) }, 6, 7},
		"counted in hex": {func(i int) string {
			return fmt.Sprintf("5f0c6c1e6f5b4f0e8a430d8f4e0f%04x", 0x19af+i)
		}, 8, 8},
		"time": {func(i int) string {
			return fmt.Sprintf("%016x", 0x18ab3f5c00000000+i*0x1234567)
		}, 20, 36},
		"time and chance": {func(i int) string {
			return fmt.Sprintf("%012x%x", 0x18ab3f5c0000+i, random(10))
		}, 70, 100},
		"few digits": {func(i int) string { return "worker-1-session-" + fmt.Sprintf("%03d", i*211) },
			9, 10},
		"hexadecimal": {func(int) string { return fmt.Sprintf("%x", random(16)) }, 100, 128},
		"UUID": {func(int) string {
			b := random(16)
			return fmt.Sprintf("%x-%x-4%x-%x", b[:4],
				b[4:6], b[6:9], b[9:])
		}, 90, 128},
		"short, in base 64": {func(int) string {
			return "s-" + base64.RawURLEncoding.EncodeToString(random(9))
		}, 50, 72},
		"token": {func(int) string {
			return "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3." + base64.RawURLEncoding.EncodeToString(random(32))
		}, 200, 260},
	} {
		if _, bits := judge.Variety([]string{c.make(0), c.make(1), c.make(2), c.make(3)}); bits < c.least ||
			bits > c.most {
			t.Errorf("%s: %g bits", name, bits)
		}
	}
	if n, _ := judge.Variety(nil); n != 0 {
		t.Error(n)
	}
}
