package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
)

// An etcd of one member on free ports of the loopback. What it holds need not outlive the process,
// so nothing waits for a disk.
func startEtcd(ctx context.Context, folder string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, err
	case <-ctx.Done():
		etcd.Close()
		return nil, errors.New("stopped before it was ready")
	}
}

// POST /testing/compact forgets all history of etcd up to now, as its periodic compaction does.
// The watch cache of a resource keeps what it has seen.
func (s *server) compactOnRequest(etcd *embed.Etcd) {
	compact := func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "POST only", http.StatusMethodNotAllowed)
			return
		}
		request := &etcdserverpb.CompactionRequest{Revision: etcd.Server.KV().Rev(), Physical: true}
		_, err := etcd.Server.Compact(r.Context(), request)
		// Nothing was written since the last time.
		if err != nil && !errors.Is(err, mvcc.ErrCompacted) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
	s.generic.Handler.NonGoRestfulMux.HandleFunc("/testing/compact", compact)
}
