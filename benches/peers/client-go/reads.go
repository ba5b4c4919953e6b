package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

const (
	namespace = "default"
	// How many pods share a node.
	perNode = 100
	// How many reads a reader makes between two looks at the clock.
	batch = 64
)

func node(n int) string { return fmt.Sprintf("node-%d", n/perNode) }

func barePod(n int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("web-%07d", n), Namespace: namespace,
			UID: types.UID(fmt.Sprintf("%032x", n)), ResourceVersion: strconv.Itoa(n + 1),
		},
		Spec: corev1.PodSpec{NodeName: node(n)},
	}
}

// reads measures reads of an indexer of pods that have names and a node only.
func reads() {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"node": byNode})
	objects := make([]*corev1.Pod, *pods)
	keys := make([]string, *pods)
	for n := range objects {
		objects[n] = barePod(n)
		keys[n] = namespace + "/" + objects[n].Name
		fail(store.Add(objects[n]))
	}
	nodes := make([]string, (*pods+perNode-1)/perNode)
	for n := range nodes {
		nodes[n] = node(n * perNode)
	}
	read := map[string]func(*rand.Rand){
		"key": func(dice *rand.Rand) {
			_, _, err := store.GetByKey(keys[dice.IntN(len(keys))])
			fail(err)
		},
		"index": func(dice *rand.Rand) {
			_, err := store.ByIndex("node", nodes[dice.IntN(len(nodes))])
			fail(err)
		},
	}
	out := lines{"bare pods", "none"}
	for _, count := range numbers(*readers) {
		for _, beside := range []string{"no writer", "one writer"} {
			for _, how := range []string{"key", "index"} {
				r, w := readFor(store, objects, read[how], count, beside == "one writer")
				name := fmt.Sprintf("by %s, %d readers, %s", how, count, beside)
				out.print("reads "+name, *pods, r, "1/s")
				if beside == "one writer" {
					out.print("writes beside reads "+name, *pods, w, "1/s")
				}
			}
		}
	}
}

func readFor(store cache.Indexer, objects []*corev1.Pod, read func(*rand.Rand), count int, writes bool) (float64, float64) {
	runtime.GC()
	var done atomic.Bool
	var reads, written atomic.Uint64
	var all sync.WaitGroup
	for reader := range count {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(reader), 1))
			for !done.Load() {
				for range batch {
					read(dice)
				}
				reads.Add(batch)
			}
		})
	}
	if writes {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(4711, 1))
			for !done.Load() {
				// Another object, as an update is.
				pod := *objects[dice.IntN(len(objects))]
				fail(store.Update(&pod))
				written.Add(1)
			}
		})
	}
	lasts := time.Duration(*seconds * float64(time.Second))
	time.Sleep(lasts)
	r, w := float64(reads.Load()), float64(written.Load())
	done.Store(true)
	all.Wait()
	return r / lasts.Seconds(), w / lasts.Seconds()
}
