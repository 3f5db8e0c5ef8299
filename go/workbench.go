// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>
*/
import "C"

import "unsafe"

// Workbench is the books of one cycle, with the questions and moves of the profile's own actions.
// It is valid until the action returns, and belongs to the goroutine that the action runs on.
type Workbench struct {
	bench *C.muster_workbench
	cycle Cycle
}

// end makes later calls those of no workbench.
func (b *Workbench) end() {
	b.bench = nil
	b.cycle.end()
}

// Cycle is what may be read: books as the moves have left them.
func (b *Workbench) Cycle() *Cycle {
	b.cycle.cycle = (*C.muster_cycle)(unsafe.Pointer(C.muster_workbench_cycle(b.bench)))
	return &b.cycle
}

// copied is a list of C that the next call may overwrite.
func copied(rows *C.int32_t, count C.int64_t) []int32 {
	return append([]int32(nil), columnOf[int32](unsafe.Pointer(rows), int(count))...)
}

// Waiting are the jobs that had pending tasks or were not admitted when the cycle began.
func (b *Workbench) Waiting() []int32 {
	var count C.int64_t
	return copied(C.muster_workbench_waiting(b.bench, &count), count)
}

// PendingTasks are the job's pending tasks without gates, in the profile's order of tasks.
func (b *Workbench) PendingTasks(job int32) []int32 {
	var count C.int64_t
	rows := C.muster_workbench_pending_tasks(b.bench, C.int32_t(job), &count)
	return copied(rows, count)
}

// TasksOn are the tasks that hold the node or are promised it.
func (b *Workbench) TasksOn(node int32) []int32 {
	var count C.int64_t
	rows := C.muster_workbench_tasks_on(b.bench, C.int32_t(node), &count)
	return copied(rows, count)
}

// QueueBefore returns whether queue x goes first in the profile's order, which is total.
func (b *Workbench) QueueBefore(x, y int32) bool {
	return C.muster_workbench_queue_before(b.bench, C.int32_t(x), C.int32_t(y)) != 0
}

// JobBefore returns whether job x goes first.
func (b *Workbench) JobBefore(x, y int32) bool {
	return C.muster_workbench_job_before(b.bench, C.int32_t(x), C.int32_t(y)) != 0
}

// TaskBefore returns whether task x goes first.
func (b *Workbench) TaskBefore(x, y int32) bool {
	return C.muster_workbench_task_before(b.bench, C.int32_t(x), C.int32_t(y)) != 0
}

// MayTakeTurn returns whether the queue may take a turn.
func (b *Workbench) MayTakeTurn(queue int32) bool {
	return C.muster_workbench_may_take_turn(b.bench, C.int32_t(queue)) != 0
}

// Allocatable returns whether the task may take free resources.
func (b *Workbench) Allocatable(task int32) bool {
	return C.muster_workbench_allocatable(b.bench, C.int32_t(task)) != 0
}

// Valid returns whether the job has enough tasks.
func (b *Workbench) Valid(job int32) bool {
	return C.muster_workbench_valid(b.bench, C.int32_t(job)) != 0
}

// Ready returns whether the job's gang is whole.
func (b *Workbench) Ready(job int32) bool {
	return C.muster_workbench_ready(b.bench, C.int32_t(job)) != 0
}

// Pipelined returns whether the gang will be whole once leaving tasks have gone.
func (b *Workbench) Pipelined(job int32) bool {
	return C.muster_workbench_pipelined(b.bench, C.int32_t(job)) != 0
}

// Starving returns whether the job lacks tasks for which others may be evicted.
func (b *Workbench) Starving(job int32) bool {
	return C.muster_workbench_starving(b.bench, C.int32_t(job)) != 0
}

// chosen are those of the candidates that `choose` writes.
func chosen(candidates []int32, choose func(from *C.int32_t, count C.int64_t, to *C.int32_t) C.int64_t) []int32 {
	if len(candidates) == 0 {
		return nil
	}
	out := make([]int32, len(candidates))
	n := choose((*C.int32_t)(unsafe.Pointer(&candidates[0])), C.int64_t(len(candidates)),
		(*C.int32_t)(unsafe.Pointer(&out[0])))
	return out[:n]
}

// Preemptable are the candidates of the task's own queue that the profile allows to evict for it.
func (b *Workbench) Preemptable(evictor int32, candidates []int32) []int32 {
	return chosen(candidates, func(from *C.int32_t, count C.int64_t, to *C.int32_t) C.int64_t {
		return C.muster_workbench_preemptable(b.bench, C.int32_t(evictor), from, count, to)
	})
}

// Reclaimable are the candidates of other queues that the profile allows to evict for the task.
func (b *Workbench) Reclaimable(evictor int32, candidates []int32) []int32 {
	return chosen(candidates, func(from *C.int32_t, count C.int64_t, to *C.int32_t) C.int64_t {
		return C.muster_workbench_reclaimable(b.bench, C.int32_t(evictor), from, count, to)
	})
}

// Fits returns whether the task fits what is idle on the node, by every rule of the profile.
func (b *Workbench) Fits(task, node int32) bool {
	return C.muster_workbench_fits(b.bench, C.int32_t(task), C.int32_t(node)) != 0
}

// Save marks the present state. Savepoints nest.
func (b *Workbench) Save() int64 { return int64(C.muster_workbench_save(b.bench)) }

// Commit turns the moves since the savepoint into decisions.
func (b *Workbench) Commit(savepoint int64) { C.muster_workbench_commit(b.bench, C.int64_t(savepoint)) }

// Rollback takes the moves since the savepoint back.
func (b *Workbench) Rollback(savepoint int64) {
	C.muster_workbench_rollback(b.bench, C.int64_t(savepoint))
}

// Admit admits the job: its tasks may be placed from now on.
func (b *Workbench) Admit(job int32) { C.muster_workbench_admit(b.bench, C.int32_t(job)) }

// Place places a pending task on the best node where it fits; None: there is none.
func (b *Workbench) Place(task int32) int32 {
	return int32(C.muster_workbench_place(b.bench, C.int32_t(task)))
}

// Nominate nominates a pending task on the best node where it fits once leaving tasks have gone.
func (b *Workbench) Nominate(task int32) int32 {
	return int32(C.muster_workbench_nominate(b.bench, C.int32_t(task)))
}

// Reserve places a task that is not bound yet, until a time (Absent: no deadline), with a group of
// tasks that are bound together.
func (b *Workbench) Reserve(task int32, until int64, group string) int32 {
	text := C.CString(group)
	defer C.free(unsafe.Pointer(text))
	return int32(C.muster_workbench_reserve(b.bench, C.int32_t(task), C.int64_t(until), text))
}

// PlaceOn places a pending task on the node if it fits there.
func (b *Workbench) PlaceOn(task, node int32) bool {
	return C.muster_workbench_place_on(b.bench, C.int32_t(task), C.int32_t(node)) != 0
}

// Evict evicts a running or bound task for another one; None: for no task.
func (b *Workbench) Evict(victim, beneficiary int32) bool {
	return C.muster_workbench_evict(b.bench, C.int32_t(victim), C.int32_t(beneficiary)) != 0
}

// MoveTo evicts a running or bound task and keeps the node for it.
func (b *Workbench) MoveTo(task, node, beneficiary int32) bool {
	return C.muster_workbench_move_to(b.bench, C.int32_t(task), C.int32_t(node), C.int32_t(beneficiary)) != 0
}

// Return takes back an eviction, or a move, that this cycle made.
func (b *Workbench) Return(task int32) bool {
	return C.muster_workbench_return(b.bench, C.int32_t(task)) != 0
}

// ExplainNoNode sets the task's reason to "no node", with the refusals as they are now.
func (b *Workbench) ExplainNoNode(task int32) {
	C.muster_workbench_explain_no_node(b.bench, C.int32_t(task))
}

// ShouldStop counts a turn as work, and returns whether the action must return now.
func (b *Workbench) ShouldStop() bool { return C.muster_workbench_should_stop(b.bench) != 0 }
