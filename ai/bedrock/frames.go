package bedrock

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The framing of AWS's event streams (application/vnd.amazon.eventstream):
//
//	4 bytes  length of the whole frame
//	4 bytes  length of the headers
//	4 bytes  CRC-32 of the eight bytes before
//	headers  each: 1 byte length, name, 1 byte type, value by its type
//	payload
//	4 bytes  CRC-32 of all before
//
// All numbers are big-endian. AWS's own decoder reads the same; this one reads
// each frame into one buffer that it keeps, which is an order of magnitude less
// work for the many small frames of an answer.

// maxFrame is the size at which a frame is refused. AWS sends at most 24 MiB.
const maxFrame = 64 << 20

// damage is a frame that is not what was sent.
type damage struct{ what string }

func (d *damage) Error() string { return "event stream: " + d.what }

func isDamage(err error) bool {
	var d *damage
	return errors.As(err, &d)
}

// frame is one message. Its slices are valid until the next call of next.
type frame struct {
	message   string // :message-type, "event", "exception" or "error"
	event     string // :event-type
	exception string // :exception-type or :error-code
	words     string // :error-message
	payload   []byte
}

type frames struct {
	src *bufio.Reader
	buf []byte
}

func newFrames(src io.Reader) *frames { return &frames{src: bufio.NewReaderSize(src, 32<<10)} }

// next returns the next frame. It returns io.EOF at the end of the stream and
// io.ErrUnexpectedEOF if that is within a frame.
func (f *frames) next() (frame, error) {
	const prelude = 12
	if cap(f.buf) < prelude {
		f.buf = make([]byte, prelude, 4<<10)
	}
	head := f.buf[:prelude]
	if _, err := io.ReadFull(f.src, head); err != nil {
		return frame{}, err
	}
	size, headers := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
	if crc32.ChecksumIEEE(head[:8]) != binary.BigEndian.Uint32(head[8:]) {
		return frame{}, &damage{"the checksum of a frame's lengths is wrong"}
	}
	if size > maxFrame {
		return frame{}, &damage{fmt.Sprintf("a frame of %d bytes is larger than the limit of %d", size, maxFrame)}
	}
	if uint64(size) < uint64(headers)+prelude+4 {
		return frame{}, &damage{"the lengths of a frame contradict each other"}
	}
	if cap(f.buf) < int(size) {
		f.buf = append(make([]byte, 0, max(size, 4<<10)), head...)
	}
	f.buf = f.buf[:size]
	if _, err := io.ReadFull(f.src, f.buf[prelude:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	end := size - 4
	if crc32.ChecksumIEEE(f.buf[:end]) != binary.BigEndian.Uint32(f.buf[end:]) {
		return frame{}, &damage{"the checksum of a frame is wrong"}
	}
	fr := frame{payload: f.buf[prelude+headers : end]}
	if !fr.headers(f.buf[prelude : prelude+headers]) {
		return frame{}, &damage{"the headers of a frame cannot be read"}
	}
	return fr, nil
}

// headers takes over the headers that matter and skips the others.
func (f *frame) headers(data []byte) bool {
	for len(data) > 0 {
		n := int(data[0])
		if len(data) < n+2 {
			return false
		}
		name, kind := data[1:1+n], data[1+n]
		data = data[n+2:]
		var size int
		switch kind {
		case 0, 1: // true, false
		case 2: // byte
			size = 1
		case 3: // short
			size = 2
		case 4: // integer
			size = 4
		case 5, 8: // long, time
			size = 8
		case 6, 7: // bytes, string
			if len(data) < 2 {
				return false
			}
			size = int(binary.BigEndian.Uint16(data))
			data = data[2:]
		case 9: // uuid
			size = 16
		default:
			return false
		}
		if len(data) < size {
			return false
		}
		if kind == 7 {
			f.header(name, data[:size])
		}
		data = data[size:]
	}
	return true
}

func (f *frame) header(name, value []byte) {
	switch string(name) {
	case ":message-type":
		f.message = known(value)
	case ":event-type":
		f.event = known(value)
	case ":exception-type", ":error-code":
		f.exception = string(value)
	case ":error-message":
		f.words = string(value)
	}
}

// known returns value as a string, without a copy of the commonest ones.
func known(value []byte) string {
	switch string(value) {
	case "event":
		return "event"
	case "contentBlockDelta":
		return "contentBlockDelta"
	}
	return string(value)
}
