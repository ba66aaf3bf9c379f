package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"tau/ai"
	"tau/session"
	"tau/session/store"
)

// draft is an entry that a handler wants to be stored.
type draft struct {
	Type       string          `json:"type"`
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data"`
	Content    json.RawMessage `json:"content"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details"`
	TargetID   string          `json:"targetId"`
	Replace    json.RawMessage `json:"replacement"`
	Summary    string          `json:"summary"`
	FirstKept  string          `json:"firstKeptEntryId"`
	Usage      *ai.Usage       `json:"usage"`
}

func (d draft) entry() (store.Entry, error) {
	switch d.Type {
	case "custom":
		return &store.CustomEntry{CustomType: d.CustomType, Data: d.Data}, nil
	case "custom_message":
		return &store.CustomMessageEntry{CustomType: d.CustomType, Content: d.Content, Display: d.Display, Details: d.Details}, nil
	case "context_edit":
		if d.Replace == nil {
			d.Replace = json.RawMessage("null")
		}
		return &store.ContextEditEntry{TargetID: d.TargetID, Replacement: d.Replace}, nil
	case "compaction":
		return &store.CompactionEntry{Summary: d.Summary, FirstKeptEntryID: d.FirstKept, Details: d.Details, Usage: d.Usage, FromHook: true}, nil
	}
	return nil, fmt.Errorf("an entry of type %q cannot be appended here", d.Type)
}

type boundaryEvent struct {
	Type      string     `json:"type"`
	TurnIndex *int       `json:"turnIndex,omitempty"`
	Message   ai.Message `json:"message,omitempty"`
	Results   any        `json:"toolResults,omitempty"`
	EntryID   string     `json:"messageEntryId,omitempty"`
	ResultIDs *[]string  `json:"toolResultEntryIds,omitempty"`
	Entries   []draft    `json:"entries"`
	Continue  bool       `json:"continue"`
	Context   any        `json:"context"`
	Outcome   string     `json:"outcome"`
}

func (r *Runner) boundary(ctx context.Context, event string, in session.Boundary) session.BoundaryChange {
	ev := boundaryEvent{Type: event, Entries: []draft{}, Continue: in.Continue, Outcome: in.Outcome}
	if event == "turn_end" {
		results, ids := any(in.Results), in.ResultEntryIDs
		if in.Results == nil {
			results = []int{}
		}
		if ids == nil {
			ids = []string{}
		}
		ev.TurnIndex, ev.Message, ev.Results, ev.EntryID, ev.ResultIDs = &in.Turn, in.Message, results, in.MessageEntryID, &ids
	}
	can := len(in.ContextMessages) > 0 && in.ContextMessages[len(in.ContextMessages)-1].MessageRole() != ai.RoleAssistant
	msgs := in.ContextMessages
	if msgs == nil {
		msgs = []ai.Message{}
	}
	ev.Context = map[string]any{"contextEntries": []int{}, "contextMessages": msgs, "llmMessages": msgs, "pendingMessages": []int{}, "canContinue": can}
	var change session.BoundaryChange
	r.emit(ctx, event, ev, func(raw json.RawMessage, err error) bool {
		var a struct {
			Entries  []draft `json:"entries"`
			Continue *bool   `json:"continue"`
		}
		if err != nil || json.Unmarshal(raw, &a) != nil {
			return true
		}
		for _, d := range a.Entries {
			e, err := d.entry()
			if err != nil {
				r.o.OnError(Failure{Event: event, Err: err.Error()})
				continue
			}
			change.Entries = append(change.Entries, e)
		}
		if a.Continue != nil {
			change.Continue = *a.Continue
		}
		return true
	})
	return change
}

// TurnEnd implements session.Hooks.
func (r *Runner) TurnEnd(ctx context.Context, in session.Boundary) session.BoundaryChange {
	return r.boundary(ctx, "turn_end", in)
}

// BeforeSettle implements session.Hooks.
func (r *Runner) BeforeSettle(ctx context.Context, in session.Boundary) session.BoundaryChange {
	return r.boundary(ctx, "agent_before_settle", in)
}

// Settled implements session.Hooks. What handlers send goes out when all of
// them are done.
func (r *Runner) Settled(aborted bool) (after func()) {
	r.mu.Lock()
	r.settling = true
	r.mu.Unlock()
	r.emit(context.Background(), "agent_settled", map[string]any{"type": "agent_settled", "aborted": aborted}, nil)
	return func() {
		r.mu.Lock()
		todo := r.deferred
		r.settling, r.deferred = false, nil
		r.mu.Unlock()
		for _, do := range todo {
			do()
		}
	}
}

// whenSettled does something now, or after the handlers of agent_settled.
func (r *Runner) whenSettled(do func()) {
	r.mu.Lock()
	if r.settling {
		r.deferred = append(r.deferred, do)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	do()
}

// Request implements session.Hooks.
func (r *Runner) Request(ctx context.Context, m *ai.Model, o *ai.Options) {
	if r.Wants("before_provider_request") {
		before := o.OnPayload
		o.OnPayload = func(body []byte) []byte {
			if before != nil {
				if changed := before(body); changed != nil {
					body = changed
				}
			}
			return r.payload(ctx, body)
		}
	}
	if r.Wants("before_provider_headers") {
		o.OnHeader = func(h http.Header) { r.headers(ctx, h) }
	}
	if r.Wants("after_provider_response") {
		before := o.OnResponse
		o.OnResponse = func(status int, h http.Header) {
			if before != nil {
				before(status, h)
			}
			flat := map[string]string{}
			for name := range h {
				flat[lower(name)] = h.Get(name)
			}
			r.emit(ctx, "after_provider_response", map[string]any{"type": "after_provider_response", "status": status, "headers": flat}, nil)
		}
	}
	if r.Wants("provider_stream_event") {
		o.OnStreamEvent = func(data []byte) {
			if !json.Valid(data) {
				return // such as [DONE]
			}
			r.emit(ctx, "provider_stream_event", map[string]any{
				"type": "provider_stream_event", "provider": m.Provider, "api": m.API, "model": m.ID, "data": json.RawMessage(data),
			}, nil)
		}
	}
}

func (r *Runner) payload(ctx context.Context, body []byte) []byte {
	var changed []byte
	for _, s := range (*r.subs.Load())["before_provider_request"] {
		raw, err := json.Marshal(map[string]any{"type": "before_provider_request", "payload": json.RawMessage(body)})
		if err != nil {
			return changed // not JSON
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{"before_provider_request", s.handler, raw})
		var a eventAnswer
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, "before_provider_request", err)
			}
			continue
		}
		if len(a.Result) > 0 && string(a.Result) != "null" {
			body, changed = a.Result, a.Result
		}
	}
	return changed
}

func (r *Runner) headers(ctx context.Context, h http.Header) {
	flat := map[string]*string{}
	for name := range h {
		if v := h.Get(name); v != "" {
			flat[name] = &v
		}
	}
	raw := r.emit(ctx, "before_provider_headers", map[string]any{"type": "before_provider_headers", "headers": flat}, nil)
	var after struct {
		Headers map[string]*string `json:"headers"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &after) != nil {
		return
	}
	for name, v := range after.Headers {
		if v == nil {
			h.Del(name)
		} else if old := flat[name]; old == nil || *old != *v {
			h.Set(name, *v)
		}
	}
}

// summary is a summary that a handler made.
type summary struct {
	Summary   string          `json:"summary"`
	FirstKept string          `json:"firstKeptEntryId"`
	Details   json.RawMessage `json:"details"`
	Usage     *ai.Usage       `json:"usage"`
}

func (s *summary) hook() *session.HookSummary {
	return &session.HookSummary{Text: s.Summary, FirstKept: s.FirstKept, Details: s.Details, Usage: s.Usage}
}

// BeforeCompact implements session.Hooks.
func (r *Runner) BeforeCompact(ctx context.Context, in session.Compacting) session.CompactChange {
	plan := in.Plan
	ops := func(list []string) []string {
		if list == nil {
			return []string{}
		}
		return list
	}
	none := func(list []ai.Message) []ai.Message {
		if list == nil {
			return []ai.Message{}
		}
		return list
	}
	prep := map[string]any{
		"firstKeptEntryId": plan.FirstKept, "messagesToSummarize": none(plan.History), "turnPrefixMessages": none(plan.Prefix),
		"isSplitTurn": len(plan.Prefix) > 0, "tokensBefore": in.TokensBefore,
		"fileOps":  map[string]any{"read": ops(plan.Files.Read), "edited": ops(plan.Files.Modified), "written": []string{}},
		"settings": map[string]any{"enabled": !in.Settings.Disabled, "reserveTokens": in.Settings.ReserveTokens, "keepRecentTokens": in.Settings.KeepRecentTokens},
	}
	if plan.Previous != "" {
		prep["previousSummary"] = plan.Previous
	}
	ev := map[string]any{
		"type": "session_before_compact", "preparation": prep, "branchEntries": r.branch(""), "reason": in.Reason, "willRetry": in.WillRetry,
	}
	if in.Instructions != "" {
		ev["customInstructions"] = in.Instructions
	}
	var change session.CompactChange
	r.emit(ctx, "session_before_compact", ev, func(raw json.RawMessage, err error) bool {
		var a struct {
			Cancel     bool     `json:"cancel"`
			Compaction *summary `json:"compaction"`
		}
		if err != nil || json.Unmarshal(raw, &a) != nil {
			return true
		}
		if a.Cancel {
			change.Cancel = true
			return false
		}
		if a.Compaction != nil {
			change.Summary = a.Compaction.hook()
		}
		return true
	})
	return change
}

// Compacted implements session.Hooks.
func (r *Runner) Compacted(ctx context.Context, e *store.CompactionEntry, reason session.CompactionReason, willRetry bool) {
	entry, err := store.EncodeEntry(e)
	if err != nil {
		return
	}
	r.emit(ctx, "session_compact", map[string]any{
		"type": "session_compact", "compactionEntry": entry, "fromExtension": e.FromHook, "reason": reason, "willRetry": willRetry,
	}, nil)
}

// CompactFailed implements session.Hooks.
func (r *Runner) CompactFailed(ctx context.Context, c session.Compaction, fromHook bool) {
	ev := map[string]any{"type": "session_compact_failed", "reason": c.Reason, "aborted": c.Aborted, "willRetry": c.WillRetry, "fromExtension": fromHook}
	if c.Error != "" {
		ev["errorMessage"] = c.Error
	}
	r.emit(context.WithoutCancel(ctx), "session_compact_failed", ev, nil)
}

// BeforeTree implements session.Hooks.
func (r *Runner) BeforeTree(ctx context.Context, in session.Leaving) session.LeavingChange {
	entries := []json.RawMessage{}
	for _, id := range in.Entries {
		if line := r.entry(id); line != nil {
			entries = append(entries, line)
		}
	}
	prep := map[string]any{
		"targetId": in.Target, "oldLeafId": orNull(in.OldLeaf), "commonAncestorId": orNull(in.Common), "entriesToSummarize": entries,
		"userWantsSummary": in.Options.Summarize,
	}
	if in.Options.Instructions != "" {
		prep["customInstructions"] = in.Options.Instructions
	}
	if in.Options.Label != "" {
		prep["label"] = in.Options.Label
	}
	var change session.LeavingChange
	r.emit(ctx, "session_before_tree", map[string]any{"type": "session_before_tree", "preparation": prep}, func(raw json.RawMessage, err error) bool {
		var a struct {
			Cancel       bool     `json:"cancel"`
			Summary      *summary `json:"summary"`
			Instructions *string  `json:"customInstructions"`
			Label        *string  `json:"label"`
		}
		if err != nil || json.Unmarshal(raw, &a) != nil {
			return true
		}
		if a.Cancel {
			change.Cancel = true
			return false
		}
		if a.Summary != nil {
			change.Summary = a.Summary.hook()
		}
		if a.Instructions != nil {
			change.Instructions = a.Instructions
		}
		if a.Label != nil {
			change.Label = a.Label
		}
		return true
	})
	return change
}

// Tree implements session.Hooks.
func (r *Runner) Tree(ctx context.Context, newLeaf, oldLeaf string, sum *store.BranchSummaryEntry) {
	ev := map[string]any{"type": "session_tree", "newLeafId": orNull(newLeaf), "oldLeafId": orNull(oldLeaf)}
	if sum != nil {
		if entry, err := store.EncodeEntry(sum); err == nil {
			ev["summaryEntry"], ev["fromExtension"] = entry, sum.FromHook
		}
	}
	r.emit(ctx, "session_tree", ev, nil)
}

// Shell implements session.Hooks. A handler that fails refuses the command.
func (r *Runner) Shell(ctx context.Context, command string, exclude bool, delta func(string)) (*session.ShellResult, error) {
	ev := map[string]any{"type": "user_bash", "command": command, "excludeFromContext": exclude, "cwd": r.o.CWD}
	for _, s := range (*r.subs.Load())["user_bash"] {
		raw, err := json.Marshal(ev)
		if err != nil {
			return nil, err
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{"user_bash", s.handler, raw})
		var a eventAnswer
		var result struct {
			Operations int `json:"operations"` // names operations of the extension; 0: none
			Result     *struct {
				Output         string `json:"output"`
				ExitCode       *int   `json:"exitCode"`
				Cancelled      bool   `json:"cancelled"`
				Truncated      bool   `json:"truncated"`
				FullOutputPath string `json:"fullOutputPath"`
			} `json:"result"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &result)
		}
		if err != nil {
			r.report(s.ext, "user_bash", err)
			return nil, fmt.Errorf("an extension refused the command: %w", err)
		}
		if x := result.Result; x != nil {
			if x.Output != "" {
				delta(x.Output)
			}
			return &session.ShellResult{Output: x.Output, ExitCode: x.ExitCode, Cancelled: x.Cancelled, Truncated: x.Truncated, FullOutputPath: x.FullOutputPath}, nil
		}
		if result.Operations != 0 {
			return r.shellBy(ctx, s.ext, result.Operations, command, delta)
		}
	}
	return nil, nil
}

// shellBy runs a command with operations of an extension.
func (r *Runner) shellBy(ctx context.Context, e *Extension, ops int, command string, delta func(string)) (*session.ShellResult, error) {
	id := r.listen(func(raw json.RawMessage) {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			delta(text)
		}
	})
	defer r.unlisten(id)
	raw, err := e.call(ctx, 0, MethodShell, map[string]any{"operations": ops, "id": id, "command": command, "cwd": r.o.CWD})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	var x struct {
		Output   string `json:"output"`
		ExitCode *int   `json:"exitCode"`
	}
	if ctx.Err() != nil {
		return &session.ShellResult{Cancelled: true}, nil
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return nil, fmt.Errorf("read the result of the command: %w", err)
	}
	return &session.ShellResult{Output: x.Output, ExitCode: x.ExitCode}, nil
}

// Changed implements session.Hooks.
func (r *Runner) Changed(c session.Change) {
	switch {
	case c.Model != nil && r.Wants("model_select"):
		ev := map[string]any{"type": "model_select", "model": c.Model, "source": c.Source}
		if c.OldModel != nil {
			ev["previousModel"] = c.OldModel
		}
		r.later(func() { r.emit(context.Background(), "model_select", ev, nil) })
	case c.Level != "" && r.Wants("thinking_level_select"):
		ev := map[string]any{"type": "thinking_level_select", "level": c.Level, "previousLevel": c.OldLevel}
		r.later(func() { r.emit(context.Background(), "thinking_level_select", ev, nil) })
	case c.Named && r.Wants("session_info_changed"):
		ev := map[string]any{"type": "session_info_changed"}
		if c.Name != "" {
			ev["name"] = c.Name
		}
		r.later(func() { r.emit(context.Background(), "session_info_changed", ev, nil) })
	}
}
