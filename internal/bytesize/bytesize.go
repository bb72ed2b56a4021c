// Package bytesize reads numbers of bytes as people write them, and is such a flag.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the multiples of a byte, in the order in which a number is written, and then in
// other spellings. None is the ending of one that follows.
var units = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3},
	{"B", 1}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"k", 1 << 10}, {"", 1},
}

// Parse reads a whole number, from 0 on, with a unit or without one: 4096, 512KiB, 16MiB, 1G.
// KiB and K are 1024 bytes, kB is 1000.
func Parse(s string) (int64, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is no number of bytes, such as 4096, 512KiB, 16MiB or 1G", s)
}

// Format writes a number of bytes with the first unit that it is a multiple of.
func Format(n int64) string {
	for _, u := range units {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Value is a flag that holds a number of bytes.
type Value[T int | int64] struct{ N *T }

// Set reads the value.
func (v Value[T]) Set(s string) error {
	n, err := Parse(s)
	if err == nil && int64(T(n)) != n {
		err = fmt.Errorf("%q is more than this machine can count", s)
	}
	if err == nil {
		*v.N = T(n)
	}
	return err
}

// String is the value as Set reads it.
func (v Value[T]) String() string {
	if v.N == nil {
		return "0"
	}
	return Format(int64(*v.N))
}

// Type tells pflag what the flag holds.
func (Value[T]) Type() string { return "bytes" }
