package bytesize

import "testing"

// FuzzParse: a number that is read is none below 0, and is read again as it is written.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "16MiB", "1G", "7kB", "-1", "+1", "9223372036854775807B", "1.5MiB",
		"0x10"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(Format(n)); n < 0 || err != nil || again != n {
			t.Errorf("%q is %d, and %s is %d, %v", text, n, Format(n), again, err)
		}
	})
}
