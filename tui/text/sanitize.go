package text

import (
	"strings"
	"unicode/utf8"
)

// Sanitize makes foreign text safe to draw. What remains is printable
// characters, tabs, LF, SGR sequences, and OSC 8 links to http, https, file and
// mailto addresses. CRLF and lone CR become LF. All other sequences go away
// whole; bytes that are not UTF-8 become U+FFFD. Characters that reorder text
// (bidi embeddings, overrides, isolates) are dropped, since they make a line
// show what it does not say.
func Sanitize(s string) string {
	if clean(s) {
		return s
	}
	var z Sanitizer
	out := z.Append(make([]byte, 0, len(s)), s)
	return string(z.Flush(out))
}

// clean reports whether s is printable ASCII, tabs and LF only.
func clean(s string) bool {
	for len(s) > 0 {
		n := asciiRun(s)
		if n == len(s) {
			return true
		}
		if s[n] != '\n' && s[n] != '\t' {
			return false
		}
		s = s[n+1:]
	}
	return true
}

// A Sanitizer is [Sanitize] for text that comes in pieces: sequences and
// characters cut between two pieces are handled as one. The zero value is
// ready. It holds at most a few KiB.
type Sanitizer struct {
	state scanState
	held  []byte // the sequence or character begun so far
	long  bool   // held has reached its limit; the rest is dropped
	cr    bool
}

type scanState uint8

const (
	ground    scanState = iota
	esc                 // after ESC
	escInter            // after ESC and an intermediate byte
	csi                 // in a control sequence
	str                 // in a string sequence
	strEsc              // in a string sequence, after ESC
	continued           // in a UTF-8 character
)

const maxHeld = 8 << 10

// Append appends the safe form of p to dst.
func (z *Sanitizer) Append(dst []byte, p string) []byte {
	for i := 0; i < len(p); i++ {
		if z.state == ground && !z.cr {
			if n := asciiRun(p[i:]); n > 0 {
				dst = append(dst, p[i:i+n]...)
				i += n
				if i == len(p) {
					break
				}
			}
		}
		dst = z.step(dst, p[i])
	}
	return dst
}

// Flush ends the text: what is incomplete is dropped, except that a cut
// character becomes U+FFFD and a final CR becomes LF.
func (z *Sanitizer) Flush(dst []byte) []byte {
	if z.cr {
		dst = append(dst, '\n')
	}
	if z.state == continued {
		dst = append(dst, "\uFFFD"...)
	}
	*z = Sanitizer{held: z.held[:0]}
	return dst
}

func (z *Sanitizer) hold(c byte) {
	if len(z.held) >= maxHeld {
		z.long = true
		return
	}
	z.held = append(z.held, c)
}

func (z *Sanitizer) begin(s scanState, intro string) {
	z.state, z.long = s, false
	z.held = append(z.held[:0], intro...)
}

func (z *Sanitizer) step(dst []byte, c byte) []byte {
	switch z.state {
	case esc:
		switch {
		case c == '[':
			z.begin(csi, "\x1b[")
		case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
			z.begin(str, "\x1b"+string(rune(c)))
		case c >= 0x20 && c <= 0x2f:
			z.state = escInter
		case c >= 0x30 && c <= 0x7e:
			z.state = ground
		default:
			z.state = ground
			return z.step(dst, c)
		}
		return dst
	case escInter:
		if c >= 0x20 && c <= 0x2f {
			return dst
		}
		z.state = ground
		if c < 0x30 || c > 0x7e {
			return z.step(dst, c)
		}
		return dst
	case csi:
		switch {
		case c >= 0x20 && c <= 0x3f:
			z.hold(c)
		case c >= 0x40 && c <= 0x7e:
			z.state = ground
			if c == 'm' && !z.long && plainParams(z.held[2:]) {
				dst = append(append(dst, z.held...), 'm')
			}
		default:
			z.state = ground
			return z.step(dst, c)
		}
		return dst
	case str:
		switch c {
		case 0x07:
			return z.endString(dst, "\x07")
		case 0x1b:
			z.state = strEsc
		case '\n', '\r', 0x18, 0x1a:
			// Nobody ends a line inside a string sequence: this one was
			// never meant as such, and must not swallow the rest.
			z.state = ground
			return z.step(dst, c)
		default:
			z.hold(c)
		}
		return dst
	case strEsc:
		if c == '\\' {
			return z.endString(dst, "\x1b\\")
		}
		z.state = esc
		return z.step(dst, c)
	case continued:
		if c&0xc0 != 0x80 {
			z.state = ground
			dst = append(dst, "\uFFFD"...)
			return z.step(dst, c)
		}
		z.held = append(z.held, c)
		if utf8.FullRune(z.held) {
			z.state = ground
			return z.char(dst)
		}
		return dst
	}
	// ground
	if z.cr {
		z.cr = false
		dst = append(dst, '\n')
		if c == '\n' {
			return dst
		}
	}
	switch {
	case c >= 0x20 && c < 0x7f, c == '\n', c == '\t':
		dst = append(dst, c)
	case c == '\r':
		z.cr = true
	case c == 0x1b:
		z.state = esc
	case c >= 0x80:
		z.held = append(z.held[:0], c)
		if utf8.FullRune(z.held) { // not the start of a character
			return append(dst, "\uFFFD"...)
		}
		z.state = continued
	}
	return dst
}

// char takes the complete character in held.
func (z *Sanitizer) char(dst []byte) []byte {
	r, size := utf8.DecodeRune(z.held)
	if r == utf8.RuneError && size == 1 {
		// Bytes that looked like a character but are none.
		return append(dst, "\uFFFD"...)
	}
	switch {
	case r >= 0x80 && r < 0xa0:
		switch r { // C1 in its two-byte form
		case 0x9b:
			z.begin(csi, "\x1b[")
		case 0x9d, 0x90, 0x98, 0x9e, 0x9f:
			z.begin(str, "\x1b?") // never allowed through
		}
		return dst
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return dst
	case r == 0x2028, r == 0x2029:
		return append(dst, '\n')
	case r >= pictureBase:
		return append(dst, "\uFFFD"...) // foreign text has no pictures
	}
	return append(dst, z.held...)
}

func (z *Sanitizer) endString(dst []byte, terminator string) []byte {
	z.state = ground
	if z.long || !safeLink(z.held) {
		return dst
	}
	return append(append(dst, z.held...), terminator...)
}

func plainParams(p []byte) bool {
	for _, c := range p {
		if (c < '0' || c > '9') && c != ';' && c != ':' {
			return false
		}
	}
	return len(p) <= 256
}

func safeLink(seq []byte) bool {
	const intro = "\x1b]8;"
	s := string(seq)
	if !strings.HasPrefix(s, intro) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	_, url, ok := strings.Cut(s[len(intro):], ";")
	if !ok || len(url) > 4096 {
		return false
	}
	return url == "" || SafeURL(url)
}

// SafeURL reports whether url may become a link: its scheme is http, https,
// file or mailto and it holds printable ASCII only.
func SafeURL(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok {
		return false
	}
	for i := 0; i < len(url); i++ {
		if url[i] <= 0x20 || url[i] >= 0x7f {
			return false
		}
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "file", "mailto":
		return true
	}
	return false
}

// Link returns label as an OSC 8 link to url, or label alone if url may not
// become a link (see [SafeURL]).
func Link(label, url string) string {
	if label == "" || !SafeURL(url) {
		return label
	}
	return "\x1b]8;;" + url + "\x1b\\" + label + "\x1b]8;;\x1b\\"
}

// CollapseCR applies carriage returns the way a progress bar means them: of
// each line only what was written after its last lone CR remains, unless that
// is empty. Call it before [Sanitize].
func CollapseCR(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		line, rest, more := strings.Cut(s, "\n")
		line = strings.TrimRight(line, "\r")
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:]
		}
		b.WriteString(line)
		if !more {
			return b.String()
		}
		b.WriteByte('\n')
		s = rest
	}
}
