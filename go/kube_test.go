// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// put frees the table.
func put(t testing.TB, c *Cluster, table *Table, err error) {
	t.Helper()
	must(t, err)
	defer table.Free()
	must(t, c.Add(table))
}

func apply(t testing.TB, c *Cluster, generations ...uint64) func(*Table, error) []int32 {
	return func(table *Table, err error) []int32 {
		t.Helper()
		must(t, err)
		defer table.Free()
		outcomes, err := c.Apply(table, generations)
		must(t, err)
		return outcomes
	}
}

func gang(namespace, name string, size int, cpu int64) []Pod {
	pods := make([]Pod, size)
	for i := range pods {
		pods[i] = Pod{Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, i), Group: name,
			Request: Resources{MilliCPU: cpu, Memory: 1 << 30}}
	}
	return pods
}

func binds(t testing.TB, c *Cluster) map[string]string {
	t.Helper()
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	where := map[string]string{}
	for _, bind := range plan.Binds() {
		where[plan.Name(KindTasks, bind.Task)] = plan.Name(KindNodes, bind.Node)
	}
	return where
}

func TestPodsGoWhereTheirRulesLetThem(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	table, err := NodeTable([]Node{
		{Name: "plain", Allocatable: Resources{MilliCPU: 8000, Memory: 32 << 30}},
		{Name: "gpu", Allocatable: Resources{MilliCPU: 8000, Memory: 32 << 30, Others: map[string]int64{"nvidia.com/gpu": 4000}},
			Taints: []Taint{{Key: "gpu", Effect: "NoSchedule"}}},
		{Name: "zone-b", Allocatable: Resources{MilliCPU: 8000, Memory: 32 << 30}, Labels: map[string]string{"zone": "b"}},
		{Name: "closed", Allocatable: Resources{MilliCPU: 64000, Memory: 32 << 30}, Unschedulable: true},
	})
	put(t, c, table, err)
	table, err = QueueTable([]Queue{{Name: "vision", Weight: 2}})
	put(t, c, table, err)
	table, err = PodGroupTable([]PodGroup{
		{Namespace: "ns", Name: "train", Queue: "vision", MinMember: 2},
		{Namespace: "ns", Name: "web", MinMember: 1},
	})
	put(t, c, table, err)
	train := gang("ns", "train", 2, 1000)
	for i := range train {
		train[i].Request.Others = map[string]int64{"nvidia.com/gpu": 2000}
		train[i].Tolerations = []Toleration{{Key: "gpu", Operator: "Exists"}}
	}
	web := gang("ns", "web", 1, 500)
	web[0].NodeSelector = map[string]string{"zone": "b"}
	running := Pod{Namespace: "kube-system", Name: "agent", Node: "plain", Status: TaskRunning, Request: Resources{MilliCPU: 100}}
	table, err = PodTable(append(append(train, web...), running))
	put(t, c, table, err)
	want := map[string]string{"ns/train-0": "gpu", "ns/train-1": "gpu", "ns/web-0": "zone-b"}
	if got := binds(t, c); !reflect.DeepEqual(got, want) {
		t.Fatal(got)
	}
}

// What differs in nothing but the order of a map's keys is one shape; what differs is not.
func TestEqualPodsShareAShape(t *testing.T) {
	var s shaper
	pod := func(change func(*Pod)) string {
		p := gang("ns", "j", 1, 500)[0]
		p.Labels = map[string]string{"a": "1", "b": "2", "c": "3"}
		p.Request.Others = map[string]int64{"x.io/a": 1, "x.io/b": 2}
		change(&p)
		return string(s.pod(&p))
	}
	same := pod(func(*Pod) {})
	for i := 0; i < 20; i++ {
		if pod(func(p *Pod) { p.Name, p.Node, p.Priority = "other", "n", 3 }) != same {
			t.Fatal("the order of a map's keys, or what is not of the shape, changed it")
		}
	}
	keys := map[string]bool{same: true}
	changes := []func(*Pod){
		func(p *Pod) { p.Namespace = "n" },
		func(p *Pod) { p.Request.MilliCPU++ },
		func(p *Pod) { p.Request.Memory++ },
		func(p *Pod) { p.Request.Others["x.io/a"]++ },
		func(p *Pod) { p.Labels["a"] = "2" },
		func(p *Pod) { p.Labels, p.NodeSelector = nil, p.Labels },
		func(p *Pod) { p.NodeSelector = map[string]string{"a": "1"} },
		func(p *Pod) { p.Tolerations = []Toleration{{Key: "a"}} },
		func(p *Pod) { p.Tolerations = []Toleration{{Operator: "a"}} },
		func(p *Pod) { p.Tolerations = []Toleration{{Value: "a"}} },
		func(p *Pod) { p.Tolerations = []Toleration{{Effect: "a"}} },
	}
	for _, change := range changes {
		keys[pod(change)] = true
	}
	if len(keys) != 1+len(changes) {
		t.Fatal(len(keys), "keys")
	}
}

func TestOneBadRowStopsNothing(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	apply(t, c, 1)(NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}}}))
	apply(t, c, 1)(PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 1}}))
	pods := gang("ns", "j", 3, 1000)
	pods[1].Status, pods[1].Node = TaskRunning, ""
	table, err := PodTable(pods)
	must(t, err)
	defer table.Free()
	outcomes, refusals, err := c.Take(table, []uint64{2, 2, 2})
	if err != nil || !reflect.DeepEqual(outcomes, []int32{DeltaApplied, DeltaRefused, DeltaApplied}) {
		t.Fatal(outcomes, refusals, err)
	}
	if !strings.HasPrefix(refusals, "tasks[1]: task \"ns/j-1\"") || strings.Count(refusals, "\n") != 1 {
		t.Fatal(refusals)
	}
	if got := binds(t, c); len(got) != 2 {
		t.Fatal(got)
	}
	events, err := c.RefusedEvents()
	if err != nil || !strings.HasPrefix(events, "task \"ns/j-1\": ") {
		t.Fatal(events, err)
	}
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	words, err := plan.Explain("ns/j-1")
	if err != nil || !strings.Contains(words, "the last event of task \"ns/j-1\" was refused: ") {
		t.Fatal(words, err)
	}
	pods[1].Status = TaskPending
	again, err := PodTable(pods)
	must(t, err)
	defer again.Free()
	if _, _, err := c.Take(again, []uint64{2, 3, 2}); err != nil {
		t.Fatal(err)
	}
	if events, err := c.RefusedEvents(); err != nil || events != "" {
		t.Fatal(events, err)
	}
}

func TestEventsComeLateTwiceAndOutOfOrder(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	pods := gang("ns", "j", 2, 1000)
	if got := apply(t, c, 5, 6)(PodTable(pods)); !reflect.DeepEqual(got, []int32{DeltaWaiting, DeltaWaiting}) {
		t.Fatal(got)
	}
	if got := apply(t, c, 3)(PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 2}})); got[0] != DeltaApplied {
		t.Fatal(got)
	}
	if got := apply(t, c, 4)(NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 2000, Memory: 8 << 30}}})); got[0] != DeltaApplied {
		t.Fatal(got)
	}
	if got := binds(t, c); len(got) != 2 {
		t.Fatal(got)
	}
	pods[0].Node, pods[0].Status = "n", TaskRunning
	if got := apply(t, c, 4, 7)(PodTable(pods)); !reflect.DeepEqual(got, []int32{DeltaStale, DeltaApplied}) {
		t.Fatal(got)
	}
	if got := apply(t, c, 9, 7)(PodTable(pods)); !reflect.DeepEqual(got, []int32{DeltaApplied, DeltaStale}) {
		t.Fatal(got)
	}
	if outcome, err := c.ApplyRemoval(KindTasks, "ns/j-1", 8); err != nil || outcome != DeltaApplied {
		t.Fatal(outcome, err)
	}
	if got := binds(t, c); len(got) != 0 {
		t.Fatal(got)
	}
	table, err := PodTable(pods)
	must(t, err)
	defer table.Free()
	if _, err := c.Apply(table, []uint64{1}); err == nil {
		t.Fatal("one generation was taken for two pods")
	}
}

func TestGatesAndNominationsComeWithThePod(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	apply(t, c, 1)(NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}}}))
	apply(t, c, 1, 1)(PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 1}, {Namespace: "ns", Name: "k", MinMember: 1}}))
	pods := append(gang("ns", "j", 2, 1000), gang("ns", "k", 1, 1000)...)
	pods[1].Gates, pods[2].NominatedNode = []string{"quota", "license"}, "n"
	apply(t, c, 2, 2, 2)(PodTable(pods))
	text, err := c.WriteScenario("volcano")
	if err != nil || !strings.Contains(text, `"gates": ["quota", "license"]`) || !strings.Contains(text, `"nominated_node": "n"`) {
		t.Fatal(text, err)
	}
	if got := binds(t, c); len(got) != 2 || got["ns/j-1"] != "" {
		t.Fatal("a pod with gates was placed, or one without was not:", got)
	}
	pods[1].Gates, pods[2].NominatedNode = nil, ""
	apply(t, c, 3, 3, 3)(PodTable(pods))
	if text, err = c.WriteScenario("volcano"); err != nil || strings.Contains(text, "gates") || strings.Contains(text, "nominated") {
		t.Fatal(text, err)
	}
	if got := binds(t, c); len(got) != 3 {
		t.Fatal(got)
	}
}

func TestFurtherColumnsOfPods(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	apply(t, c, 1)(NodeTable([]Node{{Name: "n", Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}}}))
	apply(t, c, 1)(PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 1}}))
	table, err := PodTable(gang("ns", "j", 3, 1000))
	must(t, err)
	must(t, table.Texts("shape.host_ports", []string{`[{"port": 80}]`, `[{"port": 80}]`, "[]"}))
	apply(t, c, 2, 2, 2)(table, nil)
	if got := binds(t, c); len(got) != 2 {
		t.Fatal("two pods have one port of the node:", got)
	}
}

// A cluster with a gang, a pod that runs and three that wait, without groups.
func withLonePods(t testing.TB, grouped bool) *Cluster {
	c, err := NewCluster()
	must(t, err)
	apply(t, c, 1, 1)(NodeTable([]Node{
		{Name: "a", Allocatable: Resources{MilliCPU: 4000, Memory: 8 << 30}}, {Name: "b", Allocatable: Resources{MilliCPU: 3000, Memory: 8 << 30}}}))
	apply(t, c, 1)(QueueTable([]Queue{{Name: "web", Weight: 3}}))
	apply(t, c, 1)(PodGroupTable([]PodGroup{{Namespace: "ns", Name: "j", MinMember: 2, Created: 5}}))
	pods := append(gang("ns", "j", 2, 1000), gang("ns", "lone", 4, 1000)...)
	for i := range pods[2:] {
		pods[2+i].Group, pods[2+i].Priority, pods[2+i].Created = "", int32(i), int64(i)
	}
	pods[2].Node, pods[2].Status = "a", TaskRunning
	if grouped {
		groups := GroupsOfOne(pods, "web")
		if len(groups) != 4 || groups[3].Name != "podgroup-lone-3" || pods[5].Group != "podgroup-lone-3" || pods[0].Group != "j" ||
			groups[3].Priority != 3 || groups[3].Created != 3 || groups[0].Phase != PhaseRunning {
			t.Fatal(groups)
		}
		apply(t, c, 2, 2, 2, 2)(PodGroupTable(groups))
	}
	apply(t, c, 2, 2, 2, 2, 2, 2)(PodTable(pods))
	return c
}

func TestGroupsOfOneDecideAsLoneTasks(t *testing.T) {
	lone, grouped := withLonePods(t, false), withLonePods(t, true)
	defer lone.Free()
	defer grouped.Free()
	_, want := scheduled(t, lone, "volcano:lone_tasks=web", Options{})
	_, got := scheduled(t, grouped, "volcano", Options{})
	if len(want) != 5 || !reflect.DeepEqual(got, want) {
		t.Fatal(got, want)
	}
	if _, left := scheduled(t, lone, "volcano", Options{}); len(left) != 2 {
		t.Fatal("pods without a group were placed:", left)
	}
	for _, kind := range []struct {
		kind int
		name string
	}{{KindTasks, "ns/lone-3"}, {KindJobs, "ns/podgroup-lone-3"}} {
		if outcome, err := grouped.ApplyRemoval(kind.kind, kind.name, 3); err != nil || outcome != DeltaApplied {
			t.Fatal(outcome, err)
		}
	}
	if _, got := scheduled(t, grouped, "volcano", Options{}); len(got) != 4 {
		t.Fatal(got)
	}
}

// 140,000 pods of 7,000 gangs: every other gang runs. All maps are the pods' own, as a decoder
// makes them.
func manyPods() ([]Node, []PodGroup, []Pod) {
	const groups, size = 7000, 20
	nodes := make([]Node, 10000)
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprintf("node-%d", i), Allocatable: Resources{MilliCPU: 64000, Memory: 256 << 30}}
	}
	list := make([]PodGroup, groups)
	pods := make([]Pod, 0, groups*size)
	for i := range list {
		name := fmt.Sprintf("group-%d", i)
		list[i] = PodGroup{Namespace: fmt.Sprintf("team-%d", i%50), Name: name, MinMember: size}
		for k := 0; k < size; k++ {
			pod := Pod{Namespace: list[i].Namespace, Name: fmt.Sprintf("%s-%d", name, k), Group: name, Created: int64(i),
				Request:      Resources{MilliCPU: int64(500 * (1 + i%8)), Memory: int64(1+i%4) << 30},
				Labels:       map[string]string{"app": fmt.Sprintf("app-%d", i%20), "tier": "batch"},
				NodeSelector: map[string]string{"kubernetes.io/os": "linux"},
				Tolerations:  []Toleration{{Key: "batch", Operator: "Exists", Effect: "NoSchedule"}}}
			if i%2 == 0 {
				pod.Node, pod.Status = nodes[(i*size+k)%len(nodes)].Name, TaskRunning
			}
			pods = append(pods, pod)
		}
	}
	return nodes, list, pods
}

func withoutPods(t testing.TB, nodes []Node, groups []PodGroup) *Cluster {
	c, err := NewCluster()
	must(t, err)
	table, err := NodeTable(nodes)
	put(t, c, table, err)
	table, err = PodGroupTable(groups)
	put(t, c, table, err)
	return c
}

func BenchmarkPodTable(b *testing.B) {
	_, _, pods := manyPods()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		table, err := PodTable(pods)
		must(b, err)
		table.Free()
	}
}

// A first list: from Go values to rows of the cluster.
func BenchmarkList140000Pods(b *testing.B) {
	nodes, groups, pods := manyPods()
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		c := withoutPods(b, nodes, groups)
		b.StartTimer()
		table, err := PodTable(pods)
		put(b, c, table, err)
		b.StopTimer()
		c.Free()
		b.StartTimer()
	}
}

// The same as events of a watch, each with its generation.
func BenchmarkWatch140000Pods(b *testing.B) {
	nodes, groups, pods := manyPods()
	generations := make([]uint64, len(pods))
	for i := range generations {
		generations[i] = uint64(i + 1)
	}
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		c := withoutPods(b, nodes, groups)
		b.StartTimer()
		apply(b, c, generations...)(PodTable(pods))
		b.StopTimer()
		c.Free()
		b.StartTimer()
	}
}

// 0.3 s is the bound on a quiet machine.
func TestManyPodsAreListedSoon(t *testing.T) {
	nodes, groups, pods := manyPods()
	c := withoutPods(t, nodes, groups)
	defer c.Free()
	begin := time.Now()
	table, err := PodTable(pods)
	put(t, c, table, err)
	if took := time.Since(begin); took > 3*time.Second {
		t.Fatal(took)
	}
}

func TestANameIsNeeded(t *testing.T) {
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	for _, made := range []func() (*Table, error){
		func() (*Table, error) { return PodTable([]Pod{{Namespace: "ns"}, {Namespace: "ns", Name: "p"}}) },
		func() (*Table, error) {
			return PodGroupTable([]PodGroup{{Namespace: "ns"}, {Namespace: "ns", Name: "g"}})
		},
	} {
		table, err := made()
		must(t, err)
		defer table.Free()
		outcomes, refusals, err := c.Take(table, []uint64{1, 1})
		if err != nil || !reflect.DeepEqual(outcomes, []int32{DeltaRefused, DeltaApplied}) {
			t.Error(outcomes, refusals, err)
		}
		if !strings.Contains(refusals, "the name is empty") {
			t.Error(refusals)
		}
	}
}

// One pod more a cycle, on 2,000 nodes with 10,000 pods that run: without a group, and in one of its own.
func BenchmarkLonePods(b *testing.B) {
	for _, grouped := range []bool{false, true} {
		b.Run(map[bool]string{false: "lone_tasks", true: "groups of one"}[grouped], func(b *testing.B) {
			nodes := make([]Node, 2000)
			for i := range nodes {
				nodes[i] = Node{Name: fmt.Sprint("node-", i), Allocatable: Resources{MilliCPU: 64000, Memory: 256 << 30}}
			}
			c := withoutPods(b, nodes, nil)
			defer c.Free()
			arrive := func(from, count int, where func(int) string) {
				pods, generations := make([]Pod, count), make([]uint64, count)
				for i := range pods {
					name := fmt.Sprint("pod-", from+i)
					pods[i] = Pod{Namespace: "ns", Name: name, Request: Resources{MilliCPU: 1000, Memory: 1 << 30}, Node: where(i)}
					if pods[i].Node != "" {
						pods[i].Status = TaskRunning
					}
					generations[i] = 1
				}
				if grouped {
					apply(b, c, generations...)(PodGroupTable(GroupsOfOne(pods, "default")))
				}
				apply(b, c, generations...)(PodTable(pods))
			}
			profile := map[bool]string{false: "volcano:lone_tasks=default", true: "volcano"}[grouped]
			arrive(0, 10000, func(i int) string { return nodes[i%len(nodes)].Name })
			for i := -1; i < b.N; i++ { // the first cycle reads the whole cluster
				arrive(10001+i, 1, func(int) string { return "" })
				plan, err := c.Schedule(profile)
				must(b, err)
				if len(plan.Binds()) != 1 {
					b.Fatal(plan.Binds())
				}
				_, err = c.Follow(plan)
				must(b, err)
				plan.Free()
				if i < 0 {
					b.ResetTimer()
				}
			}
		})
	}
}

// An event that comes alone, in a table of one row.
func BenchmarkOneEvent(b *testing.B) {
	c := withoutPods(b, []Node{{Name: "n", Allocatable: Resources{MilliCPU: 8000, Memory: 8 << 30}}}, []PodGroup{{Namespace: "ns", Name: "j", MinMember: 1}})
	defer c.Free()
	pods := gang("ns", "j", 1, 1000)
	pods[0].UID, pods[0].Labels = "1", map[string]string{"app": "web"}
	for i := 0; i < b.N; i++ {
		table, err := PodTable(pods)
		must(b, err)
		if _, _, err := c.Take(table, []uint64{uint64(i + 1)}); err != nil {
			b.Fatal(err)
		}
		table.Free()
	}
}
