package store

import "container/list"

// cache keeps decoded entries up to a number of bytes of their lines; those
// that are not on disk yet are kept whatever their size.
type cache struct {
	items map[int32]*list.Element
	order list.List // front: used last
	bytes int
}

type cached struct {
	i      int32
	e      Entry
	size   int
	pinned bool
}

const cacheBytes = 16 << 20

func (c *cache) get(i int32) Entry {
	el := c.items[i]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*cached).e
}

func (c *cache) put(i int32, e Entry, size int, pinned bool) {
	if c.items == nil {
		c.items = map[int32]*list.Element{}
	}
	c.items[i] = c.order.PushFront(&cached{i, e, size, pinned})
	c.bytes += size
	for el := c.order.Back(); el != nil && c.bytes > cacheBytes; {
		prev := el.Prev()
		if it := el.Value.(*cached); !it.pinned && it.i != i {
			c.bytes -= it.size
			delete(c.items, it.i)
			c.order.Remove(el)
		}
		el = prev
	}
}

// unpin lets the entry go when the space is needed.
func (c *cache) unpin(i int32) {
	if el := c.items[i]; el != nil {
		el.Value.(*cached).pinned = false
	}
}
