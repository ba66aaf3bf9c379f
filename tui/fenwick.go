package tui

// fenwick holds the heights of nodes in order. Heights that are not known yet
// count as the mean of those that are. All operations are O(log n), except
// rebuild.
type fenwick struct {
	sum   []int64 // trees, from index 1
	count []int32
	total int64
	known int
}

func (f *fenwick) len() int { return max(0, len(f.sum)-1) }

// rebuild makes the tree for n nodes; height returns -1 for unknown ones.
func (f *fenwick) rebuild(n int, height func(int) int) {
	f.sum = append(f.sum[:0], make([]int64, n+1)...)
	f.count = append(f.count[:0], make([]int32, n+1)...)
	f.total, f.known = 0, 0
	for i := 1; i <= n; i++ {
		if h := height(i - 1); h >= 0 {
			f.sum[i] += int64(h)
			f.count[i]++
			f.total += int64(h)
			f.known++
		}
		if p := i + i&-i; p <= n {
			f.sum[p] += f.sum[i]
			f.count[p] += f.count[i]
		}
	}
}

// append adds a node of unknown height.
func (f *fenwick) append() {
	if len(f.sum) == 0 {
		f.sum, f.count = append(f.sum, 0), append(f.count, 0)
	}
	i := len(f.sum)
	var s int64
	var c int32
	for j, stop := i-1, i-i&-i; j > stop; j -= j & -j {
		s += f.sum[j]
		c += f.count[j]
	}
	f.sum, f.count = append(f.sum, s), append(f.count, c)
}

// set changes the height of node i from was to now; -1 is unknown.
func (f *fenwick) set(i, was, now int) {
	var ds int64
	var dc int32
	if was >= 0 {
		ds -= int64(was)
		dc--
	}
	if now >= 0 {
		ds += int64(now)
		dc++
	}
	f.total += ds
	f.known += int(dc)
	for j := i + 1; j < len(f.sum); j += j & -j {
		f.sum[j] += ds
		f.count[j] += dc
	}
}

// mean is the height of an unknown node, in 1/256 rows.
func (f *fenwick) mean() int64 {
	if f.known == 0 {
		return 256
	}
	return f.total * 256 / int64(f.known)
}

func (f *fenwick) estimate(sum int64, count int32, n int) int64 {
	return sum + (int64(n)-int64(count))*f.mean()/256
}

// rows is the number of rows of all nodes.
func (f *fenwick) rows() int {
	return int(f.estimate(f.total, int32(f.known), f.len()))
}

// before is the number of rows above node i.
func (f *fenwick) before(i int) int {
	var s int64
	var c int32
	for j := i; j > 0; j -= j & -j {
		s += f.sum[j]
		c += f.count[j]
	}
	return int(f.estimate(s, c, i))
}

// find returns the node that covers row and the row within it.
func (f *fenwick) find(row int) (i, offset int) {
	n := f.len()
	if n == 0 {
		return 0, 0
	}
	step := 1
	for step*2 <= n {
		step *= 2
	}
	var s int64
	var c int32
	pos := 0
	for ; step > 0; step /= 2 {
		if p := pos + step; p <= n && f.estimate(s+f.sum[p], c+f.count[p], p) <= int64(row) {
			pos, s, c = p, s+f.sum[p], c+f.count[p]
		}
	}
	if pos >= n {
		return n - 1, 1 << 30
	}
	return pos, row - int(f.estimate(s, c, pos))
}
