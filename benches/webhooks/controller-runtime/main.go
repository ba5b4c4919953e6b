// The comparison of validating webhooks: controller-runtime's server, and the load on it and on
// this project's.
//
//	serve FOLDER           serves the certificate of a folder, and prints the address
//	load ADDRESS FILE N R  sends the review of a file N times, R a second (0: as fast as it goes)
//
// Both speak HTTP/1.1 over TLS with 8 connections that stay open.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const connections = 8

func main() {
	err := errors.New("serve FOLDER, or load ADDRESS FILE N R")
	switch arguments := os.Args[1:]; {
	case len(arguments) == 2 && arguments[0] == "serve":
		err = serve(arguments[1])
	case len(arguments) == 5 && arguments[0] == "load":
		err = load(arguments[1], arguments[2], arguments[3], arguments[4])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type hasTeam struct{}

func (hasTeam) ValidateCreate(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	if _, has := pod.Labels["team"]; !has {
		return nil, errors.New("a pod has a team")
	}
	return nil, nil
}

func (check hasTeam) ValidateUpdate(ctx context.Context, _, pod *corev1.Pod) (admission.Warnings, error) {
	return check.ValidateCreate(ctx, pod)
}

func (hasTeam) ValidateDelete(context.Context, *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}

func serve(folder string) error {
	log.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder})
	server.Register("/has-team", admission.WithValidator[*corev1.Pod](scheme, hasTeam{}))
	fmt.Printf("127.0.0.1:%d\n", port)
	return server.Start(ctrl.SetupSignalHandler())
}

func load(address, file, count, rate string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	total, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	perSecond, err := strconv.Atoi(rate)
	if err != nil {
		return err
	}
	// No HTTP/2, which this project's server does not speak.
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}},
		MaxIdleConnsPerHost: connections,
		MaxConnsPerHost:     connections,
	}
	client := &http.Client{Transport: transport}
	url := "https://" + address + "/has-team?timeout=10s"
	call := func() error {
		uid := string(uuid.NewUUID())
		body := bytes.Replace(text, []byte("THE-UID"), []byte(uid), 1)
		response, err := client.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		var review struct {
			Response struct {
				UID     string
				Allowed bool
			}
		}
		if err := json.Unmarshal(answer, &review); err != nil {
			return err
		}
		if response.StatusCode != 200 || !review.Response.Allowed || review.Response.UID != uid {
			return fmt.Errorf("%d: %s", response.StatusCode, answer)
		}
		return nil
	}
	start := time.Now()
	var next atomic.Int64
	var group sync.WaitGroup
	times := make([]time.Duration, total)
	failed := make(chan error, connections)
	for range connections {
		group.Go(func() {
			for {
				at := int(next.Add(1)) - 1
				if at >= total {
					return
				}
				due := start
				if perSecond > 0 {
					due = start.Add(time.Duration(at) * time.Second / time.Duration(perSecond))
					time.Sleep(time.Until(due))
				} else {
					due = time.Now()
				}
				if err := call(); err != nil {
					failed <- err
					return
				}
				// From when it was due: a late start counts, too.
				times[at] = time.Since(due)
			}
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	slices.Sort(times)
	at := func(part float64) time.Duration { return times[min(int(part*float64(total)), total-1)] }
	fmt.Printf("%.3f %d %d %d\n", time.Since(start).Seconds(), at(0.5).Microseconds(), at(0.99).Microseconds(), at(0.999).Microseconds())
	return nil
}
