package interactive

import (
	"slices"
	"strings"

	"tau/ai"
	"tau/session"
	"tau/tui/term"
)

// reporter tells the terminal what the agent does: working, blocked while a
// question is open, then done, error or idle until the next run. What is
// told besides is the name of the session, the title of the question or the
// first line of an error; never a prompt or an answer. When which state is told
// follows pi.
type reporter struct {
	send func(term.Status)
	name func() string // of the session

	running, compacting bool
	result              term.Status // of the run so far
	resting             term.Status // while there is no run
	blocked             []question  // open ones; the last counts
}

// question is something that waits for the user.
type question struct {
	source string
	status term.Status
}

// handle takes an event over.
func (r *reporter) handle(ev session.Event) {
	switch ev.Type {
	case "agent_start":
		r.running, r.result = true, term.Status{State: "done"}
	case "message_end":
		m, ok := ev.Agent.Message.(*ai.AssistantMessage)
		if !ok {
			return
		}
		// The last answer decides: a repetition that works makes up for an error.
		r.result = term.Status{State: "done"}
		if m.StopReason == ai.StopError {
			r.result = failure(m.ErrorMessage)
		}
	case session.CompactionStart:
		r.compacting = true
	case session.CompactionEnd:
		r.compacting = false
		c := ev.Compaction
		outcome := &r.resting
		if r.running {
			outcome = &r.result
		}
		switch {
		case c.Aborted:
			*outcome = term.Status{State: "idle"}
		case c.Error != "" && (r.running || c.Reason == session.CompactManual):
			*outcome = failure(c.Error)
		case !r.running && c.Reason == session.CompactManual:
			*outcome = term.Status{State: "done"}
		}
	case session.Settled:
		r.running = false
		r.resting = r.result
		if ev.Aborted {
			r.resting = term.Status{State: "idle"}
		}
	case session.InfoChanged:
	default:
		return
	}
	r.report()
}

func failure(message string) term.Status {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if first == "" {
		first = "Error"
	}
	return term.Status{State: "error", Message: first}
}

// block says that the program waits for the user, until unblock.
func (r *reporter) block(source, kind, message string) {
	r.blocked = append(r.without(source), question{source, term.Status{State: "blocked", Kind: kind, Message: message}})
	r.report()
}

func (r *reporter) unblock(source string) {
	r.blocked = r.without(source)
	r.report()
}

func (r *reporter) without(source string) []question {
	return slices.DeleteFunc(r.blocked, func(q question) bool { return q.source == source })
}

// reset forgets the run of a session that was left.
func (r *reporter) reset() {
	r.running, r.compacting = false, false
	r.result, r.resting = term.Status{State: "done"}, term.Status{State: "idle"}
	r.report()
}

func (r *reporter) report() {
	s := r.resting
	switch {
	case len(r.blocked) > 0:
		s = r.blocked[len(r.blocked)-1].status
	case r.compacting:
		s = term.Status{State: "working", Message: "Compacting"}
	case r.running:
		s = term.Status{State: "working", Message: r.name()}
	case s.State == "done":
		s.Message = r.name()
	}
	s.App = "tau"
	r.send(s)
}
