// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// Package muster calls the scheduling library through its C interface.
//
// Values cross as columns, one call a column and one call a cycle. No Go memory is held by C after
// a call has returned, so nothing is pinned and no finalizer races with a running call. kube.go
// makes columns from pods, pod groups, nodes and queues.
//
// A scheduler keeps one Cluster, fills it once (Add), feeds it events (Take, SetTasks), and calls
// Schedule every cycle: the Plan lists what to start, what to evict and why the rest waits, and
// Follow makes the tables go along. What New..., Freeze and Schedule hand out is freed by Free; a
// Plan may be used after its cluster is gone. A second Free does nothing. Calls of a value that was
// freed return an error, or what there is of nothing.
//
// A released module brings the library along as one archive for linux/amd64, and needs a C compiler
// and nothing else (tools/release/go_module.py makes it). With the tag muster_shared the package
// links an installed libmuster_c instead, found by CGO_CFLAGS and CGO_LDFLAGS. The repository has no
// archive, so a build there needs the tag: go build -tags muster_shared.
package muster

/*
#cgo !muster_shared CFLAGS: -I${SRCDIR}/include
#cgo !muster_shared,linux,amd64 LDFLAGS: ${SRCDIR}/lib/linux_amd64/libmuster.a -lm
#cgo muster_shared LDFLAGS: -lmuster_c
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
static muster_plan_view muster_go_view(void) {
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  return view;
}
static muster_schedule_options muster_go_options(void) {
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  return options;
}
static const char* muster_go_message(const muster_error* error) { return error->message; }
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"
)

func check(status C.muster_status, e *C.muster_error) error {
	if status == C.MUSTER_OK {
		return nil
	}
	return errors.New(C.GoString(C.muster_go_message(e)))
}

// Table is a list of rows on their way into a cluster.
type Table struct {
	table *C.muster_table
	rows  int
}

// NewTable makes a table of rows of a kind.
func NewTable(kind int, rows int) (*Table, error) {
	e := C.muster_go_error()
	t := &Table{rows: rows}
	return t, check(C.muster_table_new(C.int32_t(kind), C.int64_t(rows), nil, &t.table, &e), &e)
}

// Free ends the table.
func (t *Table) Free() {
	C.muster_table_free(t.table)
	t.table = nil
}

// Numbers sets a column.
func (t *Table) Numbers(column string, values []int64) error {
	e := C.muster_go_error()
	name := terminated(column)
	var first *C.int64_t
	if len(values) > 0 {
		first = (*C.int64_t)(unsafe.Pointer(&values[0]))
	}
	return check(C.muster_table_set_numbers(t.table, name, first, C.int64_t(len(values)), &e), &e)
}

// Texts sets a column.
func (t *Table) Texts(column string, texts []string) error {
	list := newTexts(len(texts))
	for _, text := range texts {
		list.bytes = append(list.bytes, text...)
		list.end()
	}
	return t.set(column, list)
}

// terminated is a copy of the text with a NUL, which C reads during a call: C.CString takes two more
// calls of C.
func terminated(text string) *C.char {
	return (*C.char)(unsafe.Pointer(&append([]byte(text), 0)[0]))
}

// texts are many texts in a row, as C takes them.
type texts struct {
	bytes   []byte
	offsets []int64
}

func newTexts(expected int) *texts {
	return &texts{make([]byte, 0, 32*expected+1), make([]int64, 1, expected+1)}
}

// end ends a text after its bytes have been appended.
func (l *texts) end() { l.offsets = append(l.offsets, int64(len(l.bytes))) }

// c is what a call takes: offsets, number, bytes, size.
func (l *texts) c() (*C.int64_t, C.int64_t, *C.char, C.int64_t) {
	size := len(l.bytes)
	l.bytes = append(l.bytes, 0)[:size] // so that there is a first byte to point at
	first := (*C.char)(unsafe.Pointer(&l.bytes[:1][0]))
	return (*C.int64_t)(unsafe.Pointer(&l.offsets[0])), C.int64_t(len(l.offsets) - 1), first, C.int64_t(size)
}

// set sets a column of texts.
func (t *Table) set(column string, list *texts) error {
	e := C.muster_go_error()
	name := terminated(column)
	offsets, count, bytes, size := list.c()
	return check(C.muster_table_set_texts(t.table, name, offsets, count, bytes, size, &e), &e)
}

// codes sets a column of few different texts: row i has the text of that number, or none where it
// is None.
func (t *Table) codes(column string, codes []int32, list *texts) error {
	e := C.muster_go_error()
	name := terminated(column)
	var first *C.int32_t
	if len(codes) > 0 {
		first = (*C.int32_t)(unsafe.Pointer(&codes[0]))
	}
	offsets, count, bytes, size := list.c()
	return check(C.muster_table_set_codes(t.table, name, first, C.int64_t(len(codes)), offsets, count, bytes, size, &e), &e)
}

// Cluster is the living tables. It is used by one goroutine at a time.
type Cluster struct {
	cluster *C.muster_cluster
	threads *C.muster_threads // of SetThreads; nil: one thread
}

// NewCluster makes an empty cluster.
func NewCluster() (*Cluster, error) {
	e := C.muster_go_error()
	c := &Cluster{}
	return c, check(C.muster_cluster_new(nil, &c.cluster, &e), &e)
}

// Free ends the cluster; its plans live on.
func (c *Cluster) Free() {
	C.muster_cluster_free(c.cluster)
	C.muster_threads_free(c.threads)
	c.cluster, c.threads = nil, nil
}

// Add adds all rows of the table, or none.
func (c *Cluster) Add(t *Table) error {
	e := C.muster_go_error()
	return check(C.muster_cluster_put(c.cluster, C.MUSTER_PUT_ADD, t.table, &e), &e)
}

// Apply takes events of a watch: rows that hold their objects whole, and the generation of each,
// which grows with every change at its source. They may come twice, late or out of order; the
// outcome of each is DeltaApplied, DeltaStale or DeltaWaiting. Where one is refused those before it
// stay, and the outcomes are as many: those after it are not taken. Take goes on.
func (c *Cluster) Apply(t *Table, generations []uint64) ([]int32, error) {
	if len(generations) != t.rows {
		return nil, fmt.Errorf("%d generations for %d rows", len(generations), t.rows)
	}
	if t.rows == 0 {
		return nil, nil
	}
	e := C.muster_go_error()
	outcomes := make([]int32, t.rows)
	var done C.int64_t
	err := check(C.muster_cluster_apply_deltas(c.cluster, t.table, (*C.uint64_t)(unsafe.Pointer(&generations[0])),
		(*C.int32_t)(unsafe.Pointer(&outcomes[0])), &done, &e), &e)
	return outcomes[:done], err
}

// Take is Apply in which a row that is refused stops no other: its outcome is DeltaRefused, and
// refusals has a line for each of them: tasks[3]: task "a/b": and the words, which Explain repeats.
// It fails where the table as a whole cannot be read; no row is taken then.
func (c *Cluster) Take(t *Table, generations []uint64) (outcomes []int32, refusals string, err error) {
	if len(generations) != t.rows {
		return nil, "", fmt.Errorf("%d generations for %d rows", len(generations), t.rows)
	}
	if t.rows == 0 {
		return nil, "", nil
	}
	e := C.muster_go_error()
	outcomes = make([]int32, t.rows)
	var words *C.muster_text
	refusals, err = taken(&words, C.muster_cluster_take_deltas(c.cluster, t.table,
		(*C.uint64_t)(unsafe.Pointer(&generations[0])), (*C.int32_t)(unsafe.Pointer(&outcomes[0])), &words, &e), &e)
	if err != nil {
		return nil, "", err
	}
	return outcomes, refusals, nil
}

// ApplyRemoval takes the event that an object is gone.
func (c *Cluster) ApplyRemoval(kind int, name string, generation uint64) (int32, error) {
	e := C.muster_go_error()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var outcome C.int32_t
	status := C.muster_cluster_apply_removal(c.cluster, C.int32_t(kind), text, C.int64_t(len(name)),
		C.uint64_t(generation), &outcome, &e)
	return int32(outcome), check(status, &e)
}

// Update changes rows that are there, found by name: columns that the table has not stay as they
// are.
func (c *Cluster) Update(t *Table) error {
	e := C.muster_go_error()
	return check(C.muster_cluster_put(c.cluster, C.MUSTER_PUT_UPDATE, t.table, &e), &e)
}

// Find is the index of a row, for SetTasks and for columns that name rows by number. Indices stay
// while Layout does.
func (c *Cluster) Find(kind int, name string) (int32, error) {
	e := C.muster_go_error()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var index C.int32_t
	status := C.muster_cluster_find(c.cluster, C.int32_t(kind), text, C.int64_t(len(name)), &index, &e)
	return int32(index), check(status, &e)
}

// Layout grows when removals make the tables move together: indices are to be looked up again.
func (c *Cluster) Layout() uint64 { return uint64(C.muster_cluster_layout(c.cluster)) }

// Remove takes a row out by name.
func (c *Cluster) Remove(kind int, name string) error {
	e := C.muster_go_error()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_cluster_remove(c.cluster, C.int32_t(kind), text, C.int64_t(len(name)), &e), &e)
}

// SetTasks reports the status of tasks, all in one call: one status for each task, and one node, or
// nil for nodes where they are known. Lists of other lengths are refused, and change nothing.
func (c *Cluster) SetTasks(tasks, statuses, nodes []int32) error {
	if len(statuses) != len(tasks) {
		return fmt.Errorf("%d statuses for %d tasks", len(statuses), len(tasks))
	}
	if nodes != nil && len(nodes) != len(tasks) {
		return fmt.Errorf("%d nodes for %d tasks", len(nodes), len(tasks))
	}
	if len(tasks) == 0 {
		return nil
	}
	e := C.muster_go_error()
	var where *C.int32_t
	if nodes != nil {
		where = (*C.int32_t)(unsafe.Pointer(&nodes[0]))
	}
	return check(C.muster_cluster_set_tasks(c.cluster, C.int64_t(len(tasks)),
		(*C.int32_t)(unsafe.Pointer(&tasks[0])), (*C.int32_t)(unsafe.Pointer(&statuses[0])), where, &e), &e)
}

// MakeTasks makes so many of a group's tasks, which are counts (column group.by_count), rows that are
// pending. Profiles place rows only.
func (c *Cluster) MakeTasks(job, group string, count int64) error {
	e := C.muster_go_error()
	ofJob, ofGroup := C.CString(job), C.CString(group)
	defer C.free(unsafe.Pointer(ofJob))
	defer C.free(unsafe.Pointer(ofGroup))
	return check(C.muster_cluster_make_tasks(c.cluster, ofJob, C.int64_t(len(job)), ofGroup, C.int64_t(len(group)),
		C.int64_t(count), &e), &e)
}

// BindFailed reports that a bind which was followed failed: the task is pending again.
func (c *Cluster) BindFailed(task string) error {
	e := C.muster_go_error()
	text := C.CString(task)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_cluster_report_bind_failed(c.cluster, text, C.int64_t(len(task)), &e), &e)
}

// EvictFailed reports that an eviction which was followed failed: the task runs on its node again.
func (c *Cluster) EvictFailed(task string) error {
	e := C.muster_go_error()
	text := C.CString(task)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_cluster_report_evict_failed(c.cluster, text, C.int64_t(len(task)), &e), &e)
}

// Options of a cycle. The zero value is what Schedule takes.
type Options struct {
	Now        int64         // seconds, on the clock of Created
	WorkBudget int64         // units after which no turn begins; 0: no bound
	TimeLimit  time.Duration // after which the cycle is given up; 0: never
	KeepCut    bool          // a cycle that was given up hands out what it had decided, not an error
	Cursor     uint32        // of an earlier, cut plan: go on from there
	Turn       string        // what the cycle is asked, as JSON: {"decisions": 3}; empty: a whole cycle
	Memory     string        // what earlier cycles remembered: Plan.Memory; empty: what the cluster keeps
	Measure    uint32        // MeasureCosts, MeasureChoices: Plan.Costs then returns it; 0: nothing is measured
	Policies   *Policies     // policies and actions of the caller's own; nil: none
}

// c returns the options as C takes them, and what frees their texts.
func (o *Options) c() (C.muster_schedule_options, func()) {
	options := C.muster_go_options()
	options.now = C.int64_t(o.Now)
	options.work_budget = C.int64_t(o.WorkBudget)
	options.time_limit = C.int64_t(o.TimeLimit.Nanoseconds())
	options.cursor = C.uint32_t(o.Cursor)
	options.measure = C.uint32_t(o.Measure)
	if o.Policies != nil {
		options.policies = o.Policies.list
	}
	if o.KeepCut {
		options.keep_cut = 1
	}
	var turn, memory *C.char
	if o.Turn != "" {
		turn = C.CString(o.Turn)
	}
	if o.Memory != "" {
		memory = C.CString(o.Memory)
	}
	options.turn, options.memory = turn, memory
	return options, func() {
		C.free(unsafe.Pointer(turn))
		C.free(unsafe.Pointer(memory))
	}
}

// stopOf returns a muster_stop that is set once the context is done, nil where it never is, and what frees it.
func stopOf(ctx context.Context) (*C.muster_stop, func(), error) {
	if ctx.Done() == nil {
		return nil, func() {}, nil
	}
	e := C.muster_go_error()
	var stop *C.muster_stop
	if err := check(C.muster_stop_new(&stop, &e), &e); err != nil {
		return nil, nil, err
	}
	if ctx.Err() != nil {
		C.muster_stop_set(stop, 1)
	}
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ctx.Done():
			C.muster_stop_set(stop, 1)
		case <-ended:
		}
	}()
	return stop, func() {
		close(ended)
		<-left
		C.muster_stop_free(stop)
	}, nil
}

// checkCycle is check; the error of a cycle that its context stopped is the context's as well.
func checkCycle(ctx context.Context, status C.muster_status, e *C.muster_error) error {
	err := check(status, e)
	if status == C.MUSTER_E_CANCELLED && ctx.Err() != nil {
		return fmt.Errorf("%w: %v", ctx.Err(), err)
	}
	return err
}

// Plan is what a cycle decided.
type Plan struct {
	plan *C.muster_plan
	view C.muster_plan_view
}

// Schedule runs a cycle.
func (c *Cluster) Schedule(profile string) (*Plan, error) {
	return c.ScheduleWith(context.Background(), profile, Options{})
}

// ScheduleWith is Schedule with options. Once the context is done, the cycle ends at the next gang: it returns an
// error that wraps ctx.Err(), or, with KeepCut, the plan of what was decided until then.
func (c *Cluster) ScheduleWith(ctx context.Context, profile string, options Options) (*Plan, error) {
	return cycle(ctx, profile, options,
		func(text *C.char, given *C.muster_schedule_options, made **C.muster_plan, e *C.muster_error) C.muster_status {
			return C.muster_cluster_schedule(c.cluster, text, given, made, e)
		})
}

// cycle calls run with what C takes, and checks and views what it made.
func cycle(ctx context.Context, profile string, options Options,
	run func(*C.char, *C.muster_schedule_options, **C.muster_plan, *C.muster_error) C.muster_status) (*Plan, error) {
	if options.Policies != nil && options.Policies.list == nil {
		return nil, errors.New("policies: they were freed")
	}
	e := C.muster_go_error()
	text := C.CString(profile)
	defer C.free(unsafe.Pointer(text))
	given, free := options.c()
	defer free()
	var err error
	var release func()
	if given.stop, release, err = stopOf(ctx); err != nil {
		return nil, err
	}
	defer release()
	var made *C.muster_plan
	err = checkCycle(ctx, run(text, &given, &made, &e), &e)
	if err = options.ownError(err); err != nil {
		return nil, err
	}
	return viewed(made)
}

// ownError wraps the error of a policy of the options, if one failed, around that of the call.
func (o *Options) ownError(err error) error {
	if o.Policies == nil {
		return err
	}
	if own := o.Policies.failed.take(); own != nil && err != nil {
		return fmt.Errorf("%w: %v", own, err)
	}
	return err
}

// taken copies a text that a call made, and frees it.
func taken(words **C.muster_text, status C.muster_status, e *C.muster_error) (string, error) {
	if err := check(status, e); err != nil {
		return "", err
	}
	defer C.muster_text_free(*words)
	return textOf(C.muster_text_data(*words), C.muster_text_size(*words)), nil
}

func viewed(made *C.muster_plan) (*Plan, error) {
	e := C.muster_go_error()
	p := &Plan{made, C.muster_go_view()}
	return p, check(C.muster_plan_get_view(made, &p.view, &e), &e)
}

// Snapshot is a frozen cluster. Any number of goroutines may schedule it at once.
type Snapshot struct{ snapshot *C.muster_snapshot }

// Freeze costs nothing until the cluster changes.
func (c *Cluster) Freeze() (*Snapshot, error) {
	e := C.muster_go_error()
	s := &Snapshot{}
	return s, check(C.muster_cluster_freeze(c.cluster, &s.snapshot, &e), &e)
}

// Free ends the snapshot.
func (s *Snapshot) Free() {
	C.muster_snapshot_free(s.snapshot)
	s.snapshot = nil
}

// Schedule runs a cycle that changes nothing.
func (s *Snapshot) Schedule(profile string) (*Plan, error) {
	return s.ScheduleWith(context.Background(), profile, Options{})
}

// ScheduleWith is Schedule with options. Once the context is done, the cycle ends at the next gang: it returns an
// error that wraps ctx.Err(), or, with KeepCut, the plan of what was decided until then.
func (s *Snapshot) ScheduleWith(ctx context.Context, profile string, options Options) (*Plan, error) {
	return cycle(ctx, profile, options,
		func(text *C.char, given *C.muster_schedule_options, made **C.muster_plan, e *C.muster_error) C.muster_status {
			return C.muster_snapshot_schedule(s.snapshot, text, given, made, e)
		})
}

// Follow makes the tables follow the plan, and returns the number of decisions. Those that a change
// since the plan made impossible are left out, whole gangs together: FollowReport lists them.
func (c *Cluster) Follow(p *Plan) (int64, error) {
	e := C.muster_go_error()
	var applied C.int64_t
	status := C.muster_cluster_apply(c.cluster, p.plan, &applied, nil, &e)
	return int64(applied), check(status, &e)
}

// FollowReport is Follow, and returns a line for each decision that was left out, with the reason:
// bind "a/b" to "n1": node is gone. Of a plan of the cluster as it is, none is. Offers, resizes and
// splits change no row, so they are always listed: the caller carries it out.
func (c *Cluster) FollowReport(p *Plan) (applied int64, refused []string, err error) {
	e := C.muster_go_error()
	var count C.int64_t
	var words *C.muster_text
	lines, err := taken(&words, C.muster_cluster_apply(c.cluster, p.plan, &count, &words, &e), &e)
	if err == nil && lines != "" {
		refused = strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	}
	return int64(count), refused, err
}

// Free ends the plan. It has no rows then.
func (p *Plan) Free() {
	C.muster_plan_free(p.plan)
	*p = Plan{}
}

// Bind is a task that starts on a node.
type Bind struct{ Task, Node int32 }

// Binds are the tasks that start now, in the order they were decided.
func (p *Plan) Binds() []Bind {
	return decisions(p, C.MUSTER_DECISION_BIND, func(r row) Bind { return Bind{r.task, r.node} })
}

// Eviction is a task that makes room for another; None: for no other task.
type Eviction struct{ Task, For int32 }

// Evictions are the tasks to be stopped, in the order they were decided.
func (p *Plan) Evictions() []Eviction {
	return decisions(p, C.MUSTER_DECISION_EVICT, func(r row) Eviction { return Eviction{r.task, r.beneficiary} })
}

// Nominations are tasks that will start on a node once what leaves it has left.
func (p *Plan) Nominations() []Bind {
	return decisions(p, C.MUSTER_DECISION_NOMINATE, func(r row) Bind { return Bind{r.task, r.node} })
}

// Admitted are jobs that may request nodes from now on.
func (p *Plan) Admitted() []int32 {
	return decisions(p, C.MUSTER_DECISION_ADMIT, func(r row) int32 { return r.job })
}

// Phase is what a job's phase becomes.
type Phase struct{ Job, Phase int32 }

// Phases are the jobs with another phase after the cycle.
func (p *Plan) Phases() []Phase {
	return decisions(p, C.MUSTER_DECISION_PHASE, func(r row) Phase { return Phase{r.job, r.phase} })
}

type row struct{ task, node, job, beneficiary, phase int32 }

// decisions of a kind, copied out of the plan's columns.
func decisions[T any](p *Plan, kind int32, of func(row) T) []T {
	n := int(p.view.decision_count)
	column := func(first *C.int32_t) []int32 { return indices(first, n) }
	if n == 0 {
		return nil
	}
	kinds, tasks, nodes := column(p.view.decision_kind), column(p.view.decision_task), column(p.view.decision_node)
	jobs, sakes, phases := column(p.view.decision_job), column(p.view.decision_beneficiary), column(p.view.decision_phase)
	count := 0
	for _, k := range kinds {
		if k == kind {
			count++
		}
	}
	list := make([]T, 0, count)
	for i, k := range kinds {
		if k == kind {
			list = append(list, of(row{tasks[i], nodes[i], jobs[i], sakes[i], phases[i]}))
		}
	}
	return list
}

// Complete is false where a budget or a limit cut the cycle; Cursor is where the next one goes on.
func (p *Plan) Complete() bool { return p.view.complete != 0 }

// Cursor is for Options of the next cycle, where this one was cut.
func (p *Plan) Cursor() uint32 { return uint32(p.view.cursor) }

// Work is what was spent; as a WorkBudget it reproduces the plan.
func (p *Plan) Work() int64 { return int64(p.view.work) }

// Pending is how many tasks wait. It does not count those that the profile leaves out: see Pod.Group.
func (p *Plan) Pending() int { return int(p.view.pending_count) }

// Name of a row that the plan mentions.
func (p *Plan) Name(kind int, index int32) string {
	var size C.int64_t
	name := C.muster_plan_name(p.plan, C.int32_t(kind), C.int32_t(index), &size)
	return textOf(name, size)
}

// Explain returns why a job or a task is not placed.
func (p *Plan) Explain(name string) (string, error) {
	e := C.muster_go_error()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var words *C.muster_text
	return taken(&words, C.muster_plan_explain(p.plan, text, C.int64_t(len(name)), &words, &e), &e)
}

// Version of the library; the cheapest call there is, for measuring the crossing.
func Version() int32 { return int32(C.muster_version_number()) }
