package judge

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTimestamp(t *testing.T) {
	for s, want := range map[string]string{
		"2025-01-12T15:00:58Z":            "",
		"2025-01-12T15:00:58z":            "",
		"2025-01-12t15:00:58+01:00":       "",
		"2025-01-12T15:00:58.123456-0130": "",
		"2025-01-12T15:00:58,5+01":        "",
		"2025-01-12T15:00":                "",
		"2025-01-12T15":                   "",
		"2025-01-12T15.5":                 "",
		"2025-01-12T24:00:00":             "",
		"2016-12-31T23:59:60Z":            "",
		"20250112T150058Z":                "",
		"20250112T1500":                   "",
		"2025-01-12":                      "",
		"20250112":                        "",
		"2025-01":                         "",
		"2025":                            "",
		"2025-W02-7":                      "",
		"2025W027T10":                     "",
		"2025-W02":                        "",
		"2020-W53-1":                      "",
		"2025-012":                        "",
		"2025012T1000Z":                   "",
		"2024-366":                        "",
		"2024-02-29":                      "",
		"+12025-01-12T10:00Z":             "",
		"2025-01-12T10:00−01:00":          "",
		"":                                "empty",
		"Sun, 12 Jan 2025 15:00:58 GMT":   "bad-date",
		"yesterday":                       "bad-date",
		"1736694058":                      "bad-date",
		"12/01/2025":                      "bad-date",
		"2025-1-2":                        "bad-date",
		"2025-0112":                       "bad-date",
		"T10:00":                          "bad-date",
		"2025-13-01":                      "out-of-range",
		"2025-02-29":                      "out-of-range",
		"2025-W53-1":                      "out-of-range",
		"2025-366":                        "out-of-range",
		"2025-00":                         "out-of-range",
		"2025-01-12T25:00":                "out-of-range",
		"2025-01-12T24:00:01":             "out-of-range",
		"2025-01-12T10:60":                "out-of-range",
		"2025-01-12T10:00:61":             "out-of-range",
		"2025-01-12T":                     "bad-time",
		"2025-01-12Tnoon":                 "bad-time",
		"2025-01-12T1:00":                 "bad-time",
		"2025-01-12T10:0058":              "bad-time",
		"2025-01-12T10:00:58.":            "bad-time",
		"2025-01T10:00":                   "bad-time",
		"2025-01-12T10:00 UTC":            "bad-time",
		"2025-01-12T10:00Europe/Berlin":   "bad-time",
		"2025-01-12T10:00+1":              "bad-zone",
		"2025-01-12T10:00+25:00":          "bad-zone",
		"2025-01-12T10:00Zulu":            "bad-zone",
		"2025-01-12 10:00:00":             "separator",
		"2025-01-12T100000Z":              "mixed-format",
	} {
		if got := codes(Timestamp(s)); got != want {
			t.Errorf("Timestamp(%q): %q, want %q", s, got, want)
		}
	}
}

func TestTimestampAcceptsWhatIsFormatted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds"),
			rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).
			In(time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "offset")))
		for _, layout := range []string{time.RFC3339, time.RFC3339Nano, "20060102T150405Z0700",
			"2006-01-02T15:04", "2006-002", "2006-01-02T15:04:05,000-07"} {
			if s := at.Format(layout); len(Timestamp(s)) > 0 {
				t.Fatalf("Timestamp(%q): %v", s, Timestamp(s))
			}
		}
	})
}

func FuzzTimestamp(f *testing.F) {
	for _, s := range []string{"", "2025-01-12T15:00:58Z", "2025-W02-7", "+999999999", "2025-01-12T−",
		"2025-01-12T10:00\xe2\x88"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		problems := Timestamp(s)
		checkProblems(t, s, problems)
		if _, err := time.Parse(time.RFC3339, s); err == nil && len(problems) > 0 {
			t.Errorf("%q is RFC 3339 but has %v", s, problems)
		}
	})
}
