package bytesize

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "16777216": 16 << 20, "500B": 500, "512KiB": 512 << 10, "16MiB": 16 << 20,
		"1GiB": 1 << 30, "1G": 1 << 30, "2M": 2 << 20, "3k": 3 << 10, "3K": 3 << 10,
		"7kB": 7000, "7KB": 7000, "2MB": 2e6, "2GB": 2e9,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "1.5MiB", "KiB", "1 MiB", "1kb", "16mb", "9223372036854775808",
		"99999999999G", "0x10"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Min(0).Draw(t, "n")
		if got, err := Parse(Format(n)); err != nil || got != n {
			t.Fatalf("%d is written %s and read as %d, %v", n, Format(n), got, err)
		}
	})
}

func TestValue(t *testing.T) {
	n := 0
	v := Value[int]{&n}
	if err := v.Set("16MiB"); err != nil || n != 16<<20 || v.String() != "16MiB" {
		t.Errorf("%d, %s, %v", n, v, err)
	}
	if err := v.Set("much"); err == nil || n != 16<<20 {
		t.Errorf("%d, %v", n, err)
	}
}
