package suite_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestObservationsAreDescribed: the catalogue describes every observation that a row or the code names, and
// no other.
func TestObservationsAreDescribed(t *testing.T) {
	described, all := map[string]bool{}, area.Catalogue().Observations()
	for _, a := range clientcheck.Catalogue().Areas() {
		all = append(all, a.Observations...)
	}
	titles := map[string]bool{}
	for _, o := range all {
		if described[o.ID] || titles[o.Title] {
			t.Errorf("%s or its title is in the catalogue twice", o.ID)
		}
		described[o.ID], titles[o.Title] = true, true
		if len(o.Title) > 70 || strings.HasSuffix(o.Title, ".") || !strings.HasSuffix(o.Text, ".") ||
			!strings.HasSuffix(o.Why, ".") || strings.HasSuffix(o.Change, ".") ||
			strings.Contains(o.Text+o.Why, "`") {
			t.Errorf("%s: a title has 70 letters at most and no full stop, as what to change; the rest is "+
				"sentences: %+v", o.ID, o)
		}
	}
	made := namedInCode(t)
	for _, r := range slices.Concat(area.Catalogue().Requirements(), clientcheck.Catalogue().Requirements()) {
		if r.Observed != "" {
			made[r.Observed] = r.ID
		}
	}
	for id, at := range made {
		if !described[id] {
			t.Errorf("%s is observed (%s), and not in the catalogue", id, at)
		}
	}
	for id := range described {
		if made[id] == "" {
			t.Errorf("%s is in the catalogue, and nothing observes it", id)
		}
	}
}

// TestAreasReadObservations: observations of areas are read as strictly as rows.
func TestAreasReadObservations(t *testing.T) {
	for text, want := range map[string]string{
		"a-b: {title: A, text: B., why: C.}":            "",
		"a-b: {title: A, text: B.}":                     "why is missing",
		"a-b: {title: A, text: B., why: C., chnage: x}": "chnage",
	} {
		a, err := requirement.ReadArea("x.yaml", "area: ACME\ntitle: T\nprofile: core\nobservations:\n  "+
			text+"\n")
		if want == "" && (err != nil || a.Observations[0].ID != "a-b" || a.Observations[0].Area != "T") {
			t.Errorf("%s: %v %v", text, a, err)
		} else if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
}

var (
	observationID = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	severalWords  = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
)

// namedInCode maps the ids of observations to where the code of this folder names them: in calls of functions
// named Observe, and in values of verdict.Observation. A call in a loop over a table takes the table's ids.
func namedInCode(t *testing.T) map[string]string {
	var functions []*ast.FuncDecl
	files, constants := token.NewFileSet(), map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				functions = append(functions, n)
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if all := texts(value, observationID, nil); len(all) == 1 {
						constants[n.Names[i].Name] = all[0]
					}
				}
			}
			return true
		})
		// Checks are functions in the values of variables, too.
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				functions = append(functions, &ast.FuncDecl{Name: &ast.Ident{},
					Body: &ast.BlockStmt{List: []ast.Stmt{&ast.DeclStmt{Decl: g}}}})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, f := range functions {
		if f.Body == nil || f.Name.Name == "Observe" { // it is given the id
			continue
		}
		note := func(at ast.Node, ids ...string) {
			if len(ids) == 0 {
				ids = texts(f.Body, severalWords, nil)
			}
			for _, id := range ids {
				made[id] = files.Position(at.Pos()).String()
			}
			if len(ids) == 0 {
				t.Errorf("%s: it cannot be seen which observation this is", files.Position(at.Pos()))
			}
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called, _ := n.Fun.(*ast.SelectorExpr)
				if called == nil || called.Sel.Name != "Observe" || len(n.Args) == 2 &&
					named(n.Args[1], "Observation") {
					break
				}
				var ids []string
				for _, arg := range n.Args[:2] {
					if text, ok := arg.(*ast.BasicLit); ok && len(ids) == 0 {
						ids = texts(text, observationID, nil)
					}
				}
				note(n, ids...)
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					field, ok := e.(*ast.KeyValueExpr)
					if !ok || !named(n, "Observation") {
						continue
					}
					if key := field.Key.(*ast.Ident); key.Name == "ID" {
						note(n, texts(field.Value, observationID, constants)...)
					}
				}
			}
			return true
		})
	}
	return made
}

// named reports whether an expression is a value of a type with a name.
func named(e ast.Expr, name string) bool {
	value, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	of := value.Type
	if s, ok := of.(*ast.SelectorExpr); ok {
		of = s.Sel
	}
	id, ok := of.(*ast.Ident)
	return ok && id.Name == name
}

// texts lists the literals in code that match, and the values of constants.
func texts(in ast.Node, like *regexp.Regexp, constants map[string]string) (all []string) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && like.MatchString(text) {
				all = append(all, text)
			}
		case *ast.Ident:
			if text := constants[n.Name]; text != "" {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}
