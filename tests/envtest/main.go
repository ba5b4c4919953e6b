// A stand-in for the programs that controller-runtime's envtest starts: etcd and kube-apiserver. The
// name under which it runs decides which one it is.
//
// As kube-apiserver it starts the example `api_server`, whose path EMBEDDED_API_SERVER has, and
// passes the requests on. It serves them with the certificate that envtest made. Everyone may do
// everything. As etcd it only says that it is healthy, and as kubectl it does nothing.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func init() {
	// The kernel ends the child together with the thread that started it.
	runtime.LockOSThread()
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		// A test program that died leaves nothing running.
		for parent := os.Getppid(); os.Getppid() == parent; {
			time.Sleep(time.Second)
		}
		stop()
	}()
	name := filepath.Base(os.Args[0])
	if err := run(ctx, name, flags(os.Args[1:])); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string, flags map[string]string) error {
	if _, help := flags["help"]; help {
		return nil
	}
	switch name {
	case "etcd":
		return etcd(ctx, flags)
	case "kube-apiserver":
		return apiServer(ctx, flags)
	case "kubectl":
		return nil
	default:
		return errors.New("no stand-in has this name")
	}
}

// Returns the arguments `--name=value` by their names.
func flags(arguments []string) map[string]string {
	found := map[string]string{}
	for _, argument := range arguments {
		name, value, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		found[name] = value
	}
	return found
}

func etcd(ctx context.Context, flags map[string]string) error {
	address, err := url.Parse(flags["listen-client-urls"])
	if err != nil {
		return err
	}
	healthy := http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(answer, `{"health":"true"}`)
	})
	return serve(ctx, &http.Server{Addr: address.Host, Handler: healthy}, "", "")
}

func apiServer(ctx context.Context, flags map[string]string) error {
	target, err := embedded(ctx)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			// Discovery names the host that the client asked.
			request.Out.Host = request.In.Host
		},
		// Events are passed on at once.
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true},
	}
	server := &http.Server{
		Addr:    net.JoinHostPort(flags["bind-address"], flags["secure-port"]),
		Handler: proxy,
	}
	folder := flags["cert-dir"]
	certificate := filepath.Join(folder, "apiserver.crt")
	return serve(ctx, server, certificate, filepath.Join(folder, "apiserver.key"))
}

// Starts the embedded server, and returns its address.
func embedded(ctx context.Context) (*url.URL, error) {
	program := os.Getenv("EMBEDDED_API_SERVER")
	command := exec.CommandContext(ctx, program, "--listen", "127.0.0.1:0", "--pods", "0", "--churn", "0", "--webhooks")
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if server, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), "server: "); found {
			return url.Parse(server)
		}
	}
	return nil, fmt.Errorf("%s names no server: %w", program, command.Wait())
}

// Serves until the context ends: over TLS with a certificate, else without.
func serve(ctx context.Context, server *http.Server, certificate, key string) error {
	ended := make(chan error, 1)
	go func() {
		if certificate == "" {
			ended <- server.ListenAndServe()
		} else {
			ended <- server.ListenAndServeTLS(certificate, key)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
