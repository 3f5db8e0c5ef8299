// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"syscall"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func fill(t testing.TB, nodes, gangs int) *Cluster {
	c, err := NewCluster()
	must(t, err)
	names, cpu := make([]string, nodes), make([]int64, nodes)
	for i := range names {
		names[i], cpu[i] = fmt.Sprintf("n%d", i), 64000
	}
	add(t, c, KindNodes, columns{"name": names, "capacity.cpu": cpu})
	names = make([]string, gangs)
	count, request := make([]int64, gangs), make([]int64, gangs)
	for i := range names {
		names[i], count[i], request[i] = fmt.Sprintf("j%d", i), 20, int64(500*(1+i%8))
	}
	add(t, c, KindJobs, columns{"name": names, "min_available": count, "group.count": count, "group.shape.request.cpu": request})
	return c
}

func TestErrorsAreWords(t *testing.T) {
	c := fill(t, 2, 1)
	defer c.Free()
	if err := c.Remove(KindNodes, "nowhere"); err == nil || err.Error() != `node "nowhere": does not exist` {
		t.Fatal(err)
	}
	if _, err := c.Schedule("volcanoo"); err == nil {
		t.Fatal("an unknown profile was taken")
	}
}

func TestAGangIsPlaced(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	if binds := plan.Binds(); len(binds) != 20 || plan.Name(KindTasks, binds[0].Task) != "j0-0" {
		t.Fatal(binds)
	}
	snapshot, err := c.Freeze()
	must(t, err)
	defer snapshot.Free()
	applied, err := c.Follow(plan)
	must(t, err)
	if applied < 20 {
		t.Fatal(applied)
	}
	// The snapshot is of before.
	again, err := snapshot.Schedule("volcano")
	must(t, err)
	defer again.Free()
	if len(again.Binds()) != 20 {
		t.Fatal(again.Binds())
	}
}

// A list that is shorter than the tasks was read past its end.
func TestSetTasksHasOneStatusForEachTask(t *testing.T) {
	c := fill(t, 1, 1)
	defer c.Free()
	tasks := make([]int32, 3)
	for i := range tasks {
		index, err := c.Find(KindTasks, fmt.Sprintf("j0-%d", i))
		must(t, err)
		tasks[i] = index
	}
	running, nodes := []int32{TaskRunning, TaskRunning, TaskRunning}, []int32{0, 0, 0}
	for _, bad := range []struct {
		statuses, nodes []int32
		words           string
	}{
		{running[:1], nodes, "1 statuses for 3 tasks"},
		{nil, nil, "0 statuses for 3 tasks"},
		{[]int32{}, nodes, "0 statuses for 3 tasks"},
		{running, nodes[:2], "2 nodes for 3 tasks"},
		{running, []int32{}, "0 nodes for 3 tasks"},
	} {
		if err := c.SetTasks(tasks, bad.statuses, bad.nodes); err == nil || err.Error() != bad.words {
			t.Error(bad, err)
		}
	}
	if err := c.SetTasks(nil, running, nil); err == nil {
		t.Error("statuses without tasks")
	}
	must(t, c.SetTasks(nil, nil, nil))
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	if len(plan.Binds()) != 20 {
		t.Error("a list that was refused changed tasks")
	}
	must(t, c.SetTasks(tasks, running, nodes))
}

func TestWhatElseAPlanSays(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	add(t, c, KindNodes, columns{"name": []string{"n"}, "capacity.cpu": []int64{4000}})
	add(t, c, KindJobs, columns{"name": []string{"low", "high"}, "priority": []int64{1, 9}, "min_available": []int64{1, 1},
		"phase": []int64{int64(PhaseRunning), int64(PhasePending)}})
	add(t, c, KindTasks, columns{"name": []string{"l", "h"}, "job": []string{"low", "high"}, "status": []int64{int64(TaskRunning), int64(TaskPending)},
		"node": []int64{0, None}, "shape.request.cpu": []int64{4000, 4000}, "priority": []int64{1, 9}})
	plan, err := c.ScheduleWith(context.Background(), "volcano:+preempt,-proportion,-gang", Options{Now: 7})
	must(t, err)
	defer plan.Free()
	low, err := c.Find(KindTasks, "l")
	must(t, err)
	high, err := c.Find(KindTasks, "h")
	must(t, err)
	evictions, nominations, admitted := plan.Evictions(), plan.Nominations(), plan.Admitted()
	if len(evictions) != 1 || evictions[0] != (Eviction{low, high}) {
		t.Fatal(evictions)
	}
	if len(nominations) != 1 || nominations[0] != (Bind{high, 0}) || len(plan.Binds()) != 0 {
		t.Fatal(nominations)
	}
	if len(admitted) != 1 || plan.Name(KindJobs, admitted[0]) != "high" || !plan.Complete() || plan.Work() == 0 {
		t.Fatal(admitted, plan.Complete(), plan.Work())
	}
	if _, err := c.ScheduleWith(context.Background(), "volcano", Options{TimeLimit: -1}); err == nil {
		t.Fatal("a cycle whose time was over went on")
	}
	cut, err := c.ScheduleWith(context.Background(), "volcano", Options{TimeLimit: -1, KeepCut: true})
	must(t, err)
	defer cut.Free()
	if cut.Complete() {
		t.Fatal("a cycle whose time was over was whole")
	}
}

func TestAContextStopsACycle(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	add(t, c, KindNodes, columns{"name": []string{"n"}, "capacity.cpu": []int64{4000}})
	add(t, c, KindJobs, columns{"name": []string{"j"}, "group.count": []int64{1}, "group.shape.request.cpu": []int64{1000}})
	ctx, cancel := context.WithCancel(context.Background())
	plan, err := c.ScheduleWith(ctx, "volcano", Options{})
	must(t, err)
	if len(plan.Binds()) != 1 {
		t.Fatal(plan.Binds())
	}
	plan.Free()
	cancel()
	if _, err := c.ScheduleWith(ctx, "volcano", Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cut, err := c.ScheduleWith(ctx, "volcano", Options{KeepCut: true})
	must(t, err)
	if cut.Complete() || len(cut.Binds()) != 0 {
		t.Fatal(cut.Complete(), cut.Binds())
	}
	cut.Free()
}

func TestRowsChange(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	_, err = c.Follow(plan)
	must(t, err)
	must(t, c.BindFailed("j0-0"))
	if err := c.BindFailed("nothing"); err == nil {
		t.Fatal("a task that is not there failed to bind")
	}
	table, err := NewTable(KindNodes, 1)
	must(t, err)
	defer table.Free()
	must(t, table.Texts("name", []string{"n0"}))
	must(t, table.Numbers("unschedulable", []int64{1}))
	layout := c.Layout()
	must(t, c.Update(table))
	if c.Layout() != layout {
		t.Fatal("an update moved rows")
	}
	must(t, table.Texts("name", []string{"n9"}))
	if err := c.Update(table); err == nil {
		t.Fatal("a node that is not there was updated")
	}
}

// What one call into C costs.
func BenchmarkCrossing(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Version()
	}
}

// The cycle of bench/capi_bench.cc, which says what it costs in C++: 10,000 nodes, 100,000 tasks in
// gangs of 20, 100 queues and 100 different requests (bench/workloads.h), from a snapshot to the
// columns of its plan.
func BenchmarkCycle10000Nodes(b *testing.B) {
	const nodes, gangs, queues, side = 10000, 5000, 100, 10
	c, err := NewCluster()
	must(b, err)
	defer c.Free()
	names, cpu, memory, pods := make([]string, nodes), make([]int64, nodes), make([]int64, nodes), make([]int64, nodes)
	for i := range names {
		names[i], cpu[i], memory[i], pods[i] = fmt.Sprintf("n%d", i), 64000, 256<<30, 256
	}
	add(b, c, KindNodes, columns{"name": names, "capacity.cpu": cpu, "capacity.memory": memory, "capacity.pods": pods})
	names = make([]string, queues)
	for i := range names {
		names[i] = fmt.Sprintf("q%d", i)
	}
	add(b, c, KindQueues, columns{"name": names})
	names, queue, group, space := make([]string, gangs), make([]string, gangs), make([]string, gangs), make([]string, gangs)
	number, size, cpu, memory := make([]int64, gangs), make([]int64, gangs), make([]int64, gangs), make([]int64, gangs)
	for i := range names {
		names[i], queue[i], group[i], space[i] = fmt.Sprintf("ns/g%d", i), fmt.Sprintf("q%d", i%queues), "worker", "ns"
		class := int64(i % (side * side))
		number[i], size[i] = int64(i), 20
		cpu[i], memory[i] = 500+5500*(class%side)/side, 1<<29+24<<30*(class/side)/side
	}
	add(b, c, KindJobs, columns{"name": names, "queue": queue, "min_available": size, "created": number, "uid_rank": number,
		"group.name": group, "group.count": size, "group.shape.namespace": space, "group.shape.request.cpu": cpu,
		"group.shape.request.memory": memory})
	snapshot, err := c.Freeze()
	must(b, err)
	defer snapshot.Free()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var median []float64
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		begin := threadTime(b)
		plan, err := snapshot.Schedule("volcano")
		must(b, err)
		if len(plan.Binds()) != 20*gangs {
			b.Fatal(len(plan.Binds()))
		}
		plan.Free()
		median = append(median, 1e3*(threadTime(b)-begin).Seconds())
	}
	sort.Float64s(median)
	b.ReportMetric(median[len(median)/2], "thread-ms/op")
}

// threadTime is what capi_bench measures by: what others do on the machine does not count.
func threadTime(b *testing.B) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	must(b, syscall.Getrusage(thisThread, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// columns are numbers and texts by name.
type columns map[string]any

func add(t testing.TB, c *Cluster, kind int, columns columns) {
	table, err := NewTable(kind, len(columns["name"].([]string)))
	must(t, err)
	defer table.Free()
	for name, column := range columns {
		if texts, is := column.([]string); is {
			must(t, table.Texts(name, texts))
		} else {
			must(t, table.Numbers(name, column.([]int64)))
		}
	}
	must(t, c.Add(table))
}
