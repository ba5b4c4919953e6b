package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"reflect"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// shapes writes the Go types of the newest release as the embedded API server's table: the members
// in JSON of each, and the rules of their lists, of merges and of ownership.
func shapes() string {
	types := &goTypes{known: map[reflect.Type]int{}}
	var roots []Root
	found := kinds()
	stable := map[Root]bool{}
	for root := range found {
		if isStable(root) {
			stable[unversioned(root)] = true
		}
	}
	for root := range found {
		// Lists have no rules, options but for those of a delete come in queries, and what is stable
		// stands for its older versions.
		skipped := strings.HasSuffix(root.Kind, "List") || strings.HasSuffix(root.Kind, "Options") && root.Kind != "DeleteOptions"
		if !skipped && !slices.Contains(gone, root.APIVersion) && (isStable(root) || !stable[unversioned(root)]) {
			roots = append(roots, root)
		}
	}
	sort.Slice(roots, func(i, j int) bool {
		a, b := roots[i], roots[j]
		return a.APIVersion < b.APIVersion || a.APIVersion == b.APIVersion && a.Kind < b.Kind
	})
	for _, root := range roots {
		types.add(found[root])
	}
	types.add(reflect.TypeFor[metav1.ObjectMeta]())
	sort.Slice(types.all, func(i, j int) bool { return name(types.all[i]) < name(types.all[j]) })
	for i, t := range types.all {
		types.known[t] = i
	}
	types.markers = markers(types.all)

	var kinds, rows strings.Builder
	for _, root := range roots {
		fmt.Fprintf(&kinds, "    (%q, %q, %d),\n", root.APIVersion, root.Kind, types.known[found[root]])
	}
	fields := 0
	for i, t := range types.all {
		lines := types.fields(t)
		fields += len(lines)
		fmt.Fprintf(&rows, "    // %d\n    t(%q, &[\n%s    ]),\n", i, short(name(t)), strings.Join(lines, ""))
	}
	return fmt.Sprintf(`//! The Go types of the built-in kinds. Written by tests/protobuf/generate; never by hand.

use super::row::{Many::{List as L, Map as M, One as O}, Type, Value as V, field as f, of_type as t};

/// The kinds: apiVersion, kind, number of the type; in order.
pub(super) static KINDS: [(&str, &str, u16); %d] = [
%s];

/// The type of the metadata of all kinds.
pub(super) const OBJECT_META: u16 = %d;

/// The types: package and name in Go, and members in the order of Go.
pub(super) static TYPES: [Type; %d] = [
%s];
`, len(roots), kinds.String(), types.known[reflect.TypeFor[metav1.ObjectMeta]()], len(types.all), rows.String())
}

// gone are the versions that no server has any more.
var gone = []string{"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"}

func isStable(root Root) bool {
	return !strings.Contains(root.APIVersion, "alpha") && !strings.Contains(root.APIVersion, "beta")
}

func unversioned(root Root) Root {
	group, _, _ := strings.Cut(root.APIVersion, "/")
	return Root{APIVersion: group, Kind: root.Kind}
}

type goTypes struct {
	all     []reflect.Type
	known   map[reflect.Type]int
	markers map[string]map[string]string
}

// add adds a struct and all that its fields hold.
func (g *goTypes) add(t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if _, known := g.known[t]; known || t.Kind() != reflect.Struct || opaque(t) {
		return
	}
	g.known[t] = 0
	g.all = append(g.all, t)
	for _, field := range members(t) {
		g.add(field.Type)
	}
}

// opaque types write their JSON themselves.
func opaque(t reflect.Type) bool {
	_, is := special[t]
	return is || t == reflect.TypeFor[runtime.Unknown]()
}

// member is a field that JSON has, with the struct that declares it.
type member struct {
	reflect.StructField
	json  string
	owner reflect.Type
}

// members are the members in JSON, with those of inlined structs.
func members(t reflect.Type) []member {
	var all []member
	for i := range t.NumField() {
		f := t.Field(i)
		json, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case json == "-" || f.Tag.Get("json") == "" && !f.Anonymous:
		case json == "" && (f.Anonymous || strings.Contains(options, "inline")):
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				all = append(all, members(inner)...)
			}
		default:
			all = append(all, member{f, json, t})
		}
	}
	return all
}

func (g *goTypes) fields(t reflect.Type) []string {
	var lines []string
	for _, field := range members(t) {
		lines = append(lines, "        "+g.field(field)+",\n")
	}
	return lines
}

func (g *goTypes) field(f member) string {
	t := f.Type
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	many, outer := "O", t
	switch {
	case opaque(t):
	case t.Kind() == reflect.Map:
		many, t = "M", t.Elem()
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		many, t = "L", t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	row := fmt.Sprintf("f(%q, %s, %s)", f.json, many, g.value(f, t))
	if outer.Name() != "" && many != "O" {
		row += fmt.Sprintf(".named(%q)", outer.String())
	}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	if !pointer && outer.Kind() == reflect.Struct {
		// encoding/json takes no struct for empty.
		omitted = strings.Contains(options, "omitzero")
	}
	if pointer {
		row += ".pointer()"
	}
	marker := g.markers[name(f.owner)+"."+f.Name]
	if !omitted {
		row += ".always()"
		_, optional := marker["optional"]
		if optional || strings.Contains(options, "omitempty") {
			row += ".optional()"
		}
	}
	inner := g.markers[name(t)]
	switch {
	case many == "L" && marker["listType"] == "map":
		row += fmt.Sprintf(".keyed(&[%s])", strings.Join(g.keys(t, strings.Split(marker["listMapKey"], " ")), ", "))
	case many == "L" && marker["listType"] == "set":
		row += ".set()"
	case many == "M" && (marker["mapType"] == "atomic" || g.markers[name(outer)]["mapType"] == "atomic"),
		many == "O" && t.Kind() == reflect.Struct && (marker["structType"] == "atomic" || marker["mapType"] == "atomic" || inner["structType"] == "atomic" || inner["mapType"] == "atomic"):
		row += ".atomic()"
	}
	if many != "O" && (inner["structType"] == "atomic" || inner["mapType"] == "atomic") {
		row += ".of_atomic()"
	}
	strategy := strings.Split(f.Tag.Get("patchStrategy"), ",")
	key := f.Tag.Get("patchMergeKey")
	assert(key == "" || slices.Contains(strategy, "merge"), "%s.%s: a key without a merge", name(f.owner), f.Name)
	for _, known := range strategy {
		switch known {
		case "merge":
			row += fmt.Sprintf(".merge(%q)", key)
		case "replace":
			row += ".replace()"
		case "", "retainKeys": // Only clients need to know.
		default:
			panic("an unknown strategy: " + known)
		}
	}
	return row
}

// keys are the keys of a list's elements, with their defaults in JSON.
func (g *goTypes) keys(t reflect.Type, keys []string) []string {
	var rows []string
	for _, key := range keys {
		fallback := "None"
		for _, field := range members(t) {
			if text := g.markers[name(field.owner)+"."+field.Name]["default"]; field.json == key && text != "" {
				assert(text[0] == '"', "a default that is no text: %v.%s", t, key)
				fallback = fmt.Sprintf("Some(%s)", text)
			}
		}
		rows = append(rows, fmt.Sprintf("(%q, %s)", key, fallback))
	}
	return rows
}

func (g *goTypes) value(f member, t reflect.Type) string {
	if kind, is := special[t]; is {
		if strings.HasPrefix(kind, "Schema") {
			kind = "Raw"
		}
		if kind == "Raw" {
			return fmt.Sprintf("V::Raw(%q)", t.String())
		}
		return "V::" + kind
	}
	switch t.Kind() {
	case reflect.String:
		return fmt.Sprintf("V::Text(%q)", t.String())
	case reflect.Bool:
		return "V::Bool"
	case reflect.Int32, reflect.Int64:
		assert(t.Name() == t.Kind().String() || t.PkgPath() != "", "odd integer")
		return fmt.Sprintf("V::Int(%q, %d)", t.String(), t.Bits())
	case reflect.Float64:
		return "V::Float"
	case reflect.Struct:
		return fmt.Sprintf("V::Struct(%d)", g.known[t])
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "V::Bytes"
		}
		assert(t.Elem().Kind() == reflect.String, "%s.%s: a list of lists", name(f.owner), f.Name)
		return fmt.Sprintf("V::Texts(%q)", t.String())
	case reflect.Interface:
		return fmt.Sprintf("V::Raw(%q)", t.String())
	}
	panic(fmt.Sprintf("%s.%s: no value for %v", name(f.owner), f.Name, t))
}

// markers are the lines of doc comments that begin with a plus sign, of these types and of their
// fields: package.Type or package.Type.Field, then the marker's name. The values of one that comes
// several times have spaces between.
func markers(types []reflect.Type) map[string]map[string]string {
	var packages []string
	for _, t := range types {
		packages = append(packages, t.PkgPath())
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	listed, err := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath"}, packages...)...).Output()
	must(err)
	found := map[string]map[string]string{}
	note := func(at string, docs ...*ast.CommentGroup) {
		if found[at] == nil {
			found[at] = map[string]string{}
		}
		for _, doc := range docs {
			if doc == nil {
				continue
			}
			for _, line := range doc.List {
				text, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line.Text, "//")), "+")
				if key, value, _ := strings.Cut(text, "="); is {
					found[at][key] = strings.TrimSpace(found[at][key] + " " + strings.TrimSpace(value))
				}
			}
		}
	}
	decoder := json.NewDecoder(strings.NewReader(string(listed)))
	for decoder.More() {
		var listed struct{ Dir, ImportPath string }
		must(decoder.Decode(&listed))
		sources := func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
		parsed, err := parser.ParseDir(token.NewFileSet(), listed.Dir, sources, parser.ParseComments)
		must(err)
		for _, pkg := range parsed {
			for _, file := range pkg.Files {
				for _, declared := range file.Decls {
					group, is := declared.(*ast.GenDecl)
					if !is || group.Tok != token.TYPE {
						continue
					}
					for _, spec := range group.Specs {
						spec := spec.(*ast.TypeSpec)
						at := listed.ImportPath + "." + spec.Name.Name
						note(at, group.Doc, spec.Doc)
						structure, is := spec.Type.(*ast.StructType)
						if !is {
							continue
						}
						for _, field := range structure.Fields.List {
							for _, ident := range field.Names {
								note(at+"."+ident.Name, field.Doc)
							}
						}
					}
				}
			}
		}
	}
	return found
}
