// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package main

// allocate is the scheduler's original action: job by job, task by task, node by node.
// It handles gangs, but no queues and their shares, no orders, selectors or taints.
type allocate struct{}

func (allocate) Name() string { return "allocate" }

func (allocate) Execute(s *Session) error {
	for _, job := range s.Jobs {
		type placement struct {
			task *TaskInfo
			node *NodeInfo
		}
		var statement []placement
		for _, task := range job.Pending {
			node := best(s.Nodes, task)
			if node == nil {
				break
			}
			node.CPU -= task.Request.MilliCPU
			node.Mem -= task.Request.Memory
			statement = append(statement, placement{task, node})
		}
		if job.Ready+int64(len(statement)) < job.MinMember { // a gang starts whole or not at all
			for _, p := range statement {
				p.node.CPU += p.task.Request.MilliCPU
				p.node.Mem += p.task.Request.Memory
			}
			continue
		}
		for _, p := range statement {
			s.Bind(p.task.Name, p.node.Name)
		}
	}
	return nil
}

// best is the node with the most room of those that have enough.
func best(nodes []*NodeInfo, task *TaskInfo) *NodeInfo {
	var best *NodeInfo
	for _, node := range nodes {
		fits := node.CPU >= task.Request.MilliCPU && node.Mem >= task.Request.Memory
		if fits && (best == nil || node.CPU > best.CPU) {
			best = node
		}
	}
	return best
}
