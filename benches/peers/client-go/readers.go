package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// How many updates may be on their way.
const queued = 10

// informerReaders follows client-go's BenchmarkSharedIndexInformer: an informer of small pods in one
// namespace over a source in this process; readers list the namespace in a loop, one writer updates
// pods taken at random, with at most ten updates that no handler has seen yet.
func informerReaders() {
	// A source in this process has no stream to begin with.
	fail(os.Setenv("KUBE_FEATURE_WatchListClient", "false"))
	out := lines{"list", "none"}
	for _, count := range numbers(*readers) {
		writes, reads, used := readersFor(count)
		out.print(fmt.Sprintf("shared informer writes, %d readers", count), *pods, writes, "1/s")
		out.print(fmt.Sprintf("shared informer reads, %d readers", count), *pods, reads, "1/s")
		out.print(fmt.Sprintf("shared informer cpu, %d readers", count), *pods, used, "s")
	}
}

func readersFor(count int) (float64, float64, float64) {
	items := make([]corev1.Pod, *pods)
	for n := range items {
		items[n] = *barePod(n)
	}
	version := strconv.Itoa(len(items))
	watcher := watch.NewFakeWithChanSize(1, false)
	source := &cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: items}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return watcher, nil
		},
	}
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	under := make(chan struct{}, queued)
	var writes, reads atomic.Uint64
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, _ any) {
			writes.Add(1)
			<-under
		},
	})
	fail(err)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	for !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	var done atomic.Bool
	var all sync.WaitGroup
	for range count {
		all.Go(func() {
			for !done.Load() {
				fail(cache.ListAllByNamespace(informer.GetIndexer(), namespace, labels.Everything(), func(any) {}))
				reads.Add(1)
			}
		})
	}
	all.Go(func() {
		dice := rand.New(rand.NewPCG(4711, 1))
		for next := len(items) + 1; !done.Load(); next++ {
			pod := items[dice.IntN(len(items))]
			pod.ResourceVersion = strconv.Itoa(next)
			under <- struct{}{}
			watcher.Modify(&pod)
		}
	})
	start, before := time.Now(), cpu()
	writesBefore, readsBefore := writes.Load(), reads.Load()
	time.Sleep(time.Duration(*seconds * float64(time.Second)))
	used, elapsed := cpu()-before, time.Since(start).Seconds()
	w, r := float64(writes.Load()-writesBefore), float64(reads.Load()-readsBefore)
	done.Store(true)
	all.Wait()
	stop()
	running.Wait()
	return w / elapsed, r / elapsed, used
}
