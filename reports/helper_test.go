package reports

import (
	"os"
)

// sample is a report with something of everything.
func sample() *Report {
	f, err := os.Open("testdata/sample.json")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	r, err := ReadJSON(f)
	if err != nil {
		panic(err)
	}
	return r
}

func testProfile(id string) string {
	switch x := (Result{ID: id}); x.Area() {
	case "PAGE":
		return "pagination"
	case "CACHE":
		return "caching"
	case "SUB":
		return "subscriptions"
	}
	return "core"
}
