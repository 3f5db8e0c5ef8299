// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// A column of a view, of Go's type of the same size.
func point[T, U any](column **T, cells []U) { *column = (*T)(unsafe.Pointer(&cells[0])) }

// A plan of no cycle, with two rows of each kind that no built-in profile decides.
func everyKind() *Plan {
	p := &Plan{}
	v := &p.view
	v.dimensions = 2
	v.move_count, v.reservation_count, v.offer_count = 2, 2, 2
	v.resize_count, v.split_count, v.assignment_count = 2, 2, 2
	v.place_count = 2
	point(&v.move_task, []int32{1, 2})
	point(&v.move_from, []int32{3, 4})
	point(&v.move_to, []int32{5, 6})
	point(&v.move_nominated, []int32{1, 0})
	point(&v.move_beneficiary, []int32{7, None})
	point(&v.reservation_task, []int32{1, 2})
	point(&v.reservation_node, []int32{3, 4})
	point(&v.reservation_until, []int64{600, Absent})
	point(&v.reservation_group_offsets, []int64{0, 8, 8})
	point(&v.reservation_groups, []byte("together"))
	point(&v.offer_job, []int32{None, 2})
	point(&v.offer_queue, []int32{1, None})
	point(&v.offer_node, []int32{3, 4})
	point(&v.offer_amounts, []int64{1000, Absent, 2000, 1 << 40})
	point(&v.resize_job, []int32{1, 2})
	point(&v.resize_tasks, []int64{5, 0})
	point(&v.resize_group_offsets, []int64{0, 0, 2})
	point(&v.resize_groups, []byte("ps"))
	point(&v.split_task, []int32{1, 2})
	point(&v.split_parts, []int64{2, 3})
	point(&v.assignment_job, []int32{1, 1})
	point(&v.assignment_dimension, []int32{0, None})
	point(&v.assignment_tasks, []int64{3, 1})
	point(&v.assignment_group_offsets, []int64{0, 1, 3})
	point(&v.assignment_groups, []byte("wps"))
	point(&v.assignment_flavor_offsets, []int64{0, 4, 4})
	point(&v.assignment_flavors, []byte("spot"))
	point(&v.place_job, []int32{1, 1})
	point(&v.place_tasks, []int64{2, 1})
	point(&v.place_group_offsets, []int64{0, 1, 3})
	point(&v.place_groups, []byte("wps"))
	point(&v.place_name_offsets, []int64{0, 5, 7})
	point(&v.place_names, []byte("b1,r7n1"))
	return p
}

func TestEveryKindHasItsRows(t *testing.T) {
	p := everyKind()
	for _, kind := range []struct{ rows, want any }{
		{p.Moves(), []Move{{1, 3, 5, true, 7}, {2, 4, 6, false, None}}},
		{p.Reservations(), []Reservation{{1, 3, 600, "together"}, {2, 4, Absent, ""}}},
		{p.Offers(), []Offer{{None, 1, 3, []int64{1000, Absent}}, {2, None, 4, []int64{2000, 1 << 40}}}},
		{p.Resizes(), []Resize{{1, "", 5}, {2, "ps", 0}}},
		{p.Splits(), []Split{{1, 2}, {2, 3}}},
		{p.Assignments(), []Assignment{{1, "w", 3, 0, "spot"}, {1, "ps", 1, None, ""}}},
		{p.Places(), []Place{{1, "w", "b1,r7", 2}, {1, "ps", "n1", 1}}},
	} {
		if !reflect.DeepEqual(kind.rows, kind.want) {
			t.Errorf("%+v, not %+v", kind.rows, kind.want)
		}
	}
}

func TestKindsThatWereNotDecidedAreEmpty(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	p, err := c.Schedule("volcano")
	must(t, err)
	defer p.Free()
	if len(p.Admitted()) != 1 || p.Name(KindDimensions, 0) != "cpu" {
		t.Fatal(p.Admitted(), p.Name(KindDimensions, 0))
	}
	if p.Moves() != nil || p.Reservations() != nil || p.Offers() != nil || p.Resizes() != nil ||
		p.Splits() != nil || p.Assignments() != nil || p.Places() != nil {
		t.Fatal("a preset decided what it does not decide")
	}
}

func TestMemoryGoesInAndOut(t *testing.T) {
	const profile = "volcano:+sampling(remember=on)"
	c := fill(t, 200, 2)
	defer c.Free()
	first, err := c.Schedule(profile)
	must(t, err)
	defer first.Free()
	memory, err := first.Memory()
	must(t, err)
	if !strings.Contains(memory, `"sampling"`) {
		t.Fatal(memory)
	}
	before, err := c.Memory()
	must(t, err)
	if strings.Contains(before, "sampling") {
		t.Fatal("a cycle changed its cluster: ", before)
	}
	second, err := c.ScheduleWith(context.Background(), profile, Options{Memory: memory})
	must(t, err)
	defer second.Free()
	if second.Binds()[0].Node == first.Binds()[0].Node {
		t.Fatal("the second cycle began where the first one did")
	}
	must(t, c.SetMemory(memory))
	kept, err := c.Memory()
	must(t, err)
	if !strings.Contains(kept, `"sampling"`) {
		t.Fatal(kept)
	}
	if err := c.SetMemory("{"); err == nil {
		t.Fatal("half a memory was kept")
	}
	if after, _ := c.Memory(); after != kept {
		t.Fatal(after)
	}
}

func TestTurns(t *testing.T) {
	c := fill(t, 4, 3)
	defer c.Free()
	p, err := c.ScheduleWith(context.Background(), "muster", Options{Turn: `{"decisions": 1}`})
	must(t, err)
	defer p.Free()
	if len(p.Binds()) != 20 {
		t.Fatal("one gang of 20 was to be decided: ", len(p.Binds()))
	}
	_, err = c.ScheduleWith(context.Background(), "muster", Options{Turn: `{"event": true}`})
	if err == nil || !strings.Contains(err.Error(), `of profile "muster" does not serve event`) {
		t.Fatal(err)
	}
}

func TestTasksThatAreCountsBecomeRows(t *testing.T) {
	c := fill(t, 4, 0)
	defer c.Free()
	add(t, c, KindJobs, columns{"name": []string{"sweep"}, "group.by_count": []string{`{"count": 10}`},
		"group.shape.request.cpu": []int64{1000}})
	if _, err := c.Schedule("muster"); err == nil || !strings.Contains(err.Error(), `job "sweep"`) {
		t.Fatal(err)
	}
	must(t, c.MakeTasks("sweep", "", 10))
	p, err := c.Schedule("muster")
	must(t, err)
	defer p.Free()
	if len(p.Binds()) != 10 {
		t.Fatal(p.Binds())
	}
	if err := c.MakeTasks("sweep", "", 1); err == nil {
		t.Fatal("a task was made of none")
	}
}

// A plan of a snapshot may be older than the cluster that follows it.
func TestAReportListsWhatAPlanCannotDoAnyMore(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	table, err := NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}}})
	put(t, c, table, err)
	table, err = PodGroupTable([]PodGroup{{Namespace: "ns", Name: "web", MinMember: 1}, {Namespace: "ns", Name: "train", MinMember: 2}})
	put(t, c, table, err)
	table, err = PodTable(append(gang("ns", "web", 2, 1000), gang("ns", "train", 2, 1000)...))
	put(t, c, table, err)
	p, err := c.Schedule("volcano")
	must(t, err)
	defer p.Free()
	for _, pod := range []string{"ns/web-1", "ns/train-0"} {
		if outcome, err := c.ApplyRemoval(KindTasks, pod, 9); err != nil || outcome != DeltaApplied {
			t.Fatal(outcome, err)
		}
	}
	_, refused, err := c.FollowReport(p)
	must(t, err)
	want := map[string]bool{
		`bind "ns/web-1" to "n": task is gone`:                       true,
		`bind "ns/train-0" to "n": task is gone`:                     true,
		`bind "ns/train-1" to "n": its gang would have 1 of 2 tasks`: true,
	}
	for _, line := range refused {
		if !want[line] {
			t.Error(line)
		}
		delete(want, line)
	}
	if len(want) != 0 {
		t.Error("not listed: ", want)
	}
	assumed, err := c.Assumptions()
	if err != nil || len(assumed) != 1 || assumed[0].Task != "ns/web-0" {
		t.Error(assumed, err)
	}
	again, err := c.Schedule("volcano")
	must(t, err)
	defer again.Free()
	if _, refused, err := c.FollowReport(again); err != nil || refused != nil {
		t.Error(refused, err)
	}
}
