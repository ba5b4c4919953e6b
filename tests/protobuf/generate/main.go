// Generate writes the table of Kubernetes' built-in types, crates/kube-decode/src/protobuf/table.rs; all
// that it does not tell of their Go types, crates/kube-embedded-apiserver/src/api_server/rules/shape/table.rs;
// the rows of the direct decoders of common kinds, crates/kube-decode/src/direct/rows; and the pairs of the
// same object in protobuf and in JSON that prove them, tests/data/protobuf. The pod of benches/decode it turns
// into protobuf.
//
// It reads Go's published types: those of the newest release, and of each older release that
// k8s-openapi has types for, what newer ones no longer have. The number of a field is never given to
// another, so one table reads them all. `./run` does it all; `./run -check` writes nothing and fails
// where something is not current.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	dump := flag.Bool("dump", false, "print the schema of this release")
	check := flag.Bool("check", false, "write nothing; fail where a file is not current")
	older := flag.String("older", "", "the schemas of older releases, the newest first, with commas between")
	flag.Parse()
	schema := read()
	if *dump {
		must(json.NewEncoder(os.Stdout).Encode(schema))
		return
	}
	for _, path := range strings.Split(*older, ",") {
		text, err := os.ReadFile(path)
		must(err)
		var release Schema
		must(json.Unmarshal(text, &release))
		schema.add(release)
	}
	files := map[string][]byte{
		"../../../crates/kube-decode/src/protobuf/table.rs":                           []byte(table(schema)),
		"../../../crates/kube-embedded-apiserver/src/api_server/rules/shape/table.rs": []byte(shapes(schema)),
	}
	for name, rows := range direct(schema) {
		files["../../../crates/kube-decode/src/direct/"+name] = []byte(rows)
	}
	for name, pairs := range pairs() {
		files["../../data/protobuf/"+name] = pairs
	}
	for name, content := range pod("../../../benches/decode/pod.json") {
		files["../../../benches/decode/"+name] = content
	}
	stale := false
	for path, content := range files {
		if !*check {
			must(os.WriteFile(path, content, 0o644))
		} else if there, _ := os.ReadFile(path); !same(path, there, content) {
			fmt.Println("not current:", path)
			stale = true
		}
	}
	if stale {
		os.Exit(1)
	}
	fmt.Println(len(files), "files,", len(schema.Roots), "kinds,", len(schema.Messages), "messages")
}
