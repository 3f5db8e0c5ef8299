// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package main

import (
	"context"
	"fmt"

	"muster.example/muster"
)

// Event is one of a watch: an object, or its name where it is gone, and the version of its source.
type Event struct {
	Version uint64
	Node    *muster.Node
	Group   *muster.PodGroup
	Pod     *muster.Pod
	Gone    string // "pod ns/name" or "node name": the event is its deletion
}

// Scheduler is what stands between the watch and the cluster.
type Scheduler struct {
	cluster  *muster.Cluster
	profile  string
	policies *muster.Policies
	report   func(format string, args ...any)
}

// policies are rules of our own: nodes with tier=fast first, and none with the label quarantine.
func policies() (*muster.Policies, error) {
	return muster.NewPolicies([]muster.Policy{{
		Name: "fast-first",
		Score: func(c *muster.Cycle, _ muster.Class, nodes muster.Nodes, out []float64) error {
			for i, tier := range c.Labels(muster.KindNodes, nodes.Node, "tier") {
				if tier == "fast" {
					out[i] = 1000 // scores of all policies are added up
				}
			}
			return nil
		},
	}, {
		Name: "quarantine", Refusal: "not to be used",
		Fit: func(c *muster.Cycle, _ muster.Class, nodes muster.Nodes, out []uint8) error {
			for i, value := range c.Labels(muster.KindNodes, nodes.Node, "quarantine") {
				if value != "" {
					out[i] = 0
				}
			}
			return nil
		},
	}}, nil)
}

var outcomes = map[int32]string{muster.DeltaStale: "stale", muster.DeltaWaiting: "waiting", muster.DeltaRefused: "refused"}

// apply takes events in their order. Rows of one kind that follow each other are one table.
func (s *Scheduler) apply(events ...Event) error {
	for len(events) > 0 {
		n, err := 1, error(nil)
		switch e := events[0]; {
		case e.Gone != "":
			err = s.gone(e)
		case e.Node != nil:
			n, err = takeRows(s, events, func(e Event) *muster.Node { return e.Node }, muster.NodeTable)
		case e.Group != nil:
			n, err = takeRows(s, events, func(e Event) *muster.PodGroup { return e.Group }, muster.PodGroupTable)
		default:
			n, err = takeRows(s, events, func(e Event) *muster.Pod { return e.Pod }, muster.PodTable)
		}
		if err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

func (s *Scheduler) gone(e Event) error {
	kind, name := muster.KindNodes, ""
	if _, err := fmt.Sscanf(e.Gone, "node %s", &name); err != nil {
		kind = muster.KindTasks
		fmt.Sscanf(e.Gone, "pod %s", &name)
	}
	outcome, err := s.cluster.ApplyRemoval(kind, name, e.Version)
	if err == nil && outcome != muster.DeltaApplied {
		s.report("  events: end of %s: %s", e.Gone, outcomes[outcome])
	}
	return err
}

// takeRows hands on the events up to the first of another kind. One that is refused stops no other.
func takeRows[T any](s *Scheduler, events []Event, of func(Event) *T, table func([]T) (*muster.Table, error)) (int, error) {
	var rows []T
	var versions []uint64
	for _, e := range events {
		if of(e) == nil || e.Gone != "" {
			break
		}
		rows, versions = append(rows, *of(e)), append(versions, e.Version)
	}
	t, err := table(rows)
	if err != nil {
		return 0, err
	}
	defer t.Free()
	what, refusals, err := s.cluster.Take(t, versions)
	counts := map[int32]int{}
	for _, outcome := range what {
		counts[outcome]++
	}
	for _, outcome := range []int32{muster.DeltaStale, muster.DeltaWaiting, muster.DeltaRefused} {
		if counts[outcome] > 0 {
			s.report("  events: %d of %d %s", counts[outcome], len(rows), outcomes[outcome])
		}
	}
	if refusals != "" {
		s.report("    %s", refusals[:len(refusals)-1])
	}
	return len(rows), err
}

// cycle decides, and makes the tables follow before anything is carried out.
func (s *Scheduler) cycle(now int64) (*muster.Plan, error) {
	plan, err := s.cluster.ScheduleWith(context.Background(), s.profile,
		muster.Options{Now: now, Policies: s.policies, Measure: muster.MeasureCosts})
	if err != nil {
		return nil, err
	}
	if _, err = s.cluster.Follow(plan); err != nil {
		plan.Free()
		return nil, err
	}
	return plan, nil
}

// metrics is what a cycle cost, as text for Prometheus. Costs has times, too; see ../metrics.
func (s *Scheduler) metrics(plan *muster.Plan) error {
	costs, err := plan.Costs()
	if err != nil {
		return err
	}
	for _, action := range costs.Actions {
		s.report("  muster_action_decisions{action=%q} %d", action.Action, action.Decisions)
	}
	s.report("  muster_pending_tasks %d", plan.Pending())
	return nil
}

// why prints why a pod waits and what would help, under the policies that refused it.
func (s *Scheduler) why(plan *muster.Plan, pod string, now int64) error {
	words, err := plan.Explain(pod)
	if err != nil {
		return err
	}
	s.report("  %s", words[:len(words)-1])
	diagnosis, err := s.cluster.DiagnoseWith(context.Background(), s.profile, pod, 100,
		muster.Options{Now: now, Policies: s.policies})
	if err != nil {
		return err
	}
	for _, remedy := range diagnosis.Remedies {
		s.report("    - %s", remedy.Words)
	}
	return nil
}
