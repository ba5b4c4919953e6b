package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Field is one field of a message, by its number on the wire and its name in JSON.
type Field struct {
	Number int
	Name   string
	// Kind is the name of a variant of Kind in schema.rs.
	Kind string
	// Shape is One, Repeated or Map; of a map, Kind is that of its values.
	Shape string
	// Target is the message's name, where Kind says that there is one.
	Target string
	// Inline: JSON has the message's members among those of the outer one.
	Inline bool
	// SkipZero: JSON leaves out the zero value, the wire may carry it.
	SkipZero bool
	// Required: JSON says what the wire leaves out.
	Required bool
	// Nullable: what JSON says of a value left out is null, not zero.
	Nullable bool
}

// Message is a message's fields in order of their numbers.
type Message []Field

// Root is a kind that is served.
type Root struct{ APIVersion, Kind, Message string }

// Schema is all that is known of one release.
type Schema struct {
	Messages map[string]Message
	Roots    []Root
}

var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                  "Time",
	reflect.TypeFor[metav1.MicroTime]():                             "MicroTime",
	reflect.TypeFor[metav1.Duration]():                              "Duration",
	reflect.TypeFor[metav1.FieldsV1]():                              "Raw",
	reflect.TypeFor[resource.Quantity]():                            "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                           "IntOrString",
	reflect.TypeFor[runtime.RawExtension]():                         "Raw",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "Raw",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "SchemaOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "SchemaOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "SchemaOrArray",
}

func scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range append(append([]func(*runtime.Scheme) error{}, common...), served...) {
		must(add(scheme))
	}
	return scheme
}

// kinds are the kinds that are served and have a form on the wire.
func kinds() map[Root]reflect.Type {
	kinds := map[Root]reflect.Type{}
	for kind, t := range scheme().AllKnownTypes() {
		meta := t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1"
		_, wire := reflect.PointerTo(t).MethodByName("Unmarshal")
		// Options are registered in every group; they are never objects.
		if !wire || kind.Version == "__internal" || meta && kind.Group != "" && kind.Group != "meta.k8s.io" {
			continue
		}
		kinds[Root{kind.GroupVersion().String(), kind.Kind, name(t)}] = t
	}
	return kinds
}

// read reads the schema off the Go types.
func read() Schema {
	schema := Schema{Messages: map[string]Message{}}
	for root, t := range kinds() {
		schema.Roots = append(schema.Roots, root)
		schema.message(t)
		if _, is := t.FieldByName("Items"); is && strings.HasSuffix(root.Kind, "List") {
			fields := schema.Messages[root.Message]
			assert(len(fields) == 2 && fields[0].Number == 1 && fields[0].Name == "metadata" &&
				fields[1].Number == 2 && fields[1].Name == "items", "an odd list: %v", root)
		}
	}
	sort.Slice(schema.Roots, func(i, j int) bool {
		a, b := schema.Roots[i], schema.Roots[j]
		return a.APIVersion < b.APIVersion || a.APIVersion == b.APIVersion && a.Kind < b.Kind
	})
	return schema
}

func name(t reflect.Type) string {
	return t.PkgPath() + "." + t.Name()
}

func (s *Schema) message(t reflect.Type) string {
	name := name(t)
	if _, known := s.Messages[name]; known {
		return name
	}
	s.Messages[name] = nil
	var message Message
	for i := range t.NumField() {
		if field := s.field(t, t.Field(i)); field != nil {
			message = append(message, *field)
		}
	}
	sort.Slice(message, func(i, j int) bool { return message[i].Number < message[j].Number })
	for i, field := range message {
		assert(i == 0 || message[i-1].Number < field.Number, "%s: number %d twice", name, field.Number)
	}
	assert(len(message) <= 64, "%s has more than 64 fields", name)
	s.Messages[name] = message
	return name
}

func (s *Schema) field(outer reflect.Type, f reflect.StructField) *Field {
	where := name(outer) + "." + f.Name
	json, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	has := func(option string) bool { return strings.Contains(","+options+",", ","+option+",") }
	wire := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(wire) < 3 || json == "-" {
		assert(wire[0] == "" || wire[0] == "-" || json == "-", "%s: odd tag", where)
		return nil
	}
	number, err := strconv.Atoi(wire[1])
	must(err)
	field := Field{Number: number, Name: json, Shape: "One"}
	if json == "" && (f.Anonymous || has("inline")) {
		field.Inline = true
	} else if json == "" {
		// Only where a type writes its JSON itself; the name is never seen.
		field.Name = f.Name
	}
	t, pointer := f.Type, false
	if t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), true
	}
	switch {
	case t.Kind() == reflect.Map:
		assert(t.Key().Kind() == reflect.String, "%s: odd key", where)
		field.Shape, t = "Map", t.Elem()
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && !isMessage(t):
		field.Shape, t = "Repeated", t.Elem()
	}
	assert(field.Shape == "One" || !pointer, "%s: pointer to many", where)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	field.Kind, field.Target = s.kind(where, t)
	structure := t.Kind() == reflect.Struct
	empty := has("omitempty")
	zero := has("omitzero")
	assert(!zero || field.Kind == "Time", "%s: omitzero on %s", where, field.Kind)
	switch {
	case field.Inline:
		assert(field.Kind == "Message" && field.Shape == "One" && !pointer, "%s: odd inline", where)
		field.Required = true
	case field.Shape != "One" || t.Kind() == reflect.Slice:
		field.Required, field.Nullable = !empty, true
		field.SkipZero = empty && field.Shape == "One" && !pointer
	case pointer:
		field.Required, field.Nullable = !empty, true
	case structure:
		// encoding/json takes no struct for empty.
		field.Required, field.SkipZero = !zero, zero
	default:
		field.Required, field.SkipZero = !empty, empty
	}
	return &field
}

// isMessage: a named list can be a message of its own, whose field 1 are the items.
func isMessage(t reflect.Type) bool {
	_, is := reflect.PointerTo(t).MethodByName("Unmarshal")
	return is
}

// kind goes by the type: the wire type and the "rep" of a tag are wrong here and there.
func (s *Schema) kind(where string, t reflect.Type) (kind, target string) {
	if kind, is := special[t]; is {
		if strings.HasPrefix(kind, "Schema") {
			return kind, s.message(t)
		}
		return kind, ""
	}
	switch t.Kind() {
	case reflect.String:
		return "String", ""
	case reflect.Bool:
		return "Bool", ""
	case reflect.Int32, reflect.Int64:
		return "Int", ""
	case reflect.Float64:
		return "Double", ""
	case reflect.Struct:
		return "Message", s.message(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "Bytes", ""
		}
		assert(isMessage(t), "%s: a list of lists", where)
		inner, target := s.kind(where, t.Elem())
		name := name(t)
		s.Messages[name] = Message{{Number: 1, Name: "items", Kind: inner, Shape: "Repeated", Target: target, Nullable: true}}
		return "Items", name
	}
	panic(fmt.Sprintf("%s: no kind for %s", where, t))
}

// add takes over what only an older release knows: its kinds, and fields that are gone.
func (s *Schema) add(older Schema) {
	for name, fields := range older.Messages {
		newer, known := s.Messages[name]
		for i, field := range newer {
			// An older server does not say it: then it is not made up either. A newer one writes
			// what it has, but for a null, which says no more than nothing does.
			newer[i].Required = field.Required && (field.Nullable || has(fields, field))
		}
		for _, field := range fields {
			if other := numbered(newer, field.Number); other != nil && other.Name != field.Name {
				fmt.Fprintf(os.Stderr, "%s: number %d was %s and is %s\n", name, field.Number, field.Name, other.Name)
			}
			if !known {
				newer = append(newer, field)
			} else if !has(newer, field) {
				// What newer releases no longer say is not made up.
				field.Required = false
				newer = append(newer, field)
			}
		}
		sort.Slice(newer, func(i, j int) bool { return newer[i].Number < newer[j].Number })
		s.Messages[name] = newer
	}
	known := map[Root]bool{}
	for _, root := range s.Roots {
		known[root] = true
	}
	for _, root := range older.Roots {
		if !known[root] {
			s.Roots = append(s.Roots, root)
		}
	}
	sort.Slice(s.Roots, func(i, j int) bool {
		a, b := s.Roots[i], s.Roots[j]
		return a.APIVersion < b.APIVersion || a.APIVersion == b.APIVersion && a.Kind < b.Kind
	})
}

// numbered is the field of this number.
func numbered(message Message, number int) *Field {
	for i := range message {
		if message[i].Number == number {
			return &message[i]
		}
	}
	return nil
}

func has(message Message, wanted Field) bool {
	for _, field := range message {
		if field.Number == wanted.Number || field.Name == wanted.Name && field.Name != "" {
			return true
		}
	}
	return false
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func assert(holds bool, format string, args ...any) {
	if !holds {
		panic(fmt.Sprintf(format, args...))
	}
}
