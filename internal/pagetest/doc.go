// Package pagetest holds tests of the documentation: its commands run and print what the pages
// show, its links lead somewhere, its pages say of which kind they are, and the tables that the
// programs know are up to date.
//
// # What a page says to the tests
//
// The commands of a console block run in order, in one directory for each page and with both
// programs in PATH. Lines below a command are its output. There "…" stands for anything, alone on
// a line for any lines, and a number stands for any number unless it is alone on its line. A
// command has to end with status 0, unless a comment behind it says another one ("# status 1") or
// the next command is "echo $?". A mock server at an address keeps running beside the commands
// that follow it. A block of a file follows the words "Save this as `NAME`".
//
// A comment <!-- not run: WHY --> above a console block says that it needs what a test does not
// have, such as a network, Node or Docker. Its flags are looked up in the help all the same.
//
// What stands between <!-- generated: NAME --> and <!-- end --> is written by "make docs".
package pagetest
