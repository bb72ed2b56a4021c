package client

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/catalogue"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

//go:embed rows.yaml
var rows string

// Catalogue is the requirements on clients, read at the first call. It panics on rows
// that cannot be read: that is an error of this package, which every use of it shows.
func Catalogue() *catalogue.Catalogue { return builtIn() }

var builtIn = sync.OnceValue(func() *catalogue.Catalogue {
	area, err := requirement.ReadArea("suite/client/rows.yaml", rows)
	if err != nil {
		panic(err)
	}
	c, err := catalogue.New(area)
	if err != nil {
		panic(err)
	}
	return c
})

// Describe gives the full text of a requirement and what its check lets pass, for the
// writers of reports.
func Describe(id string) (text, tolerated string) {
	r, ok := Catalogue().Find(id)
	if !ok {
		return "", ""
	}
	return r.Text, r.Tolerated
}

// Areas lists the areas of the ids, with titles.
func Areas() []reports.Area {
	var all []reports.Area
	for _, a := range Catalogue().Areas() {
		all = append(all, reports.Area{Name: a.Name, Title: a.Title})
	}
	return all
}

// check judges one requirement on all conversations in one combination.
type check struct {
	requirement string
	// occasion says what did not happen where there is nothing to judge.
	occasion string
	judge    func(g *group, v *judging)
}

// checks lists the checks of all requirements.
func checks() []check {
	return slices.Concat(lifecycleChecks, messageChecks, paramsChecks, httpChecks, listChecks, resourceChecks, serverChecks, modernChecks, authorizationChecks)
}
