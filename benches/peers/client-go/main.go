// client-go's shared informer, measured the same way as this crate's in ../session.rs, ../reads.rs and
// ../readers.rs. The first option says what:
//
//	-measure session   one informer on the server: sync, memory, relist, updates through handlers
//	-measure reads     an indexer in this process: reads by key and by index, with and without writes
//	-measure readers   client-go's own shared-informer benchmark: readers list, one writer updates
//	-measure idle      a thousand informers that have nothing to do
//
// Each measurement prints one line of JSON, with the members the Rust side prints.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	measure    = flag.String("measure", "session", "session, reads, readers or idle")
	kubeconfig = flag.String("kubeconfig", "", "the server")
	admin      = flag.String("admin", "", "host:port of the bench server's second port; empty: no relist, no updates")
	media      = flag.String("media", "protobuf", "protobuf or json")
	list       = flag.String("list", "streaming", "streaming, or plain: a list at version 0")
	storage    = flag.String("storage", "whole", "what is kept: whole or stripped")
	doRelist   = flag.String("relist", "", "not empty: make it list again")
	churns     = flag.String("churn", "", "how many updates, with commas")
	handlers   = flag.String("handlers", "", "how many handlers, with commas")
	readers    = flag.String("readers", "", "how many readers, with commas")
	pods       = flag.Int("pods", 10_000, "how many pods, of the measurements in this process")
	seconds    = flag.Float64("seconds", 5, "how long each takes")
	run        = flag.Int("run", 1, "the number of this run")
	_          = flag.String("client", "client-go", "ignored: the script names it to every client")
)

func main() {
	flag.Parse()
	switch *measure {
	case "session":
		session()
	case "reads":
		reads()
	case "readers":
		informerReaders()
	case "idle":
		idle()
	default:
		fail(fmt.Errorf("-measure %s", *measure))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func numbers(list string) []int {
	var all []int
	for part := range strings.SplitSeq(list, ",") {
		if part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		fail(err)
		all = append(all, n)
	}
	return all
}

type line struct {
	Client  string  `json:"client"`
	Storage string  `json:"storage"`
	Media   string  `json:"media"`
	Measure string  `json:"measure"`
	N       int     `json:"n"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Run     int     `json:"run"`
}

// lines prints measurements of one way to keep objects.
type lines struct{ storage, media string }

func (l lines) print(measure string, n int, value float64, unit string) {
	fail(json.NewEncoder(os.Stdout).Encode(line{"client-go", l.storage, l.media, measure, n, value, unit, *run}))
}

// cpu is the processor time of all threads so far, in seconds.
func cpu() float64 {
	var usage syscall.Rusage
	fail(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// status is a line of /proc/self/status that counts kB, in bytes.
func status(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	fail(err)
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			fail(err)
			return kilobytes * 1024
		}
	}
	return 0
}

func rss() float64  { return status("VmRSS") }
func peak() float64 { return status("VmHWM") }

// resetPeak lets peak begin anew. Where the kernel does not allow it, it is that of the whole life.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// settle waits until this process does next to nothing, for a minute at most.
func settle() {
	start, before, quiet := time.Now(), cpu(), 0
	for quiet < 3 && time.Since(start) < time.Minute {
		time.Sleep(200 * time.Millisecond)
		now := cpu()
		if now-before < 0.015 {
			quiet++
		} else {
			quiet = 0
		}
		before = now
	}
}

// order tells the bench server what to do; the newest revision.
func order(path string) uint64 {
	response, err := http.Post("http://"+*admin+path, "", nil)
	fail(err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	fail(err)
	if response.StatusCode != http.StatusOK {
		fail(fmt.Errorf("%s: %s", path, body))
	}
	var answer struct {
		Revision uint64 `json:"revision"`
	}
	fail(json.Unmarshal(body, &answer))
	return answer.Revision
}
