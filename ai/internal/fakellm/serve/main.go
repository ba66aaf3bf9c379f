// Command serve runs the stand-in for providers on a loopback address.
//
//	go run ./ai/internal/fakellm/serve -addr 127.0.0.1:8080 -strict -log
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"tau/ai/internal/fakellm"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "127.0.0.1:0", "loopback address")
	addrFile := flag.String("addr-file", "", "file that gets the chosen host:port")
	strict := flag.Bool("strict", false, "refuse what a strict vendor would refuse")
	seed := flag.Uint64("seed", 0, "seed of the generated content")
	log := flag.Bool("log", false, "print a line of JSON for each request")
	flag.Parse()
	host, _, err := net.SplitHostPort(*addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is not a loopback address", host)
	}
	opts := fakellm.Options{Strict: *strict, Seed: *seed}
	if *log {
		enc := json.NewEncoder(os.Stdout)
		opts.Log = func(e fakellm.Entry) {
			e.Body = nil
			_ = enc.Encode(e) // nothing can be done about a closed stdout
		}
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "listening on", l.Addr())
	if *addrFile != "" {
		if err := os.WriteFile(*addrFile, []byte(l.Addr().String()), 0o644); err != nil {
			return err
		}
	}
	srv := &http.Server{Handler: fakellm.New(opts), ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(l)
}
