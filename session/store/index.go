package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
)

// A session of more than indexedBytes has its index beside it, so that it is
// not read through at each start. The index can be deleted at any time; it is
// used only if it fits what is in the file.
const (
	indexedBytes = 8 << 20
	indexMagic   = "tau session index 1\n"
	tailBytes    = 4096 // of the file, which the index must agree with
)

var errIndex = errors.New("the index does not fit")

// IndexPath returns where the index of a session file is, if it has one.
func IndexPath(session string) string {
	return filepath.Join(filepath.Dir(session), "."+filepath.Base(session)+".index")
}

// tailHash is a hash of the end of the first size bytes of the file.
func tailHash(f io.ReaderAt, size int64) (uint64, error) {
	b := make([]byte, min(size, tailBytes))
	if _, err := f.ReadAt(b, size-int64(len(b))); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write(b) // a hash takes everything
	return h.Sum64(), nil
}

// saveIndexLocked writes the index of a large file without damage, unless there
// is one that is nearly as good. That it cannot be written does not matter.
func (s *Store) saveIndexLocked() {
	if s.end < indexedBytes || s.end-s.indexed < indexedBytes/4 && s.indexed > 0 || s.newline || s.rewrite || len(s.problems) > 0 || len(s.waiting) > 0 {
		return
	}
	f := s.readerLocked()
	if f == nil {
		return
	}
	sum, err := tailHash(f, s.end)
	if err != nil {
		return
	}
	path := IndexPath(s.path)
	tmp := path + ".new"
	if os.WriteFile(tmp, s.encodeIndex(sum), 0o600) != nil || os.Rename(tmp, path) != nil {
		_ = os.Remove(tmp)
		return
	}
	s.indexed = s.end
}

func (s *Store) encodeIndex(sum uint64) []byte {
	b := make([]byte, 0, 64+len(s.nodes)*20)
	str := func(t string) { b = append(binary.AppendUvarint(b, uint64(len(t))), t...) }
	b = append(b, indexMagic...)
	b = binary.AppendUvarint(b, uint64(s.end))
	b = binary.LittleEndian.AppendUint64(b, sum)
	str(s.name)
	b = binary.AppendUvarint(b, uint64(len(s.labels)))
	for id, label := range s.labels {
		str(id)
		str(label)
	}
	types := map[string]uint64{}
	b = binary.AppendUvarint(b, uint64(len(s.nodes)))
	var at int64
	for i, n := range s.nodes {
		str(n.id)
		t, ok := types[n.typ]
		if !ok {
			t = uint64(len(types))
			types[n.typ] = t
		}
		b = binary.AppendUvarint(b, t)
		if !ok {
			str(n.typ)
		}
		b = append(b, byte(n.role))
		b = binary.AppendVarint(b, int64(i)-int64(n.parent))
		b = binary.AppendVarint(b, n.off-at)
		b = binary.AppendUvarint(b, uint64(n.size))
		at = n.off + int64(n.size)
	}
	return b
}

// loadIndex fills the store from the index, and returns how much of the file it
// covers; 0 if there is none that fits.
func (s *Store) loadIndex(f io.ReaderAt, start, size int64) int64 {
	if size < indexedBytes {
		return 0
	}
	b, err := os.ReadFile(IndexPath(s.path))
	if err != nil {
		return 0
	}
	end, err := s.decodeIndex(b, f, start, size)
	if err != nil {
		s.nodes, s.byID, s.labels, s.name = nil, map[string]int32{}, map[string]string{}, ""
		return 0
	}
	s.indexed = end
	return end
}

// indexReader reads the parts of an index. The texts it returns share its
// memory: one allocation for all ids. After an error all parts are zero.
type indexReader struct {
	b   string
	err error
}

func (r *indexReader) fail() {
	r.b, r.err = "", errIndex
}

func (r *indexReader) uint() (v uint64) {
	for i := 0; i < len(r.b) && i < binary.MaxVarintLen64; i++ {
		c := r.b[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.fail()
	return 0
}

func (r *indexReader) int() int64 {
	u := r.uint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *indexReader) bytes(n uint64) string {
	if n > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *indexReader) str() string { return r.bytes(r.uint()) }

func (s *Store) decodeIndex(b []byte, f io.ReaderAt, start, size int64) (int64, error) {
	if !bytes.HasPrefix(b, []byte(indexMagic)) {
		return 0, errIndex
	}
	r := &indexReader{b: string(b[len(indexMagic):])}
	end := int64(r.uint())
	sum := r.bytes(8)
	if r.err != nil || end < start || end > size {
		return 0, errIndex
	}
	if have, err := tailHash(f, end); err != nil || have != binary.LittleEndian.Uint64([]byte(sum)) {
		return 0, errIndex
	}
	s.name = r.str()
	for n := r.uint(); n > 0 && r.err == nil; n-- {
		id := r.str()
		s.labels[id] = r.str()
	}
	count := r.uint()
	if r.err != nil || count > uint64(len(r.b)) {
		return 0, errIndex
	}
	s.nodes = make([]node, 0, count+count/8)
	s.byID = make(map[string]int32, count)
	var types []string
	var at int64
	for i := range int64(count) {
		n := node{id: r.str()}
		t := r.uint()
		if t == uint64(len(types)) {
			types = append(types, r.str())
		}
		if t >= uint64(len(types)) {
			return 0, errIndex
		}
		n.typ = types[t]
		if b := r.bytes(1); len(b) == 1 {
			n.role = role(b[0])
		}
		parent := i - r.int()
		n.off = at + r.int()
		length := r.uint()
		if r.err != nil || parent < noParent || parent >= int64(count) || n.off < 0 || length > maxLine || n.off+int64(length) > end {
			return 0, errIndex
		}
		n.parent, n.size = int32(parent), int32(length)
		at = n.off + int64(length)
		s.byID[n.id] = int32(i)
		s.nodes = append(s.nodes, n)
	}
	if r.err != nil || len(r.b) > 0 {
		return 0, errIndex
	}
	return end, nil
}
