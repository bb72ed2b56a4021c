// Package hostile plays a table of hostile servers: each case of cases.yaml is a server that does one
// thing no server should do. mcpcheck judges it as a whole, and the tests compare the outcome with that of
// the same server when it behaves. They play some; "make hostile" plays all and writes docs/hostile.md.
// This plays those whose names match:
//
//	go test ./proof/hostile -run 'TestTable/NAME' -table
package hostile
