package rpc

// Altered is for tests.
var Altered = altered
