// client-go's shared informers, watched from outside: config maps and pods by typed informers,
// widgets by a dynamic one.
//
// It takes a kubeconfig and the resources to follow, prints one line of JSON when all have synced,
// and another for each line it reads: what their handlers were told so far, and what their stores
// hold. It ends when its standard input does. KUBE_FEATURE_WatchListClient says how first states
// come. It asks for JSON only.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const syncTimeout = 30 * time.Second

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: clients KUBECONFIG RESOURCE...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, resources []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = "application/json"
	config.AcceptContentTypes = "application/json"
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	typedFactory := informers.NewSharedInformerFactory(typed, 0)
	untypedFactory := dynamicinformer.NewDynamicSharedInformerFactory(untyped, 0)

	counted := map[string]*counts{}
	var synced []cache.InformerSynced
	for _, resource := range resources {
		var informer cache.SharedIndexInformer
		switch resource {
		case "configmaps":
			informer = typedFactory.Core().V1().ConfigMaps().Informer()
		case "pods":
			informer = typedFactory.Core().V1().Pods().Informer()
		case "widgets":
			widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
			informer = untypedFactory.ForResource(widgets).Informer()
		default:
			return fmt.Errorf("unknown resource %q", resource)
		}
		counted[resource] = &counts{store: informer.GetStore()}
		registration, err := informer.AddEventHandler(counted[resource])
		if err != nil {
			return err
		}
		synced = append(synced, registration.HasSynced)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	typedFactory.Start(ctx.Done())
	untypedFactory.Start(ctx.Done())
	limited, cancelSync := context.WithTimeout(ctx, syncTimeout)
	defer cancelSync()
	if !cache.WaitForCacheSync(limited.Done(), synced...) {
		return fmt.Errorf("not synced after %v", syncTimeout)
	}

	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(counted); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := out.Encode(counted); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Versions of objects by key.
func versions(store cache.Store) (map[string]string, error) {
	held := map[string]string{}
	for _, object := range store.List() {
		key, err := cache.MetaNamespaceKeyFunc(object)
		if err != nil {
			return nil, err
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		held[key] = accessor.GetResourceVersion()
	}
	return held, nil
}
