package components

// killRing keeps what was cut, newest last.
type killRing struct{ entries []string }

const killRingMax = 60

// add stores a cut. With join it grows the newest entry instead, at its front
// for cuts to the left.
func (k *killRing) add(s string, toLeft, join bool) {
	if s == "" {
		return
	}
	if n := len(k.entries); join && n > 0 {
		if toLeft {
			k.entries[n-1] = s + k.entries[n-1]
		} else {
			k.entries[n-1] += s
		}
		return
	}
	k.entries = append(k.entries, s)
	if len(k.entries) > killRingMax {
		k.entries = append([]string(nil), k.entries[1:]...)
	}
}

func (k *killRing) top() string {
	if len(k.entries) == 0 {
		return ""
	}
	return k.entries[len(k.entries)-1]
}

// rotate brings the entry before the newest to the top.
func (k *killRing) rotate() {
	if n := len(k.entries); n > 1 {
		last := k.entries[n-1]
		copy(k.entries[1:], k.entries[:n-1])
		k.entries[0] = last
	}
}
