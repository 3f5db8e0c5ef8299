// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
*/
import "C"

import (
	"math"
	"unsafe"
)

// Refusal is how many nodes refused a task for one cause.
type Refusal struct {
	Code      int32 // RefusalTaint, RefusalInsufficient, ...
	Dimension int32 // what is short, of RefusalInsufficient; None: of the other codes
	Nodes     int64
	Detail    string // the taint, policy or device; empty: none
}

// Reason is why tasks wait.
type Reason struct {
	Kind           int32 // ReasonNoNode, ReasonQueueLimit, ...
	Queue          int32 // that refuses; None: none does
	Dimension      int32 // that the queue lacks; None: none
	Placed, Needed int64 // tasks of the gang that found a place, and that it needs
	Policies       string
	Where          string // what else it rests on, in words; empty: nothing
	Refusals       []Refusal
}

// Reasons are why tasks wait; many tasks share one.
func (p *Plan) Reasons() []Reason {
	v := &p.view
	n := int(v.reason_count)
	kinds, queues, dimensions := indices(v.reason_kind, n), indices(v.reason_queue, n), indices(v.reason_dimension, n)
	placed, needed := amounts(v.reason_placed, n), amounts(v.reason_needed, n)
	policies := names(v.reason_policy_offsets, v.reason_policies, n)
	wheres := names(v.reason_where_offsets, v.reason_wheres, n)
	refusals := p.refusals()
	var first []int64
	if n > 0 {
		first = amounts(v.reason_refusals, n+1)
	}
	return list(n, func(i int) Reason {
		return Reason{kinds[i], queues[i], dimensions[i], placed[i], needed[i], policies[i], wheres[i],
			refusals[first[i]:first[i+1]:first[i+1]]}
	})
}

func (p *Plan) refusals() []Refusal {
	v := &p.view
	n := int(v.refusal_count)
	codes, dimensions, nodes := indices(v.refusal_code, n), indices(v.refusal_dimension, n), amounts(v.refusal_nodes, n)
	details := names(v.refusal_detail_offsets, v.refusal_details, n)
	return list(n, func(i int) Refusal { return Refusal{codes[i], dimensions[i], nodes[i], details[i]} })
}

// PendingTask is a task that waits; Reason is an index into Reasons.
type PendingTask struct{ Task, Reason int32 }

// PendingTasks are the tasks that wait, by task. Explain has the words.
func (p *Plan) PendingTasks() []PendingTask {
	v := &p.view
	n := int(v.pending_count)
	tasks, reasons := indices(v.pending_task, n), indices(v.pending_reason, n)
	return list(n, func(i int) PendingTask { return PendingTask{tasks[i], reasons[i]} })
}

// Share is what a queue holds and deserves.
type Share struct {
	Queue         int32
	Before, After Resources  // what its tasks hold before the cycle, and after it
	Deserved      *Resources // nil: the profile divides nothing
	// Its share as the policy of the profile computes it.
	ShareBefore, ShareAfter float64
}

// Shares are those of the queues, a row for each.
func (p *Plan) Shares() []Share {
	v := &p.view
	n, width := int(v.share_count), int(v.dimensions)
	queues := indices(v.share_queue, n)
	before, after := amounts(v.share_allocated_before, n*width), amounts(v.share_allocated_after, n*width)
	deserved := cells[float64](unsafe.Pointer(v.share_deserved), n*width)
	shareBefore := cells[float64](unsafe.Pointer(v.share_before), n)
	shareAfter := cells[float64](unsafe.Pointer(v.share_after), n)
	return list(n, func(i int) Share {
		row := Share{Queue: queues[i], Before: p.Resources(before[i*width : (i+1)*width]),
			After: p.Resources(after[i*width : (i+1)*width]), ShareBefore: shareBefore[i], ShareAfter: shareAfter[i]}
		deserves := make([]int64, width)
		for d, amount := range deserved[i*width : (i+1)*width] {
			if amount < 0 {
				return row
			}
			deserves[d] = int64(math.Min(amount, 1<<62))
		}
		all := p.Resources(deserves)
		row.Deserved = &all
		return row
	})
}

// Resources gives a row of amounts by dimension, as Offer.Amounts, their names and units. Absent
// amounts, and those of 0, are left out of Others.
func (p *Plan) Resources(row []int64) Resources {
	var all Resources
	for d, amount := range row {
		if amount == Absent || amount == 0 {
			continue
		}
		switch name := p.Name(KindDimensions, int32(d)); name {
		case "cpu":
			all.MilliCPU = amount
		case "memory":
			all.Memory = amount
		default:
			if all.Others == nil {
				all.Others = map[string]int64{}
			}
			all.Others[name] = amount
		}
	}
	return all
}

// Domain is where a job with topology wishes, or a sub-group of it, is once the plan is carried out.
type Domain struct {
	Job, Tier int32
	SubGroup  string // empty: the job itself
	Name      string // of the smallest domain that holds it; empty: only the whole cluster does
}

// Domains are those of jobs with topology wishes or sub-groups.
func (p *Plan) Domains() []Domain {
	v := &p.view
	n := int(v.domain_count)
	jobs, tiers := indices(v.domain_job, n), indices(v.domain_tier, n)
	groups := names(v.domain_sub_group_offsets, v.domain_sub_groups, n)
	domains := names(v.domain_name_offsets, v.domain_names, n)
	return list(n, func(i int) Domain { return Domain{jobs[i], tiers[i], groups[i], domains[i]} })
}

// Device is a part of a device that a bound task gets.
type Device struct {
	Task   int32
	Milli  int64 // thousandths of the device
	Memory int64 // bytes
	Name   string
}

// Devices are those of bound tasks, by bind.
func (p *Plan) Devices() []Device {
	v := &p.view
	n := int(v.device_count)
	tasks, milli, memory := indices(v.device_task, n), amounts(v.device_milli, n), amounts(v.device_memory, n)
	devices := names(v.device_name_offsets, v.device_names, n)
	return list(n, func(i int) Device { return Device{tasks[i], milli[i], memory[i], devices[i]} })
}

// Tentative is a place that a task of a gang would have, and that is no decision yet.
type Tentative struct {
	Task, Node int32
	Nominated  bool // on what is still being released
}

// Tentative are the places of gangs that wait for the rest, by task.
func (p *Plan) Tentative() []Tentative {
	v := &p.view
	n := int(v.tentative_count)
	tasks, nodes, nominated := indices(v.tentative_task, n), indices(v.tentative_node, n), indices(v.tentative_nominated, n)
	return list(n, func(i int) Tentative { return Tentative{tasks[i], nodes[i], nominated[i] != 0} })
}
