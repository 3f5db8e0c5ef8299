// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_question_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
static muster_outlook_view muster_go_outlook_view(void) {
  muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
  return view;
}
static muster_advise_options muster_go_advise_options(void) {
  muster_advise_options options = MUSTER_ADVISE_OPTIONS_INIT;
  return options;
}
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Version is that of the cluster at the moment of Freeze.
func (s *Snapshot) Version() uint64 { return uint64(C.muster_snapshot_version(s.snapshot)) }

// Count is a number that all indices of the kind are below; removed rows count, too.
func (s *Snapshot) Count(kind int) int64 {
	return int64(C.muster_snapshot_count(s.snapshot, C.int32_t(kind)))
}

// Name is the name of a row, "" where there is none.
func (s *Snapshot) Name(kind int, index int32) string {
	var size C.int64_t
	name := C.muster_snapshot_name(s.snapshot, C.int32_t(kind), C.int32_t(index), &size)
	if name == nil {
		return ""
	}
	return textOf(name, size)
}

// Find is the index of a row.
func (s *Snapshot) Find(kind int, name string) (int32, error) {
	e := C.muster_go_question_error()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var index C.int32_t
	status := C.muster_snapshot_find(s.snapshot, C.int32_t(kind), text, C.int64_t(len(name)), &index, &e)
	return int32(index), check(status, &e)
}

// QueueOutlook is what one queue holds, waits for and deserves, before and after changes. Amounts
// are by dimension; Deserved below 0: the profile divides nothing.
type QueueOutlook struct {
	Queue                           string
	ShareBefore, ShareAfter         float64
	AllocatedBefore, AllocatedAfter map[string]int64
	PendingBefore, PendingAfter     map[string]int64
	DeservedBefore, DeservedAfter   map[string]float64
}

// WhatIf answers what queues would get after changes, without a cycle. The changes are the JSON of
// docs/what_if.md: {"changes": [{"queue": {"name": "vision", "weight": 3}}]}.
func (c *Cluster) WhatIf(profile, changes string) ([]QueueOutlook, error) {
	return outlook(profile, changes,
		func(profile, text *C.char, size C.int64_t, out **C.muster_outlook, e *C.muster_error) C.muster_status {
			return C.muster_cluster_what_if(c.cluster, profile, text, size, out, e)
		})
}

// WhatIf is that of a cluster, of a frozen one.
func (s *Snapshot) WhatIf(profile, changes string) ([]QueueOutlook, error) {
	return outlook(profile, changes,
		func(profile, text *C.char, size C.int64_t, out **C.muster_outlook, e *C.muster_error) C.muster_status {
			return C.muster_snapshot_what_if(s.snapshot, profile, text, size, out, e)
		})
}

func outlook(profile, changes string,
	ask func(*C.char, *C.char, C.int64_t, **C.muster_outlook, *C.muster_error) C.muster_status) ([]QueueOutlook, error) {
	e := C.muster_go_question_error()
	name, text := C.CString(profile), C.CString(changes)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	var made *C.muster_outlook
	if err := check(ask(name, text, C.int64_t(len(changes)), &made, &e), &e); err != nil {
		return nil, err
	}
	defer C.muster_outlook_free(made)
	v := C.muster_go_outlook_view()
	if err := check(C.muster_outlook_get_view(made, &v, &e), &e); err != nil {
		return nil, err
	}
	queues, dimensions := int(v.count), int(v.dimensions)
	of := func(kind int32, index int32) string {
		var size C.int64_t
		return textOf(C.muster_outlook_name(made, C.int32_t(kind), C.int32_t(index), &size), size)
	}
	names := make([]string, dimensions)
	for d := range names {
		names[d] = of(C.MUSTER_KIND_DIMENSIONS, int32(d))
	}
	shares := func(column *C.double) []float64 { return cells[float64](unsafe.Pointer(column), queues) }
	ints := func(column *C.int64_t) []map[string]int64 {
		return byDimension(cells[int64](unsafe.Pointer(column), queues*dimensions), names)
	}
	floats := func(column *C.double) []map[string]float64 {
		return byDimension(cells[float64](unsafe.Pointer(column), queues*dimensions), names)
	}
	index := cells[int32](unsafe.Pointer(v.queue), queues)
	before, after := shares(v.share_before), shares(v.share_after)
	held, holds := ints(v.allocated_before), ints(v.allocated_after)
	waited, waits := ints(v.pending_before), ints(v.pending_after)
	deserved, deserves := floats(v.deserved_before), floats(v.deserved_after)
	return list(queues, func(i int) QueueOutlook {
		return QueueOutlook{of(C.MUSTER_KIND_QUEUES, index[i]), before[i], after[i], held[i], holds[i],
			waited[i], waits[i], deserved[i], deserves[i]}
	}), nil
}

// cells reads a column of C's numbers.
func cells[T any](column unsafe.Pointer, n int) []T {
	if n == 0 {
		return nil
	}
	return append([]T(nil), unsafe.Slice((*T)(column), n)...)
}

// byDimension makes a map of each row of a table.
func byDimension[T any](table []T, names []string) []map[string]T {
	if len(names) == 0 {
		return nil
	}
	return list(len(table)/len(names), func(i int) map[string]T {
		row := make(map[string]T, len(names))
		for d, name := range names {
			row[name] = table[i*len(names)+d]
		}
		return row
	})
}

// Change is one change of a what-if, as in docs/what_if.md: map[string]any{"remove_job": "train"}.
type Change = map[string]any

// TaskChange is where one task ends, before and after changes; "" is no node.
type TaskChange struct{ Task, Job, Before, After, Reason string }

// JobChange is a job that holds assigned quota of a queue before changes alone, or after them.
type JobChange struct{ Job, Queue string }

// Rehearsal is what a profile would decide differently.
type Rehearsal struct {
	Starts, Stops, Moves []TaskChange
	Admits, Withdraws    []JobChange
	Waits                []TaskChange // tasks that the changes added, and why they wait
}

// SetThreads lets Rehearse, Diagnose and NeedNodes run their trials on so many threads at once, 1 to
// 256, which Muster starts; 1 is one after another, as with a new cluster. The answers are the same.
func (c *Cluster) SetThreads(width int) error {
	e := C.muster_go_question_error()
	var threads *C.muster_threads
	if err := check(C.muster_threads_new(C.int64_t(width), &threads, &e), &e); err != nil {
		return err
	}
	err := check(C.muster_cluster_set_executor(c.cluster, C.muster_executor(C.muster_threads_run),
		C.uintptr_t(uintptr(unsafe.Pointer(threads))), C.int64_t(width), &e), &e)
	if err != nil {
		C.muster_threads_free(threads)
		return err
	}
	C.muster_threads_free(c.threads)
	c.threads = threads
	return nil
}

// Rehearse answers what the profile would decide after changes, by plans of the cluster as it is
// and of a copy with the changes. now is the time of both.
func (c *Cluster) Rehearse(profile string, changes []Change, now int64) (Rehearsal, error) {
	return c.RehearseWith(context.Background(), profile, changes, Options{Now: now})
}

// RehearseWith is Rehearse with what AdviseWith takes.
func (c *Cluster) RehearseWith(ctx context.Context, profile string, changes []Change, options Options) (Rehearsal, error) {
	var r Rehearsal
	if changes == nil {
		changes = []Change{}
	}
	err := c.advise(ctx, profile, map[string]any{"rehearse": changes}, options, &r)
	return r, err
}

// Remedy is one way to start a job that waits; it was tried.
type Remedy struct {
	Kind, Words, Profile string
	Starts, Evictions    int64
	Others               int64    // how many more tasks of other jobs start; below 0: fewer
	Changes              []Change // for Rehearse, with Profile
}

// Diagnosis is why a job waits, and what would start its tasks.
type Diagnosis struct {
	Waiting, Trials int64
	Reason          string
	Facts           []string
	Remedies        []Remedy
}

// Diagnose answers why the job waits, with numbers, and what would start all its tasks (of a smaller
// gang: at least one). At most so many cycles are tried; 0: 200. As Rehearse, Drain and NeedNodes, it
// asks the policies of the library alone: where cycles have Options.Policies, use DiagnoseWith.
func (c *Cluster) Diagnose(profile, job string, trials, now int64) (Diagnosis, error) {
	return c.DiagnoseWith(context.Background(), profile, job, trials, Options{Now: now})
}

// DiagnoseWith is Diagnose with what AdviseWith takes.
func (c *Cluster) DiagnoseWith(ctx context.Context, profile, job string, trials int64, options Options) (Diagnosis, error) {
	var d Diagnosis
	question := map[string]any{"job": job}
	if trials != 0 {
		question["trials"] = trials
	}
	err := c.advise(ctx, profile, map[string]any{"diagnose": question}, options, &d)
	return d, err
}

// DrainedTask is a task of a drained node: the node it goes to, why it waits, or that it ends.
type DrainedTask struct {
	Task, To, Reason string
	Ends             bool
}

// DrainStep is what happens when one node is emptied.
type DrainStep struct {
	Node          string
	Tasks         []DrainedTask
	BrokenBudgets []string `json:"broken_budgets"`
	BrokenGangs   []string `json:"broken_gangs"`
}

// Drain answers where the tasks of the nodes would go, step by step.
func (c *Cluster) Drain(profile string, nodes []string, now int64) ([]DrainStep, error) {
	return c.DrainWith(context.Background(), profile, nodes, Options{Now: now})
}

// DrainWith is Drain with what AdviseWith takes.
func (c *Cluster) DrainWith(ctx context.Context, profile string, nodes []string, options Options) ([]DrainStep, error) {
	var report struct{ Steps []DrainStep }
	if nodes == nil {
		nodes = []string{}
	}
	err := c.advise(ctx, profile, map[string]any{"drain": map[string]any{"nodes": nodes}}, options, &report)
	return report.Steps, err
}

// NodeOffer is a type of nodes that can be had.
type NodeOffer struct {
	Node  Node
	Price float64 // of one node, in any unit; 0: 1
	Most  int64   // that can be had; 0: NeedNodes's
}

// NodeCount is a number of nodes of a type. Waits is the first task that waits in spite of so many,
// with the reason, and Waiting how many do: of NodesNeeded.Alone.
type NodeCount struct {
	Type    string
	Count   int64
	Waits   string
	Waiting int64
}

// NodesNeeded is how many nodes place what waits: of each type alone, the cheapest mix that was
// found, and what the profile's own autoscaler would start.
type NodesNeeded struct {
	WaitingBefore           int64 `json:"waiting_before"`
	WaitingAfter            int64 `json:"waiting_after"`
	Alone, Cheapest, Wanted []NodeCount
	Price                   float64
	WantedPrice             float64 `json:"wanted_price"`
	WantedWaiting           int64   `json:"wanted_waiting"`
}

// NeedNodes answers how many nodes of the offered types, and at most so many of each, place what
// waits; 0: 1024. Without offers each kind of node of the cluster is one.
func (c *Cluster) NeedNodes(profile string, offers []NodeOffer, most, now int64) (NodesNeeded, error) {
	return c.NeedNodesWith(context.Background(), profile, offers, most, Options{Now: now})
}

// NeedNodesWith is NeedNodes with what AdviseWith takes.
func (c *Cluster) NeedNodesWith(ctx context.Context, profile string, offers []NodeOffer, most int64, options Options) (NodesNeeded, error) {
	var needed NodesNeeded
	rows := make([]map[string]any, len(offers))
	for i := range offers {
		rows[i] = map[string]any{"node": offers[i].Node.row()}
		if offers[i].Price != 0 {
			rows[i]["price"] = offers[i].Price
		}
		if offers[i].Most != 0 {
			rows[i]["most"] = offers[i].Most
		}
	}
	question := map[string]any{"offers": rows}
	if most != 0 {
		question["most"] = most
	}
	err := c.advise(ctx, profile, map[string]any{"need_nodes": question}, options, &needed)
	return needed, err
}

func (c *Cluster) advise(ctx context.Context, profile string, question any, options Options, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	words, err := c.AdviseWith(ctx, profile, string(text), options)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(words), answer)
}

// Advise answers a question of docs/what_if.md, JSON in and out: {"need_nodes": {"offers": [...]}}.
func (c *Cluster) Advise(profile, question string, now int64) (string, error) {
	e := C.muster_go_question_error()
	name, text := C.CString(profile), C.CString(question)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	var words *C.muster_text
	return taken(&words, C.muster_cluster_advise(c.cluster, name, text, C.int64_t(len(question)),
		C.int64_t(now), &words, &e), &e)
}

// AdviseWith is Advise with the time and the policies of options; another field that is set is an error.
// Answers to "rehearse", "diagnose" and "need_nodes" are the JSON of a Rehearsal, a Diagnosis and a
// NodesNeeded: RehearseWith, DiagnoseWith, NeedNodesWith and DrainWith return structs.
// Once the context is done, the question ends with an error that wraps ctx.Err().
func (c *Cluster) AdviseWith(ctx context.Context, profile, question string, options Options) (string, error) {
	if rest := (Options{Now: options.Now, Policies: options.Policies}); rest != options {
		return "", fmt.Errorf("options: %s is not of questions; they have Now and Policies", firstOther(options, rest))
	}
	if options.Policies != nil && options.Policies.list == nil {
		return "", errors.New("policies: they were freed")
	}
	e := C.muster_go_question_error()
	name, text := C.CString(profile), C.CString(question)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	given := C.muster_go_advise_options()
	given.now = C.int64_t(options.Now)
	if options.Policies != nil {
		given.policies = options.Policies.list
	}
	var err error
	var release func()
	if given.stop, release, err = stopOf(ctx); err != nil {
		return "", err
	}
	defer release()
	var words *C.muster_text
	err = checkCycle(ctx, C.muster_cluster_advise_with(c.cluster, name, text, C.int64_t(len(question)),
		&given, &words, &e), &e)
	if err = options.ownError(err); err != nil {
		return "", err
	}
	defer C.muster_text_free(words)
	return textOf(C.muster_text_data(words), C.muster_text_size(words)), nil
}

// firstOther names the first field in which the options differ.
func firstOther(given, read Options) string {
	a, b := reflect.ValueOf(given), reflect.ValueOf(read)
	for i := 0; i < a.NumField(); i++ {
		if a.Field(i).Interface() != b.Field(i).Interface() {
			return a.Type().Field(i).Name
		}
	}
	return ""
}

// Catalogue lists profiles, policies and their options as JSON.
func Catalogue() (string, error) {
	e := C.muster_go_question_error()
	var words *C.muster_text
	return taken(&words, C.muster_catalogue(&words, &e), &e)
}

// PolicyRevision grows with each release in which equal inputs get other decisions of the policy; 0:
// there is no such policy.
func PolicyRevision(policy string) int32 {
	name := C.CString(policy)
	defer C.free(unsafe.Pointer(name))
	return int32(C.muster_policy_revision(name))
}
