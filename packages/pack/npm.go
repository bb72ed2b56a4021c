package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// npmSources is the directory with what the main package consists of.
const npmSources = "packages/npm"

func (n names) npm() string { return n.os + "-" + n.cpu }

// npmPlatform writes the npm package with the programs for a platform and their notices. It has no
// script that runs when it is installed: npm leaves out what is for other platforms.
func npmPlatform(out, version string, p platform, contents []file) error {
	n := known[p]
	main, err := npmManifest()
	if err != nil {
		return err
	}
	manifest := map[string]any{
		"name":            npmScope + n.npm(),
		"version":         version,
		"description":     fmt.Sprintf("The programs for %s on %s, which %s installs", n.os, n.cpu, npmName),
		"os":              []string{n.os},
		"cpu":             []string{n.cpu},
		"preferUnplugged": true, // programs cannot be run from within an archive
		// With the licences of what is linked in, as in the metadata of the wheels.
		"license":       "Apache-2.0 AND BSD-3-Clause AND MIT",
		"homepage":      main["homepage"],
		"repository":    main["repository"],
		"publishConfig": main["publishConfig"],
	}
	var files []file
	for _, f := range contents {
		if f.program {
			f.name = "bin/" + f.name
		}
		files = append(files, f)
	}
	return writeNpm(out, npmName+"-"+n.npm(), version, manifest, files)
}

// npmMain writes the package that users install: launchers, the client of the admin interface and
// the fixtures. It depends on those with programs, of which npm installs the one for the machine.
func npmMain(out, version string, platforms []platform) error {
	manifest, err := npmManifest()
	if err != nil {
		return err
	}
	files, err := under(npmSources)
	if err != nil {
		return err
	}
	manifest["name"], manifest["version"] = npmName, version
	optional := map[string]string{}
	for _, p := range platforms {
		optional[npmScope+known[p].npm()] = version
	}
	manifest["optionalDependencies"] = optional
	files = slices.DeleteFunc(files, func(f file) bool { return f.name == "package.json" })
	return writeNpm(out, npmName, version, manifest, files)
}

func npmManifest() (map[string]any, error) {
	path := filepath.Join(npmSources, "package.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	// whose own members keep their order: of the conditions of an export the first counts
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	manifest := map[string]any{}
	for name, value := range members {
		manifest[name] = value
	}
	return manifest, nil
}

func writeNpm(out, name, version string, manifest map[string]any, files []file) error {
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(manifest); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	files = append([]file{{name: "package.json", data: data.Bytes()}, {name: "LICENSE", data: license}},
		files...)
	packed, err := tarball(files)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, "npm", name+"-"+version+".tgz"), packed)
}
