package main

import (
	"encoding/json"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// What a handler was told, and the store beside it.
type counts struct {
	mutex   sync.Mutex
	initial int
	adds    int
	updates int
	deletes int
	// Deletes whose final state was not seen.
	unknown int
	store   cache.Store
}

func (c *counts) OnAdd(_ any, isInInitialList bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if isInInitialList {
		c.initial++
	} else {
		c.adds++
	}
}

func (c *counts) OnUpdate(_, _ any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.updates++
}

func (c *counts) OnDelete(object any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, ok := object.(cache.DeletedFinalStateUnknown); ok {
		c.unknown++
	} else {
		c.deletes++
	}
}

func (c *counts) MarshalJSON() ([]byte, error) {
	held, err := versions(c.store)
	if err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return json.Marshal(map[string]any{
		"initial": c.initial,
		"adds":    c.adds,
		"updates": c.updates,
		"deletes": c.deletes,
		"unknown": c.unknown,
		"store":   held,
	})
}
