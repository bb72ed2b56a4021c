package world

import _ "embed" // the example

// Example is a world file with a bit of everything that a world can have, to be read and
// changed ("mockserver worlds example" prints it).
//
//go:embed example.yaml
var Example string
