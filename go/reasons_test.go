// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"reflect"
	"testing"
)

func planOf(t *testing.T, c *Cluster, profile string) *Plan {
	t.Helper()
	plan, err := c.Schedule(profile)
	must(t, err)
	return plan
}

func TestReasonsHaveNumbers(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	plan := planOf(t, cluster, "volcano:-proportion")
	defer plan.Free()
	pending := plan.PendingTasks()
	if len(pending) != plan.Pending() || len(pending) != 4 {
		t.Fatal(pending)
	}
	reasons := plan.Reasons()
	undone, last := reasons[pending[0].Reason], reasons[pending[3].Reason]
	if undone.Kind != ReasonGangUndone || undone.Placed != 3 || undone.Needed != 4 || undone.Queue != None {
		t.Error(undone)
	}
	cpu := int32(0)
	if plan.Name(KindDimensions, cpu) != "cpu" {
		t.Fatal(plan.Name(KindDimensions, cpu))
	}
	want := []Refusal{{Code: RefusalInsufficient, Dimension: cpu, Nodes: 2}}
	if last.Kind != ReasonNoNode || !reflect.DeepEqual(last.Refusals, want) {
		t.Error(last)
	}
}

func TestSharesAreTyped(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	plan := planOf(t, cluster, "volcano")
	defer plan.Free()
	shares := plan.Shares()
	if len(shares) != 1 || plan.Name(KindQueues, shares[0].Queue) != "default" {
		t.Fatal(shares)
	}
	one := shares[0]
	if one.Before.MilliCPU != 2000 || one.After.MilliCPU != 2000 || one.Before.Others["pods"] != 1 {
		t.Error(one.Before, one.After)
	}
	if one.Deserved == nil || one.Deserved.MilliCPU != 8000 || one.ShareBefore != 0.25 {
		t.Error(one.Deserved, one.ShareBefore)
	}
	without := planOf(t, cluster, "volcano:-proportion,-drf")
	defer without.Free()
	for _, row := range without.Shares() {
		if row.Deserved != nil {
			t.Error(row.Deserved)
		}
	}
}

func TestOffersHaveNamesAndUnits(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	plan := planOf(t, cluster, "volcano")
	defer plan.Free()
	got := plan.Resources([]int64{1500, 1 << 30, Absent})
	if !reflect.DeepEqual(got, Resources{MilliCPU: 1500, Memory: 1 << 30}) {
		t.Error(got)
	}
}

func TestPodsWithoutAGroupAreJobsOfOne(t *testing.T) {
	cluster, err := NewCluster()
	must(t, err)
	defer cluster.Free()
	table, err := NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 4000}}})
	put(t, cluster, table, err)
	table, err = PodTable([]Pod{{Namespace: "ns", Name: "lone", Request: Resources{MilliCPU: 1000}}})
	put(t, cluster, table, err)
	left := planOf(t, cluster, "volcano")
	defer left.Free()
	if len(left.Binds()) != 0 {
		t.Error(left.Binds())
	}
	made := planOf(t, cluster, "volcano:lone_tasks=default")
	defer made.Free()
	if len(made.Binds()) != 1 || made.Name(KindTasks, made.Binds()[0].Task) != "ns/lone" {
		t.Error(made.Binds())
	}
	if _, err := cluster.Follow(made); err != nil {
		t.Error(err)
	}
}

func TestNodesThatAreMissing(t *testing.T) {
	cluster := small(t)
	defer cluster.Free()
	big := Node{Name: "big", Allocatable: Resources{MilliCPU: 8000}, Labels: map[string]string{"size": "big"}}
	needed, err := cluster.NeedNodes("volcano", []NodeOffer{{Node: big, Price: 4, Most: 3}}, 0, 0)
	must(t, err)
	want := []NodeCount{{Type: "big", Count: 1}}
	if needed.WaitingBefore != 4 || needed.WaitingAfter != 0 || !reflect.DeepEqual(needed.Cheapest, want) || needed.Price != 4 {
		t.Error(needed)
	}
}

func TestDomainsDevicesAndPlacesOfGangs(t *testing.T) {
	p := &Plan{}
	v := &p.view
	v.domain_count, v.device_count, v.tentative_count = 1, 1, 1
	point(&v.domain_job, []int32{1})
	point(&v.domain_tier, []int32{2})
	point(&v.domain_sub_group_offsets, []int64{0, 1})
	point(&v.domain_sub_groups, []byte("w"))
	point(&v.domain_name_offsets, []int64{0, 4})
	point(&v.domain_names, []byte("rack"))
	point(&v.device_task, []int32{3})
	point(&v.device_milli, []int64{500})
	point(&v.device_memory, []int64{1 << 30})
	point(&v.device_name_offsets, []int64{0, 4})
	point(&v.device_names, []byte("gpu0"))
	point(&v.tentative_task, []int32{4})
	point(&v.tentative_node, []int32{5})
	point(&v.tentative_nominated, []int32{1})
	if got := p.Domains(); !reflect.DeepEqual(got, []Domain{{1, 2, "w", "rack"}}) {
		t.Error(got)
	}
	if got := p.Devices(); !reflect.DeepEqual(got, []Device{{3, 500, 1 << 30, "gpu0"}}) {
		t.Error(got)
	}
	if got := p.Tentative(); !reflect.DeepEqual(got, []Tentative{{4, 5, true}}) {
		t.Error(got)
	}
}
