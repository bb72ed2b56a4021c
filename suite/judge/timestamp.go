package judge

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The problems of a timestamp (ISO 8601).
const (
	CodeBadDate     Code = "bad-date"     // no calendar, week or ordinal date
	CodeBadTime     Code = "bad-time"     // what follows the date is no time of day
	CodeBadZone     Code = "bad-zone"     // an impossible offset from UTC
	CodeRange       Code = "out-of-range" // a month, day, week, hour or minute that does not exist
	CodeSeparator   Code = "separator"    // a space instead of "T" (soft)
	CodeMixedFormat Code = "mixed-format" // date with hyphens, time without colons, or the reverse (soft)
)

// The forms of ISO 8601. Years of more than four digits bear a sign.
var (
	calendarDate = regexp.MustCompile(`^([+\-−]\d{4,8}|\d{4})(?:(-)?(\d\d)(-)?(\d\d))$`)
	monthOnly    = regexp.MustCompile(`^([+\-−]\d{4,8}|\d{4})(?:-(\d\d))?$`)
	weekDate     = regexp.MustCompile(`^([+\-−]\d{4,8}|\d{4})(-)?W(\d\d)(?:(-)?([1-7]))?$`)
	ordinalDate  = regexp.MustCompile(`^([+\-−]\d{4,8}|\d{4})(-)?(\d{3})$`)
	timeOfDay    = regexp.MustCompile(`^(\d\d)(?:(:)?(\d\d)(?:(:)?(\d\d))?)?([.,]\d+)?$`)
	zone         = regexp.MustCompile(`^(?:[Zz]|[+\-−](\d\d)(?:(:)?(\d\d))?)$`)
)

// maxTimestamp bounds what is parsed; longer texts are no timestamps.
const maxTimestamp = 200

// Timestamp holds a text against ISO 8601: a calendar, week or ordinal date in
// basic or extended format, possibly shortened to a month or year, and possibly a
// time of day with a fraction and an offset from UTC.
func Timestamp(s string) []Problem {
	var f findings
	switch {
	case s == "":
		f.add(CodeEmpty, 0, "the timestamp is empty")
		return f.list
	case len(s) > maxTimestamp:
		f.add(CodeBadDate, 0, "%d characters are no timestamp", len(s))
		return f.list
	}
	date, clock, at := s, "", -1
	if i := strings.IndexAny(s, "Tt "); i >= 0 {
		date, clock, at = s[:i], s[i+1:], i
	}
	style, whole := isoDate(&f, date)
	if at < 0 || Has(f.list, CodeBadDate) {
		return f.list
	}
	if !whole {
		f.add(CodeBadTime, at, "a time of day after a date without a day")
		return f.list
	}
	if s[at] == ' ' {
		f.soft(CodeSeparator, at, "a space between date and time, where \"T\" belongs")
	}
	if timeStyle := isoTime(&f, clock, at+1); style != "" && timeStyle != "" && style != timeStyle {
		f.soft(CodeMixedFormat, at, "the date is in the %s format, the time in the %s format", style,
			timeStyle)
	}
	return f.list
}

const (
	basic    = "basic"
	extended = "extended"
)

// formatOf names the format by the presence of its separators; ok is false if
// only some of them are there.
func formatOf(separators ...string) (style string, ok bool) {
	for _, x := range separators[1:] {
		if x != separators[0] {
			return "", false
		}
	}
	if separators[0] == "" {
		return basic, true
	}
	return extended, true
}

// isoDate judges a date; whole says that it names a day.
func isoDate(f *findings, s string) (style string, whole bool) {
	if m := calendarDate.FindStringSubmatch(s); m != nil {
		if style, ok := formatOf(m[2], m[4]); ok {
			calendar(f, year(m[1]), number(m[3]), number(m[5]))
			return style, true
		}
	}
	if m := monthOnly.FindStringSubmatch(s); m != nil {
		if m[2] != "" {
			calendar(f, year(m[1]), number(m[2]), 1)
		}
		return "", false
	}
	if m := weekDate.FindStringSubmatch(s); m != nil {
		if style, ok := formatOf(m[2], m[4]); ok || m[5] == "" {
			week(f, year(m[1]), number(m[3]))
			return style, m[5] != ""
		}
	}
	if m := ordinalDate.FindStringSubmatch(s); m != nil {
		style, _ := formatOf(m[2])
		if day := number(m[3]); day < 1 || day > time.Date(year(m[1]), 12, 31, 0, 0, 0, 0,
			time.UTC).YearDay() {
			f.add(CodeRange, 0, "the year has no day %s", m[3])
		}
		return style, true
	}
	f.add(CodeBadDate, 0, "%q is no date of ISO 8601, such as 2025-01-12", clip(s, 60))
	return "", false
}

func calendar(f *findings, year, month, day int) {
	if month < 1 || month > 12 {
		f.add(CodeRange, 0, "there is no month %d", month)
		return
	}
	// The day before the first of the next month is the last of this one.
	if last := time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day(); day < 1 || day > last {
		f.add(CodeRange, 0, "month %d has no day %d", month, day)
	}
}

func week(f *findings, year, week int) {
	// The 28th of December is always in the last week of its year.
	if _, last := time.Date(year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek(); week < 1 || week > last {
		f.add(CodeRange, 0, "the year has no week %d", week)
	}
}

// isoTime judges a time of day and its offset, which begin at offset at.
func isoTime(f *findings, s string, at int) (style string) {
	clock, offset := s, ""
	if i := strings.IndexAny(s, "Zz+-−"); i >= 0 {
		clock, offset = s[:i], s[i:]
	}
	m := timeOfDay.FindStringSubmatch(clock)
	partial := m != nil && m[5] == ""
	if m != nil && m[3] != "" {
		ok := true
		if style, ok = formatOf(m[2]); !partial {
			style, ok = formatOf(m[2], m[4])
		}
		if !ok {
			m = nil
		}
	}
	if m == nil {
		f.add(CodeBadTime, at, "%q is no time of day of ISO 8601, such as 15:00:58", clip(clock, 60))
		return ""
	}
	hour, minute, second := number(m[1]), number(m[3]), number(m[5])
	midnight := hour == 24 && minute == 0 && second == 0 && strings.Trim(m[6], ".,0") == ""
	// Second 60 is a leap second.
	if hour > 23 && !midnight || minute > 59 || second > 60 {
		f.add(CodeRange, at, "there is no time of day %s", clip(clock, 40))
	}
	if offset != "" {
		isoZone(f, offset, at+len(clock))
	}
	return style
}

func isoZone(f *findings, s string, at int) {
	m := zone.FindStringSubmatch(s)
	switch {
	case m == nil:
		f.add(CodeBadZone, at, "%q is no offset from UTC, such as Z or +01:00", clip(s, 40))
	case number(m[1]) > 23 || number(m[3]) > 59:
		f.add(CodeBadZone, at, "there is no offset from UTC of %s", clip(s, 40))
	}
}

func year(s string) int { return number(strings.TrimLeft(s, "+-−")) }

// number reads up to nine digits; the patterns admit no more.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
