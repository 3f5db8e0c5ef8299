// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A cluster of three nodes in two zones, one with a taint, and a gang of two pods.
func zoned(t testing.TB) *Cluster {
	c, err := NewCluster()
	must(t, err)
	table, err := NodeTable([]Node{
		{Name: "a", Allocatable: Resources{MilliCPU: 8000}, Labels: map[string]string{"zone": "east"}},
		{Name: "b", Allocatable: Resources{MilliCPU: 8000}, Labels: map[string]string{"zone": "west"}},
		{Name: "c", Allocatable: Resources{MilliCPU: 8000}, Labels: map[string]string{"zone": "west"},
			Taints: []Taint{{Key: "gpu", Effect: "NoSchedule"}}},
	})
	put(t, c, table, err)
	table, err = PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 2}})
	put(t, c, table, err)
	pods := gang("ns", "j", 2, 1000)
	for i := range pods {
		pods[i].Labels, pods[i].Request.Memory = map[string]string{"app": "web"}, 0
	}
	table, err = PodTable(pods)
	put(t, c, table, err)
	return c
}

func scheduled(t testing.TB, c *Cluster, profile string, options Options) (*Plan, map[string]string) {
	t.Helper()
	plan, err := c.ScheduleWith(context.Background(), profile, options)
	must(t, err)
	where := map[string]string{}
	for _, bind := range plan.Binds() {
		where[plan.Name(KindTasks, bind.Task)] = plan.Name(KindNodes, bind.Node)
	}
	return plan, where
}

func TestAPolicyDecides(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	asked := 0
	policies, err := NewPolicies([]Policy{{
		Name:    "west",
		Refusal: "not in the west",
		Fit: func(c *Cycle, class Class, nodes Nodes, out []uint8) error {
			asked++
			for i, node := range nodes.Node {
				if zone, _ := c.Label(KindNodes, node, "zone"); zone != "west" {
					out[i] = 0
				}
			}
			if app, is := c.Label(KindClasses, class.Index, "app"); !is || app != "web" {
				t.Error("a class has the labels of its tasks:", app, is)
			}
			if _, is := c.Label(KindNodes, nodes.Node[0], "none"); is {
				t.Error("a label that is not there was found")
			}
			if got := c.Labels(KindNodes, append([]int32{99, 0}, nodes.Node...), "zone"); !reflect.DeepEqual(got, []string{"", "east", "east", "west", "west"}) {
				t.Error("the column of a label:", got)
			}
			if got := c.Labels(KindNodes, nodes.Node, "none"); !reflect.DeepEqual(got, []string{"", "", ""}) {
				t.Error("a column of a label that is not there:", got)
			}
			fits, err := c.MatchNodes(class.Index, MatchSelector|MatchTaints, nodes.Node)
			if err != nil || len(fits) != 3 || fits[0] != 1 || fits[2] != 0 {
				t.Error(fits, err)
			}
			row, err := c.Row(KindNodes, nodes.Node[2])
			if err != nil || !strings.Contains(row, `"taints": [{"key": "gpu"`) {
				t.Error(row, err)
			}
			if _, err := c.Row(KindNodes, 99); err == nil {
				t.Error("a row that is not there was written")
			}
			idle, err := c.Numbers(KindNodes, "idle.cpu", nodes.Node)
			if err != nil || idle[0] != 8000 || int64(nodes.Idle[0]) != idle[0] || class.Request[0] != 1000 {
				t.Error(idle, class.Request, err)
			}
			if c.Name(KindNodes, nodes.Node[1]) != "b" || c.Count(KindNodes) != 3 || c.Now() != 7 {
				t.Error("the cycle is another")
			}
			return nil
		},
	}}, nil)
	must(t, err)
	defer policies.Free()
	plan, where := scheduled(t, c, "volcano", Options{Now: 7, Policies: policies})
	defer plan.Free()
	if len(where) != 2 || where["ns/j-0"] != "b" || where["ns/j-1"] != "b" {
		t.Fatal(where)
	}
	if asked != 1 {
		t.Fatal("asked", asked, "times for one class")
	}
}

func TestOrdersScoresAndGates(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	calls := map[string]int{}
	policies, err := NewPolicies([]Policy{{
		Name: "mine",
		Live: true,
		Open: func(*Cycle) error { calls["open"]++; return nil },
		Score: func(c *Cycle, class Class, nodes Nodes, out []float64) error {
			calls["score"]++
			for i := range out {
				out[i] = 1e6 * float64(nodes.Node[i])
			}
			return nil
		},
		JobOrder: func(c *Cycle, jobs []int32, out []float64) error { calls["job_order"]++; return nil },
		TaskOrder: func(c *Cycle, tasks []int32, out []float64) error {
			calls["task_order"]++
			for i := range out {
				out[i] = -float64(tasks[i])
			}
			return nil
		},
		Valid: func(c *Cycle, jobs []int32, out []uint8) error { calls["valid"]++; return nil },
		Admit: func(c *Cycle, jobs []int32, out []int8) error {
			calls["admit"]++
			for i := range out {
				out[i] = 1
			}
			return nil
		},
	}}, nil)
	must(t, err)
	defer policies.Free()
	plan, where := scheduled(t, c, "volcano", Options{Policies: policies})
	defer plan.Free()
	if len(where) != 2 || where["ns/j-0"] != "b" { // c has a taint
		t.Fatal(where)
	}
	if first := plan.Binds()[0]; plan.Name(KindTasks, first.Task) != "ns/j-1" {
		t.Fatal("the order of tasks is the policy's:", plan.Binds())
	}
	for _, point := range []string{"open", "score", "task_order", "valid", "admit"} {
		if calls[point] == 0 {
			t.Error(point, "was not asked:", calls)
		}
	}
}

func TestFailuresOfCallbacksDiscardTheCycle(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	own := errors.New("no opinion today")
	for _, fail := range []func(*Cycle) error{
		func(*Cycle) error { return own },
		func(*Cycle) error { panic(own) },
	} {
		policies, err := NewPolicies([]Policy{{Name: "broken", Open: fail}}, nil)
		must(t, err)
		plan, err := c.ScheduleWith(context.Background(), "volcano", Options{Policies: policies})
		if plan != nil || err == nil || !strings.Contains(err.Error(), own.Error()) {
			t.Fatal(plan, err)
		}
		policies.Free()
	}
	plan, where := scheduled(t, c, "volcano", Options{})
	defer plan.Free()
	if len(where) != 2 {
		t.Fatal(where)
	}
	if _, err := NewPolicies([]Policy{{Name: "No Name"}}, nil); err == nil {
		t.Fatal("a name with blanks was taken")
	}
}

func TestAnActionPlaces(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	policies, err := NewPolicies(nil, []Action{{
		Name:   "in-order",
		Evicts: true,
		Run: func(b *Workbench) error {
			for _, job := range b.Waiting() {
				if b.ShouldStop() {
					return nil
				}
				b.Admit(job)
				before := b.Save()
				tasks := b.PendingTasks(job)
				if len(tasks) != 2 || !b.TaskBefore(tasks[0], tasks[1]) || !b.Valid(job) || b.Ready(job) {
					t.Error("the gang is another:", tasks)
				}
				if !b.Allocatable(tasks[0]) || !b.Fits(tasks[0], 1) || b.Fits(tasks[0], 2) {
					t.Error("a task fits a and b alone")
				}
				if !b.PlaceOn(tasks[0], 1) || b.Place(tasks[1]) == None {
					b.ExplainNoNode(tasks[1])
				}
				if on := b.TasksOn(1); len(on) == 0 || on[0] != tasks[0] {
					t.Error(on)
				}
				b.Rollback(before)
				if len(b.TasksOn(1)) != 0 || b.Pipelined(job) {
					t.Error("the books are not as they were")
				}
				for _, task := range tasks {
					b.PlaceOn(task, 0)
				}
				if b.Ready(job) && b.Cycle().Name(KindJobs, job) == "ns/j" {
					b.Commit(before)
				}
			}
			return nil
		},
	}})
	must(t, err)
	defer policies.Free()
	plan, where := scheduled(t, c, "muster:actions=in-order", Options{Policies: policies})
	defer plan.Free()
	if len(where) != 2 || where["ns/j-0"] != "a" || where["ns/j-1"] != "a" {
		t.Fatal(where)
	}
}

func TestCyclesAreMeasured(t *testing.T) {
	c, other := zoned(t), zoned(t)
	defer c.Free()
	defer other.Free()
	plan, _ := scheduled(t, other, "volcano", Options{})
	if _, err := plan.Costs(); err == nil {
		t.Fatal("there are costs of a cycle that was not measured")
	}
	digest, err := plan.Digest()
	must(t, err)
	plan.Free()
	plan, _ = scheduled(t, c, "volcano", Options{Measure: MeasureCosts | MeasureChoices})
	defer plan.Free()
	if same, err := plan.Digest(); err != nil || same != digest {
		t.Fatal(same, digest, err)
	}
	costs, err := plan.Costs()
	must(t, err)
	if sum := (&Costs{Open: 1, Close: 2, Actions: []ActionCost{{Time: 3}, {Time: 4}}}).Total(); sum != 10 {
		t.Error(sum)
	}
	if len(costs.Actions) != 3 || costs.Actions[1].Action != "allocate" || costs.Actions[1].Decisions < 2 {
		t.Fatal(costs.Actions)
	}
	if len(costs.Policies) == 0 || costs.Policies[0].Questions == 0 || costs.SearchesByTable+costs.SearchesByScan == 0 {
		t.Fatal(costs)
	}
	if len(costs.Choices) != 2 || len(costs.Scorers) == 0 {
		t.Fatal(costs.Choices, costs.Scorers)
	}
	for _, choice := range costs.Choices {
		if len(choice.Scores) != len(costs.Scorers) || len(choice.NextScores) != len(costs.Scorers) ||
			choice.Next == choice.Node || choice.NextName == "" {
			t.Fatal(choice)
		}
	}
}

func TestAssumptionsExpire(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	plan, _ := scheduled(t, c, "volcano", Options{Now: 100})
	defer plan.Free()
	if _, err := c.Follow(plan); err != nil {
		t.Fatal(err)
	}
	all, err := c.Assumptions()
	if err != nil || len(all) != 2 || all[0].Status != "binding" || all[0].Since != 100 || all[0].Task != "ns/j-0" {
		t.Fatal(all, err)
	}
	if over, err := c.ExpireAssumptions(159, 60, Absent); err != nil || len(over) != 0 {
		t.Fatal(over, err)
	}
	if over, err := c.ExpireAssumptions(160, 60, Absent); err != nil || len(over) != 2 {
		t.Fatal(over, err)
	}
	if left, err := c.Assumptions(); err != nil || len(left) != 0 {
		t.Fatal(left, err)
	}
	if _, err := c.ExpireAssumptions(160, -1, Absent); err == nil {
		t.Fatal("a limit below 0 was taken")
	}
}

func TestAPodOfAnotherUIDIsAnother(t *testing.T) {
	c := zoned(t)
	defer c.Free()
	pod := gang("ns", "j", 1, 1000)
	pod[0].UID, pod[0].Request.Memory = "u1", 0
	apply(t, c, 1)(PodTable(pod))
	plan, where := scheduled(t, c, "volcano", Options{})
	defer plan.Free()
	if len(where) != 2 {
		t.Fatal(where)
	}
	pod[0].UID = "u2"
	apply(t, c, 2)(PodTable(pod))
	applied, err := c.Follow(plan)
	must(t, err)
	if left, err := c.Assumptions(); err != nil || len(left) != 0 {
		t.Fatal("the gang of an old pod started:", left, applied, err)
	}
}

func TestWhatElseCHas(t *testing.T) {
	if ABIVersion() != 1 || LibraryVersion() == "" || !HasFeature("columns") || HasFeature("teleport") ||
		StatusName(0) == "" {
		t.Fatal(ABIVersion(), LibraryVersion(), StatusName(0))
	}
	c := zoned(t)
	defer c.Free()
	table, err := NewTable(KindQueues, 3)
	must(t, err)
	defer table.Free()
	must(t, table.Reset(1))
	must(t, table.Defaults(`{"weight": 3}`))
	must(t, table.Texts("name", []string{"q"}))
	must(t, c.Add(table))
	snapshot, err := c.Freeze()
	must(t, err)
	defer snapshot.Free()
	plans, err := snapshot.ScheduleAll(context.Background(), []Cell{{Profile: "volcano"}, {Profile: "muster"}})
	must(t, err)
	for _, plan := range plans {
		if len(plan.Binds()) != 2 {
			t.Error(plan.Binds())
		}
		plan.Free()
	}
	if _, err := snapshot.ScheduleAll(context.Background(), []Cell{{Profile: "volcano"}, {Profile: "none"}}); err == nil ||
		!strings.HasPrefix(err.Error(), "cycles[1]: ") {
		t.Fatal(err)
	}
	// Cycles that ask the same policies follow one another: at once, all but one would be refused.
	asked := 0
	own, err := NewPolicies(nil, []Action{{Name: "keep", Run: func(*Workbench) error {
		asked++
		time.Sleep(20 * time.Millisecond)
		return nil
	}}})
	must(t, err)
	defer own.Free()
	plans, err = snapshot.ScheduleAll(context.Background(), []Cell{
		{Profile: "volcano:actions=keep+allocate", Options: Options{Policies: own}}, {Profile: "volcano"},
		{Profile: "muster:actions=keep+allocate", Options: Options{Policies: own}}})
	must(t, err)
	for _, plan := range plans {
		plan.Free()
	}
	if asked != 2 {
		t.Error(asked)
	}
}

// A policy reads a label of 2,000 nodes once for each class and cycle.
func BenchmarkLabels(b *testing.B) {
	nodes := make([]Node, 2000)
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprint("n", i), Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}, Labels: map[string]string{"tier": fmt.Sprint(i % 4)}}
	}
	for name, read := range map[string]func(*Cycle, []int32){
		"one call": func(c *Cycle, rows []int32) { c.Labels(KindNodes, rows, "tier") },
		"a call a node": func(c *Cycle, rows []int32) {
			for _, row := range rows {
				c.Label(KindNodes, row, "tier")
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			c := withoutPods(b, nodes, []PodGroup{{Namespace: "ns", Name: "j", MinMember: 1}})
			defer c.Free()
			table, err := PodTable(gang("ns", "j", 1, 1000))
			put(b, c, table, err)
			policies, err := NewPolicies([]Policy{{Name: "reads", Score: func(c *Cycle, _ Class, nodes Nodes, _ []float64) error {
				b.ResetTimer()
				for i := 0; i < b.N; i++ {
					read(c, nodes.Node)
				}
				b.StopTimer()
				return nil
			}}}, nil)
			must(b, err)
			defer policies.Free()
			plan, err := c.ScheduleWith(context.Background(), "volcano", Options{Policies: policies})
			must(b, err)
			plan.Free()
		})
	}
}
