// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package main

import (
	"time"

	"muster.example/muster"
)

// library is the action that takes allocate's place. It receives changes from the informers, so a
// cycle costs what changed. The rest of the scheduler stays as it is.
type library struct {
	cluster  *muster.Cluster
	profile  string
	nodes    []muster.Node
	groups   []muster.PodGroup
	pods     []muster.Pod
	versions [3][]uint64  // of nodes, groups and pods
	plan     *muster.Plan // of the last cycle

	heard, decided time.Duration // what took how long in the last cycle
}

func newLibrary(profile string) (*library, error) {
	cluster, err := muster.NewCluster()
	return &library{cluster: cluster, profile: profile}, err
}

func (*library) Name() string { return "allocate" }

func (l *library) OnNode(o nodeObject) {
	l.nodes, l.versions[0] = append(l.nodes, o.Node), append(l.versions[0], o.Version)
}

func (l *library) OnGroup(o groupObject) {
	l.groups, l.versions[1] = append(l.groups, o.PodGroup), append(l.versions[1], o.Version)
}

func (l *library) OnPod(o podObject) {
	l.pods, l.versions[2] = append(l.pods, o.Pod), append(l.versions[2], o.Version)
}

// hear hands on what was heard since the last cycle.
func (l *library) hear() error {
	tables := []func() (*muster.Table, error){
		func() (*muster.Table, error) { return muster.NodeTable(l.nodes) },
		func() (*muster.Table, error) { return muster.PodGroupTable(l.groups) },
		func() (*muster.Table, error) { return muster.PodTable(l.pods) },
	}
	for i, make := range tables {
		table, err := make()
		if err != nil {
			return err
		}
		_, err = l.cluster.Apply(table, l.versions[i])
		table.Free()
		if err != nil {
			return err
		}
		l.versions[i] = l.versions[i][:0]
	}
	l.nodes, l.groups, l.pods = l.nodes[:0], l.groups[:0], l.pods[:0]
	return nil
}

func (l *library) Execute(s *Session) error {
	begin := time.Now()
	if err := l.hear(); err != nil {
		return err
	}
	l.heard = time.Since(begin)
	plan, err := l.cluster.Schedule(l.profile)
	if err != nil {
		return err
	}
	if l.plan != nil {
		l.plan.Free()
	}
	l.plan = plan
	if _, err := l.cluster.Follow(plan); err != nil {
		return err
	}
	l.decided = time.Since(begin) - l.heard
	for _, bind := range plan.Binds() {
		s.Bind(plan.Name(muster.KindTasks, bind.Task), plan.Name(muster.KindNodes, bind.Node))
	}
	return nil
}
