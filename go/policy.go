// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>
#include <string.h>

static muster_error muster_go_policy_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}

// What is asked of a policy. `one`, `two` and `three` are the numbers of the question; `first` and
// `second` are columns of `count` rows.
extern int32_t musterGoAsk(uintptr_t user, int32_t point, void* cycle, void* task_class, void* nodes, int32_t one,
                           int32_t two, int32_t three, void* first, void* second, int64_t count, void* out);
extern int32_t musterGoRun(uintptr_t user, void* bench);
extern void musterGoForget(uintptr_t user);

enum {
  kOpen, kFit, kScore, kJobOrder, kQueueOrder, kTaskOrder, kOverused, kReady, kValid, kAdmit, kAllocatable,
  kPreemptable, kReclaimable, kPreemptive, kPipelined, kStarving, kEvictable, kVictims, kVictimQueueOrder,
  kSubGroupOrder, kSubGroupReady, kSubGroupPipelined, kDomainScore, kDomainSearch, kPoints
};

#define MUSTER_GO_ROWS(name, point, type)                                                                   \
  static muster_status name(uintptr_t user, const muster_cycle* cycle, const int32_t* rows, int64_t count, \
                            type* out) {                                                                    \
    return musterGoAsk(user, point, (void*)cycle, NULL, NULL, 0, 0, 0, (void*)rows, NULL, count, out);      \
  }
#define MUSTER_GO_VICTIMS(name, point)                                                                       \
  static muster_status name(uintptr_t user, const muster_cycle* cycle, int32_t evictor, const int32_t* rows, \
                            int64_t count, uint8_t* out) {                                                   \
    return musterGoAsk(user, point, (void*)cycle, NULL, NULL, evictor, 0, 0, (void*)rows, NULL, count, out); \
  }
#define MUSTER_GO_GROUPS(name, point, type)                                                                  \
  static muster_status name(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,                  \
                            const int32_t* groups, int64_t count, type* out) {                               \
    return musterGoAsk(user, point, (void*)cycle, NULL, NULL, 0, 0, 0, (void*)jobs, (void*)groups, count, out); \
  }

static muster_status go_open(uintptr_t user, const muster_cycle* cycle) {
  return musterGoAsk(user, kOpen, (void*)cycle, NULL, NULL, 0, 0, 0, NULL, NULL, 0, NULL);
}
static muster_status go_fit(uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
                            const muster_nodes_view* nodes, uint8_t* out) {
  return musterGoAsk(user, kFit, (void*)cycle, (void*)c, (void*)nodes, 0, 0, 0, NULL, NULL, nodes->count, out);
}
static muster_status go_score(uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
                              const muster_nodes_view* nodes, double* out) {
  return musterGoAsk(user, kScore, (void*)cycle, (void*)c, (void*)nodes, 0, 0, 0, NULL, NULL, nodes->count, out);
}
MUSTER_GO_ROWS(go_job_order, kJobOrder, double)
MUSTER_GO_ROWS(go_queue_order, kQueueOrder, double)
MUSTER_GO_ROWS(go_task_order, kTaskOrder, double)
MUSTER_GO_ROWS(go_overused, kOverused, uint8_t)
MUSTER_GO_ROWS(go_ready, kReady, uint8_t)
MUSTER_GO_ROWS(go_valid, kValid, uint8_t)
MUSTER_GO_ROWS(go_admit, kAdmit, int8_t)
MUSTER_GO_ROWS(go_pipelined, kPipelined, int8_t)
MUSTER_GO_ROWS(go_starving, kStarving, uint8_t)
MUSTER_GO_ROWS(go_victims, kVictims, uint8_t)
MUSTER_GO_VICTIMS(go_preemptable, kPreemptable)
MUSTER_GO_VICTIMS(go_reclaimable, kReclaimable)
MUSTER_GO_GROUPS(go_sub_group_order, kSubGroupOrder, double)
MUSTER_GO_GROUPS(go_sub_group_ready, kSubGroupReady, uint8_t)
MUSTER_GO_GROUPS(go_sub_group_pipelined, kSubGroupPipelined, int8_t)
static muster_status go_allocatable(uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
                                    const int32_t* queues, int64_t count, uint8_t* out) {
  return musterGoAsk(user, kAllocatable, (void*)cycle, (void*)c, NULL, 0, 0, 0, (void*)queues, NULL, count, out);
}
static muster_status go_preemptive(uintptr_t user, const muster_cycle* cycle, const int64_t* request,
                                   int32_t dimensions, const int32_t* queues, int64_t count, uint8_t* out) {
  return musterGoAsk(user, kPreemptive, (void*)cycle, NULL, NULL, dimensions, 0, 0, (void*)queues, (void*)request,
                     count, out);
}
static muster_status go_evictable(uintptr_t user, const muster_cycle* cycle, int32_t evictor, int32_t others,
                                  const int32_t* tasks, int64_t count, uint8_t* out) {
  return musterGoAsk(user, kEvictable, (void*)cycle, NULL, NULL, evictor, others, 0, (void*)tasks, NULL, count, out);
}
static muster_status go_victim_queue_order(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                                           const int32_t* queues, int64_t count, double* out) {
  return musterGoAsk(user, kVictimQueueOrder, (void*)cycle, NULL, NULL, evictor, 0, 0, (void*)queues, NULL, count,
                     out);
}
static muster_status go_domain_score(uintptr_t user, const muster_cycle* cycle, int32_t job, int32_t group,
                                     const int32_t* domains, int64_t count, double* out) {
  return musterGoAsk(user, kDomainScore, (void*)cycle, NULL, NULL, job, group, 0, (void*)domains, NULL, count, out);
}
static muster_status go_domain_search(uintptr_t user, const muster_cycle* cycle, int32_t job, int32_t group,
                                      int32_t within, int32_t allocated, int32_t evicting, const int32_t* domains,
                                      int64_t count, int32_t* out) {
  int32_t more[2] = {allocated, evicting};
  return musterGoAsk(user, kDomainSearch, (void*)cycle, NULL, NULL, job, group, within, (void*)domains, more, count,
                     out);
}
static void go_forget(uintptr_t user) { musterGoForget(user); }
static muster_status go_run(uintptr_t user, muster_workbench* bench) { return musterGoRun(user, bench); }

// `points` has a bit for each callback that the policy has.
static void muster_go_policy(muster_policy* p, uint32_t points, const char* name, const char* refusal, uint32_t flags,
                             uintptr_t user) {
  const muster_policy unset = MUSTER_POLICY_INIT;
  *p = unset;
  p->name = name;
  p->refusal = refusal;
  p->flags = flags;
  p->user = user;
  p->destroy = go_forget;
#define MUSTER_GO_SET(point, field) \
  if ((points >> point & 1u) != 0) p->field = go_##field
  MUSTER_GO_SET(kOpen, open);
  MUSTER_GO_SET(kFit, fit);
  MUSTER_GO_SET(kScore, score);
  MUSTER_GO_SET(kJobOrder, job_order);
  MUSTER_GO_SET(kQueueOrder, queue_order);
  MUSTER_GO_SET(kTaskOrder, task_order);
  MUSTER_GO_SET(kOverused, overused);
  MUSTER_GO_SET(kReady, ready);
  MUSTER_GO_SET(kValid, valid);
  MUSTER_GO_SET(kAdmit, admit);
  MUSTER_GO_SET(kAllocatable, allocatable);
  MUSTER_GO_SET(kPreemptable, preemptable);
  MUSTER_GO_SET(kReclaimable, reclaimable);
  MUSTER_GO_SET(kPreemptive, preemptive);
  MUSTER_GO_SET(kPipelined, pipelined);
  MUSTER_GO_SET(kStarving, starving);
  MUSTER_GO_SET(kEvictable, evictable);
  MUSTER_GO_SET(kVictims, victims);
  MUSTER_GO_SET(kVictimQueueOrder, victim_queue_order);
  MUSTER_GO_SET(kSubGroupOrder, sub_group_order);
  MUSTER_GO_SET(kSubGroupReady, sub_group_ready);
  MUSTER_GO_SET(kSubGroupPipelined, sub_group_pipelined);
  MUSTER_GO_SET(kDomainScore, domain_score);
  MUSTER_GO_SET(kDomainSearch, domain_search);
}
static void muster_go_action(muster_action* a, const char* name, const char* summary, uint32_t flags,
                             uintptr_t user) {
  const muster_action unset = MUSTER_ACTION_INIT;
  *a = unset;
  a->name = name;
  a->summary = summary;
  a->flags = flags;
  a->user = user;
  a->run = go_run;
  a->destroy = go_forget;
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Class is a task class: all tasks that no policy of the library can tell apart.
type Class struct {
	Index   int32
	Request []int64 // by dimension; Absent: none
}

// Nodes are nodes and their books, column by column: dimension d of node i is at [d*Stride+i].
type Nodes struct {
	Node                                []int32
	Stride                              int
	Allocatable, Idle, FutureIdle, Used []float64
}

// Policy is a rule of the caller's own: a callback for each point at which it has an opinion.
// docs/policies.md has the points, and c_policy.h how often each is asked. Each out has a cell for
// each row, filled with "no opinion"; the callback changes what it likes. Slices are valid until it
// returns. An error, or a panic, discards the cycle, and Schedule returns it.
type Policy struct {
	Name    string
	Refusal string // what reasons say of nodes that it refuses, after the name
	Live    bool   // orders and scores are asked again whenever the books changed

	Open        func(*Cycle) error
	Fit         func(c *Cycle, class Class, nodes Nodes, out []uint8) error
	Score       func(c *Cycle, class Class, nodes Nodes, out []float64) error
	JobOrder    func(c *Cycle, jobs []int32, out []float64) error
	QueueOrder  func(c *Cycle, queues []int32, out []float64) error
	TaskOrder   func(c *Cycle, tasks []int32, out []float64) error
	Overused    func(c *Cycle, queues []int32, out []uint8) error
	Ready       func(c *Cycle, jobs []int32, out []uint8) error
	Valid       func(c *Cycle, jobs []int32, out []uint8) error
	Admit       func(c *Cycle, jobs []int32, out []int8) error
	Allocatable func(c *Cycle, class Class, queues []int32, out []uint8) error
	Preemptable func(c *Cycle, evictor int32, tasks []int32, out []uint8) error
	Reclaimable func(c *Cycle, evictor int32, tasks []int32, out []uint8) error
	Preemptive  func(c *Cycle, request []int64, queues []int32, out []uint8) error
	Pipelined   func(c *Cycle, jobs []int32, out []int8) error
	Starving    func(c *Cycle, jobs []int32, out []uint8) error
	// Evictor is a job; fromOthers: the tasks are of other queues than the job.
	Evictable         func(c *Cycle, evictor int32, fromOthers bool, tasks []int32, out []uint8) error
	Victims           func(c *Cycle, tasks []int32, out []uint8) error
	VictimQueueOrder  func(c *Cycle, evictor int32, queues []int32, out []float64) error
	SubGroupOrder     func(c *Cycle, jobs, groups []int32, out []float64) error
	SubGroupReady     func(c *Cycle, jobs, groups []int32, out []uint8) error
	SubGroupPipelined func(c *Cycle, jobs, groups []int32, out []int8) error
	DomainScore       func(c *Cycle, job, group int32, domains []int32, out []float64) error
	DomainSearch      func(c *Cycle, q DomainQuestion, domains []int32, out []int32) error
}

// DomainQuestion is a search for a domain.
type DomainQuestion struct {
	Job, Group, Within, Allocated int32
	Evicting                      bool
}

// Action is an algorithm of the caller's own. It runs only in profiles that name it.
type Action struct {
	Name, Summary  string
	Run            func(*Workbench) error
	Admits, Evicts bool
}

// Policies are policies and actions for Options. Hand in the same ones cycle after cycle: a cluster
// keeps what it has learned as long as they are the same.
type Policies struct {
	list   *C.muster_policies
	failed *failure
}

// failure is the first error of a callback in a cycle.
type failure struct {
	mutex sync.Mutex
	err   error
}

func (f *failure) keep(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *failure) take() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	err := f.err
	f.err = nil
	return err
}

// asked is what callbacks of C find by their handle.
type asked struct {
	policy *Policy
	action *Action
	failed *failure
}

func (p *Policy) points() uint32 {
	var points uint32
	for i, has := range []bool{
		p.Open != nil, p.Fit != nil, p.Score != nil, p.JobOrder != nil, p.QueueOrder != nil, p.TaskOrder != nil,
		p.Overused != nil, p.Ready != nil, p.Valid != nil, p.Admit != nil, p.Allocatable != nil, p.Preemptable != nil,
		p.Reclaimable != nil, p.Preemptive != nil, p.Pipelined != nil, p.Starving != nil, p.Evictable != nil,
		p.Victims != nil, p.VictimQueueOrder != nil, p.SubGroupOrder != nil, p.SubGroupReady != nil,
		p.SubGroupPipelined != nil, p.DomainScore != nil, p.DomainSearch != nil,
	} {
		if has {
			points |= 1 << i
		}
	}
	return points
}

// texts of C, freed together.
type cTexts []unsafe.Pointer

func (t *cTexts) of(text string) *C.char {
	if text == "" {
		return nil
	}
	made := C.CString(text)
	*t = append(*t, unsafe.Pointer(made))
	return made
}

func (t cTexts) free() {
	for _, text := range t {
		C.free(text)
	}
}

// NewPolicies makes a list of policies and actions, which are copied.
func NewPolicies(policies []Policy, actions []Action) (*Policies, error) {
	e := C.muster_go_policy_error()
	made := &Policies{failed: &failure{}}
	var words cTexts
	defer func() { words.free() }()
	// The tables lie in C's memory: C reads them during the call alone.
	size := func(n int, each uintptr) C.size_t { return C.size_t(uintptr(n+1) * each) }
	var policy *C.muster_policy
	var action *C.muster_action
	tables := C.calloc(size(len(policies), unsafe.Sizeof(*policy)), 1)
	defer C.free(tables)
	lists := C.calloc(size(len(policies)+len(actions), unsafe.Sizeof(uintptr(0))), 1)
	defer C.free(lists)
	more := C.calloc(size(len(actions), unsafe.Sizeof(*action)), 1)
	defer C.free(more)
	pointers := unsafe.Slice((*unsafe.Pointer)(lists), len(policies)+len(actions)+1)
	for i := range policies {
		own := policies[i]
		var flags C.uint32_t
		if own.Live {
			flags = C.MUSTER_POLICY_LIVE
		}
		pointers[i] = unsafe.Add(tables, uintptr(i)*unsafe.Sizeof(*policy))
		user := cgo.NewHandle(asked{policy: &own, failed: made.failed})
		C.muster_go_policy((*C.muster_policy)(pointers[i]), C.uint32_t(own.points()), words.of(own.Name),
			words.of(own.Refusal), flags, C.uintptr_t(user))
	}
	for i := range actions {
		own := actions[i]
		if own.Run == nil {
			own.Run = func(*Workbench) error { return fmt.Errorf("action %q has no Run", own.Name) }
		}
		var flags C.uint32_t
		if own.Admits {
			flags |= C.MUSTER_ACTION_ADMITS
		}
		if own.Evicts {
			flags |= C.MUSTER_ACTION_EVICTS
		}
		at := len(policies) + i
		pointers[at] = unsafe.Add(more, uintptr(i)*unsafe.Sizeof(*action))
		user := cgo.NewHandle(asked{action: &own, failed: made.failed})
		C.muster_go_action((*C.muster_action)(pointers[at]), words.of(own.Name), words.of(own.Summary), flags,
			C.uintptr_t(user))
	}
	first := (**C.muster_policy)(lists)
	second := (**C.muster_action)(unsafe.Add(lists, uintptr(len(policies))*unsafe.Sizeof(uintptr(0))))
	var status C.muster_status
	if len(actions) == 0 {
		status = C.muster_policies_new(first, C.int32_t(len(policies)), &made.list, &e)
	} else {
		status = C.muster_extensions_new(first, C.int32_t(len(policies)), second, C.int32_t(len(actions)),
			&made.list, &e)
	}
	if err := check(status, &e); err != nil {
		return nil, err // C has let go of all handles
	}
	return made, nil
}

// Free ends the caller's hold: cycles with the list are refused. Clusters that used it may keep it
// alive for a while.
func (p *Policies) Free() {
	C.muster_policies_free(p.list)
	p.list = nil
}

//export musterGoForget
func musterGoForget(user C.uintptr_t) { cgo.Handle(user).Delete() }

//export musterGoRun
func musterGoRun(user C.uintptr_t, bench unsafe.Pointer) (status C.int32_t) {
	of := cgo.Handle(user).Value().(asked)
	defer of.end(&status)
	b := &Workbench{bench: (*C.muster_workbench)(bench)}
	defer b.end()
	if err := of.action.Run(b); err != nil {
		of.failed.keep(err)
		return 1
	}
	return 0
}

// end turns a panic into a failure of the cycle.
func (a asked) end(status *C.int32_t) {
	if why := recover(); why != nil {
		a.failed.keep(fmt.Errorf("panic in a callback: %v", why))
		*status = 1
	}
}

func columnOf[T any](first unsafe.Pointer, n int) []T {
	if first == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(first), n)
}

func classOf(view unsafe.Pointer) Class {
	if view == nil {
		return Class{Index: None}
	}
	c := (*C.muster_class_view)(view)
	return Class{int32(c.index), columnOf[int64](unsafe.Pointer(c.request), int(c.dimensions))}
}

func nodesOf(view unsafe.Pointer) Nodes {
	if view == nil {
		return Nodes{}
	}
	v := (*C.muster_nodes_view)(view)
	amounts := int(v.stride) * int(v.dimensions)
	column := func(first *C.double) []float64 { return columnOf[float64](unsafe.Pointer(first), amounts) }
	return Nodes{
		columnOf[int32](unsafe.Pointer(v.node), int(v.count)), int(v.stride),
		column(v.allocatable), column(v.idle), column(v.future_idle), column(v.used),
	}
}

//export musterGoAsk
func musterGoAsk(user C.uintptr_t, point C.int32_t, cycle, class, nodes unsafe.Pointer, one, two, three C.int32_t,
	first, second unsafe.Pointer, count C.int64_t, out unsafe.Pointer) (status C.int32_t) {
	of := cgo.Handle(user).Value().(asked)
	defer of.end(&status)
	c := &Cycle{(*C.muster_cycle)(cycle)}
	defer c.end()
	q := question{c, class, nodes, int32(one), int32(two), int32(three), first, second, int(count), out}
	if err := q.ask(of.policy, point); err != nil {
		of.failed.keep(err)
		return 1
	}
	return 0
}

type question struct {
	c              *Cycle
	class, nodes   unsafe.Pointer
	one, two, more int32
	first, second  unsafe.Pointer
	count          int
	out            unsafe.Pointer
}

func (q *question) rows() []int32    { return columnOf[int32](q.first, q.count) }
func (q *question) groups() []int32  { return columnOf[int32](q.second, q.count) }
func (q *question) keys() []float64  { return columnOf[float64](q.out, q.count) }
func (q *question) yes() []uint8     { return columnOf[uint8](q.out, q.count) }
func (q *question) votes() []int8    { return columnOf[int8](q.out, q.count) }
func (q *question) request() []int64 { return columnOf[int64](q.second, int(q.one)) }

func (q *question) ask(p *Policy, point C.int32_t) error {
	switch point {
	case C.kOpen:
		return p.Open(q.c)
	case C.kFit:
		return p.Fit(q.c, classOf(q.class), nodesOf(q.nodes), q.yes())
	case C.kScore:
		return p.Score(q.c, classOf(q.class), nodesOf(q.nodes), q.keys())
	case C.kJobOrder:
		return p.JobOrder(q.c, q.rows(), q.keys())
	case C.kQueueOrder:
		return p.QueueOrder(q.c, q.rows(), q.keys())
	case C.kTaskOrder:
		return p.TaskOrder(q.c, q.rows(), q.keys())
	case C.kOverused:
		return p.Overused(q.c, q.rows(), q.yes())
	case C.kReady:
		return p.Ready(q.c, q.rows(), q.yes())
	case C.kValid:
		return p.Valid(q.c, q.rows(), q.yes())
	case C.kAdmit:
		return p.Admit(q.c, q.rows(), q.votes())
	case C.kAllocatable:
		return p.Allocatable(q.c, classOf(q.class), q.rows(), q.yes())
	case C.kPreemptable:
		return p.Preemptable(q.c, q.one, q.rows(), q.yes())
	case C.kReclaimable:
		return p.Reclaimable(q.c, q.one, q.rows(), q.yes())
	case C.kPreemptive:
		return p.Preemptive(q.c, q.request(), q.rows(), q.yes())
	case C.kPipelined:
		return p.Pipelined(q.c, q.rows(), q.votes())
	case C.kStarving:
		return p.Starving(q.c, q.rows(), q.yes())
	case C.kEvictable:
		return p.Evictable(q.c, q.one, q.two != 0, q.rows(), q.yes())
	case C.kVictims:
		return p.Victims(q.c, q.rows(), q.yes())
	case C.kVictimQueueOrder:
		return p.VictimQueueOrder(q.c, q.one, q.rows(), q.keys())
	case C.kSubGroupOrder:
		return p.SubGroupOrder(q.c, q.rows(), q.groups(), q.keys())
	case C.kSubGroupReady:
		return p.SubGroupReady(q.c, q.rows(), q.groups(), q.yes())
	case C.kSubGroupPipelined:
		return p.SubGroupPipelined(q.c, q.rows(), q.groups(), q.votes())
	case C.kDomainScore:
		return p.DomainScore(q.c, q.one, q.two, q.rows(), q.keys())
	default:
		more := columnOf[int32](q.second, 2)
		return p.DomainSearch(q.c, DomainQuestion{q.one, q.two, q.more, more[0], more[1] != 0}, q.rows(),
			columnOf[int32](q.out, q.count))
	}
}

// Cycle is what a callback may read. It is valid until the callback returns.
type Cycle struct{ cycle *C.muster_cycle }

// end makes later calls those of no cycle.
func (c *Cycle) end() { c.cycle = nil }

// KindClasses are task classes: rows of Cycle.Label and Cycle.Row alone.
const KindClasses = C.MUSTER_KIND_CLASSES

// Rules of Cycle.MatchNodes.
const (
	MatchSelector    = uint32(C.MUSTER_MATCH_SELECTOR)    // the node selector and the required node affinity
	MatchTaints      = uint32(C.MUSTER_MATCH_TAINTS)      // taints NoSchedule and NoExecute are tolerated
	MatchSchedulable = uint32(C.MUSTER_MATCH_SCHEDULABLE) // it is not marked unschedulable, or that is tolerated
)

// Now is Options.Now.
func (c *Cycle) Now() int64 { return int64(C.muster_cycle_now(c.cycle)) }

// Count is a number that all indices of the kind are below; removed rows count, too.
func (c *Cycle) Count(kind int) int64 { return int64(C.muster_cycle_count(c.cycle, C.int32_t(kind))) }

// Name is the name of a row, "" where there is none.
func (c *Cycle) Name(kind int, index int32) string {
	var size C.int64_t
	name := C.muster_cycle_name(c.cycle, C.int32_t(kind), C.int32_t(index), &size)
	if name == nil {
		return ""
	}
	return textOf(name, size)
}

// Numbers reads a column over some rows, as it is at this moment of the cycle: "priority" of jobs,
// "idle.cpu" of nodes (c_policy.h lists them). A cell is Absent where the row leaves it unset.
func (c *Cycle) Numbers(kind int, column string, rows []int32) ([]int64, error) {
	out := make([]int64, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	e := C.muster_go_policy_error()
	name := C.CString(column)
	defer C.free(unsafe.Pointer(name))
	status := C.muster_cycle_get_numbers(c.cycle, C.int32_t(kind), name, (*C.int32_t)(unsafe.Pointer(&rows[0])),
		C.int64_t(len(rows)), (*C.int64_t)(unsafe.Pointer(&out[0])), &e)
	return out, check(status, &e)
}

// Row is a node, queue, job, task or domain as a scenario file has it, and of a task class the
// shape: labels, taints, selectors and all else, as JSON.
func (c *Cycle) Row(kind int, index int32) (string, error) {
	e := C.muster_go_policy_error()
	var words *C.muster_text
	return taken(&words, C.muster_cycle_row(c.cycle, C.int32_t(kind), C.int32_t(index), &words, &e), &e)
}

// MatchNodes returns for each node whether all of the rules hold between it and the task class.
func (c *Cycle) MatchNodes(class int32, rules uint32, nodes []int32) ([]uint8, error) {
	out := make([]uint8, len(nodes))
	if len(nodes) == 0 {
		return out, nil
	}
	e := C.muster_go_policy_error()
	status := C.muster_cycle_match_nodes(c.cycle, C.int32_t(class), C.uint32_t(rules),
		(*C.int32_t)(unsafe.Pointer(&nodes[0])), C.int64_t(len(nodes)), (*C.uint8_t)(unsafe.Pointer(&out[0])), &e)
	return out, check(status, &e)
}
