// Package doccomment reads the comments of types from Go source, for documents that are generated from types:
// what is said to those who write Go is said to all others in the same words.
package doccomment

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"strings"
)

// Read reads the comments of the exported types in directories, and of their fields: "package.Type" and
// "package.Type.Field", each in one line. A type that is declared as another one has the comments of its
// fields.
func Read(dirs ...string) (map[string]string, error) {
	all, others := map[string]string{}, map[string]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if d, ok := n.(*ast.GenDecl); ok {
					collect(all, others, file.Name.Name+".", d)
				}
				return true
			})
		}
	}
	for name, text := range maps.Clone(all) {
		for declared, other := range others {
			if field, ok := strings.CutPrefix(name, other+"."); ok {
				all[declared+"."+field] = text
			}
		}
	}
	return all, nil
}

// collect adds comments to all, and to others the types of other packages as which types are declared.
func collect(all, others map[string]string, pkg string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok || !s.Name.IsExported() {
			continue
		}
		if all[pkg+s.Name.Name] == "" {
			all[pkg+s.Name.Name] = sentence(d.Doc.Text() + s.Doc.Text())
		}
		if other, ok := s.Type.(*ast.SelectorExpr); ok {
			others[pkg+s.Name.Name] = types.ExprString(other)
		}
		structure, ok := s.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range structure.Fields.List {
			text := sentence(f.Doc.Text() + f.Comment.Text())
			for _, name := range f.Names {
				all[pkg+s.Name.Name+"."+name.Name] = text
			}
		}
	}
}

// plainly are the words for readers who do not write Go.
var plainly = strings.NewReplacer("; nil if", "; absent if", "nil means", "absent means", "nil for",
	"absent for", " (journal.Fingerprint)", ", as entries of the journal have it")

// sentence is a comment in one line.
func sentence(text string) string { return plainly.Replace(strings.Join(strings.Fields(text), " ")) }

// Undescribed is a JSON document in lines, without the descriptions: how things are put may change elsewhere
// before a document follows. It is nil for what is no JSON.
func Undescribed(document []byte) []string {
	var v any
	if json.Unmarshal(document, &v) != nil {
		return nil
	}
	strip(v)
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for _, member := range v {
			strip(member)
		}
	case []any:
		for _, element := range v {
			strip(element)
		}
	}
}
