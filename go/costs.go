// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>

static muster_error muster_go_costs_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
static muster_costs_view muster_go_costs_view(void) {
  muster_costs_view view = MUSTER_COSTS_VIEW_INIT;
  return view;
}
*/
import "C"

import (
	"time"
	"unsafe"
)

// What Options.Measure asks for.
const (
	MeasureCosts   = uint32(C.MUSTER_MEASURE_COSTS)   // time and counts by action, policy and way of searching
	MeasureChoices = uint32(C.MUSTER_MEASURE_CHOICES) // and why tasks got their nodes: a look at every node for each
)

// ActionCost is what one action of the profile cost.
type ActionCost struct {
	Action          string
	Time            time.Duration
	Work, Decisions int64
}

// PolicyCost is what one policy cost when it was asked which nodes fit and which are best.
type PolicyCost struct {
	Policy           string
	Time             time.Duration
	Questions, Nodes int64 // nodes that are equal to it count once
}

// Choice is why a task got its node: the score of each policy for it, and for the next best node.
type Choice struct {
	Task, Node         int32
	Next               int32 // None: no other node fits
	NextName           string
	Scores, NextScores []float64 // by Costs.Scorers
}

// Costs is what the cycle of a plan cost.
type Costs struct {
	Open, Close                                         time.Duration // before the first action, and after the last
	SearchesRemembered, SearchesByTable, SearchesByScan int64         // how the best node for a task was found
	Actions                                             []ActionCost
	Policies                                            []PolicyCost
	Scorers                                             []string // policies that score nodes
	Choices                                             []Choice // by task
}

// Total is the time of the whole cycle.
func (c *Costs) Total() time.Duration {
	total := c.Open + c.Close
	for _, action := range c.Actions {
		total += action.Time
	}
	return total
}

// Costs returns what the plan's cycle cost, where Options.Measure asked for it.
func (p *Plan) Costs() (*Costs, error) {
	e := C.muster_go_costs_error()
	v := C.muster_go_costs_view()
	if err := check(C.muster_plan_get_costs(p.plan, &v, &e), &e); err != nil {
		return nil, err
	}
	costs := &Costs{
		Open: time.Duration(v.open_time), Close: time.Duration(v.close_time),
		SearchesRemembered: int64(v.searches_remembered), SearchesByTable: int64(v.searches_by_table),
		SearchesByScan: int64(v.searches_by_scan),
	}
	n := int(v.action_count)
	times, work, made := amounts(v.action_time, n), amounts(v.action_work, n), amounts(v.action_decisions, n)
	actions := names(v.action_name_offsets, v.action_names, n)
	costs.Actions = list(n, func(i int) ActionCost {
		return ActionCost{actions[i], time.Duration(times[i]), work[i], made[i]}
	})
	n = int(v.policy_count)
	times, questions, nodes := amounts(v.policy_time, n), amounts(v.policy_questions, n), amounts(v.policy_nodes, n)
	policies := names(v.policy_name_offsets, v.policy_names, n)
	costs.Policies = list(n, func(i int) PolicyCost {
		return PolicyCost{policies[i], time.Duration(times[i]), questions[i], nodes[i]}
	})
	width := int(v.scorer_count)
	costs.Scorers = append([]string(nil), names(v.scorer_name_offsets, v.scorer_names, width)...)
	n = int(v.choice_count)
	tasks, chosen, next := indices(v.choice_task, n), indices(v.choice_node, n), indices(v.choice_next, n)
	nextNames := names(v.choice_next_name_offsets, v.choice_next_names, n)
	scores := columnOf[float64](unsafe.Pointer(v.choice_scores), n*width)
	others := columnOf[float64](unsafe.Pointer(v.choice_next_scores), n*width)
	costs.Choices = list(n, func(i int) Choice {
		from, to := i*width, (i+1)*width
		return Choice{tasks[i], chosen[i], next[i], nextNames[i],
			append([]float64(nil), scores[from:to]...), append([]float64(nil), others[from:to]...)}
	})
	return costs, nil
}
