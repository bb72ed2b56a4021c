package requirement

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
)

// firstRelease is the release of rows that name none.
const firstRelease = "0.1"

// The profiles that depend on what a target declares, of all that a report sums up.
const (
	ProfileCore          = "core"
	ProfilePagination    = "pagination"
	ProfileTemplates     = "templates"
	ProfileCompletion    = "completion"
	ProfileSubscriptions = "subscriptions"
)

// Profiles lists all profiles, in the order of reports.
func Profiles() []string { return reports.DefaultProfiles() }

// Area is a part of the catalogue: the rows of one file.
type Area struct {
	// Name is the first part of the ids, such as "PAGE".
	Name string `yaml:"area"`
	// Title says in words what the area is about, such as "Pagination".
	Title string `yaml:"title"`
	// Profile is the profile that the area counts towards, where a row names no other.
	Profile string `yaml:"profile"`
	// Profiles are those of the area's own, in the order of reports; nil where
	// it has one of those that all areas share.
	Profiles []string `yaml:"profiles"`
	// Rows are sorted by id, and so are Observations.
	Rows         []Requirement
	Observations []Observation
}

// areaFile is an area as its file has it.
type areaFile struct {
	Area         `yaml:",inline"`
	GridOnly     bool                   `yaml:"grid-only"`
	Documents    map[string][]string    `yaml:"documents"`
	Rows         map[string]row         `yaml:"rows"`
	Observations map[string]Observation `yaml:"observations"`
}

// row is a requirement as its file has it.
type row struct {
	Requirement `yaml:",inline"`
	Since       Revision           `yaml:"since"`
	Until       Revision           `yaml:"until"`
	Except      []Revision         `yaml:"except"`
	From        map[Revision]Terms `yaml:"from"`
	Section     references         `yaml:"section"`
	Added       string             `yaml:"added"` // the release
}

// reference names a section, and the revisions in which the row cites it if these
// are not all that hold it, or the one transport. It may stand for itself: "page#anchor".
type reference struct {
	At        string `yaml:"at"`
	Span      `yaml:",inline"`
	Transport Transport `yaml:"transport"`
}

func (r *reference) UnmarshalText(text []byte) error {
	r.At = string(text)
	return nil
}

type references []reference

func (r *references) UnmarshalText(text []byte) error {
	*r = references{{At: string(text)}}
	return nil
}

var areaName = regexp.MustCompile(`^[A-Z]{2,}$`)

// ReadArea reads the rows of an area. The name of the file only serves messages;
// all that is wrong with the file is reported at once, each with its line.
//
// What a row leaves out follows from the rest: the basis is a keyword of the
// specification; a MUST fails where it rests on a keyword or the schema and warns
// elsewhere, a SHOULD warns, a MAY is a control; revisions go on for ever, and all
// transports of these count.
func ReadArea(file, text string) (Area, error) {
	var f areaFile
	x, err := yamlfile.Decode(file, []byte(text), &f)
	if err != nil {
		return Area{}, err
	}
	r := &areaReader{reader: reader{x}, file: &f}
	if !areaName.MatchString(f.Name) {
		r.Fail("area", "area must be a name of capital letters such as PAGE, not %q", f.Name)
	}
	if f.Title == "" {
		r.Fail("title", "title is missing: what is the area about?")
	}
	if f.Profile != "" || f.Profiles == nil {
		oneOf(&r.reader, "profile", f.Profile, r.profiles()...)
	}
	if len(f.Rows)+len(f.Observations) == 0 {
		r.Fail("rows", "rows is empty: an area has requirements")
	}
	area := f.Area
	area.Observations = r.observations(f.Title, f.Observations)
	for _, id := range slices.Sorted(maps.Keys(f.Rows)) {
		area.Rows = append(area.Rows, r.requirement(id, f.Rows[id]))
	}
	if err := r.Err(); err != nil {
		return Area{}, err
	}
	return area, nil
}

// areaReader makes requirements of rows.
type areaReader struct {
	reader
	file *areaFile
}

// profiles lists the profiles that the area and its rows may name.
func (a *areaReader) profiles() []string {
	if a.file.Profiles != nil {
		return a.file.Profiles
	}
	return Profiles()
}

var rowNumber = regexp.MustCompile(`^[0-9]{2}$`)

// requirement makes a requirement of a row; it notes what is wrong with it.
func (a *areaReader) requirement(id string, w row) Requirement {
	path := "rows." + id
	if number, ok := strings.CutPrefix(id, a.file.Name+"-"); !ok || !rowNumber.MatchString(number) {
		a.Fail(path, "the id of a row in area %s is %s, a hyphen and two digits, not %q", a.file.Name,
			a.file.Name, id)
	}
	q := w.Requirement
	q.ID, q.Profile, q.Since = id, cmp.Or(q.Profile, a.file.Profile), cmp.Or(w.Added, firstRelease)
	q.gridOnly = a.file.GridOnly
	if w.Gravity != "" {
		oneOf(&a.reader, path+".gravity", w.Gravity, Basic, Security, Codes)
	}
	a.complete(path, id, "title", w.Title, "text", w.Text)
	if q.Profile != a.file.Profile || q.Profile == "" {
		oneOf(&a.reader, path+".profile", q.Profile, a.profiles()...)
	}
	if w.Provisional && w.Added == "" {
		a.Fail(path+".provisional", "%s: a provisional row says in added which release brings it", id)
	}
	if w.Needs == "" && w.Config != nil {
		a.Fail(path+".config", "%s: what it names is said in needs", id)
	}
	if w.Needs != "" && w.Untestable != "" {
		a.Fail(path+".untestable", "%s: what is untestable needs nothing", id)
	}
	if span := (Span{w.Since, w.Until}); a.span(path, span) {
		q.Revisions = a.without(path+".except", span.revisions(), w.Except)
	}
	q.Transports = a.transports(path, w.Transports, q.Revisions)
	a.terms(path, w, &q)
	q.Sections = a.sections(path, w.Section, &q)
	return q
}

// without takes out the revisions in which a row does not apply although it does before
// and after.
func (a *areaReader) without(path string, revisions, except []Revision) []Revision {
	for _, rev := range except {
		if i := slices.Index(revisions, rev); i <= 0 || i == len(revisions)-1 {
			a.Fail(path, "the row does not apply both before and after %q", rev)
		}
	}
	return slices.DeleteFunc(revisions, func(rev Revision) bool { return slices.Contains(except, rev) })
}

// transports lists the transports of a row: those given, or all of its revisions.
func (a *areaReader) transports(path string, given []Transport, revisions []Revision) []Transport {
	path += ".transports"
	offered := map[Transport]bool{}
	for _, rev := range revisions {
		for _, t := range rev.Transports() {
			offered[t] = true
		}
		if given != nil && !slices.ContainsFunc(rev.Transports(), func(t Transport) bool {
			return slices.Contains(given, t)
		}) {
			a.Fail(path, "revision %s has none of the transports: end the row before it, or name one of %s",
				rev, strings.Join(Texts(rev.Transports()), ", "))
		}
	}
	for i, t := range given {
		switch {
		case !slices.Contains(Transports(), t):
			oneOf(&a.reader, path, t, Transports()...)
		case !offered[t]:
			a.Fail(path, "no revision of the row has the transport %s", t)
		case slices.Contains(given[:i], t):
			a.Fail(path, "%s is listed twice", t)
		}
	}
	if given != nil {
		return given
	}
	return slices.DeleteFunc(Transports(), func(t Transport) bool { return !offered[t] })
}

// terms works out what the requirement is worth, by itself and in the revisions in
// which that differs. What is provisional warns at most.
func (a *areaReader) terms(path string, w row, q *Requirement) {
	own := w.Terms.over(Terms{Basis: Normative})
	a.sound(path, own)
	in := func(rev Revision) Terms {
		for _, date := range slices.Backward(rev.entry().Line) {
			if x, ok := w.From[Revision(date)]; ok {
				return x.over(Terms{own.Level, w.Grade, own.Basis})
			}
		}
		return own
	}
	for _, date := range slices.Sorted(maps.Keys(w.From)) {
		at, before := path+".from."+string(date), own
		if from := Revision(date.entry().Inherits); from != "" && (Span{w.Since, w.Until}).Holds(from) {
			before = in(from)
		}
		switch {
		case !slices.Contains(q.Revisions, date):
			a.Fail(at, "the row does not apply in %q: its revisions are %s", date,
				strings.Join(Texts(q.Revisions), ", "))
		case in(date) == before:
			a.Fail(at, "nothing changes with %s", date)
		default:
			a.sound(at, in(date))
		}
	}
	q.Terms, q.in = own, map[Revision]Terms{}
	unsaid := false
	for _, rev := range q.Revisions {
		q.in[rev] = in(rev)
		unsaid = unsaid || in(rev).Basis == Implied || in(rev).Basis == External
	}
	if unsaid != (w.Implied != "") {
		a.Fail(path+".implied", "%s: implied says what it follows from where, and only where, "+
			"the basis is implied or external", q.ID)
	}
	if w.Provisional {
		q.Terms = q.downgraded()
		for rev, t := range q.in {
			q.in[rev] = t.downgraded()
		}
	}
}

// sound wants known words, and a grade that fits the level.
func (a *areaReader) sound(path string, t Terms) {
	oneOf(&a.reader, path+".level", t.Level, Must, Should, May)
	oneOf(&a.reader, path+".grade", t.Grade, Fail, Warn, Info, Control)
	oneOf(&a.reader, path+".basis", t.Basis, Normative, Schema, SchemaDoc, External, Implied)
	if t.Level == May && t.Grade != Info && t.Grade != Control || t.Level != May && t.Grade == Control ||
		t.Level == Should && t.Grade == Fail {
		a.Fail(path+".grade", "the grade %s does not fit the level %s", t.Grade, t.Level)
	}
}

// sections looks up what a row cites. Each revision of the row needs a source.
func (a *areaReader) sections(path string, given references, q *Requirement) []Section {
	path += ".section"
	revisions := q.Revisions
	var found []Section
	for i, ref := range given {
		at := path
		if a.Has(fmt.Sprintf("%s[%d]", path, i)) {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		if ref.Transport != "" {
			oneOf(&a.reader, at+".transport", ref.Transport, q.Transports...)
		}
		s, ok := sections().find(ref.At, a.file.Documents)
		switch {
		case !ok:
			a.Fail(at, "there is no section %q%s", ref.At, sections().hint(ref.At, a.file.Documents))
		case !a.span(at, ref.Span) || !a.inside(at, ref.Span, s.Span, ref.At):
		default:
			s.Span, s.Transport = ref.within(s.Span), ref.Transport
			a.cited(at, s, found, revisions)
			found = append(found, s)
		}
	}
	for _, rev := range revisions {
		bare := slices.ContainsFunc(q.Transports, func(t Transport) bool {
			c := Combination{rev, t}
			return q.Names(c) && !slices.ContainsFunc(found, func(s Section) bool { return s.stands(c) })
		})
		if len(found) == len(given) && bare {
			a.Fail(path, "no section for %s, where the row applies", rev)
		}
	}
	return found
}

// cited wants a section that holds in a revision of the row, and not there twice.
func (a *areaReader) cited(path string, s Section, before []Section, revisions []Revision) {
	cited := slices.DeleteFunc(slices.Clone(revisions), func(r Revision) bool { return !s.Holds(r) })
	if len(cited) == 0 && len(revisions) > 0 {
		a.Fail(path, "%s stands in none of the row's revisions", s.Ref())
	}
	for _, b := range before {
		if b.Ref() == s.Ref() && slices.ContainsFunc(cited, b.Holds) {
			a.Fail(path, "%s is cited twice", s.Ref())
		}
	}
}

// reader is a file that could be decoded.
type reader struct{ *yamlfile.Index }

// oneOf wants a value of a closed set.
func oneOf[T ~string](r *reader, path string, value T, known ...T) {
	if slices.Contains(known, value) {
		return
	}
	names := Texts(known)
	field := path[strings.LastIndex(path, ".")+1:]
	r.Fail(path, "%s must be one of %s, not %q%s", field, strings.Join(names, ", "), value,
		didYouMean(string(value), names))
}

// didYouMean ends a message about an unknown name.
func didYouMean(given string, known []string) string {
	slices.Sort(known)
	return yamlfile.DidYouMean(given, known)
}

// span wants bounds that are revisions, the first not after the last.
func (r *reader) span(path string, s Span) bool {
	ok := true
	for _, x := range []struct {
		name string
		rev  Revision
	}{{"since", s.Since}, {"until", s.Until}} {
		if x.rev != "" && !x.rev.Known() {
			r.Fail(path+"."+x.name, "%q is no revision: the revisions are %s", x.rev,
				strings.Join(Texts(Revisions()), ", "))
			ok = false
		}
	}
	if ok && len(s.revisions()) == 0 {
		r.Fail(path+".until", "no revision is since %s and until %s", s.Since, s.Until)
		ok = false
	}
	return ok
}

// inside wants bounds that another span holds.
func (r *reader) inside(path string, s, outer Span, of string) bool {
	for _, rev := range []Revision{s.Since, s.Until} {
		if rev.Known() && !outer.Holds(rev) {
			r.Fail(path, "%s does not stand in %s", of, rev)
			return false
		}
	}
	return true
}

// Texts are values of a named type of text, such as revisions, as texts.
func Texts[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = string(x)
	}
	return words
}
