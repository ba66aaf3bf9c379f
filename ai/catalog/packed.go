package catalog

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the packed models
	"io"
	"strings"
	"sync"

	"tau/ai"
)

//go:generate go run ./internal/gen -in ${TAU_MODELS} -out models.bin

// packedData is the output of internal/gen.
//
//go:embed models.bin
var packedData string

type packedFile struct {
	index []packedSection
	body  string
}

type packedSection struct {
	Provider       string
	Offset, Length int
}

// packed reads the index, on first use.
var packed = sync.OnceValue(func() *packedFile {
	head, body, _ := strings.Cut(packedData, "\n")
	f := &packedFile{body: body}
	mustDecode([]byte(head), &f.index)
	return f
})

// section unpacks the descriptions of one provider, one a line.
func (f *packedFile) section(s packedSection) []byte {
	z, err := gzip.NewReader(strings.NewReader(f.body[s.Offset : s.Offset+s.Length]))
	if err != nil {
		panic("catalog: the embedded data is damaged: " + err.Error()) // held by a test
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("catalog: the embedded data is damaged: " + err.Error())
	}
	return text
}

// lines unpacks all descriptions.
func (f *packedFile) lines() []byte {
	var all []byte
	for _, s := range f.index {
		all = append(all, f.section(s)...)
	}
	return all
}

// models unpacks the models of one provider, nil if there is no such provider.
func (f *packedFile) models(provider string) []*ai.Model {
	for _, s := range f.index {
		if s.Provider != provider {
			continue
		}
		lines := bytes.Split(bytes.TrimSpace(f.section(s)), []byte("\n"))
		models := make([]*ai.Model, len(lines))
		for i, line := range lines {
			type plain ai.Model // our own data has no unknown members to keep
			models[i] = &ai.Model{}
			mustDecode(line, (*plain)(models[i]))
		}
		return models
	}
	return nil
}
