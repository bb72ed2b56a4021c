package area

import (
	"errors"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/catalogue"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Catalogue is the built-in catalogue, read at the first call. It panics on rows that
// cannot be read: that is an error of this module, which every use of it shows.
func Catalogue() *catalogue.Catalogue { return builtIn() }

var builtIn = sync.OnceValue(func() *catalogue.Catalogue {
	sources := All()
	areas, errs := make([]requirement.Area, len(sources)), make([]error, len(sources))
	var reading sync.WaitGroup
	for i, s := range sources {
		reading.Go(func() {
			areas[i], errs[i] = requirement.ReadArea("suite/area/"+s.Package+"/rows.yaml", s.Rows)
		})
	}
	reading.Wait()
	c, err := catalogue.New(areas...)
	if err := errors.Join(append(errs, err)...); err != nil {
		panic(err)
	}
	return c
})
