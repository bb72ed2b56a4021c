package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is a file of a package.
type file struct {
	name    string // with slashes
	data    []byte
	program bool // can be executed
}

// noTime is when all files of a package were changed: that of a build would make each differ.
var noTime = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

func (f file) mode() fs.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

// under is the files of a directory that belong in a package, named from it: no tests of ours, and
// nothing that tools leave behind.
func under(dir string) ([]file, error) {
	var files []file
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (d.Name() == "node_modules" || d.Name() == "__pycache__" ||
				strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		// A shell has to find the interpreter of a script, whose first line names it.
		files = append(files, file{name: path, data: data, program: bytes.HasPrefix(data, []byte("#!"))})
		return nil
	})
	return files, err
}

// write writes a package, into a directory that need not be there, and tells its path.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	_, err := fmt.Println(path)
	return err
}

// tarball is an npm package.
func tarball(files []file) ([]byte, error) {
	var buffer bytes.Buffer
	z, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: "package/" + f.name, Size: int64(len(f.data)), Mode: int64(f.mode()),
			ModTime: noTime, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(t.Close(), z.Close())
	return buffer.Bytes(), err
}

// zipped is a wheel.
func zipped(files []file) ([]byte, error) {
	var buffer bytes.Buffer
	z := zip.NewWriter(&buffer)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: noTime}
		h.SetMode(f.mode())
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return buffer.Bytes(), err
}
