// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
*/
import "C"

// Kinds of rows.
const (
	KindNodes        = C.MUSTER_KIND_NODES
	KindQueues       = C.MUSTER_KIND_QUEUES
	KindJobs         = C.MUSTER_KIND_JOBS
	KindTasks        = C.MUSTER_KIND_TASKS
	KindDomains      = C.MUSTER_KIND_DOMAINS
	KindBudgets      = C.MUSTER_KIND_BUDGETS
	KindNamespaces   = C.MUSTER_KIND_NAMESPACES
	KindFlavors      = C.MUSTER_KIND_FLAVORS
	KindPartitions   = C.MUSTER_KIND_PARTITIONS
	KindReservations = C.MUSTER_KIND_RESERVATIONS
	// Rows of Plan.Name alone: what amounts are of.
	KindDimensions = C.MUSTER_KIND_DIMENSIONS
)

// None is the index of no row.
const None = C.MUSTER_NONE

// Absent is the number that stands for none.
const Absent = int64(C.MUSTER_ABSENT)

// Status of a task.
const (
	TaskPending   = int32(C.MUSTER_TASK_PENDING)
	TaskNominated = int32(C.MUSTER_TASK_NOMINATED) // promised a node that others still leave
	TaskBinding   = int32(C.MUSTER_TASK_BINDING)
	TaskBound     = int32(C.MUSTER_TASK_BOUND)
	TaskRunning   = int32(C.MUSTER_TASK_RUNNING)
	TaskReleasing = int32(C.MUSTER_TASK_RELEASING)
	TaskSucceeded = int32(C.MUSTER_TASK_SUCCEEDED)
	TaskFailed    = int32(C.MUSTER_TASK_FAILED)
	TaskUnknown   = int32(C.MUSTER_TASK_UNKNOWN)
	TaskWaiting   = int32(C.MUSTER_TASK_WAITING) // holds its place, and is not bound yet
)

// Phases of jobs.
const (
	PhasePending   = int32(C.MUSTER_PHASE_PENDING)
	PhaseAdmitted  = int32(C.MUSTER_PHASE_ADMITTED)
	PhaseRunning   = int32(C.MUSTER_PHASE_RUNNING)
	PhaseDegraded  = int32(C.MUSTER_PHASE_DEGRADED) // runs with fewer tasks than its minimum
	PhaseCompleted = int32(C.MUSTER_PHASE_COMPLETED)
)

// Outcomes of events.
const (
	DeltaApplied = int32(C.MUSTER_DELTA_APPLIED)
	DeltaStale   = int32(C.MUSTER_DELTA_STALE)   // a later one of the object was here before
	DeltaWaiting = int32(C.MUSTER_DELTA_WAITING) // for an object that it names
	DeltaRefused = int32(C.MUSTER_DELTA_REFUSED) // it breaks a rule; of Take alone
)
