package main

import (
	"bytes"
	"os"
	"testing"
)

// TestTheClientsAreCurrent: the files are those that the description of the interface makes.
func TestTheClientsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	files, err := clients(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		there, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(there, f.text) {
			t.Errorf("%s is not what %s makes: run make clients", f.path, document)
		}
	}
}
