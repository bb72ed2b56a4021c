//go:build unix

package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) == 3 && slices.Contains([]string{"serve", "listen", "stay"}, os.Args[1]) {
		if err := be(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(2)
		}
		return
	}
	only := flag.String("case", "", "play these `cases` only, with commas between them")
	program := flag.String("mcpcheck", "", "the `program` to be tried; empty builds it")
	jobs := flag.Int("jobs", 1,
		"how many cases are played at once; seconds mean little where there are more than processors")
	flag.Parse()
	var names []string
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	wrong, err := table(os.Stdout, *program, *jobs, names)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(2)
	}
	if wrong > 0 {
		fmt.Fprintf(os.Stderr, "hostile: %d cases are not as they should be\n", wrong)
		os.Exit(1)
	}
}

// be is a hostile server, or what one leaves behind.
func be(how, name string) error {
	if how == "stay" {
		stay(name)
		return nil
	}
	c, err := find(name)
	if err != nil {
		return err
	}
	h := &hostile{hostileCase: c}
	if how == "serve" {
		h.stdio()
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr()) // whoever started it reads this
	if c.Over == "tls" {
		if l, err = secured(l, c.Certificate); err != nil {
			return err
		}
	}
	return h.listen(l)
}
