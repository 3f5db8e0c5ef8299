// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

const twoNodes = `{"muster": 1, "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 4, "pods": 9}}],
  "jobs": [{"name": "runs", "min_available": 1, "groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": 2}}}]},
           {"name": "gang", "min_available": 4, "groups": [{"name": "w", "count": 4, "shape": {"request": {"cpu": 2}}}]}]}`

func small(t *testing.T) *Cluster {
	cluster, err := NewCluster()
	must(t, err)
	must(t, cluster.AddJSON(twoNodes))
	must(t, cluster.SetTask("runs-w-0", TaskRunning, "n0"))
	return cluster
}

func TestQuestions(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	node := map[string]any{"name": "x", "capacity": map[string]any{"cpu": 4, "pods": 9}}
	r, err := cluster.Rehearse("volcano", []Change{{"add_nodes": map[string]any{"count": 1, "node": node}}}, 0)
	must(t, err)
	if len(r.Starts) != 4 || r.Starts[0].Job != "gang" || len(r.Stops) != 0 {
		t.Error(r)
	}
	d, err := cluster.Diagnose("volcano", "gang", 0, 0)
	must(t, err)
	for _, width := range []int{2, 3, 1} {
		must(t, cluster.SetThreads(width))
		same, err := cluster.Diagnose("volcano", "gang", 0, 0)
		must(t, err)
		if !reflect.DeepEqual(same, d) {
			t.Error(width, same)
		}
	}
	if err := cluster.SetThreads(0); err == nil {
		t.Error("no thread at all")
	}
	if d.Waiting != 4 || len(d.Remedies) == 0 || d.Remedies[0].Kind != "more_nodes" || d.Remedies[0].Starts != 4 {
		t.Error(d)
	}
	again, err := cluster.Rehearse(d.Remedies[0].Profile, d.Remedies[0].Changes, 0)
	must(t, err)
	if int64(len(again.Starts)) != d.Remedies[0].Starts {
		t.Error(again)
	}
	steps, err := cluster.Drain("volcano", []string{"n0"}, 0)
	must(t, err)
	if len(steps) != 1 || steps[0].Tasks[0].To != "n1" {
		t.Error(steps)
	}
	if _, err := cluster.Diagnose("volcano", "gangs", 0, 0); err == nil || !strings.Contains(err.Error(), `did you mean "gang"?`) {
		t.Error(err)
	}
	if _, err := cluster.Advise("volcano", `{"drain": {}}`, 0); err == nil {
		t.Error("a question without nodes")
	}
}

// A policy that leaves n0 as the only node.
func onlyN0(failure error) ([]Policy, []Action) {
	fit := func(c *Cycle, _ Class, nodes Nodes, out []uint8) error {
		for i, node := range nodes.Node {
			if c.Name(KindNodes, node) != "n0" {
				out[i] = 0
			}
		}
		return failure
	}
	return []Policy{{Name: "only-n0", Refusal: "only n0", Fit: fit}}, nil
}

func TestQuestionsAskOwnPolicies(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	own, err := NewPolicies(onlyN0(nil))
	must(t, err)
	words, err := cluster.AdviseWith(context.Background(), "volcano", `{"diagnose": {"job": "gang"}}`, Options{Policies: own})
	must(t, err)
	var d Diagnosis
	must(t, json.Unmarshal([]byte(words), &d))
	if d.Waiting != 4 || !strings.Contains(d.Reason, "only n0") {
		t.Error(words)
	}
	ctx, options := context.Background(), Options{Policies: own}
	if same, err := cluster.DiagnoseWith(ctx, "volcano", "gang", 0, options); err != nil || !reflect.DeepEqual(same, d) {
		t.Error(same, err)
	}
	// No further node but n0 is open, so none helps; without the policy one does.
	if none, err := cluster.NeedNodesWith(ctx, "volcano", nil, 8, options); err != nil || none.WaitingAfter != 4 {
		t.Error(none, err)
	}
	if one, err := cluster.NeedNodes("volcano", nil, 8, 0); err != nil || one.WaitingAfter != 0 {
		t.Error(one, err)
	}
	less := []Change{{"remove_job": "runs"}}
	if r, err := cluster.RehearseWith(ctx, "volcano", less, options); err != nil || len(r.Starts) != 0 {
		t.Error(r, err)
	}
	if r, err := cluster.Rehearse("volcano", less, 0); err != nil || len(r.Starts) != 4 {
		t.Error(r, err)
	}
	if steps, err := cluster.DrainWith(ctx, "volcano", []string{"n0"}, options); err != nil || steps[0].Tasks[0].To != "" {
		t.Error(steps, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := cluster.DiagnoseWith(done, "volcano", "gang", 0, options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := cluster.DiagnoseWith(ctx, "volcano", "gang", 0, Options{Cursor: 1}); err == nil {
		t.Error("an option that questions do not read")
	}
	if _, err := cluster.AdviseWith(done, "volcano", `{"rehearse": []}`, Options{Policies: own}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	own.Free()
	if _, err := cluster.AdviseWith(context.Background(), "volcano", `{"rehearse": []}`, Options{Policies: own}); err == nil {
		t.Error("policies that were freed")
	}
	failure := errors.New("no data")
	failing, err := NewPolicies(onlyN0(failure))
	must(t, err)
	defer failing.Free()
	if _, err := cluster.AdviseWith(context.Background(), "volcano", `{"rehearse": []}`, Options{Policies: failing}); !errors.Is(err, failure) {
		t.Error(err)
	}
}

func TestQuestionsRefuseOptionsThatTheyDoNotRead(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	for field, options := range map[string]Options{
		"WorkBudget": {WorkBudget: 1, Memory: "{}"}, "TimeLimit": {TimeLimit: time.Second}, "KeepCut": {KeepCut: true},
		"Cursor": {Cursor: 1}, "Turn": {Turn: "{}"}, "Memory": {Memory: "{}"}, "Measure": {Now: 5, Measure: MeasureCosts},
	} {
		_, err := cluster.AdviseWith(context.Background(), "volcano", `{"rehearse": []}`, options)
		if err == nil || err.Error() != "options: "+field+" is not of questions; they have Now and Policies" {
			t.Error(field, err)
		}
	}
	_, err := cluster.AdviseWith(context.Background(), "volcano", `{"rehearse": []}`, Options{Now: 5})
	must(t, err)
}

func TestARehearsalShowsWhatIsAdmitted(t *testing.T) {
	cluster, err := NewCluster()
	must(t, err)
	defer cluster.Free()
	must(t, cluster.AddJSON(`{"muster": 1, "nodes": [{"name": "n", "capacity": {"cpu": 9, "pods": 9}}],
	  "flavors": [{"name": "f"}],
	  "queues": [{"name": "q", "rules": {"groups": [{"resources": ["cpu"],
	    "flavors": [{"flavor": "f", "nominal": {"cpu": 2}}]}]}}],
	  "jobs": [{"name": "a", "queue": "q", "priority": 2, "groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": 2}}}]},
	           {"name": "b", "queue": "q", "priority": 1, "groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": 2}}}]}]}`))
	r, err := cluster.Rehearse("kueue", []Change{{"remove_job": "a"}}, 0)
	must(t, err)
	if !reflect.DeepEqual(r.Admits, []JobChange{{"b", "q"}}) || !reflect.DeepEqual(r.Withdraws, []JobChange{{"a", "q"}}) {
		t.Error(r)
	}
}

func TestWhatIf(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	snapshot, err := cluster.Freeze()
	must(t, err)
	defer snapshot.Free()
	const changes = `{"changes": [{"remove_job": "gang"}]}`
	living, err := cluster.WhatIf("muster", changes)
	must(t, err)
	frozen, err := snapshot.WhatIf("muster", changes)
	must(t, err)
	for _, queues := range [][]QueueOutlook{living, frozen} {
		if len(queues) != 1 || queues[0].Queue != "default" || queues[0].PendingBefore["cpu"] != 8000 ||
			queues[0].PendingAfter["cpu"] != 0 || queues[0].AllocatedAfter["cpu"] != 2000 {
			t.Error(queues)
		}
	}
	if _, err := snapshot.WhatIf("muster", "{}x"); err == nil {
		t.Error("changes that are none")
	}
	index, err := snapshot.Find(KindNodes, "n1")
	must(t, err)
	if snapshot.Name(KindNodes, index) != "n1" || snapshot.Count(KindNodes) != 2 || snapshot.Version() == 0 {
		t.Error(index)
	}
	if _, err := snapshot.Find(KindNodes, "n7"); err == nil || snapshot.Name(KindNodes, 7) != "" {
		t.Error("a node that is none")
	}
}

func TestDocuments(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	plan, err := cluster.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	digest, err := plan.Digest()
	must(t, err)
	words, err := plan.Text()
	must(t, err)
	whole, err := plan.JSON()
	must(t, err)
	if len(digest) != 32 || !strings.Contains(words, "gang") || !strings.HasPrefix(whole, "{") {
		t.Error(digest, words, whole)
	}
	scenario, err := cluster.WriteScenario("volcano")
	must(t, err)
	state, err := cluster.SaveState()
	must(t, err)
	standby, err := NewCluster()
	must(t, err)
	defer standby.Free()
	must(t, standby.LoadState(state))
	again, err := standby.Schedule("volcano")
	must(t, err)
	defer again.Free()
	if equal, err := again.Digest(); err != nil || equal != digest {
		t.Error(equal, digest, err)
	}
	profile, err := standby.ReadScenario(scenario)
	must(t, err)
	read, err := standby.Schedule(profile)
	must(t, err)
	defer read.Free()
	if equal, err := read.Text(); err != nil || profile != "volcano" || equal != words {
		t.Error(profile, equal, words, err)
	}
	version := cluster.Version()
	drift, err := cluster.Reconcile()
	must(t, err)
	if len(drift) < 5 || cluster.Version() == version {
		t.Error(drift)
	}
	if err := cluster.LoadState("none"); err == nil {
		t.Error("a state that is none")
	}
	must(t, cluster.SetLimits(Limits{Depth: 8, Rows: 1, Bytes: 1 << 20}))
	if err := cluster.AddJSON(twoNodes); err == nil || !strings.Contains(err.Error(), "rows in all") {
		t.Error(err)
	}
	if limits := DefaultLimits(); limits.Depth != 256 {
		t.Error(limits)
	}
	if catalogue, err := Catalogue(); err != nil || !strings.Contains(catalogue, "volcano") {
		t.Error(err)
	}
	if PolicyRevision("gang") < 1 || PolicyRevision("none") != 0 {
		t.Error("revisions")
	}
}
