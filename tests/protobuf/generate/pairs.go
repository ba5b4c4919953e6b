package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// How full an object is: how likely a field is there, and how often at most what is repeated.
var fillings = []struct {
	name   string
	chance float64
	most   int
}{{"empty", 0, 0}, {"full", 1, 1}, {"some", 0.5, 3}, {"half", 0.5, 2}, {"few", 0.2, 2}}

// pairs are the objects of each group and version, by the name of their file. In a file, compressed,
// come one after another: kind and filling, the object in its envelope, the object in JSON, each
// after its length in four bytes, the lowest first.
func pairs() map[string][]byte {
	files := map[string]*bytes.Buffer{}
	var roots []Root
	types := kinds()
	for root := range types {
		roots = append(roots, root)
	}
	sort.Slice(roots, func(i, j int) bool { return roots[i].APIVersion+roots[i].Kind < roots[j].APIVersion+roots[j].Kind })
	serializer := protobuf.NewSerializer(nil, nil)
	for seed, root := range roots {
		if strings.HasSuffix(root.Kind, "List") && !strings.HasPrefix(root.Kind, "API") || root.Kind == "WatchEvent" {
			continue
		}
		name := strings.ReplaceAll(root.APIVersion, "/", "_") + ".gz"
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		for n, filling := range fillings {
			filler := filler{rand.New(rand.NewSource(int64(100*seed + n))), filling.chance, filling.most}
			object := reflect.New(types[root])
			filler.fill(object.Elem(), 0)
			kind := schema.FromAPIVersionAndKind(root.APIVersion, root.Kind)
			object.Interface().(runtime.Object).GetObjectKind().SetGroupVersionKind(kind)
			var wire bytes.Buffer
			must(serializer.Encode(object.Interface().(runtime.Object), &wire))
			// What Go reads from the wire is what a server says of it in JSON.
			read := reflect.New(types[root])
			var envelope runtime.Unknown
			must(envelope.Unmarshal(wire.Bytes()[4:]))
			must(read.Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(envelope.Raw))
			read.Interface().(runtime.Object).GetObjectKind().SetGroupVersionKind(kind)
			text, err := json.Marshal(read.Interface())
			must(err)
			for _, part := range [][]byte{[]byte(root.Kind + " " + filling.name), wire.Bytes(), text} {
				must(binary.Write(files[name], binary.LittleEndian, uint32(len(part))))
				files[name].Write(part)
			}
		}
	}
	pairs := map[string][]byte{}
	for name, content := range files {
		var file bytes.Buffer
		zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
		must(err)
		_, err = zip.Write(content.Bytes())
		must(err)
		must(zip.Close())
		pairs[name] = file.Bytes()
	}
	return pairs
}

// pod is a pod that is written in JSON, in its envelope, and in JSON as a server writes it.
func pod(path string) map[string][]byte {
	text, err := os.ReadFile(path)
	must(err)
	var pod corev1.Pod
	must(json.Unmarshal(text, &pod))
	var wire bytes.Buffer
	must(protobuf.NewSerializer(nil, nil).Encode(&pod, &wire))
	text, err = json.Marshal(&pod)
	must(err)
	return map[string][]byte{"pod.pb": wire.Bytes(), "pod.json": text}
}

// same compares what is in the files: how it is compressed is a matter of Go's version.
func same(path string, there, content []byte) bool {
	if !strings.HasSuffix(path, ".gz") {
		return bytes.Equal(there, content)
	}
	unzip := func(file []byte) []byte {
		reader, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			return nil
		}
		content, _ := io.ReadAll(reader)
		return content
	}
	return bytes.Equal(unzip(there), unzip(content))
}

type filler struct {
	*rand.Rand
	chance float64
	most   int
}

func (f filler) is() bool { return f.Float64() < f.chance }

var texts = []string{"web", "a-b.c/d", "é中😀", "quote \" and \\", "<&>", "line\nbreak\ttab", "", "true", "0"}

func (f filler) text() string {
	if f.Intn(4) == 0 {
		return texts[f.Intn(len(texts))]
	}
	return fmt.Sprintf("t%d", f.Intn(1000))
}

func (f filler) json() []byte {
	values := []string{`{"a":[1,2.5,null,true,"x"],"b":{"c":{}}}`, `"text"`, `7`, `[]`, `{}`, `false`, `-1e3`, `"é\n\u0001"`}
	return []byte(values[f.Intn(len(values))])
}

var quantities = []string{"0", "1", "100m", "1Gi", "1500m", "2.5", "-3", "1e3", "123456789012345678901234567890", "1n"}

// fill fills what may be filled.
func (f filler) fill(v reflect.Value, depth int) {
	if depth > 9 && v.Kind() != reflect.String || !f.is() && !(depth == 0) && !f.plain(v) {
		return
	}
	switch to := v.Addr().Interface().(type) {
	case *metav1.TypeMeta:
		return
	case *metav1.Time:
		*to = metav1.Unix(f.Int63n(4e9)-2e9, 0)
		return
	case *metav1.MicroTime:
		*to = metav1.NewMicroTime(time.Unix(f.Int63n(4e9)-2e9, f.Int63n(1e6)*1e3))
		return
	case *metav1.FieldsV1:
		to.Raw = []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)
		return
	case *resource.Quantity:
		*to = resource.MustParse(quantities[f.Intn(len(quantities))])
		return
	case *intstr.IntOrString:
		*to = intstr.FromInt32(int32(f.Intn(70000)))
		if f.Intn(2) == 0 {
			*to = intstr.FromString(f.text())
		}
		return
	case *runtime.RawExtension:
		to.Raw = f.json()
		return
	case *apiextensionsv1.JSON:
		to.Raw = f.json()
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			bytes := make([]byte, f.Intn(9))
			f.Read(bytes)
			v.SetBytes(bytes)
			return
		}
		for range f.count() {
			element := reflect.New(v.Type().Elem()).Elem()
			f.fill(element, depth+1)
			v.Set(reflect.Append(v, element))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.count() {
			key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(f.text())
			f.fill(element, depth+1)
			v.SetMapIndex(key, element)
		}
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.Intn(2) == 0)
	case reflect.Int32:
		v.SetInt([]int64{0, 1, -1, 80, 1<<31 - 1, -1 << 31}[f.Intn(6)])
	case reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 30, 1<<63 - 1, -1 << 63}[f.Intn(6)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -2.5, 1e21, 0.1, 3e-9}[f.Intn(6)])
	default:
		panic(v.Type().String())
	}
}

func (f filler) count() int { return 1 + f.Intn(f.most) }

// plain values are filled where what holds them is.
func (f filler) plain(v reflect.Value) bool {
	return v.Kind() == reflect.Struct && !strings.HasSuffix(v.Type().Name(), "Time") && f.chance > 0
}
