// Command gen packs model descriptions, one JSON object a line, into the file
// that package catalog embeds, or prints what a packed file holds.
//
//	go run ./internal/gen -in models.jsonl -out models.bin
//	go run ./internal/gen -dump models.bin > models.jsonl
//	go run ./internal/gen -refresh https://models.dev/api.json -out models.bin
//
// A packed file is one line of JSON, the index, followed by one gzip stream for
// each provider, so that a lookup unpacks only what it needs.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"tau/ai/catalog"
)

type section struct {
	Provider string `json:"provider"`
	Offset   int    `json:"offset"` // from the end of the index line
	Length   int    `json:"length"`
	Models   int    `json:"models"`
}

func main() {
	in := flag.String("in", "", "model descriptions, one JSON object a line")
	out := flag.String("out", "models.bin", "packed file to write")
	dump := flag.String("dump", "", "packed file to print")
	source := flag.String("refresh", "", "address or file of published descriptions that bring -out up to date")
	flag.Parse()
	var err error
	switch {
	case *dump != "":
		err = unpack(*dump, os.Stdout)
	case *source != "":
		err = update(*source, *out)
	default:
		err = pack(*in, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// update brings a packed file up to date.
func update(source, out string) error {
	var lines bytes.Buffer
	if err := unpack(out, &lines); err != nil {
		return err
	}
	data, err := fetch(source)
	if err != nil {
		return err
	}
	fresh, err := catalog.Merge(lines.Bytes(), data)
	if err != nil {
		return err
	}
	return packLines(source, fresh, out)
}

// fetch reads the source, an address or a file.
func fetch(source string) ([]byte, error) {
	if !strings.HasPrefix(source, "https://") {
		return os.ReadFile(source)
	}
	resp, err := (&http.Client{Timeout: time.Minute}).Get(source)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", source, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func pack(in, out string) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	return packLines(in, data, out)
}

func packLines(in string, data []byte, out string) error {
	var index []section
	texts := map[string]*bytes.Buffer{}
	for n, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var m struct{ Provider, ID, API string }
		if err := json.Unmarshal(line, &m); err != nil || m.Provider == "" || m.ID == "" || m.API == "" {
			return fmt.Errorf("%s:%d: not a model (%v)", in, n+1, err)
		}
		text := texts[m.Provider]
		if text == nil {
			text = &bytes.Buffer{}
			texts[m.Provider] = text
			index = append(index, section{Provider: m.Provider})
		}
		text.Write(append(line, '\n'))
	}
	var body bytes.Buffer
	for i := range index {
		s := &index[i]
		s.Offset = body.Len()
		s.Models = bytes.Count(texts[s.Provider].Bytes(), []byte("\n"))
		z, err := gzip.NewWriterLevel(&body, gzip.BestCompression)
		if err != nil {
			return err
		}
		z.Write(texts[s.Provider].Bytes())
		if err := z.Close(); err != nil {
			return err
		}
		s.Length = body.Len() - s.Offset
	}
	head, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(append(head, '\n'), body.Bytes()...), 0o644)
}

func unpack(name string, w io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if _, err := r.ReadString('\n'); err != nil {
		return err
	}
	z, err := gzip.NewReader(r) // reads all streams, one after the other
	if err != nil {
		return err
	}
	_, err = io.Copy(w, z)
	return err
}
