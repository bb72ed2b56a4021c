package requirement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the catalogue: year and month of the rows. Reports
// carry it, so that two of them can be compared.
const Version = "2026.11"

// The profiles: the parts of the resources feature that a report sums up.
const (
	ProfileCore          = "core"
	ProfilePagination    = "pagination"
	ProfileTemplates     = "templates"
	ProfileCompletion    = "completion"
	ProfileSubscriptions = "subscriptions"
	ProfileCaching       = "caching"
	ProfileTransport     = "transport"
	ProfileSecurity      = "security"
)

// Profiles lists all profiles, in the order of reports.
func Profiles() []string {
	return []string{
		ProfileCore, ProfilePagination, ProfileTemplates, ProfileCompletion,
		ProfileSubscriptions, ProfileCaching, ProfileTransport, ProfileSecurity,
	}
}

// AreaInfo describes an area of the catalogue.
type AreaInfo struct {
	// Name is the first part of the ids, such as "PAGE".
	Name string
	// Title says in words what the area is about, such as "Pagination".
	Title string
}

// area is an area with all that is known of it.
type area struct {
	name, title, profile string
	rows                 []Requirement
}

// areas stand in the order of the specification's table of contents: the base
// protocol with its patterns, transports and authorisation, then the features
// of servers with their utilities.
var areas = []area{
	{"RPC", "JSON-RPC messages", ProfileCore, rpcRows},
	{"BATCH", "JSON-RPC batches", ProfileCore, batchRows},
	{"ERR", "Errors", ProfileCore, errRows},
	{"META", "Metadata, result types and logging", ProfileCore, metaRows},
	{"ICON", "Icons", ProfileCore, iconRows},
	{"LIFE", "Lifecycle", ProfileCore, lifeRows},
	{"MRTR", "Multi round-trip requests", ProfileCore, mrtrRows},
	{"PROG", "Progress", ProfileCore, progRows},
	{"CANC", "Cancellation", ProfileCore, cancRows},
	{"STDIO", "The stdio transport", ProfileTransport, stdioRows},
	{"HTTP", "Streamable HTTP", ProfileTransport, httpRows},
	{"SESS", "HTTP sessions", ProfileTransport, sessRows},
	{"SSE", "Server-sent events", ProfileTransport, sseRows},
	{"SEC", "Security and authorisation", ProfileSecurity, secRows},
	{"DISC", "Discovery and versions", ProfileCore, discRows},
	{"CAP", "Capabilities", ProfileCore, capRows},
	{"LIST", "Listing resources", ProfileCore, listRows},
	{"READ", "Reading resources", ProfileCore, readRows},
	{"TMPL", "Resource templates", ProfileTemplates, tmplRows},
	{"LCH", "List changes", ProfileSubscriptions, lchRows},
	{"SUB", "Subscriptions", ProfileSubscriptions, subRows},
	{"ANN", "Annotations", ProfileCore, annRows},
	{"URI", "Resource URIs", ProfileCore, uriRows},
	{"COMP", "Completion", ProfileCompletion, compRows},
	{"PAGE", "Pagination", ProfilePagination, pageRows},
	{"CACHE", "Caching", ProfileCaching, cacheRows},
}

// catalogue holds all rows in order, position the place of each id in it.
var catalogue, position = join(areas)

func join(areas []area) ([]Requirement, map[string]int) {
	var rows []Requirement
	for _, a := range areas {
		sorted := slices.SortedStableFunc(slices.Values(a.rows), func(x, y Requirement) int {
			return cmp.Compare(number(x.ID), number(y.ID))
		})
		rows = append(rows, sorted...)
	}
	position := make(map[string]int, len(rows))
	for i := range rows {
		position[rows[i].ID] = i
	}
	return rows, position
}

// number is the second part of an id; 0 if it is none.
func number(id string) int {
	_, digits, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// Catalogue lists all requirements: areas in the order of the specification's
// table of contents, each sorted by id. The slice is the caller's own; the
// slices and maps inside the rows are shared and must not be changed.
func Catalogue() []Requirement { return slices.Clone(catalogue) }

// Find returns the requirement with an id, and whether there is one. The value
// is the caller's own; the slices and maps inside are shared and must not be
// changed.
func Find(id string) (*Requirement, bool) {
	i, ok := position[id]
	if !ok {
		return nil, false
	}
	found := catalogue[i]
	return &found, true
}

// Areas lists all areas, in the order of [Catalogue].
func Areas() []AreaInfo {
	infos := make([]AreaInfo, len(areas))
	for i, a := range areas {
		infos[i] = AreaInfo{Name: a.name, Title: a.title}
	}
	return infos
}

// Profile is the profile that an area counts towards; empty for an unknown
// area.
func Profile(name string) string {
	i := slices.IndexFunc(areas, func(a area) bool { return a.name == name })
	if i < 0 {
		return ""
	}
	return areas[i].profile
}
