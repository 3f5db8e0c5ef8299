// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_memory_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
*/
import "C"

import "unsafe"

// Move is a task that leaves one node for another that is kept for it.
type Move struct {
	Task, From, To int32
	Nominated      bool  // room on To is still being released
	For            int32 // the task that gets the room on From; None: no task
}

// Moves are the tasks that go to another node, in the order they were decided.
func (p *Plan) Moves() []Move {
	v := &p.view
	n := int(v.move_count)
	tasks, from, to := indices(v.move_task, n), indices(v.move_from, n), indices(v.move_to, n)
	nominated, sakes := indices(v.move_nominated, n), indices(v.move_beneficiary, n)
	return list(n, func(i int) Move {
		return Move{tasks[i], from[i], to[i], nominated[i] != 0, sakes[i]}
	})
}

// Reservation is a task that holds a node, where it waits and is not bound yet.
type Reservation struct {
	Task, Node int32
	Until      int64  // seconds, when the room is given up; Absent: no deadline
	Group      string // tasks of one waiting group are bound together; empty: none
}

// Reservations are the tasks that wait on a node, in the order they were decided.
func (p *Plan) Reservations() []Reservation {
	v := &p.view
	n := int(v.reservation_count)
	tasks, nodes := indices(v.reservation_task, n), indices(v.reservation_node, n)
	until := amounts(v.reservation_until, n)
	groups := names(v.reservation_group_offsets, v.reservation_groups, n)
	return list(n, func(i int) Reservation {
		return Reservation{tasks[i], nodes[i], until[i], groups[i]}
	})
}

// Offer is amounts of a node that a queue or a job may take.
type Offer struct {
	Job, Queue, Node int32   // None: the offer is to the queue, or to the job
	Amounts          []int64 // by dimension, which Name names; Absent: none of it; Plan.Resources names all
}

// Offers are what is offered, in the order it was decided.
func (p *Plan) Offers() []Offer {
	v := &p.view
	n, width := int(v.offer_count), int(v.dimensions)
	jobs, queues, nodes := indices(v.offer_job, n), indices(v.offer_queue, n), indices(v.offer_node, n)
	cells := amounts(v.offer_amounts, n*width)
	return list(n, func(i int) Offer {
		return Offer{jobs[i], queues[i], nodes[i], append([]int64(nil), cells[i*width:(i+1)*width]...)}
	})
}

// Resize is a group of a job that gets another number of tasks.
type Resize struct {
	Job   int32
	Group string // empty: the job's unnamed group
	Tasks int64
}

// Resizes are the groups that grow and shrink, in the order they were decided.
func (p *Plan) Resizes() []Resize {
	v := &p.view
	n := int(v.resize_count)
	jobs, tasks := indices(v.resize_job, n), amounts(v.resize_tasks, n)
	groups := names(v.resize_group_offsets, v.resize_groups, n)
	return list(n, func(i int) Resize { return Resize{jobs[i], groups[i], tasks[i]} })
}

// Split is a task that becomes several smaller ones.
type Split struct {
	Task  int32
	Parts int64
}

// Splits are the tasks that are split, in the order they were decided.
func (p *Plan) Splits() []Split {
	v := &p.view
	n := int(v.split_count)
	tasks, parts := indices(v.split_task, n), amounts(v.split_parts, n)
	return list(n, func(i int) Split { return Split{tasks[i], parts[i]} })
}

// Assignment is the quota that a group of an admitted job takes in one dimension. A group without
// flavors has one row, with dimension None.
type Assignment struct {
	Job       int32
	Group     string // empty: the job's unnamed group
	Tasks     int64  // how many of the group are admitted
	Dimension int32  // which Name names
	Flavor    string // that the quota is taken from
}

// Assignments are the quota of the jobs in Admitted. A profile without flavors assigns none.
func (p *Plan) Assignments() []Assignment {
	v := &p.view
	n := int(v.assignment_count)
	jobs, dimensions := indices(v.assignment_job, n), indices(v.assignment_dimension, n)
	tasks := amounts(v.assignment_tasks, n)
	groups := names(v.assignment_group_offsets, v.assignment_groups, n)
	flavors := names(v.assignment_flavor_offsets, v.assignment_flavors, n)
	return list(n, func(i int) Assignment {
		return Assignment{jobs[i], groups[i], tasks[i], dimensions[i], flavors[i]}
	})
}

// Place is where tasks of an admitted group are to run, in the topology of their flavor.
type Place struct {
	Job   int32
	Group string // empty: the job's unnamed group
	Name  string // values of its levels, the widest first, with commas between
	Tasks int64  // how many of the group run there
}

// Places are those of the jobs in Admitted. A profile without topologies assigns none.
func (p *Plan) Places() []Place {
	v := &p.view
	n := int(v.place_count)
	jobs, tasks := indices(v.place_job, n), amounts(v.place_tasks, n)
	groups := names(v.place_group_offsets, v.place_groups, n)
	places := names(v.place_name_offsets, v.place_names, n)
	return list(n, func(i int) Place { return Place{jobs[i], groups[i], places[i], tasks[i]} })
}

// Memory is what the next cycle is to remember, as JSON, for Options.Memory or
// Cluster.SetMemory. Cluster.Follow keeps it.
func (p *Plan) Memory() (string, error) {
	e := C.muster_go_memory_error()
	var words *C.muster_text
	return taken(&words, C.muster_plan_memory(p.plan, &words, &e), &e)
}

// Memory is what cycles of the cluster remember: that of the last plan that was followed, or the
// one that was set.
func (c *Cluster) Memory() (string, error) {
	e := C.muster_go_memory_error()
	var words *C.muster_text
	return taken(&words, C.muster_cluster_memory(c.cluster, &words, &e), &e)
}

// SetMemory replaces what cycles of the cluster remember. A text that no Memory wrote is refused.
func (c *Cluster) SetMemory(memory string) error {
	e := C.muster_go_memory_error()
	text := C.CString(memory)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_cluster_set_memory(c.cluster, text, C.int64_t(len(memory)), &e), &e)
}

func list[T any](n int, of func(int) T) []T {
	if n == 0 {
		return nil
	}
	rows := make([]T, n)
	for i := range rows {
		rows[i] = of(i)
	}
	return rows
}

// indices reads a column of n cells; nil where there are none.
func indices(first *C.int32_t, n int) []int32 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(first)), n)
}

// amounts reads a column of n cells; nil where there are none.
func amounts(first *C.int64_t, n int) []int64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(first)), n)
}

// textOf copies a text of any size; C.GoStringN takes one of 2 GiB at most.
func textOf(first *C.char, size C.int64_t) string {
	return string(columnOf[byte](unsafe.Pointer(first), int(size)))
}

// names copies a column of n texts.
func names(offsets *C.int64_t, bytes *C.char, n int) []string {
	if n == 0 {
		return nil
	}
	ends := amounts(offsets, n+1)
	all := textOf(bytes, C.int64_t(ends[n]))
	return list(n, func(i int) string { return all[ends[i]:ends[i+1]] })
}
