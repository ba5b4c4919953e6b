package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// directKinds are the kinds that are decoded without the table, by the module of their Rust type.
var directKinds = []struct{ module, kinds string }{
	{"api::apps::v1", "DaemonSet Deployment ReplicaSet StatefulSet"},
	{"api::autoscaling::v1", "HorizontalPodAutoscaler"},
	{"api::autoscaling::v2", "HorizontalPodAutoscaler"},
	{"api::batch::v1", "CronJob Job"},
	{"api::coordination::v1", "Lease"},
	{"api::core::v1", "ConfigMap Endpoints Event Namespace Node PersistentVolume PersistentVolumeClaim Pod ReplicationController Secret Service ServiceAccount"},
	{"api::discovery::v1", "EndpointSlice"},
	{"api::events::v1", "Event"},
	{"api::networking::v1", "Ingress IngressClass NetworkPolicy"},
	{"api::policy::v1", "PodDisruptionBudget"},
	{"api::rbac::v1", "ClusterRole ClusterRoleBinding Role RoleBinding"},
	{"api::storage::v1", "StorageClass"},
}

// rustType is a struct of k8s-openapi.
type rustType struct {
	// Names of the fields, by their names in JSON, and their types.
	fields, types map[string]string
	order         []string
	hasDefault    bool
	// An object without fields: it is any JSON.
	isAny bool
}

// rustTypes are the structs of one version, by their paths.
type rustTypes map[string]rustType

var (
	structLine = regexp.MustCompile(`(?m)^pub struct (\w+) \{`)
	anyLine    = regexp.MustCompile(`(?m)^pub struct (\w+)\(pub crate::serde_json::Value\);`)
	fieldLine  = regexp.MustCompile(`(?m)^    pub (\w+): (.*),$`)
	keyLine    = regexp.MustCompile(`(?m)^ *"([^"]+)" => Field::Key_(\w+),$`)
	prefixes   = strings.NewReplacer("std::string::", "", "std::vec::", "", "std::collections::", "", "crate::", "")
)

// rust reads the sources of k8s-openapi: the types of each version, the oldest first.
func rust() (versions []string, types []rustTypes) {
	metadata, err := exec.Command("cargo", "metadata", "--format-version", "1", "--locked").Output()
	must(err)
	var found struct {
		Packages []struct {
			Name         string
			ManifestPath string `json:"manifest_path"`
		}
	}
	must(json.Unmarshal(metadata, &found))
	source := ""
	for _, pkg := range found.Packages {
		if pkg.Name == "k8s-openapi" {
			source = filepath.Join(filepath.Dir(pkg.ManifestPath), "src")
		}
	}
	assert(source != "", "cargo metadata does not name k8s-openapi")
	folders, err := filepath.Glob(filepath.Join(source, "v1_*"))
	must(err)
	sort.Strings(folders)
	for _, folder := range folders {
		versions = append(versions, strings.TrimPrefix(filepath.Base(folder), "v"))
		types = append(types, rustFolder(folder))
	}
	return versions, types
}

func rustFolder(folder string) rustTypes {
	types := rustTypes{}
	must(filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		must(err)
		if info.IsDir() || !strings.HasSuffix(path, ".rs") {
			return nil
		}
		content, err := os.ReadFile(path)
		must(err)
		text := string(content)
		begin := structLine.FindStringSubmatchIndex(text)
		module, err := filepath.Rel(folder, filepath.Dir(path))
		must(err)
		module = strings.ReplaceAll(module, string(filepath.Separator), "::") + "::"
		if begin == nil {
			if begin := anyLine.FindStringSubmatch(text); begin != nil {
				types[module+begin[1]] = rustType{isAny: true}
			}
			return nil
		}
		name := text[begin[2]:begin[3]]
		body, rest, _ := strings.Cut(text[begin[1]:], "\n}\n")
		derives := text[:begin[0]]
		derives = derives[strings.LastIndex(derives, "#[derive("):]
		found := rustType{fields: map[string]string{}, types: map[string]string{}, hasDefault: strings.Contains(derives, "Default")}
		declared := map[string]string{}
		for _, field := range fieldLine.FindAllStringSubmatch(body, -1) {
			declared[field[1]] = prefixes.Replace(field[2])
			found.order = append(found.order, field[1])
		}
		for _, key := range keyLine.FindAllStringSubmatch(rest, -1) {
			if kind, is := declared[key[2]]; is {
				found.fields[key[1]], found.types[key[1]] = key[2], kind
			}
		}
		types[module+name] = found
		return nil
	}))
	return types
}

// joined is a struct of k8s-openapi and the message from which it is read.
type joined struct {
	message string
	rows    string
	since   string
}

type join struct {
	schema   Schema
	versions []string
	types    []rustTypes
	done     map[string]joined
}

// direct writes the rows of the direct decoders, and the list of kinds that have one.
func direct(schema Schema) map[string]string {
	versions, types := rust()
	j := join{schema, versions, types, map[string]joined{}}
	_, id := numbers(schema)
	messages := map[[2]string]string{}
	for _, root := range schema.Roots {
		messages[[2]string{root.APIVersion, root.Kind}] = root.Message
	}
	kinds := directHeader + "\nkinds! {\n"
	for _, group := range directKinds {
		kinds += "    k8s_openapi::" + group.module + ":"
		for _, kind := range strings.Fields(group.kinds) {
			message := ""
			for _, root := range schema.Roots {
				if root.Kind == kind && modules[root.APIVersion] == group.module {
					message = root.Message
				}
			}
			assert(message != "", "no kind %s in %s", kind, group.module)
			metadata := schema.Messages[message][0]
			assert(metadata.Number == 1 && metadata.Name == "metadata", "%s begins with other than metadata", kind)
			j.add(message, group.module+"::"+kind)
			kinds += fmt.Sprintf(" %s %d", kind, id(message))
		}
		kinds += ";\n"
	}
	files := map[string]string{"kinds.rs": kinds + "}\n"}
	for name, rows := range j.files() {
		files["rows/"+name] = rows
	}
	return files
}

// add joins a message with a struct, and the messages in it with the structs in that.
func (j *join) add(message, path string) {
	if known, is := j.done[path]; is {
		assert(known.message == message, "%s is both %s and %s", path, known.message, message)
		assert(known.rows != "", "%s is in itself, and nothing limits the depth", path)
		return
	}
	present := j.present(func(types rustTypes) bool { _, is := types[path]; return is })
	assert(present != "", "no struct %s for %s", path, message)
	j.done[path] = joined{message: message}
	always := map[int]bool{}
	rows := j.rows(path, j.schema.Messages[message], always)
	j.done[path] = joined{message, blank(j, path) + " {\n" + wrapRows(rows, "        ") + "    }\n", present}
}

// present says in which versions something is: "all", "since_1_34", "until_1_35", "only_1_35", or in
// none, which is empty.
func (j *join) present(is func(rustTypes) bool) string {
	var in []int
	for n, types := range j.types {
		if is(types) {
			in = append(in, n)
		}
	}
	last := len(j.versions) - 1
	switch {
	case len(in) == 0:
		return ""
	case len(in) == len(j.versions):
		return "all"
	case in[len(in)-1] == last && in[0] == last+1-len(in):
		return "since_" + j.versions[in[0]]
	case in[0] == 0 && in[len(in)-1] == len(in)-1:
		return "until_" + j.versions[len(in)-1]
	}
	assert(len(in) == 1, "versions with gaps: %v", in)
	return "only_" + j.versions[in[0]]
}

// rows are the rows of a message. The numbers of fields that JSON always has are bits of one mask.
func (j *join) rows(path string, message Message, always map[int]bool) (rows []string) {
	for _, field := range message {
		row := fmt.Sprint(field.Number, " ")
		if field.Inline {
			inner := strings.Join(j.rows(path, j.schema.Messages[field.Target], always), " ")
			rows = append(rows, row+"inline {", inner, "}")
			continue
		}
		is := func(types rustTypes) bool { _, is := types[path].fields[field.Name]; return is }
		present := j.present(is)
		if present == "" {
			// The table refuses a message in two pieces even if no type has it.
			if field.Shape == "One" {
				rows = append(rows, row+"unknown(given)")
			}
			continue
		}
		name := ""
		for _, types := range j.types {
			if found, is := types[path].fields[field.Name]; is {
				assert(name == "" || name == found, "%s.%s has two names", path, field.Name)
				name = found
				j.check(path, field, types[path].types[field.Name])
			}
		}
		mode := "given"
		switch {
		case field.Name == "managedFields":
			mode = "managed"
		case field.Required && !field.Nullable:
			assert(field.Shape == "One" && field.Number < 64 && !always[field.Number], "%s.%s: odd", path, field.Name)
			always[field.Number] = true
			mode = "always"
		case field.Shape != "One":
			mode = "many"
		case field.SkipZero:
			mode = "omit"
		}
		if slices.ContainsFunc(j.types, func(types rustTypes) bool { _, known := types[path]; return known && !is(types) }) {
			mode, name = present, mode+" "+name
		}
		rows = append(rows, fmt.Sprintf("%s%s(%s)", row, mode, name))
	}
	return rows
}

var scalars = map[string]string{
	"String":      "String",
	"Bytes":       "ByteString",
	"Int":         "i32 i64",
	"Bool":        "bool",
	"Time":        "apimachinery::pkg::apis::meta::v1::Time",
	"MicroTime":   "apimachinery::pkg::apis::meta::v1::MicroTime",
	"Quantity":    "apimachinery::pkg::api::resource::Quantity",
	"IntOrString": "apimachinery::pkg::util::intstr::IntOrString",
	"Raw":         "apimachinery::pkg::apis::meta::v1::FieldsV1",
}

// check asserts that a field's type is that of its kind, and joins the message in it.
func (j *join) check(path string, field Field, kind string) {
	where := fmt.Sprintf("%s.%s, which is %s: %s", path, field.Name, field.Kind, kind)
	inner := unwrapped(kind, "Option<")
	switch field.Shape {
	case "Repeated":
		assert(strings.HasPrefix(inner, "Vec<"), "%s", where)
		inner = unwrapped(inner, "Vec<")
	case "Map":
		assert(strings.HasPrefix(inner, "BTreeMap<String, "), "%s", where)
		inner = unwrapped(inner, "BTreeMap<String, ")
	}
	assert(!strings.Contains(inner, "<"), "%s", where)
	if field.Kind == "Message" {
		j.add(field.Target, inner)
		return
	}
	assert(slices.Contains(strings.Fields(scalars[field.Kind]), inner), "%s", where)
}

func unwrapped(kind, outer string) string {
	if inner, is := strings.CutPrefix(kind, outer); is {
		return strings.TrimSuffix(inner, ">")
	}
	return kind
}

// blank are the fields of a struct that has no default.
func blank(j *join, path string) string {
	var order []string
	for _, types := range j.types {
		if found, is := types[path]; is {
			if found.isAny {
				assert(len(j.schema.Messages[j.done[path].message]) == 0, "%s has fields", path)
				return " ({})"
			}
			if found.hasDefault {
				return ""
			}
			assert(order == nil || slices.Equal(order, found.order), "%s has no default and differs", path)
			order = found.order
		}
	}
	return " (" + strings.Join(order, " ") + ")"
}

// modules of the kinds' API versions.
var modules = map[string]string{
	"v1": "api::core::v1", "apps/v1": "api::apps::v1", "batch/v1": "api::batch::v1",
	"autoscaling/v1": "api::autoscaling::v1", "autoscaling/v2": "api::autoscaling::v2",
	"coordination.k8s.io/v1": "api::coordination::v1", "discovery.k8s.io/v1": "api::discovery::v1",
	"events.k8s.io/v1": "api::events::v1", "networking.k8s.io/v1": "api::networking::v1",
	"policy/v1": "api::policy::v1", "rbac.authorization.k8s.io/v1": "api::rbac::v1",
	"storage.k8s.io/v1": "api::storage::v1",
}

// files are the structs' rows, by the file in which they are.
func (j *join) files() map[string]string {
	var paths []string
	for path := range j.done {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	blocks := map[string]map[string]string{}
	for _, path := range paths {
		cut := strings.LastIndex(path, "::")
		module, name := path[:cut], path[cut+2:]
		file := "other.rs"
		switch {
		case strings.HasPrefix(module, "apimachinery"):
			file = "meta.rs"
		case module == "api::core::v1" && name < "H":
			file = "core_a_to_g.rs"
		case module == "api::core::v1" && name < "P":
			file = "core_h_to_o.rs"
		case module == "api::core::v1":
			file = "core_p_to_z.rs"
		}
		if blocks[file] == nil {
			blocks[file] = map[string]string{}
		}
		found := j.done[path]
		blocks[file][found.since+" "+module] += "    " + name + found.rows
	}
	files := map[string]string{}
	for file, modules := range blocks {
		var keys []string
		for key := range modules {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		text := directHeader
		for _, key := range keys {
			since, module, _ := strings.Cut(key, " ")
			block := fmt.Sprintf("messages! { k8s_openapi::%s;\n%s}\n", module, modules[key])
			switch version, bound, _ := strings.Cut(since, "_"); version {
			case "since":
				block = fmt.Sprintf("k8s_openapi::k8s_if_ge_%s! {\n%s}\n", bound, block)
			case "until":
				block = fmt.Sprintf("k8s_openapi::k8s_if_le_%s! {\n%s}\n", bound, block)
			case "only":
				block = fmt.Sprintf("k8s_openapi::k8s_if_%s! {\n%s}\n", bound, block)
			}
			text += "\n" + block
		}
		files[file] = text
	}
	return files
}

const directHeader = `// Written by tests/protobuf/generate; never by hand.
`

// wrapRows breaks rows into lines of 100 characters.
func wrapRows(rows []string, indent string) string {
	if len(rows) == 0 {
		return ""
	}
	text, line := "", indent
	for _, word := range strings.Split(strings.ReplaceAll(strings.Join(rows, "\n"), ") ", ")\n"), "\n") {
		if len(line)+len(word) > 100 {
			text, line = text+strings.TrimRight(line, " ")+"\n", indent
		}
		line += word + " "
	}
	return text + strings.TrimRight(line, " ") + "\n"
}
