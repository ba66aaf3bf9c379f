package ai

import "encoding/json"

// inputLimits are what a provider refuses to take more of, see
// [Model.InputLimits]. 0 is no limit.
type inputLimits struct {
	MaxRequestBytes int `json:"maxRequestBytes"`
	Images          struct {
		MaxPerMessage int `json:"maxPerMessage"`
		MaxPerRequest int `json:"maxPerRequest"`
	} `json:"images"`
}

// leftOut is put in the place of an image that is over a limit.
const leftOut = "(image left out: the provider takes no more; the newer ones are kept)"

// picture is the place of an image in a conversation.
type picture struct {
	message, block int
	size           int // bytes in the request
	turn           int // results of one batch, and what the user says after them, are one message to most providers
}

// limitImages leaves out the oldest images of a replayed conversation that are
// more than the model's provider takes: in one message, in one request, or
// together with the texts in so many bytes. They are left out in groups, so
// that a conversation which goes on keeps its beginning for a while.
func limitImages(model *Model, msgs []Message) []Message {
	var limits inputLimits
	if len(model.InputLimits) == 0 || json.Unmarshal(model.InputLimits, &limits) != nil {
		return msgs
	}
	pictures := findPictures(msgs)
	if len(pictures) == 0 {
		return msgs
	}
	drop := map[*picture]bool{}
	if most := limits.Images.MaxPerMessage; most > 0 {
		inTurn := map[int]int{}
		for i := len(pictures) - 1; i >= 0; i-- {
			p := &pictures[i]
			if inTurn[p.turn]++; inTurn[p.turn] > most {
				drop[p] = true
			}
		}
	}
	var kept []*picture
	bytes := 0
	for i := range pictures {
		if !drop[&pictures[i]] {
			kept = append(kept, &pictures[i])
			bytes += pictures[i].size
		}
	}
	most, room := limits.Images.MaxPerRequest, limits.MaxRequestBytes/4*3 // the rest is for texts
	group := max(most/4, 4)
	for len(kept) > 0 && (most > 0 && len(kept) > most || room > 0 && bytes > room) {
		n := min(group, len(kept))
		for _, p := range kept[:n] {
			drop[p] = true
			bytes -= p.size
		}
		kept = kept[n:]
	}
	if len(drop) == 0 {
		return msgs
	}
	return withoutPictures(msgs, drop)
}

func findPictures(msgs []Message) []picture {
	var found []picture
	turn := 0
	for i, m := range msgs {
		var content []Block
		switch m := m.(type) {
		case *UserMessage:
			content = m.Content
		case *ToolResultMessage:
			content = m.Content
		case *AssistantMessage:
			turn++
		}
		for j, b := range content {
			if b, ok := b.(*Image); ok {
				found = append(found, picture{i, j, len(b.Data), turn})
			}
		}
	}
	return found
}

func withoutPictures(msgs []Message, drop map[*picture]bool) []Message {
	out := append([]Message(nil), msgs...)
	without := func(content []Block, block int) []Block {
		content = append([]Block(nil), content...)
		content[block] = &Text{Text: leftOut}
		return content
	}
	for p := range drop {
		switch m := out[p.message].(type) {
		case *UserMessage:
			c := *m
			c.Content, c.Plain = without(m.Content, p.block), false
			out[p.message] = &c
		case *ToolResultMessage:
			c := *m
			c.Content = without(m.Content, p.block)
			out[p.message] = &c
		}
	}
	return out
}
