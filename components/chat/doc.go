// Package chat draws a conversation with an agent: what the user said, what
// the model thinks and answers, and a card for each tool call.
//
// Everything is set in a column: a bar at the left edge says who speaks, text
// begins two columns in, what a line came to stands at its right end. A card
// is one line when its call is done; it opens to show more.
//
//	look := &chat.Look{Theme: th, CWD: dir}
//	u := chat.NewUser(look, "make it faster", time.Now())
//	c := chat.NewCard(look, "bash", id)
//	c.Start(time.Now()); c.Update(result); c.Finish(result, took)
//
// The components take results as the tools store them, so a conversation that
// is read from disk looks as it did when it happened. They belong to one
// goroutine, like all components.
package chat
