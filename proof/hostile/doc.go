// Package hostile plays a table of hostile servers: each case of cases.yaml is a server that does one
// thing no server should do. mcpcheck judges it as a whole, and what comes out is held against what the
// same server gets when it behaves. Its tests play some; "make hostile" plays all and writes
// docs/hostile.md, and
//
//	go test ./proof/hostile -run 'TestTable/NAME' -table
//
// plays those whose names match.
package hostile
