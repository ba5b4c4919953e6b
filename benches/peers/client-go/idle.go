package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	emptyList = `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"7"},"items":[]}`
	bookmark  = `{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"7",` +
		`"annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
)

// noObjects answers in this process, as a server without objects does. Its watches never end.
type noObjects struct{}

func (noObjects) RoundTrip(request *http.Request) (*http.Response, error) {
	var body io.ReadCloser = io.NopCloser(strings.NewReader(emptyList))
	if request.URL.Query().Get("watch") != "" {
		body = &endless{strings.NewReader(bookmark), request.Context()}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body, Request: request}, nil
}

type endless struct {
	first *strings.Reader
	done  context.Context
}

func (e *endless) Read(into []byte) (int, error) {
	if e.first.Len() > 0 {
		return e.first.Read(into)
	}
	<-e.done.Done()
	return 0, io.EOF
}

func (e *endless) Close() error { return nil }

// idle measures goroutines and bytes of an informer that has nothing to do, and of one with a handler.
// ../../../crates/kube-controllers/tests/alone/many.rs measures this crate's.
func idle() {
	const many = 1_000
	for _, handlers := range []int{0, 1} {
		goroutines, bytes := runtime.NumGoroutine(), inUse()
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://none", Transport: noObjects{}, QPS: -1})
		fail(err)
		ctx, stop := context.WithCancel(context.Background())
		var kept []cache.SharedIndexInformer
		for number := range many {
			namespace := informers.WithNamespace(fmt.Sprintf("tenant-%d", number))
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, namespace)
			informer := factory.Core().V1().ConfigMaps().Informer()
			for range handlers {
				_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}})
				fail(err)
			}
			factory.Start(ctx.Done())
			kept = append(kept, informer)
		}
		for _, informer := range kept {
			cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
		}
		settle()
		l := lines{"whole", "json"}
		l.print("idle goroutines", handlers, float64((runtime.NumGoroutine()-goroutines)/many), "goroutines")
		l.print("idle memory", handlers, float64((inUse()-bytes)/many), "bytes")
		stop()
		settle()
		runtime.KeepAlive(kept)
	}
}

// inUse is the memory of live objects and of stacks.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse
}
