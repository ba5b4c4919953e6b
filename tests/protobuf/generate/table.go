package main

import (
	"fmt"
	"runtime/debug"
	"sort"
	"strings"
)

// table writes the schema as table.rs. Messages of the same form are one.
func table(schema Schema) string {
	names, id := numbers(schema)
	pool := pool(schema.Messages)

	var fields, messages, roots strings.Builder
	start := 0
	for n, name := range names {
		message := schema.Messages[name]
		var required uint64
		fmt.Fprintf(&fields, "    // %d %s\n", n, short(name))
		for i, field := range message {
			if field.Required {
				required |= 1 << i
			}
			target := 0
			if field.Target != "" {
				target = id(field.Target)
			}
			fmt.Fprintf(&fields, "    f(%d, %d, %d, K::%s, S::%s, %s, %d), // %s\n", field.Number,
				strings.Index(pool, field.Name), len(field.Name), field.Kind, field.Shape, flags(field), target, field.Name)
		}
		fmt.Fprintf(&messages, "    m(%d, %d, %#x), // %d %s\n", start, len(message), required, n, short(name))
		start += len(message)
	}
	for _, root := range schema.Roots {
		fmt.Fprintf(&roots, "    (%q, %q, %d),\n", root.APIVersion, root.Kind, id(root.Message))
	}
	assert(len(pool) < 1<<16 && start < 1<<16, "the table is too large")
	return header + fmt.Sprintf(`
use super::schema::{Field, INLINE, Kind as K, Message, NULLABLE, REQUIRED, SKIP_ZERO, Shape as S, field as f, message as m};

/// The release of Kubernetes whose types these are.
pub(super) const RELEASE: &str = "%s";

/// Members' names, one after another, and one within another.
pub(super) static NAMES: &str = "%s";

/// The kinds that are served: apiVersion, kind, number of the message; in order.
pub(super) static ROOTS: [(&str, &str, u16); %d] = [
%s];

/// The first field of each message, the number of its fields, and those that JSON never omits.
pub(super) static MESSAGES: [Message; %d] = [
%s];

/// Number, name, kind, shape, flags and message of each field.
pub(super) static FIELDS: [Field; %d] = [
%s];
`, release(), wrap(pool), len(schema.Roots), roots.String(), len(names), messages.String(), start, fields.String())
}

// numbers are the names of the messages that stand for all of their form, in order, and the number of
// any message.
func numbers(schema Schema) ([]string, func(name string) int) {
	classes := minimize(schema.Messages)
	first := map[int]string{}
	for name, class := range classes {
		if known, is := first[class]; !is || name < known {
			first[class] = name
		}
	}
	var names []string
	for _, name := range first {
		names = append(names, name)
	}
	sort.Strings(names)
	ids := map[int]int{}
	for id, name := range names {
		ids[classes[name]] = id
	}
	return names, func(name string) int { return ids[classes[name]] }
}

const header = `//! The wire format of the built-in types. Written by tests/protobuf/generate; never by hand.
`

// release is 1.37 where the types are of the module's version v0.37.2.
func release() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			return "1." + strings.Split(module.Version, ".")[1]
		}
	}
	panic("no k8s.io/api")
}

func wrap(pool string) string {
	var lines []string
	for len(pool) > 110 {
		lines = append(lines, pool[:110])
		pool = pool[110:]
	}
	return strings.Join(append(lines, pool), "\\\n")
}

func flags(field Field) string {
	var flags []string
	for _, flag := range []struct {
		is   bool
		name string
	}{{field.Inline, "INLINE"}, {field.SkipZero, "SKIP_ZERO"}, {field.Required, "REQUIRED"}, {field.Nullable, "NULLABLE"}} {
		if flag.is {
			flags = append(flags, flag.name)
		}
	}
	if len(flags) == 0 {
		return "0"
	}
	return strings.Join(flags, " | ")
}

func short(name string) string {
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// minimize numbers the messages so that those of the same form have the same number.
func minimize(messages map[string]Message) map[string]int {
	classes := map[string]int{}
	for known := 0; ; {
		forms, next := map[string]int{}, map[string]int{}
		for name, message := range messages {
			form := fmt.Sprint(classes[name])
			for _, field := range message {
				target := field.Target
				field.Target = ""
				form += fmt.Sprintf("%v%d", field, classes[target])
			}
			if _, is := forms[form]; !is {
				forms[form] = len(forms) + 1
			}
			next[name] = forms[form]
		}
		classes = next
		if len(forms) == known {
			return classes
		}
		known = len(forms)
	}
}

// pool is a text that holds every name.
func pool(messages map[string]Message) string {
	unique := map[string]bool{}
	for _, message := range messages {
		for _, field := range message {
			unique[field.Name] = true
		}
	}
	var names []string
	for name := range unique {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		return len(names[i]) > len(names[j]) || len(names[i]) == len(names[j]) && names[i] < names[j]
	})
	pool := ""
	for _, name := range names {
		if !strings.Contains(pool, name) {
			pool += name
		}
	}
	return pool
}
