package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// How long anything may take before the measurement is given up.
const limit = 10 * time.Minute

// session measures one informer from its start to its last update. Wall time ends where client-go says
// that it has synced; processor time of what follows ends where the process has nothing left to do.
func session() {
	// Read once, before the first informer is made.
	fail(os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(*list == "streaming")))
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	fail(err)
	config.QPS, config.DisableCompression = -1, true
	config.ContentType = "application/json"
	if *media == "protobuf" {
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	fail(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	fail(informer.AddIndexers(cache.Indexers{"node": byNode}))
	if *storage != "whole" {
		fail(informer.SetTransform(func(object any) (any, error) {
			if pod, ok := object.(*corev1.Pod); ok {
				pod.ManagedFields = nil
			}
			return object, nil
		}))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	way := *media
	if *list != "streaming" {
		way += ", plain list"
	}
	out := lines{*storage, way}
	resetPeak()
	start, before := time.Now(), cpu()
	factory.Start(ctx.Done())
	for !informer.HasSynced() {
		if ctx.Err() != nil {
			fail(ctx.Err())
		}
		time.Sleep(time.Millisecond)
	}
	wall, synced := time.Since(start).Seconds(), cpu()
	settle()
	n := len(informer.GetStore().ListKeys())
	out.print("sync wall", n, wall, "s")
	out.print("sync cpu", n, synced-before, "s")
	out.print("sync cpu until idle", n, cpu()-before, "s")
	settled := rss()
	out.print("rss settled", n, settled, "B")
	out.print("rss peak", n, peak(), "B")
	forced := collected()
	out.print("rss settled, forced GC", n, forced, "B")
	if *admin == "" {
		return
	}
	if *doRelist != "" {
		relist(out, informer, forced)
	}
	var seen []*atomic.Uint64
	var told atomic.Uint64
	for _, wanted := range numbers(*handlers) {
		for len(seen) < wanted {
			newest := new(atomic.Uint64)
			registration, err := informer.AddEventHandler(handler(newest, &told))
			fail(err)
			for !registration.HasSynced() {
				time.Sleep(time.Millisecond)
			}
			seen = append(seen, newest)
		}
		for _, changes := range numbers(*churns) {
			churn(out, changes, seen, &told)
		}
	}
}

func byNode(object any) ([]string, error) {
	if pod, ok := object.(*corev1.Pod); ok {
		return []string{pod.Spec.NodeName}, nil
	}
	return nil, nil
}

// collected is the resident memory once garbage is collected and given back.
func collected() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	time.Sleep(200 * time.Millisecond)
	return rss()
}

// handler notes the newest version it was told, and does nothing else.
func handler(newest, told *atomic.Uint64) cache.ResourceEventHandlerFuncs {
	note := func(object any) {
		pod, ok := object.(*corev1.Pod)
		if !ok {
			return
		}
		told.Add(1)
		version, _ := strconv.ParseUint(pod.ResourceVersion, 10, 64)
		for {
			present := newest.Load()
			if version <= present || newest.CompareAndSwap(present, version) {
				return
			}
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    note,
		UpdateFunc: func(_, object any) { note(object) },
		DeleteFunc: note,
	}
}

func relist(out lines, informer cache.SharedIndexInformer, settled float64) {
	resetPeak()
	start, before := time.Now(), cpu()
	target := order("/bench/relist")
	until("the relist", func() bool {
		version, _ := strconv.ParseUint(informer.LastSyncResourceVersion(), 10, 64)
		return version >= target
	})
	wall := time.Since(start).Seconds()
	settle()
	n := len(informer.GetStore().ListKeys())
	out.print("relist wall", n, wall, "s")
	out.print("relist cpu", n, cpu()-before, "s")
	out.print("relist rss growth", n, rss()-settled, "B")
	out.print("relist rss peak", n, peak(), "B")
	out.print("relist rss growth, forced GC", n, collected()-settled, "B")
}

func churn(out lines, changes int, seen []*atomic.Uint64, told *atomic.Uint64) {
	settle()
	resetPeak()
	toldBefore, before, start := told.Load(), cpu(), time.Now()
	target := order(fmt.Sprintf("/bench/churn?n=%d", changes))
	written := time.Since(start)
	until("the last update", func() bool {
		for _, newest := range seen {
			if newest.Load() < target {
				return false
			}
		}
		return true
	})
	wall := time.Since(start)
	settle()
	used := cpu() - before
	of := func(what string) string { return fmt.Sprintf("%s, %d handlers", what, len(seen)) }
	out.print(of("updates cpu"), changes, used, "s")
	out.print(of("updates wall"), changes, wall.Seconds(), "s")
	out.print(of("updates behind"), changes, (wall - written).Seconds(), "s")
	out.print(of("updates told"), changes, float64(told.Load()-toldBefore), "events")
	out.print(of("updates merged"), changes, 0, "events")
	out.print(of("updates rss"), changes, rss(), "B")
	out.print(of("updates rss peak"), changes, peak(), "B")
}

func until(what string, reached func() bool) {
	start := time.Now()
	for !reached() {
		if time.Since(start) > limit {
			fail(fmt.Errorf("%s did not come", what))
		}
		time.Sleep(2 * time.Millisecond)
	}
}
