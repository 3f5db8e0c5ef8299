// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// What cycles cost and decide, as text that Prometheus reads, and why a task got its node.
//
//	export CGO_CFLAGS="$(pkg-config --cflags muster-c)"
//	export CGO_LDFLAGS="$(pkg-config --libs muster-c)"
//	go run -tags muster_shared ./metrics
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"muster.example/muster"
)

// Exporter adds up what cycles of a profile cost and decide.
type Exporter struct {
	profile                            string
	cycles                             int64
	seconds                            float64
	binds, evictions, pending          int // of the last cycle
	actionSeconds, policySeconds       map[string]float64
	decisions, work, questions, looked map[string]int64
	searches                           map[string]int64
	actions, policies                  []string // in order of appearance
}

func newExporter(profile string) *Exporter {
	return &Exporter{
		profile: profile, actionSeconds: map[string]float64{}, policySeconds: map[string]float64{},
		decisions: map[string]int64{}, work: map[string]int64{}, questions: map[string]int64{},
		looked: map[string]int64{}, searches: map[string]int64{},
	}
}

func (x *Exporter) add(plan *muster.Plan, costs *muster.Costs) {
	x.cycles++
	x.seconds += costs.Total().Seconds()
	x.binds, x.evictions, x.pending = len(plan.Binds()), len(plan.Evictions()), plan.Pending()
	for _, a := range costs.Actions {
		if _, known := x.work[a.Action]; !known {
			x.actions = append(x.actions, a.Action)
		}
		x.actionSeconds[a.Action] += a.Time.Seconds()
		x.work[a.Action] += a.Work
		x.decisions[a.Action] += a.Decisions
	}
	for _, p := range costs.Policies {
		if _, known := x.questions[p.Policy]; !known {
			x.policies = append(x.policies, p.Policy)
		}
		x.policySeconds[p.Policy] += p.Time.Seconds()
		x.questions[p.Policy] += p.Questions
		x.looked[p.Policy] += p.Nodes
	}
	x.searches["remembered"] += costs.SearchesRemembered
	x.searches["table"] += costs.SearchesByTable
	x.searches["scan"] += costs.SearchesByScan
}

func write[T int64 | float64](w io.Writer, x *Exporter, name, label string, of []string, values map[string]T) {
	fmt.Fprintf(w, "# TYPE %s counter\n", name)
	for _, each := range of {
		fmt.Fprintf(w, "%s{profile=%q,%s=%q} %v\n", name, x.profile, label, each, values[each])
	}
}

func (x *Exporter) write(w io.Writer) {
	single := func(name, kind string, value any) {
		fmt.Fprintf(w, "# TYPE %s %s\n%s{profile=%q} %v\n", name, kind, name, x.profile, value)
	}
	single("muster_cycles_total", "counter", x.cycles)
	single("muster_cycle_seconds_total", "counter", x.seconds)
	single("muster_binds", "gauge", x.binds)
	single("muster_evictions", "gauge", x.evictions)
	single("muster_pending_tasks", "gauge", x.pending)
	write(w, x, "muster_action_seconds_total", "action", x.actions, x.actionSeconds)
	write(w, x, "muster_action_work_total", "action", x.actions, x.work)
	write(w, x, "muster_action_decisions_total", "action", x.actions, x.decisions)
	write(w, x, "muster_policy_seconds_total", "policy", x.policies, x.policySeconds)
	write(w, x, "muster_policy_questions_total", "policy", x.policies, x.questions)
	write(w, x, "muster_policy_nodes_total", "policy", x.policies, x.looked)
	write(w, x, "muster_searches_total", "way", []string{"remembered", "table", "scan"}, x.searches)
}

// why returns the score of each policy for the node of a task and for the next best.
func why(plan *muster.Plan, costs *muster.Costs) string {
	choice := costs.Choices[0]
	text := fmt.Sprintf("# why %s is on %s and not on %s:", plan.Name(muster.KindTasks, choice.Task),
		plan.Name(muster.KindNodes, choice.Node), choice.NextName)
	for i, policy := range costs.Scorers {
		text += fmt.Sprintf(" %s %.4g to %.4g", policy, choice.Scores[i], choice.NextScores[i])
	}
	return text
}

func run() error {
	cluster, err := muster.NewCluster()
	if err != nil {
		return err
	}
	defer cluster.Free()
	if err := cluster.AddJSON(`{"muster": 1,
		"nodes": [{"name": "n", "count": 20, "capacity": {"cpu": 8, "memory": "32Gi", "pods": 110}}],
		"jobs": [
			{"name": "j0", "min_available": 20, "groups": [{"count": 20, "shape": {"request": {"cpu": 2}}}]},
			{"name": "j1", "min_available": 20, "groups": [{"count": 20, "shape": {"request": {"cpu": 1}}}]}]}`); err != nil {
		return err
	}
	exporter := newExporter("volcano")
	for _, arrives := range []string{"", `{"muster": 1, "jobs": [
			{"name": "late", "min_available": 20, "groups": [{"count": 20, "shape": {"request": {"cpu": 8}}}]}]}`} {
		if arrives != "" {
			if err := cluster.AddJSON(arrives); err != nil {
				return err
			}
		}
		if err := exporter.cycle(cluster); err != nil {
			return err
		}
	}
	exporter.write(os.Stdout)
	return nil
}

// cycle decides, follows the plan, and prints why the first task that starts got its node.
func (x *Exporter) cycle(cluster *muster.Cluster) error {
	plan, err := cluster.ScheduleWith(context.Background(), x.profile,
		muster.Options{Measure: muster.MeasureCosts | muster.MeasureChoices})
	if err != nil {
		return err
	}
	defer plan.Free()
	costs, err := plan.Costs()
	if err != nil {
		return err
	}
	x.add(plan, costs)
	if len(costs.Choices) > 0 {
		fmt.Println(why(plan, costs))
	}
	_, err = cluster.Follow(plan)
	return err
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
