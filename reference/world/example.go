package world

import _ "embed" // the example and the schema

// Example is a world file with a bit of everything that a world can have, to be read and
// changed ("mockserver worlds example" prints it).
//
//go:embed example.yaml
var Example string

// Schema is the JSON Schema (2020-12) of world files, for editors ("mockserver world schema" prints it). It has the members,
// types and words that reading a world knows; what only the whole shows, reading a world tells.
//
//go:embed schema.json
var Schema string
