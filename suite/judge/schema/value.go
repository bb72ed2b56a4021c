package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/tidwall/gjson"
)

// maxDepth is how deep values are looked into, far deeper than any schema.
const maxDepth = 64

// decoded is a value in the form in which it is validated. It is made from what was
// parsed already, so that long strings are not copied; of members with the same name
// the first one counts, as for all judges.
func decoded(r gjson.Result) any { return decode(r, 0) }

func decode(r gjson.Result, depth int) any {
	switch r.Type {
	case gjson.String:
		return r.Str
	case gjson.True:
		return true
	case gjson.False:
		return false
	case gjson.Number:
		return numeral(r.Raw)
	case gjson.JSON:
	default:
		return nil
	}
	deep := depth >= maxDepth
	if r.IsArray() {
		items := []any{}
		if deep {
			return items
		}
		r.ForEach(func(_, item gjson.Result) bool {
			items = append(items, decode(item, depth+1))
			return true
		})
		return items
	}
	object := node{}
	if deep {
		return object
	}
	r.ForEach(func(name, value gjson.Result) bool {
		if _, twice := object[name.Str]; !twice {
			object[name.Str] = decode(value, depth+1)
		}
		return true
	})
	return object
}

// numeral is a number as it was written. One that would take for ever to be written
// out is replaced by one that is on the same side of every bound, and an integer just
// if it is.
func numeral(raw string) json.Number {
	const length, digits = 40, 3
	_, exponent, _ := strings.Cut(strings.ToLower(raw), "e")
	if len(raw) <= length && len(strings.TrimLeft(exponent, "+-0")) <= digits {
		return json.Number(raw)
	}
	r := gjson.Result{Type: gjson.Number, Raw: raw}
	value, _ := strconv.ParseFloat(raw, 64)
	sign := ""
	if strings.HasPrefix(raw, "-") {
		sign = "-"
	}
	switch whole := judge.IsInteger(r); {
	case value == 0 && whole:
		return "0"
	case whole:
		return json.Number(sign + "1e99")
	case value > -1 && value < 1:
		return json.Number(sign + "0.5")
	}
	return json.Number(sign + "1.5")
}
