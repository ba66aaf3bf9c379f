// Package store keeps one conversation in a file of entries that form a tree.
//
// The file is JSON lines, version 3 of the format that pi writes: a header,
// then one entry a line, each with an id and the id of its parent. Entries are
// only ever appended. The conversation is the path from the root to the leaf;
// going back to an earlier entry moves the leaf, and what is appended next
// becomes a branch.
//
//	s, err := store.Create(path, store.Header{CWD: dir})
//	id, err := s.Append(&store.MessageEntry{Message: m})
//	ctx := s.Context()      // what a model is asked with
//	err = s.Sync()          // durable
//	s.Close()
//
// Nothing is on disk until the conversation has a user or assistant message.
// Each entry is written with one write of a whole line. An entry that could
// not be written stays in memory, Append reports it, and the next Append tries
// again, so that the file never has a hole.
//
// Opening reads the file once, on all processors, and keeps an index (id, parent,
// place); entries are decoded when they are asked for. Files over 8 MB get
// their index written beside them when they are closed; it can be deleted at
// any time. Broken lines are skipped and reported
// by [Store.Problems], entries of unknown types are kept; a file that does not
// begin with a session header is refused and left alone.
//
// [Store.Tree] is the shape of the conversation for a navigator,
// [Store.CopyPath], [CopyFile] and [Store.Export] make other sessions of it.
//
// A Store is safe for concurrent use. One process writes to a file at a time:
// the first Append takes a lock beside it, and fails with [ErrLocked] if
// somebody else has it.
package store
