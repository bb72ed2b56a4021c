package world

import (
	"mime"
	"net/http"
	"path"
	"strings"
)

// types lists the media types of extensions that systems know differently or not at all: a line for each
// type, with its extensions. With them a world is the same everywhere.
const types = `
application/gzip .gz
application/json .json
application/jsonl .jsonl
application/pdf .pdf
application/sql .sql
application/toml .toml
application/wasm .wasm
application/x-tar .tar
application/xml .xml
application/yaml .yaml .yml
application/zip .zip
audio/mpeg .mp3
audio/ogg .ogg
audio/wav .wav
font/otf .otf
font/ttf .ttf
font/woff .woff
font/woff2 .woff2
image/avif .avif
image/bmp .bmp
image/gif .gif
image/jpeg .jpeg .jpg
image/png .png
image/svg+xml .svg
image/tiff .tif .tiff
image/vnd.microsoft.icon .ico
image/webp .webp
text/css .css
text/csv .csv
text/html .htm .html
text/javascript .js .mjs
text/markdown .md
text/plain .conf .ini .log .txt
text/tab-separated-values .tsv
text/x-c .c .h
text/x-c++ .cc .cpp .hpp
text/x-csharp .cs
text/x-diff .diff .patch
text/x-go .go
text/x-java .java
text/x-kotlin .kt
text/x-lua .lua
text/x-php .php
text/x-protobuf .proto
text/x-python .py
text/x-rst .rst
text/x-ruby .rb
text/x-rust .rs
text/x-scala .scala
text/x-shellscript .sh
text/x-swift .swift
text/x-tex .tex
text/x-typescript .ts .tsx
text/x-vue .vue
video/mp4 .mp4
video/webm .webm
`

// typeOf is the media type of an extension.
var typeOf = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(types)) {
		words := strings.Fields(line)
		for _, extension := range words[1:] {
			all[extension] = words[0]
		}
	}
	return all
}()

// DetectMIMEType tells the media type of a file by the extension of its name or, if
// that says nothing, by how its content begins.
func DetectMIMEType(name string, content []byte) string {
	extension, text := strings.ToLower(path.Ext(name)), IsText(beginning(content))
	byName := typeOf[extension]
	if byName == "" {
		if t, _, err := mime.ParseMediaType(mime.TypeByExtension(extension)); err == nil {
			byName = t
		}
	}
	if byName != "" && (text || !strings.HasPrefix(byName, "text/")) {
		return byName
	}
	t, _, err := mime.ParseMediaType(http.DetectContentType(content))
	if err != nil || strings.HasPrefix(t, "text/") && !text {
		return "application/octet-stream"
	}
	if t == "application/octet-stream" && text {
		return "text/plain"
	}
	return t
}

// Sniffed is how many bytes of a content DetectMIMEType looks at.
const Sniffed = 512

// beginning is the part of a content that is looked at, without a character that its
// end cuts through.
func beginning(content []byte) []byte {
	if len(content) < Sniffed {
		return content
	}
	content = content[:Sniffed]
	for i := 1; i <= 4; i++ {
		if c := content[Sniffed-i]; c < 0x80 {
			break
		} else if c >= 0xc0 {
			return content[:Sniffed-i]
		}
	}
	return content
}
