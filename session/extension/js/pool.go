package js

import "sync"

// pool is engines that have been started for the extensions to come.
type pool struct {
	mu     sync.Mutex
	wanted int
	spare  []*machine
}

// Ready has the engines for n extensions started beside the caller's own work,
// one after another: most of what an extension costs at start does not depend on
// its code. Load takes them. Settle is to be called when no more are wanted.
func (l *Loader) Ready(n int) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	idle := l.pool.wanted == 0
	l.pool.wanted = n
	if idle && n > 0 {
		go l.makeReady()
	}
}

// Settle ends the engines that nothing was loaded into.
func (l *Loader) Settle() {
	l.pool.mu.Lock()
	spare := l.pool.spare
	l.pool.wanted, l.pool.spare = 0, nil
	l.pool.mu.Unlock()
	for _, m := range spare {
		_ = m.Close() // it has nothing to do
	}
}

func (l *Loader) makeReady() {
	for l.pool.lacks() {
		m := newMachine(&l.modules)
		opened := make(chan struct{})
		m.post(func() {
			defer close(opened)
			_ = m.open() // start asks again
		})
		<-opened
		if !l.pool.keep(m) {
			_ = m.Close()
		}
	}
}

// lacks reports whether more engines are wanted.
func (p *pool) lacks() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.spare) < p.wanted
}

// keep takes m in unless it is not wanted any more.
func (p *pool) keep(m *machine) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.spare) >= p.wanted {
		return false
	}
	p.spare = append(p.spare, m)
	return true
}

// machine returns an engine for an extension, one that was started if there is.
func (l *Loader) machine() *machine {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if l.pool.wanted > 0 {
		l.pool.wanted--
	}
	if len(l.pool.spare) == 0 {
		return newMachine(&l.modules)
	}
	m := l.pool.spare[0]
	l.pool.spare = l.pool.spare[1:]
	return m
}
