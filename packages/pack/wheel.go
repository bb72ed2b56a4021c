package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pythonSources is the directory with the module of the wheels and their metadata.
const pythonSources = "packages/python"

// wheel writes the wheel for a platform (binary distribution format, PEP 427). The programs are
// its scripts, which installers put where those of the environment are: there is no launcher.
func wheel(out, version string, p platform, contents []file) error {
	files, err := under(pythonSources)
	if err != nil {
		return err
	}
	stem := wheelName + "-" + version
	info := stem + ".dist-info/"
	var packed []file
	var metadata, readme []byte
	for _, f := range files {
		switch f.name {
		case "METADATA":
			metadata = f.data
		case "README.md":
			readme = f.data
		case "entry_points.txt":
			f.name = info + f.name
			packed = append(packed, f)
		default:
			packed = append(packed, f)
		}
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	for _, f := range append(contents, file{name: "LICENSE", data: license}) {
		dir := info + "licenses/"
		if f.program {
			dir = stem + ".data/scripts/"
		}
		f.name = dir + f.name
		packed = append(packed, f)
	}
	metadata = fmt.Appendf(bytes.TrimSpace(metadata), "\nName: %s\nVersion: %s\n\n%s",
		pythonName, version, readme)
	tags := known[p].tags
	packed = append(packed,
		file{name: info + "METADATA", data: metadata},
		file{name: info + "WHEEL", data: wheelText(tags)})
	record := info + "RECORD"
	packed = append(packed, file{name: record, data: recordOf(packed, record)})
	data, err := zipped(packed)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, "python", stem+"-py3-none-"+strings.Join(tags, ".")+".whl"), data)
}

func wheelText(tags []string) []byte {
	text := "Wheel-Version: 1.0\nGenerator: mcpcheck\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		text += "Tag: py3-none-" + tag + "\n"
	}
	return []byte(text)
}

// recordOf lists the files of a wheel with their digests, itself without.
func recordOf(files []file, record string) []byte {
	var text bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&text, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]),
			len(f.data))
	}
	fmt.Fprintf(&text, "%s,,\n", record)
	return text.Bytes()
}
