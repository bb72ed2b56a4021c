package world

import (
	"mime"
	"net/http"
	"path"
	"strings"
)

// types are the media types of extensions that systems know differently or not at
// all, so that a world is the same everywhere.
var types = map[string]string{
	".avif": "image/avif", ".bmp": "image/bmp", ".c": "text/x-c", ".cc": "text/x-c++", ".conf": "text/plain",
	".cpp": "text/x-c++",
	".cs":  "text/x-csharp", ".css": "text/css", ".csv": "text/csv", ".diff": "text/x-diff",
	".gif": "image/gif", ".go": "text/x-go",
	".gz": "application/gzip", ".h": "text/x-c", ".hpp": "text/x-c++", ".htm": "text/html",
	".html": "text/html", ".ico": "image/vnd.microsoft.icon",
	".ini": "text/plain", ".java": "text/x-java", ".jpeg": "image/jpeg", ".jpg": "image/jpeg",
	".js": "text/javascript", ".json": "application/json",
	".jsonl": "application/jsonl", ".kt": "text/x-kotlin", ".log": "text/plain", ".lua": "text/x-lua",
	".md": "text/markdown", ".mjs": "text/javascript",
	".mp3": "audio/mpeg", ".mp4": "video/mp4", ".ogg": "audio/ogg", ".otf": "font/otf",
	".patch": "text/x-diff", ".pdf": "application/pdf",
	".php": "text/x-php", ".png": "image/png", ".proto": "text/x-protobuf", ".py": "text/x-python",
	".rb": "text/x-ruby", ".rs": "text/x-rust",
	".rst": "text/x-rst", ".scala": "text/x-scala", ".sh": "text/x-shellscript", ".sql": "application/sql",
	".svg": "image/svg+xml", ".swift": "text/x-swift",
	".tar": "application/x-tar", ".tex": "text/x-tex", ".tif": "image/tiff", ".tiff": "image/tiff",
	".toml": "application/toml", ".ts": "text/x-typescript",
	".tsv": "text/tab-separated-values", ".tsx": "text/x-typescript", ".ttf": "font/ttf",
	".txt": "text/plain", ".vue": "text/x-vue", ".wasm": "application/wasm",
	".wav": "audio/wav", ".webm": "video/webm", ".webp": "image/webp", ".woff": "font/woff",
	".woff2": "font/woff2", ".xml": "application/xml",
	".yaml": "application/yaml", ".yml": "application/yaml", ".zip": "application/zip",
}

// DetectMIMEType tells the media type of a file by the extension of its name or, if
// that says nothing, by how its content begins.
func DetectMIMEType(name string, content []byte) string {
	extension, text := strings.ToLower(path.Ext(name)), IsText(beginning(content))
	byName := types[extension]
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
