// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package main

import (
	"sort"

	"muster.example/muster"
)

// Pod, group and node as an informer has them; a version grows with every change of any of them.
type (
	podObject struct {
		muster.Pod
		Version uint64
	}
	groupObject struct {
		muster.PodGroup
		Version uint64
	}
	nodeObject struct {
		muster.Node
		Version uint64
	}
)

// Handler hears of every change, as those of informers do.
type Handler interface {
	OnNode(nodeObject)
	OnGroup(groupObject)
	OnPod(podObject)
}

// Cache is what the informers fill and sessions are opened on.
type Cache struct {
	nodes    map[string]nodeObject
	groups   map[string]groupObject
	pods     map[string]podObject
	version  uint64
	handlers []Handler
	Bound    func(pod, node string) // reports a bind to the API server
}

func NewCache(handlers ...Handler) *Cache {
	return &Cache{nodes: map[string]nodeObject{}, groups: map[string]groupObject{}, pods: map[string]podObject{},
		handlers: handlers, Bound: func(string, string) {}}
}

func (c *Cache) SetNode(node muster.Node) {
	c.version++
	object := nodeObject{node, c.version}
	c.nodes[node.Name] = object
	for _, handler := range c.handlers {
		handler.OnNode(object)
	}
}

func (c *Cache) SetGroup(group muster.PodGroup) {
	c.version++
	object := groupObject{group, c.version}
	c.groups[group.Namespace+"/"+group.Name] = object
	for _, handler := range c.handlers {
		handler.OnGroup(object)
	}
}

func (c *Cache) SetPod(pod muster.Pod) {
	c.version++
	object := podObject{pod, c.version}
	c.pods[pod.Namespace+"/"+pod.Name] = object
	for _, handler := range c.handlers {
		handler.OnPod(object)
	}
}

// Bind sends a pod to its node; that it runs comes back through the watch.
func (c *Cache) Bind(name, node string) {
	pod := c.pods[name].Pod
	pod.Node, pod.Status = node, muster.TaskBound
	c.Bound(name, node)
	c.SetPod(pod)
}

// Task, job and node as sessions see them: copies, so that a session may change them.
type (
	TaskInfo struct {
		Name    string
		Request muster.Resources
	}
	JobInfo struct {
		Name      string
		MinMember int64
		Ready     int64
		Pending   []*TaskInfo
	}
	NodeInfo struct {
		Name     string
		CPU, Mem int64 // idle
	}
)

// Session is the world of one cycle.
type Session struct {
	cache *Cache
	Jobs  []*JobInfo // in the order of their names, as nodes are
	Nodes []*NodeInfo
}

// OpenSession copies the cache.
func OpenSession(cache *Cache) *Session {
	s := &Session{cache: cache}
	nodes, jobs := map[string]*NodeInfo{}, map[string]*JobInfo{}
	for name, node := range cache.nodes {
		nodes[name] = &NodeInfo{name, node.Allocatable.MilliCPU, node.Allocatable.Memory}
		s.Nodes = append(s.Nodes, nodes[name])
	}
	for name, group := range cache.groups {
		jobs[name] = &JobInfo{Name: name, MinMember: group.MinMember}
		s.Jobs = append(s.Jobs, jobs[name])
	}
	for name, pod := range cache.pods {
		job := jobs[pod.Namespace+"/"+pod.Group]
		if pod.Node != "" {
			nodes[pod.Node].CPU -= pod.Request.MilliCPU
			nodes[pod.Node].Mem -= pod.Request.Memory
			job.Ready++
		} else {
			job.Pending = append(job.Pending, &TaskInfo{name, pod.Request})
		}
	}
	sort.Slice(s.Nodes, func(i, j int) bool { return s.Nodes[i].Name < s.Nodes[j].Name })
	sort.Slice(s.Jobs, func(i, j int) bool { return s.Jobs[i].Name < s.Jobs[j].Name })
	for _, job := range s.Jobs {
		sort.Slice(job.Pending, func(i, j int) bool { return job.Pending[i].Name < job.Pending[j].Name })
	}
	return s
}

// Bind is where actions end.
func (s *Session) Bind(task, node string) { s.cache.Bind(task, node) }

// Action is a step of a cycle.
type Action interface {
	Name() string
	Execute(*Session) error
}

// Cycle is the loop's body: a session, and one action after the other on it.
func Cycle(cache *Cache, actions ...Action) error {
	session := OpenSession(cache)
	for _, action := range actions {
		if err := action.Execute(session); err != nil {
			return err
		}
	}
	return nil
}
