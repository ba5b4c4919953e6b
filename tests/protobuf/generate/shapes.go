package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"os/exec"
	"reflect"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// shapes writes what the wire format does not tell of the newest release's Go types, as the embedded
// API server's table: their names, the order of members, and the rules of lists, of merges and of
// ownership.
func shapes(schema Schema) string {
	_, id := numbers(schema)
	types := &goTypes{schema: schema, id: id, known: map[reflect.Type]int{}, forms: map[int][]reflect.Type{}}
	versions := map[reflect.Type]string{}
	found := kinds()
	stable := map[Root]bool{}
	for root := range found {
		if isStable(root) {
			stable[unversioned(root)] = true
		}
	}
	for root, t := range found {
		// Lists have no rules, options but for those of a delete come in queries, and what is stable
		// stands for its older versions.
		skipped := strings.HasSuffix(root.Kind, "List") || strings.HasSuffix(root.Kind, "Options") && root.Kind != "DeleteOptions"
		if !skipped && !slices.Contains(gone, root.APIVersion) && (isStable(root) || !stable[unversioned(root)]) {
			assert(versions[t] == "" && t.Name() == root.Kind, "a type of two kinds: %v", root)
			versions[t] = root.APIVersion
			types.add(t)
		}
	}
	types.add(reflect.TypeFor[metav1.ObjectMeta]())
	sort.Slice(types.all, func(i, j int) bool { return short(name(types.all[i])) < short(name(types.all[j])) })
	for i, t := range types.all {
		types.known[t] = i
		types.forms[id(name(t))] = append(types.forms[id(name(t))], t)
	}
	types.markers = markers(types.all)

	var rows strings.Builder
	digest := fnv.New64a()
	for _, t := range types.all {
		row := fmt.Sprintf("t(%q, %d)", short(name(t)), id(name(t)))
		if versions[t] != "" {
			row += fmt.Sprintf(".kind(%q)", versions[t])
		}
		if types.isAtomic(t) {
			row += ".atomic()"
		}
		fields, order := types.order(t, versions[t] != "")
		row += order
		fmt.Fprintln(digest, short(name(t)))
		var rules []string
		for _, field := range fields {
			rule, all := types.field(t, field)
			fmt.Fprint(digest, all)
			if rule != "" {
				rules = append(rules, rule)
			}
		}
		if line := row + ".with(&[" + strings.Join(rules, ", ") + "])"; len(rules) > 0 && len(line) <= 104 {
			row = line
		} else if len(rules) > 0 {
			row += ".with(&[\n        " + strings.Join(rules, ",\n        ") + ",\n    ])"
		}
		fmt.Fprintf(&rows, "    %s,\n", row)
	}
	return fmt.Sprintf(`//! All that the wire format does not tell of the Go types of the built-in kinds. Written by
//! tests/protobuf/generate; never by hand.

use super::row::{Row, member as m, of_type as t};

/// The number of the type of the metadata of all kinds.
pub(super) const OBJECT_META: u16 = %d;

/// The hash of all that the Go types tell.
#[cfg(test)]
pub(super) const DIGEST: u64 = 0x%04x_%04x_%04x_%04x;

/// The types, in the order of their names: the name in Go, the number of the message, and the rest.
pub(super) static ROWS: [Row; %d] = [
%s];
`, types.known[reflect.TypeFor[metav1.ObjectMeta]()], digest.Sum64()>>48, digest.Sum64()>>32&0xffff, digest.Sum64()>>16&0xffff, digest.Sum64()&0xffff, len(types.all), rows.String())
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
	schema Schema
	// id is the number of a message by its name.
	id    func(name string) int
	all   []reflect.Type
	known map[reflect.Type]int
	// forms are the types whose messages have the same form, by the number of the message.
	forms   map[int][]reflect.Type
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

// shapeField is a member with its field on the wire.
type shapeField struct {
	member
	wire Field
}

// order are the members of a type but for those of metav1.TypeMeta, which all kinds have, and the
// row's part that tells how these are found among the message's fields.
func (g *goTypes) order(t reflect.Type, kind bool) (fields []shapeField, row string) {
	wire := g.flat(g.schema.Messages[name(t)])
	var order []string
	meta, sorted := 0, true
	for _, member := range members(t) {
		if member.owner == reflect.TypeFor[metav1.TypeMeta]() {
			meta++
			continue
		}
		at := slices.IndexFunc(wire, func(field Field) bool { return field.Name == member.json })
		assert(at >= 0, "%v.%s is not on the wire", t, member.json)
		sorted = sorted && at == len(fields)
		order = append(order, fmt.Sprint(at))
		fields = append(fields, shapeField{member, wire[at]})
	}
	// Nothing reads the members of events of a watch from this table.
	assert(meta == 0 && !kind || meta == 2 && kind || t == reflect.TypeFor[metav1.WatchEvent](), "%v: odd members of all kinds", t)
	if sorted && len(fields) == len(wire) {
		return fields, ""
	}
	return fields, fmt.Sprintf(".order(&[%s])", strings.Join(order, ", "))
}

// flat are the fields with those of inlined messages.
func (g *goTypes) flat(message Message) (all []Field) {
	for _, field := range message {
		if field.Inline {
			all = append(all, g.flat(g.schema.Messages[field.Target])...)
		} else {
			all = append(all, field)
		}
	}
	return all
}

// isAtomic is whether a struct is owned as a whole, wherever it is.
func (g *goTypes) isAtomic(t reflect.Type) bool {
	marker := g.markers[name(t)]
	return t.Kind() == reflect.Struct && (marker["structType"] == "atomic" || marker["mapType"] == "atomic")
}

// field is the row of a member, empty if the wire format tells all, and the text of it that the digest takes.
func (g *goTypes) field(outerType reflect.Type, f shapeField) (row, all string) {
	where := name(f.owner) + "." + f.Name
	t := f.Type
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	many, outer := "One", t
	switch {
	case opaque(t):
	case t.Kind() == reflect.Map:
		many, t = "Map", t.Elem()
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		many, t = "List", t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	value, told := g.value(outerType, f, t)
	if named := g.typeName(t); named != told {
		row += fmt.Sprintf(".go(%q)", named)
	}
	named := ""
	if outer.Name() != "" && many != "One" {
		named = outer.String()
		row += fmt.Sprintf(".named(%q)", named)
	}

	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	if !pointer && outer.Kind() == reflect.Struct {
		// encoding/json takes no struct for empty.
		omitted = strings.Contains(options, "omitzero")
	}
	marker := g.markers[where]
	_, optional := marker["optional"]
	required := !omitted && !optional && !strings.Contains(options, "omitempty")
	assert(map[string]string{"One": "One", "Repeated": "List", "Map": "Map"}[f.wire.Shape] == many, "%s is %s", where, f.wire.Shape)
	list := many != "One" || f.wire.Kind == "Bytes" || f.wire.Kind == "Items"
	assert(pointer == (!list && f.wire.Nullable), "%s: is it a pointer?", where)
	assert(!omitted || !f.wire.Required, "%s: the wire format has it always", where)
	if !omitted && !f.wire.Required {
		row += ".always()"
	}
	plain := many == "One" && !pointer && slices.Contains([]string{"Message", "Time", "MicroTime"}, f.wire.Kind)
	if told := !omitted && !plain; required && !told {
		row += ".required()"
	} else if !required && told {
		row += ".optional()"
	}

	elements, atomic, ofAtomic := "Whole", false, many != "One" && g.isAtomic(t)
	switch {
	case many == "List" && marker["listType"] == "map":
		keys := strings.Join(g.keys(t, strings.Split(marker["listMapKey"], " ")), ", ")
		elements = fmt.Sprintf("Keyed([%s])", keys)
		row += fmt.Sprintf(".keyed(&[%s])", keys)
	case many == "List" && marker["listType"] == "set":
		elements = "Set"
		row += ".set()"
	case many == "One" && g.isAtomic(t):
		atomic = true
	case many == "Map" && (marker["mapType"] == "atomic" || g.markers[name(outer)]["mapType"] == "atomic"),
		many == "One" && t.Kind() == reflect.Struct && (marker["structType"] == "atomic" || marker["mapType"] == "atomic"):
		atomic = true
		row += ".atomic()"
	}
	key, merge, replace := f.Tag.Get("patchMergeKey"), "None", false
	strategy := strings.Split(f.Tag.Get("patchStrategy"), ",")
	assert(key == "" || slices.Contains(strategy, "merge"), "%s: a key without a merge", where)
	for _, known := range strategy {
		switch known {
		case "merge":
			merge = fmt.Sprintf("Some(%q)", key)
			row += fmt.Sprintf(".merge(%q)", key)
		case "replace":
			replace = true
			row += ".replace()"
		case "", "retainKeys": // Only clients need to know.
		default:
			panic("an unknown strategy: " + known)
		}
	}
	if row != "" {
		row = fmt.Sprintf("m(%q)", f.json) + row
	}
	return row, fmt.Sprintln(f.json, many, value, named, elements, merge, replace, pointer, !omitted, required, atomic, ofAtomic)
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

// typeName is the name by which a row refers to a type.
func (g *goTypes) typeName(t reflect.Type) string {
	if _, is := g.known[t]; is {
		return short(name(t))
	}
	return t.String()
}

// value is the value of a member, as the digest takes it, and the name of its type by the wire format.
func (g *goTypes) value(outer reflect.Type, f shapeField, t reflect.Type) (value, told string) {
	named := fmt.Sprintf("(%q)", t.String())
	switch f.wire.Kind {
	case "String":
		return "Text" + named, "string"
	case "Int":
		return fmt.Sprintf("Int(%q, %d)", t.String(), t.Bits()), "int32"
	case "Items":
		return "Texts" + named, "v1.ExtraValue"
	case "Raw", "SchemaOrBool", "SchemaOrArray":
		return "Raw" + named, "runtime.RawExtension"
	case "Message":
		return fmt.Sprintf("Struct(%d)", g.known[t]), short(name(g.told(outer, t)))
	case "Double":
		return "Float", t.String()
	}
	return f.wire.Kind, t.String()
}

// told is the type that a message stands for in a member of a type, unless the row tells another: the
// first of the same package, or else of any.
func (g *goTypes) told(outer, t reflect.Type) reflect.Type {
	same := g.forms[g.id(name(t))]
	if at := slices.IndexFunc(same, func(t reflect.Type) bool { return t.PkgPath() == outer.PkgPath() }); at >= 0 {
		return same[at]
	}
	return same[0]
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
