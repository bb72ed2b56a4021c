package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// orders are commands of CI systems, behind as many letters as to make one begin a line at every width.
func orders() string {
	all := "::error::owned\n::add-mask::owned\r\n##[error]owned ##vso[task.complete result=Failed;]" +
		" ##teamcity[buildStop]section_start:1:owned\r\x1b[0K\n"
	for n := 20; n < 100; n += 3 {
		all += strings.Repeat("x", n) + " ::error::owned ##[group]owned "
	}
	return all
}

// orderly is a server that puts commands into whatever it says. With an argument it says them
// to standard error alone, and ends.
func orderly() {
	fmt.Fprint(os.Stderr, "its ##vso[task.complete result=Failed;]last words\n")
	if len(os.Args) > 1 {
		os.Exit(7)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		switch m.Method {
		case "initialize":
			answer["result"] = map[string]any{
				"protocolVersion": "2025-06-18",
				"capabilities":    map[string]any{"resources": map[string]any{}},
				"serverInfo": map[string]any{"name": "::error file=a::owned ##[error]",
					"version": orders()},
			}
		case "resources/list":
			answer["result"] = map[string]any{"resources": []any{
				map[string]any{"uri": "test://##[error]one/##vso[a]", "name": 5, "title": orders()},
			}}
		case "ping":
			answer["result"] = map[string]any{}
		default:
			answer["error"] = map[string]any{"code": -32002, "message": orders()}
		}
		raw, err := json.Marshal(answer)
		if err != nil {
			return
		}
		fmt.Printf("%s\n", raw)
	}
}
