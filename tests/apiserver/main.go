// A stand-alone API server for custom resources, with everything real behind it: an etcd in this
// process, the storage, watch cache, selectors and definitions of k8s.io/apiextensions-apiserver.
//
// It serves definitions and the custom resources they define, over TLS on a free port of the
// loopback, to whoever has its token. It writes a kubeconfig into a temporary folder and prints its
// path, when it is ready, as one line on the standard output. It ends when its standard input does,
// or on a signal, and takes the folder with it. It has no core types, no admission, and one user,
// who may do everything.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// How long the server has to come up.
const startTimeout = time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// Signals stay caught until the folder is gone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		// A parent that died leaves nothing running.
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "kube-informer-apiserver-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)

	etcd, err := startEtcd(ctx, filepath.Join(folder, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer etcd.Close()

	token, err := randomToken()
	if err != nil {
		return err
	}
	server, err := newServer(folder, etcd.Clients[0].Addr().String(), token)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	server.compactOnRequest(etcd)

	running, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- server.generic.PrepareRun().RunWithContext(running) }()

	ready, cancelReady := context.WithTimeout(running, startTimeout)
	defer cancelReady()
	if err := server.waitUntilReady(ready, ended); err != nil {
		return err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := server.writeKubeconfig(kubeconfig, token); err != nil {
		return err
	}
	fmt.Println(kubeconfig)

	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return <-ended
	}
}

func randomToken() (string, error) {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(bytes[:]), nil
}
