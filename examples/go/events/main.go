// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// A scheduler on a watch that delivers events late, twice or not at all, with an API that refuses.
// It has a score and a fit of its own, and hands over to a standby.
//
//	export CGO_CFLAGS="$(pkg-config --cflags muster-c)"
//	export CGO_LDFLAGS="$(pkg-config --libs muster-c)"
//	go run -tags muster_shared ./events
package main

import (
	"fmt"
	"log"

	"muster.example/muster"
)

func node(version uint64, name, label, value string) Event {
	return Event{Version: version, Node: &muster.Node{Name: name, Labels: map[string]string{label: value},
		Allocatable: muster.Resources{MilliCPU: 8000, Memory: 32 << 30, Others: map[string]int64{"nvidia.com/gpu": 2000}}}}
}

func group(version uint64, name string, members int64) Event {
	return Event{Version: version, Group: &muster.PodGroup{Namespace: "ns", Name: name, MinMember: members}}
}

// pod is one that requests a GPU. Amounts but memory are thousandths.
func pod(version uint64, group string, number int, change ...func(*muster.Pod)) Event {
	p := &muster.Pod{Namespace: "ns", Name: fmt.Sprintf("%s-%d", group, number), UID: fmt.Sprintf("%s-%d", group, number),
		Group: group, Request: muster.Resources{MilliCPU: 2000, Memory: 1 << 30, Others: map[string]int64{"nvidia.com/gpu": 1000}}}
	for _, c := range change {
		c(p)
	}
	return Event{Version: version, Pod: p}
}

func on(node string) func(*muster.Pod) {
	return func(p *muster.Pod) { p.Node, p.Status = node, muster.TaskRunning }
}

// day is the scheduler's day: what it receives, decides and reports, in order.
type day struct {
	*Scheduler
	now  int64
	plan *muster.Plan
	err  error
}

func (d *day) receives(what string, events ...Event) {
	if d.err == nil {
		fmt.Printf("%s\n", what)
		d.err = d.apply(events...)
	}
}

// decides runs a cycle ten seconds later and prints what is to be carried out.
func (d *day) decides() {
	if d.err != nil {
		return
	}
	if d.plan != nil {
		d.plan.Free()
	}
	d.now += 10
	if d.plan, d.err = d.cycle(d.now); d.err != nil {
		return
	}
	for _, bind := range d.plan.Binds() {
		d.report("  start %s on %s", d.plan.Name(muster.KindTasks, bind.Task), d.plan.Name(muster.KindNodes, bind.Node))
	}
	for _, later := range d.plan.Nominations() {
		d.report("  later %s on %s", d.plan.Name(muster.KindTasks, later.Task), d.plan.Name(muster.KindNodes, later.Node))
	}
	for _, eviction := range d.plan.Evictions() {
		d.report("  stop %s for %s", d.plan.Name(muster.KindTasks, eviction.Task), d.plan.Name(muster.KindTasks, eviction.For))
	}
}

func (d *day) try(what string, call func() error) {
	if d.err == nil {
		fmt.Printf("%s\n", what)
		d.err = call()
	}
}

func (d *day) begins() {
	d.receives("a gang before its group and nodes, and one event twice",
		pod(3, "train", 0), pod(4, "train", 1), pod(3, "train", 0), group(5, "train", 2),
		node(6, "n0", "tier", "slow"), node(7, "n1", "tier", "fast"), node(8, "n2", "quarantine", "yes"))
	d.decides()
	d.try("the API refuses a bind", func() error { return d.cluster.BindFailed("ns/train-1") })
	d.receives("and confirms the other", pod(9, "train", 0, on("n1")))
	d.decides()
	d.try("without news of it for five minutes", func() error {
		d.now += 300
		expired, err := d.cluster.ExpireAssumptions(d.now, 300, muster.Absent)
		d.report("  expired: %v", expired)
		return err
	})
	d.decides()
	d.receives("now it runs", pod(10, "train", 1, on("n1")))
}

func (d *day) goesOn() {
	d.receives("a pod is gone before it was there", Event{Version: 12, Gone: "pod ns/train-7"}, pod(11, "train", 7))
	d.receives("one bad row among three", group(13, "web", 1), pod(14, "web", 0),
		pod(15, "web", 1, func(p *muster.Pod) { p.Status = muster.TaskRunning }), pod(16, "web", 2))
	d.decides()
	d.receives("they run", pod(17, "web", 0, on("n0")), pod(18, "web", 2, on("n0")))
	urgent := group(19, "urgent", 1)
	urgent.Group.Priority = 9
	d.receives("a group of higher priority", urgent, pod(20, "urgent", 0))
	d.decides()
	d.try("the eviction fails", func() error { return d.cluster.EvictFailed("ns/train-1") })
	d.decides()
	d.receives("n1 goes, with what runs on it", Event{Version: 21, Gone: "node n1"})
	d.try("which waits for it to come back", func() error {
		waiting, err := d.cluster.WaitingEvents()
		fmt.Print(waiting)
		return err
	})
	again := func(p *muster.Pod) { p.UID += "-again" }
	d.receives("its pods come again, their ends were lost", pod(22, "train", 0, again), pod(23, "train", 1, again))
	d.receives("n1 is back", node(24, "n1", "tier", "fast"))
	d.decides()
	d.try("why a pod waits, and what would help", func() error { return d.why(d.plan, "ns/train-1", d.now) })
	d.try("what the cycle cost", func() error { return d.metrics(d.plan) })
}

// handsOver saves the state; a standby goes on with equal plans.
func (d *day) handsOver() error {
	state, err := d.cluster.SaveState()
	if err != nil {
		return err
	}
	cluster, err := muster.NewCluster()
	if err != nil {
		return err
	}
	defer cluster.Free()
	if err := cluster.LoadState(state); err != nil {
		return err
	}
	standby := &Scheduler{cluster, d.profile, d.policies, func(string, ...any) {}}
	digests := map[string]bool{}
	for _, s := range []*Scheduler{d.Scheduler, standby} {
		if err := s.apply(pod(25, "train", 0, on("n1")), group(26, "late", 1), pod(27, "late", 0)); err != nil {
			return err
		}
		plan, err := s.cycle(d.now + 10)
		if err != nil {
			return err
		}
		digest, err := plan.Digest()
		plan.Free()
		if err != nil {
			return err
		}
		digests[digest] = true
	}
	d.report("  plans are equal: %v", len(digests) == 1)
	return nil
}

func run() error {
	cluster, err := muster.NewCluster()
	if err != nil {
		return err
	}
	defer cluster.Free()
	own, err := policies()
	if err != nil {
		return err
	}
	defer own.Free()
	d := &day{Scheduler: &Scheduler{cluster, "volcano:+preempt", own,
		func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}}
	d.begins()
	d.goesOn()
	d.try("a standby takes over", d.handsOver)
	if d.plan != nil {
		d.plan.Free()
	}
	return d.err
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
