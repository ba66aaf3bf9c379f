package compaction

import (
	"tau/ai"
	"tau/session/settings"
)

// Defaults of the limits, in tokens.
const (
	DefaultReserve    = 16384
	DefaultKeepRecent = 20000
)

// Override replaces limits for one model; zero fields replace nothing.
type Override struct {
	ReserveTokens    int64
	KeepRecentTokens int64
}

// Settings say when and how far conversations are compacted. The zero value is
// automatic compaction with the defaults.
type Settings struct {
	// Disabled turns automatic compaction off; it can still be asked for.
	Disabled bool
	// ReserveTokens is the part of the window that is kept free for answers.
	ReserveTokens int64
	// KeepRecentTokens is how much of the end of the conversation is kept as it
	// is.
	KeepRecentTokens int64
	// Overrides are by "provider/model".
	Overrides map[string]Override
}

// FromSettings returns what the settings file says.
func FromSettings(c settings.Compaction) Settings {
	s := Settings{
		Disabled:         !settings.Or(c.Enabled, true),
		ReserveTokens:    settings.Or(c.ReserveTokens, 0),
		KeepRecentTokens: settings.Or(c.KeepRecentTokens, 0),
		Overrides:        map[string]Override{},
	}
	for ref, o := range c.ModelOverrides {
		s.Overrides[ref] = Override{settings.Or(o.ReserveTokens, 0), settings.Or(o.KeepRecentTokens, 0)}
	}
	return s
}

// Limits are the settings as they hold for one model.
type Limits struct {
	Window     int64 // tokens; 0 if it is not known
	Reserve    int64
	KeepRecent int64
}

// For returns the limits for a model. The reserve is at most half of the window,
// so that small windows are of use at all.
func (s Settings) For(m *ai.Model) Limits {
	l := Limits{Window: m.ContextWindow, Reserve: s.ReserveTokens, KeepRecent: s.KeepRecentTokens}
	if o, ok := s.Overrides[m.Ref()]; ok {
		if o.ReserveTokens > 0 {
			l.Reserve = o.ReserveTokens
		}
		if o.KeepRecentTokens > 0 {
			l.KeepRecent = o.KeepRecentTokens
		}
	}
	if l.Reserve <= 0 {
		l.Reserve = DefaultReserve
	}
	if l.KeepRecent <= 0 {
		l.KeepRecent = DefaultKeepRecent
	}
	if l.Window > 0 {
		l.Reserve = min(l.Reserve, l.Window/2)
	}
	return l
}

// Exceeded reports whether a context of that many tokens should be compacted
// before it is sent again.
func (l Limits) Exceeded(tokens int64) bool { return l.Window > 0 && tokens > l.Window-l.Reserve }
