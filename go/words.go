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

// Kinds of reasons (docs/explain.md).
const (
	ReasonGated         = int32(C.MUSTER_REASON_GATED)
	ReasonInvalidGang   = int32(C.MUSTER_REASON_INVALID_GANG)
	ReasonNotAdmitted   = int32(C.MUSTER_REASON_NOT_ADMITTED)
	ReasonQueueClosed   = int32(C.MUSTER_REASON_QUEUE_CLOSED)
	ReasonQueueOverused = int32(C.MUSTER_REASON_QUEUE_OVERUSED)
	ReasonQueueLimit    = int32(C.MUSTER_REASON_QUEUE_LIMIT)
	ReasonQueueDeserved = int32(C.MUSTER_REASON_QUEUE_DESERVED)
	ReasonNoNode        = int32(C.MUSTER_REASON_NO_NODE)
	ReasonGangUndone    = int32(C.MUSTER_REASON_GANG_UNDONE)
	ReasonGangWaits     = int32(C.MUSTER_REASON_GANG_WAITS)
	ReasonNoDomain      = int32(C.MUSTER_REASON_NO_DOMAIN)
	ReasonNotReached    = int32(C.MUSTER_REASON_NOT_REACHED)
	ReasonQueueTree     = int32(C.MUSTER_REASON_QUEUE_TREE)
	ReasonInfeasible    = int32(C.MUSTER_REASON_INFEASIBLE)
	ReasonQueueSpending = int32(C.MUSTER_REASON_QUEUE_SPENDING)
)

// Codes of refusals: why nodes refused a task.
const (
	RefusalNotReady             = int32(C.MUSTER_REFUSAL_NOT_READY)
	RefusalUnschedulable        = int32(C.MUSTER_REFUSAL_UNSCHEDULABLE)
	RefusalNodeAffinity         = int32(C.MUSTER_REFUSAL_NODE_AFFINITY)
	RefusalTaint                = int32(C.MUSTER_REFUSAL_TAINT)
	RefusalInsufficient         = int32(C.MUSTER_REFUSAL_INSUFFICIENT)
	RefusalPodLimit             = int32(C.MUSTER_REFUSAL_POD_LIMIT)
	RefusalHostPort             = int32(C.MUSTER_REFUSAL_HOST_PORT)
	RefusalAffinity             = int32(C.MUSTER_REFUSAL_AFFINITY)
	RefusalAntiAffinity         = int32(C.MUSTER_REFUSAL_ANTI_AFFINITY)
	RefusalExistingAntiAffinity = int32(C.MUSTER_REFUSAL_EXISTING_ANTI_AFFINITY)
	RefusalSpreadLabel          = int32(C.MUSTER_REFUSAL_SPREAD_LABEL)
	RefusalSpread               = int32(C.MUSTER_REFUSAL_SPREAD)
	RefusalPolicy               = int32(C.MUSTER_REFUSAL_POLICY)
	RefusalDevice               = int32(C.MUSTER_REFUSAL_DEVICE)
)
