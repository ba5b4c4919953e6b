// The peer of benches/workqueue.rs: client-go's typed work queue, measured the same way.
//
//	go run . [-runs 5] [-keys 1000000] [-only name]
//
// Each measurement prints one line of JSON:
//
//	bench          its name; the Rust side has one of the same name
//	n              how many operations one run has
//	ns_per_op      wall time of a run by n; the median of the runs
//	cpu_ns_per_op  processor time of all threads by n; the median of the runs
//	bytes_per_key  live heap that the queue added, by n; only where it is measured
//
// Keys are strings as controllers have them, "namespace-042/name-0000042" (26 bytes; a hundred
// namespaces, in order of the names). They are made before a run begins and shared by all runs: neither
// making nor holding them counts. A run gets a queue of its own, made before and shut down after the
// time is taken, and begins after a garbage collection. No metrics provider is set. Queues use the real
// clock unless the measurement says otherwise.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
)

// A run of a measurement: told to begin and end its time, and to note how many bytes a key takes.
type run struct {
	wall, cpu, cpuBefore time.Duration
	began                time.Time
	bytes                float64
}

func (r *run) begin() {
	runtime.GC()
	r.cpuBefore = cpuTime()
	r.began = time.Now()
}

func (r *run) end() {
	r.wall = time.Since(r.began)
	r.cpu = cpuTime() - r.cpuBefore
}

type line struct {
	Bench       string   `json:"bench"`
	N           int      `json:"n"`
	NsPerOp     float64  `json:"ns_per_op"`
	CPUNsPerOp  float64  `json:"cpu_ns_per_op"`
	BytesPerKey *float64 `json:"bytes_per_key,omitempty"`
}

type bench struct {
	name string
	n    int
	do   func(r *run, keys []string)
}

func main() {
	runs := flag.Int("runs", 5, "runs of each measurement; the median is printed")
	held := flag.Int("keys", 1_000_000, "keys of the measurements that hold many")
	only := flag.String("only", "", "the one measurement to make")
	flag.Parse()
	some := min(100_000, *held)
	benches := []bench{
		{"cycle", 1_000_000, cycle},
		{"add_get_done", some, addGetDone},
		{"add_get_done", *held, addGetDone},
		{"dedup_queued", *held, dedupQueued},
		{"dedup_processing", some, dedupProcessing},
		{"throughput_1_8", *held, throughput},
		{"add_after_fake_clock", some, addAfterFakeClock},
		{"add_after_arrive", some, addAfterArrive},
		{"rate_limited_item", some, rateLimitedItem},
		{"rate_limited_default", some, rateLimitedDefault},
		{"forget", some, forget},
		{"held_queued", *held, heldQueued},
		{"held_processing", *held, heldProcessing},
		{"held_delayed", *held, heldDelayed},
	}
	keys := make([]string, max(*held, some))
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%03d/name-%07d", i%100, i)
	}
	out := json.NewEncoder(os.Stdout)
	for _, b := range benches {
		if *only != "" && *only != b.name {
			continue
		}
		var wall, cpu, bytes []float64
		for range *runs {
			var r run
			b.do(&r, keys[:min(b.n, len(keys))])
			wall = append(wall, float64(r.wall)/float64(b.n))
			cpu = append(cpu, float64(r.cpu)/float64(b.n))
			bytes = append(bytes, r.bytes/float64(b.n))
		}
		l := line{Bench: b.name, N: b.n, NsPerOp: median(wall), CPUNsPerOp: median(cpu)}
		if m := median(bytes); m > 0 {
			l.BytesPerKey = &m
		}
		if err := out.Encode(l); err != nil {
			panic(err)
		}
	}
}

// cycle: client-go's own BenchmarkQueue. A hundred keys; for each add, get and done before the next,
// so that the queue never holds more than one. 10,000 rounds on one queue (client-go's makes a queue a
// round, outside the time). An operation is the three calls for one key.
func cycle(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	r.begin()
	for range 10_000 {
		for _, key := range keys[:100] {
			q.Add(key)
			got, _ := q.Get()
			q.Done(got)
		}
	}
	r.end()
}

// add_get_done: one goroutine adds all keys, gets all, and says done for all, each in order. An
// operation is the three calls for one key.
func addGetDone(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	r.begin()
	for _, key := range keys {
		q.Add(key)
	}
	for range keys {
		q.Get()
	}
	for _, key := range keys {
		q.Done(key)
	}
	r.end()
}

// dedup_queued: all keys are queued already; each is added once more. An operation is one of these adds.
func dedupQueued(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	for _, key := range keys {
		q.Add(key)
	}
	r.begin()
	for _, key := range keys {
		q.Add(key)
	}
	r.end()
	expect(q.Len() == len(keys))
}

// dedup_processing: all keys are being processed; each is added twice, done, got and done again. An
// operation is these five calls for one key; all keys go through each call before the next.
func dedupProcessing(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	for _, key := range keys {
		q.Add(key)
	}
	for range keys {
		q.Get()
	}
	r.begin()
	for range 2 {
		for _, key := range keys {
			q.Add(key)
		}
	}
	for _, key := range keys {
		q.Done(key)
	}
	for range keys {
		q.Get()
	}
	for _, key := range keys {
		q.Done(key)
	}
	r.end()
	expect(q.Len() == 0)
}

// throughput_1_8: one goroutine adds all keys as fast as it can while eight get and say done, doing
// nothing with them. From the first add until every key is done; the queue is shut down after the last
// add and drained. An operation is the whole way of one key.
func throughput(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	var workers sync.WaitGroup
	r.begin()
	for range 8 {
		workers.Go(func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				q.Done(key)
			}
		})
	}
	for _, key := range keys {
		q.Add(key)
	}
	q.ShutDown()
	workers.Wait()
	r.end()
}

// add_after_fake_clock: client-go's own BenchmarkDelayingQueue_AddAfter. Each key is added after a
// delay below ten minutes, at random but the same in every run; then the clock steps eleven minutes
// and every key is got (not done). client-go's makes its keys inside the time; here they are there. An
// operation is the add-after and the get of one key.
func addAfterFakeClock(r *run, keys []string) {
	clock := testingclock.NewFakeClock(time.Now())
	config := workqueue.TypedDelayingQueueConfig[string]{Clock: clock}
	q := workqueue.NewTypedDelayingQueueWithConfig(config)
	defer q.ShutDown()
	delays := delays(len(keys), 10*time.Minute)
	r.begin()
	for i, key := range keys {
		q.AddAfter(key, delays[i])
	}
	clock.Step(11 * time.Minute)
	for range keys {
		q.Get()
	}
	r.end()
}

// add_after_arrive: the real clock. Each key is added after a delay of at most 20 ms, at random but
// the same in every run; one goroutine adds, another gets and says done until it has had all. From the
// first add until the last done. The wall time can't be less than the adds take or the last delay, so
// look at the processor time, too.
func addAfterArrive(r *run, keys []string) {
	q := workqueue.NewTypedDelayingQueue[string]()
	defer q.ShutDown()
	delays := delays(len(keys), 20*time.Millisecond)
	all := make(chan struct{})
	r.begin()
	go func() {
		for range keys {
			key, _ := q.Get()
			q.Done(key)
		}
		close(all)
	}()
	for i, key := range keys {
		q.AddAfter(key, delays[i])
	}
	<-all
	r.end()
}

// rate_limited_item: each key is added rate-limited once, by the per-item exponential limiter alone
// (an hour, doubling, so that none arrives). An operation is one call; what the queue's own goroutine has
// not yet taken over when the last call returns (a thousand at most) does not count.
func rateLimitedItem(r *run, keys []string) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, 1000*time.Hour)
	rateLimited(r, keys, limiter)
}

// rate_limited_default: the same by the default limiter of controllers: the later of per-item
// exponential (5 ms to 1000 s) and a bucket of 10 a second with a burst of 100. The first few keys
// arrive meanwhile; nobody gets them.
func rateLimitedDefault(r *run, keys []string) {
	rateLimited(r, keys, workqueue.DefaultTypedControllerRateLimiter[string]())
}

func rateLimited(r *run, keys []string, limiter workqueue.TypedRateLimiter[string]) {
	q := workqueue.NewTypedRateLimitingQueue(limiter)
	defer q.ShutDown()
	r.begin()
	for _, key := range keys {
		q.AddRateLimited(key)
	}
	r.end()
}

// forget: each key failed once and is forgotten. An operation is num-requeues and forget of one key.
func forget(r *run, keys []string) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, 1000*time.Hour)
	q := workqueue.NewTypedRateLimitingQueue(limiter)
	defer q.ShutDown()
	for _, key := range keys {
		q.AddRateLimited(key)
	}
	r.begin()
	for _, key := range keys {
		expect(q.NumRequeues(key) == 1)
		q.Forget(key)
	}
	r.end()
}

// held_queued: all keys are added to a new queue and stay there. An operation is one add; the bytes
// are those of the queue with all keys in it (key's text not counted, its pointer and length are).
func heldQueued(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	before := live()
	r.begin()
	for _, key := range keys {
		q.Add(key)
	}
	r.end()
	r.bytes = live() - before
	expect(q.Len() == len(keys))
}

// held_processing: all keys were got and none is done. An operation is one get; the bytes are those of
// the queue then, with what it keeps from having held all keys.
func heldProcessing(r *run, keys []string) {
	q := workqueue.NewTyped[string]()
	defer q.ShutDown()
	before := live()
	for _, key := range keys {
		q.Add(key)
	}
	r.begin()
	for range keys {
		q.Get()
	}
	r.end()
	r.bytes = live() - before
	q.Done(keys[0])
}

// held_delayed: all keys are added after a delay between one and two hours, the same in every run, and
// wait. An operation is one add-after, until the queue has taken over all of them; the bytes are those
// of the queue then.
func heldDelayed(r *run, keys []string) {
	clock := testingclock.NewFakeClock(time.Now())
	config := workqueue.TypedDelayingQueueConfig[string]{Clock: clock}
	q := workqueue.NewTypedDelayingQueueWithConfig(config)
	defer q.ShutDown()
	delays := delays(len(keys), time.Hour)
	before := live()
	r.begin()
	for i, key := range keys {
		q.AddAfter(key, time.Hour+delays[i])
	}
	r.end()
	// Its goroutine has the last thousand at most still to take over.
	time.Sleep(50 * time.Millisecond)
	r.bytes = live() - before
	runtime.KeepAlive(delays)
	expect(q.Len() == 0)
}

// The same delays in every run: uniform in [0, below), by the default source seeded with 1.
func delays(n int, below time.Duration) []time.Duration {
	source := rand.New(rand.NewSource(1))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = time.Duration(source.Int63n(int64(below)))
	}
	return delays
}

func live() float64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func expect(holds bool) {
	if !holds {
		panic("the queue did not do what is measured")
	}
}
