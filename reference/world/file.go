package world

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

const (
	maxContent  = 16 << 20  // of one file
	maxContents = 256 << 20 // of all together
)

var errTooLarge = errors.New("too large")

// readBounded reads a regular file of at most limit bytes.
func readBounded(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is no regular file")}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing has been written
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: more than %d bytes", errTooLarge, limit)}
	}
	return data, nil
}

// because is an error without the operation and the path, which the system's messages repeat.
func because(err error) error {
	var failed *fs.PathError
	for errors.As(err, &failed) {
		err = failed.Err
	}
	return err
}

// loadFiles puts the contents of files in the place of their names.
func loadFiles(w *World, files fs.FS, r *reader) {
	total := 0
	load := func(resource *Resource, at string) {
		name := strings.TrimPrefix(resource.File, "./")
		if name == "" || !r.sound(at) || len(resource.contents()) > 1 {
			return
		}
		complain := func(format string, args ...any) {
			r.spoilt = append(r.spoilt, at+".file")
			r.add(Problem{File: r.file, Line: r.line(at + ".file"), Path: at + ".file", Text: fmt.Sprintf(format, args...)})
		}
		if files == nil {
			complain("only a world that is a file itself can name files")
			return
		}
		if !fs.ValidPath(name) {
			complain("%q is no path within the directory of the world, written with /", clip(name))
			return
		}
		data, err := readBounded(files, name, maxContent)
		if total += len(data); err == nil && total > maxContents {
			err = fmt.Errorf("the files of the world have more than %d bytes together", maxContents)
		}
		if err != nil {
			complain("%q cannot be read: %v", clip(name), because(err))
			return
		}
		resource.File = ""
		if IsText(data) {
			resource.Text = new(string(data))
		} else {
			resource.Blob = new(base64.StdEncoding.EncodeToString(data))
		}
		resource.MIMEType = cmp.Or(resource.MIMEType, DetectMIMEType(name, data))
	}
	for i := range w.Resources {
		load(&w.Resources[i], fmt.Sprintf("resources[%d]", i))
	}
	for i := range w.Timeline {
		if put := w.Timeline[i].Put; put != nil {
			load(put, fmt.Sprintf("timeline[%d].put", i))
		}
	}
}

// IsText reports whether a content can be sent as a text: UTF-8 without NUL.
func IsText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }
