package record

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// EncodeWorld writes a world as the YAML of a world file, without the members that say
// nothing.
func EncodeWorld(w world.World) ([]byte, error) {
	n, err := yaml.ValueToNode(w, yaml.OmitZero(), yaml.IndentSequence(true))
	if err != nil {
		return nil, err
	}
	ast.Walk(quoting{}, n)
	return []byte(n.String() + "\n"), nil
}

// tame are texts that every YAML reader takes for themselves when they are written as they are:
// printable lines that neither begin nor end with a blank.
var tame = regexp.MustCompile(`^(?:[!-~](?:[ -~]*[!-~])?\n?)*$`)

// quoting puts the texts that are not tame into quotation marks.
type quoting struct{}

// Visit implements [ast.Visitor].
func (q quoting) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.MappingValueNode:
		n.Key, _ = quoted(n.Key).(ast.MapKeyNode) // as a text is, in quotation marks or not
		n.Value = quoted(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = quoted(n.Values[i])
		}
	}
	return q
}

// quoted is a text in quotation marks, if it needs them and has none yet.
func quoted(n ast.Node) ast.Node {
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		if !strings.HasPrefix(n.Value, `"`) {
			text = n.Value
		}
	case *ast.LiteralNode:
		text = n.Value.Value
	}
	if tame.MatchString(text) {
		return n
	}
	return ast.String(token.DoubleQuote(text, text, n.GetToken().Position))
}
