package client

import (
	_ "embed"
	"slices"
	"sync"

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
