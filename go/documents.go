// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_document_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
static muster_limits muster_go_limits(void) {
  muster_limits limits = MUSTER_LIMITS_INIT;
  return limits;
}
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"strings"
	"unsafe"
)

// Version grows with every change of the cluster.
func (c *Cluster) Version() uint64 { return uint64(C.muster_cluster_version(c.cluster)) }

// AddJSON adds the rows of a scenario document: all of them, or none where a row is refused.
func (c *Cluster) AddJSON(scenario string) error {
	e := C.muster_go_document_error()
	text := C.CString(scenario)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_cluster_add_json(c.cluster, text, C.int64_t(len(scenario)), &e), &e)
}

// WriteScenario returns the rows as a scenario document that names the profile.
func (c *Cluster) WriteScenario(profile string) (string, error) {
	e := C.muster_go_document_error()
	name := C.CString(profile)
	defer C.free(unsafe.Pointer(name))
	var words *C.muster_text
	return taken(&words, C.muster_cluster_write_scenario(c.cluster, name, &words, &e), &e)
}

// WaitingEvents lists the objects of events that wait for others, a line each:
// task "a/b" waits for node "n1".
func (c *Cluster) WaitingEvents() (string, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return taken(&words, C.muster_cluster_waiting_events(c.cluster, &words, &e), &e)
}

// RefusedEvents lists the newest refused event of each object, a line each: task "a/b" and the words.
// One is forgotten once a later event of its object is taken.
func (c *Cluster) RefusedEvents() (string, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return taken(&words, C.muster_cluster_refused_events(c.cluster, &words, &e), &e)
}

// An Assumption is what the cluster assumes of a task since a plan was applied, and nothing has
// confirmed yet.
type Assumption struct {
	Task   string `json:"task"`
	Status string `json:"status"` // binding, releasing or waiting
	Node   string `json:"node"`
	Since  int64  `json:"since"` // Options.Now of the plan
}

func assumptions(lines string, err error) ([]Assumption, error) {
	if err != nil || lines == "" {
		return nil, err
	}
	var list []Assumption
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var one Assumption
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Assumptions lists what is assumed, in the order of the rows.
func (c *Cluster) Assumptions() ([]Assumption, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return assumptions(taken(&words, C.muster_cluster_assumptions(c.cluster, &words, &e), &e))
}

// ExpireAssumptions takes back binds that were assumed bindLimit seconds or more before now, and
// evictions that were assumed evictLimit seconds or more before it: the tasks are pending, or run,
// again. Absent: they never expire. It returns what expired.
func (c *Cluster) ExpireAssumptions(now, bindLimit, evictLimit int64) ([]Assumption, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return assumptions(taken(&words, C.muster_cluster_expire_assumptions(c.cluster, C.int64_t(now),
		C.int64_t(bindLimit), C.int64_t(evictLimit), &words, &e), &e))
}

// SaveState returns all that a standby needs to go on where this cluster stands: rows with their
// indices, events that wait, decisions that are not reported yet. Indices move: look them up again.
func (c *Cluster) SaveState() (string, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return taken(&words, C.muster_state_save(c.cluster, &words, &e), &e)
}

// LoadState replaces everything by a saved state. A text that is none changes nothing.
func (c *Cluster) LoadState(state string) error {
	e := C.muster_go_document_error()
	text := C.CString(state)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_state_load(c.cluster, text, C.int64_t(len(state)), &e), &e)
}

// Limits bound what one text may make. A reader checks them before it takes memory.
type Limits struct {
	Depth int32 // of arrays and objects inside each other; at most 256
	Rows  int64 // of all tables; a row with a count counts that many times
	Bytes int64 // of the text
}

// DefaultLimits are those of a new cluster.
func DefaultLimits() Limits {
	l := C.muster_go_limits()
	return Limits{int32(l.depth), int64(l.rows), int64(l.bytes)}
}

// SetLimits sets the limits of all texts that the cluster reads from now on.
func (c *Cluster) SetLimits(limits Limits) error {
	e := C.muster_go_document_error()
	l := C.muster_go_limits()
	l.depth, l.rows, l.bytes = C.int32_t(limits.Depth), C.int64_t(limits.Rows), C.int64_t(limits.Bytes)
	return check(C.muster_cluster_set_limits(c.cluster, &l, &e), &e)
}

// Reconcile makes the cluster equal to a full listing: a kind without a table has no rows. It
// returns a line for each row that differed, such as `missing node "n1"`. All or nothing.
func (c *Cluster) Reconcile(tables ...*Table) ([]string, error) {
	e := C.muster_go_document_error()
	// C reads the list during the call alone, so it lies in C's memory.
	list := (*[1 << 20]*C.muster_table)(C.calloc(C.size_t(len(tables)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(list))
	for i, table := range tables {
		if table == nil {
			return nil, fmt.Errorf("tables[%d] is nil", i)
		}
		list[i] = table.table
	}
	var words *C.muster_text
	status := C.muster_cluster_reconcile(c.cluster, (**C.muster_table)(unsafe.Pointer(list)),
		C.int32_t(len(tables)), &words, &e)
	drift, err := taken(&words, status, &e)
	if err != nil || drift == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(drift, "\n"), "\n"), nil
}

// SetTask reports the status of one task by name. node is "" where the task has none, or keeps its own.
func (c *Cluster) SetTask(name string, status int32, node string) error {
	e := C.muster_go_document_error()
	task, where := C.CString(name), C.CString(node)
	defer C.free(unsafe.Pointer(task))
	defer C.free(unsafe.Pointer(where))
	return check(C.muster_cluster_set_task(c.cluster, task, C.int64_t(len(name)), C.int32_t(status), where,
		C.int64_t(len(node)), &e), &e)
}

// Digest is equal for equal plans, on every machine: 32 hexadecimal digits.
func (p *Plan) Digest() (string, error) {
	e := C.muster_go_document_error()
	digits := (*C.char)(C.calloc(33, 1))
	defer C.free(unsafe.Pointer(digits))
	if err := check(C.muster_plan_digest(p.plan, digits, &e), &e); err != nil {
		return "", err
	}
	return C.GoString(digits), nil
}

// Text is the plan in words, one decision or reason a line.
func (p *Plan) Text() (string, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return taken(&words, C.muster_plan_to_text(p.plan, &words, &e), &e)
}

// JSON is the whole plan, with names in place of indices.
func (p *Plan) JSON() (string, error) {
	e := C.muster_go_document_error()
	var words *C.muster_text
	return taken(&words, C.muster_plan_to_json(p.plan, &words, &e), &e)
}
