// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// A miniature scheduler: it watches a stream of events, turns them into columns, runs one cycle a
// batch and starts what the plan lists.
//
//	export CGO_CFLAGS="$(pkg-config --cflags muster-c)"
//	export CGO_LDFLAGS="$(pkg-config --libs muster-c)"
//	go run -tags muster_shared .
package main

import (
	"fmt"
	"log"

	"muster.example/muster"
)

// Event is an event of a watch: a job that arrives, or a task that ends.
type Event struct {
	Job          string
	Tasks, Cores int64
	Ended        string
}

// A day's events, a batch a cycle.
var batches = [][]Event{
	{{Job: "train", Tasks: 4, Cores: 4}, {Job: "batch", Tasks: 2, Cores: 6}},
	{{Ended: "train-0"}, {Ended: "train-1"}, {Ended: "train-2"}, {Ended: "train-3"}},
	{{Job: "late", Tasks: 1, Cores: 8}},
	{{Ended: "batch-0"}},
}

// Scheduler keeps the cluster and where its tasks run.
type Scheduler struct {
	cluster *muster.Cluster
	running map[string]int32 // by name: the task's index
}

// Arrivals become rows of one table; endings one call.
func (s *Scheduler) handle(batch []Event) error {
	var names []string
	var tasks, cores []int64
	var ended, statuses []int32
	for _, event := range batch {
		if event.Ended != "" {
			ended = append(ended, s.running[event.Ended])
			statuses = append(statuses, muster.TaskSucceeded)
			delete(s.running, event.Ended)
			continue
		}
		names = append(names, event.Job)
		tasks = append(tasks, event.Tasks)
		cores = append(cores, 1000*event.Cores)
	}
	if err := s.cluster.SetTasks(ended, statuses, nil); err != nil {
		return err
	}
	table, err := muster.NewTable(muster.KindJobs, len(names))
	if err != nil {
		return err
	}
	defer table.Free()
	for _, err := range []error{
		table.Texts("name", names), table.Numbers("min_available", tasks),
		table.Numbers("group.count", tasks), table.Numbers("group.shape.request.cpu", cores),
	} {
		if err != nil {
			return err
		}
	}
	return s.cluster.Add(table)
}

func (s *Scheduler) cycle() error {
	plan, err := s.cluster.Schedule("muster")
	if err != nil {
		return err
	}
	defer plan.Free()
	if _, err := s.cluster.Follow(plan); err != nil {
		return err
	}
	// Here they run at once; a real scheduler hears of it in a later batch.
	var tasks, statuses []int32
	for _, bind := range plan.Binds() {
		name := plan.Name(muster.KindTasks, bind.Task)
		fmt.Printf("  start %s on %s\n", name, plan.Name(muster.KindNodes, bind.Node))
		s.running[name] = bind.Task
		tasks = append(tasks, bind.Task)
		statuses = append(statuses, muster.TaskRunning)
	}
	fmt.Printf("  %d waiting\n", plan.Pending())
	return s.cluster.SetTasks(tasks, statuses, nil)
}

func run() error {
	cluster, err := muster.NewCluster()
	if err != nil {
		return err
	}
	defer cluster.Free()
	nodes, err := muster.NewTable(muster.KindNodes, 2)
	if err != nil {
		return err
	}
	defer nodes.Free()
	for _, err := range []error{
		nodes.Texts("name", []string{"n0", "n1"}), nodes.Numbers("capacity.cpu", []int64{8000, 8000}),
		cluster.Add(nodes),
	} {
		if err != nil {
			return err
		}
	}
	s := Scheduler{cluster, map[string]int32{}}
	for i, batch := range batches {
		fmt.Printf("cycle %d\n", i)
		if err := s.handle(batch); err != nil {
			return err
		}
		if err := s.cycle(); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
