// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// Tables from pods, pod groups, nodes and queues as plain values, so that no scheduler's own module
// is imported: a scheduler copies the fields it has into these, and a list or a batch of events
// becomes one table.
//
//	table, err := muster.PodTable(pods)                       // of tasks
//	err = cluster.Add(table)                                  // a first list, or
//	outcomes, refusals, err := cluster.Take(table, generations) // events of a watch
//
// A pod is a task "namespace/name" of the job "namespace/group". What pods of one template have in
// common - requests, selectors, tolerations, labels - is written down once for all of them.
package muster

import (
	"encoding/binary"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
)

// Resources are amounts as schedulers count them.
type Resources struct {
	MilliCPU int64
	Memory   int64            // bytes
	Others   map[string]int64 // by name: thousandths; pods, ephemeral-storage and hugepages whole
}

// Toleration lets a pod onto nodes with a taint.
type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"op,omitempty"` // Equal (the default) or Exists
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

// Taint keeps pods off a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// Pod is what a scheduler reads of a pod.
type Pod struct {
	Namespace, Name string
	UID             string // tells it from an earlier pod of its name; empty: unknown
	// Its PodGroup. Empty: it has none. A profile that tries no pods without one, as volcano, leaves it
	// out while it waits. A group of one has it placed (GroupsOfOne). So does `lone_tasks=QUEUE` in the
	// spec string, "volcano:lone_tasks=default", but each cycle then costs O(cluster).
	Group         string
	Node          string // where it is, unless it is pending
	NominatedNode string // an event without it ends the nomination
	Status        int32  // TaskPending, TaskRunning, ...
	Priority      int32
	Created       int64    // seconds
	Gates         []string // no cycle places it while it has any

	Request      Resources
	Labels       map[string]string
	NodeSelector map[string]string
	Tolerations  []Toleration
}

// PodGroup is a gang, and what schedulers call a job.
type PodGroup struct {
	Namespace, Name string
	Queue           string
	MinMember       int64
	Priority        int32
	Created         int64 // seconds
	Phase           int32 // PhasePending, PhaseAdmitted, ...
}

// GroupsOfOne gives each pod without a group one of its own in the queue, and returns these groups: a
// table to hand over ahead of that of the pods, with their generations. Profiles then place such pods,
// as with lone_tasks=QUEUE, and a cycle costs what changed. The group of pod "ns/p" is "ns/podgroup-p".
// It goes with the pod, by ApplyRemoval of both. It sets Group of these pods. REQUIRES: no PodGroup is
// named podgroup-<name of such a pod>; its row would be replaced.
func GroupsOfOne(pods []Pod, queue string) []PodGroup {
	var groups []PodGroup
	for i := range pods {
		p := &pods[i]
		if p.Group != "" {
			continue
		}
		p.Group = "podgroup-" + p.Name
		group := PodGroup{Namespace: p.Namespace, Name: p.Group, Queue: queue, MinMember: 1, Priority: p.Priority,
			Created: p.Created, Phase: PhaseAdmitted} // a pod needs no admission of its own
		if p.Node != "" {
			group.Phase = PhaseRunning
		}
		groups = append(groups, group)
	}
	return groups
}

// Node is what a scheduler reads of a node.
type Node struct {
	Name          string
	Allocatable   Resources // pods, 110 if not given, among the Others
	Labels        map[string]string
	Taints        []Taint
	Unschedulable bool
}

// Queue shares a cluster with others.
type Queue struct {
	Name   string
	Weight int64 // 0: 1
}

// coder numbers different texts in order of appearance.
type coder struct {
	known map[string]int32
	list  *texts
}

// newCoder makes one for a column of so many rows.
func newCoder(rows int) *coder {
	if rows > 64 {
		rows = 64 // there are few different texts
	}
	return &coder{map[string]int32{}, newTexts(rows)}
}

// code of the text that `key` stands for; write appends it where it is new.
func (c *coder) code(key []byte, write func([]byte) []byte) int32 {
	if code, is := c.known[string(key)]; is {
		return code
	}
	code := int32(len(c.known))
	c.known[string(key)] = code
	c.list.bytes = write(c.list.bytes)
	c.list.end()
	return code
}

// appendKey appends "namespace/name". Of an empty name it appends nothing: an empty key is refused.
func appendKey(key []byte, namespace, name string) []byte {
	if name == "" {
		return key
	}
	key = append(key, namespace...)
	key = append(key, '/')
	return append(key, name...)
}

func appendText(key []byte, text string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(text))), text...)
}

// appendMap appends a map so that equal maps give equal bytes.
func (s *shaper) appendMap(key []byte, values map[string]string) []byte {
	key = binary.AppendUvarint(key, uint64(len(values)))
	s.names = s.names[:0]
	for name := range values {
		s.names = append(s.names, name)
	}
	sort.Strings(s.names)
	for _, name := range s.names {
		key = appendText(appendText(key, name), values[name])
	}
	return key
}

func (s *shaper) appendResources(key []byte, r *Resources) []byte {
	key = binary.AppendVarint(binary.AppendVarint(key, r.MilliCPU), r.Memory)
	key = binary.AppendUvarint(key, uint64(len(r.Others)))
	s.names = s.names[:0]
	for name := range r.Others {
		s.names = append(s.names, name)
	}
	sort.Strings(s.names)
	for _, name := range s.names {
		key = binary.AppendVarint(appendText(key, name), r.Others[name])
	}
	return key
}

// shaper keeps its memory from pod to pod.
type shaper struct {
	key   []byte
	names []string
}

// pod is a key of all that is in the pod's shape.
func (s *shaper) pod(p *Pod) []byte {
	s.key = appendText(s.key[:0], p.Namespace)
	s.key = s.appendResources(s.key, &p.Request)
	s.key = s.appendMap(s.key, p.Labels)
	s.key = s.appendMap(s.key, p.NodeSelector)
	for _, t := range p.Tolerations {
		s.key = appendText(appendText(appendText(appendText(s.key, t.Key), t.Operator), t.Value), t.Effect)
	}
	return s.key
}

// isWhole returns whether a dimension is counted in whole ones.
func isWhole(name string) bool {
	return name == "pods" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")
}

func milli(amount int64) string { return strconv.FormatInt(amount, 10) + "m" }

// amounts as a scenario has them: thousandths are texts, so that no unit is guessed.
func (r *Resources) amounts() map[string]any {
	amounts := map[string]any{}
	if r.MilliCPU != 0 {
		amounts["cpu"] = milli(r.MilliCPU)
	}
	if r.Memory != 0 {
		amounts["memory"] = r.Memory
	}
	for name, amount := range r.Others {
		amounts[name] = amount
		if !isWhole(name) {
			amounts[name] = milli(amount)
		}
	}
	return amounts
}

// mustJSON is of values that JSON can hold.
func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// Shapes as a scenario has them (docs/scenario.md).
type shape struct {
	Request      map[string]any    `json:"request,omitempty"`
	Namespace    string            `json:"namespace,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	NodeSelector map[string]string `json:"node_selector,omitempty"`
	Tolerations  []Toleration      `json:"tolerations,omitempty"`
}

// PodTable makes a table of tasks. What else a task or its shape has (docs/scenario.md) is a column
// that is set afterwards: table.Texts("shape.host_ports", ports), "[]" where a pod has none.
func PodTable(pods []Pod) (*Table, error) {
	n := len(pods)
	names, uids := newTexts(n), newTexts(n)
	groups, nodes, shapes, nominated, gates := newCoder(n), newCoder(n), newCoder(n), newCoder(n), newCoder(n)
	hasUIDs := false
	jobOf, nodeOf, shapeOf := make([]int32, n), make([]int32, n), make([]int32, n)
	nominatedOf, gatesOf := make([]int32, n), make([]int32, n)
	statuses, priorities, created := make([]int64, n), make([]int64, n), make([]int64, n)
	var key []byte
	var s shaper
	for i := range pods {
		p := &pods[i]
		names.bytes = appendKey(names.bytes, p.Namespace, p.Name)
		names.end()
		uids.bytes = append(uids.bytes, p.UID...)
		uids.end()
		hasUIDs = hasUIDs || p.UID != ""
		jobOf[i], nodeOf[i], nominatedOf[i], gatesOf[i] = None, None, None, None
		if p.Group != "" {
			key = appendKey(key[:0], p.Namespace, p.Group)
			jobOf[i] = groups.code(key, func(to []byte) []byte { return append(to, key...) })
		}
		if p.Node != "" {
			key = append(key[:0], p.Node...)
			nodeOf[i] = nodes.code(key, func(to []byte) []byte { return append(to, key...) })
		}
		if p.NominatedNode != "" {
			key = append(key[:0], p.NominatedNode...)
			nominatedOf[i] = nominated.code(key, func(to []byte) []byte { return append(to, key...) })
		}
		if len(p.Gates) > 0 {
			key = append(key[:0], mustJSON(p.Gates)...)
			gatesOf[i] = gates.code(key, func(to []byte) []byte { return append(to, key...) })
		}
		shapeOf[i] = shapes.code(s.pod(p), func(to []byte) []byte {
			return append(to, mustJSON(shape{p.Request.amounts(), p.Namespace, p.Labels, p.NodeSelector, p.Tolerations})...)
		})
		statuses[i], priorities[i], created[i] = int64(p.Status), int64(p.Priority), p.Created
	}
	return filled(KindTasks, n, func(t *Table) []error {
		var uid error
		if hasUIDs {
			uid = t.set("uid", uids)
		}
		return []error{
			uid, t.set("name", names), t.codes("job", jobOf, groups.list), t.codes("node", nodeOf, nodes.list),
			t.codes("shape", shapeOf, shapes.list), t.Numbers("status", statuses), t.Numbers("priority", priorities),
			t.Numbers("created", created), t.codes("nominated_node", nominatedOf, nominated.list),
			t.codes("gates", gatesOf, gates.list),
		}
	})
}

// PodGroupTable makes a table of jobs; their tasks are rows of their own.
func PodGroupTable(groups []PodGroup) (*Table, error) {
	n := len(groups)
	names, queues := newTexts(n), newTexts(n)
	members, priorities := make([]int64, n), make([]int64, n)
	created, phases := make([]int64, n), make([]int64, n)
	for i := range groups {
		g := &groups[i]
		names.bytes = appendKey(names.bytes, g.Namespace, g.Name)
		names.end()
		queue := g.Queue
		if queue == "" {
			queue = "default"
		}
		queues.bytes = append(queues.bytes, queue...)
		queues.end()
		members[i], priorities[i] = g.MinMember, int64(g.Priority)
		created[i], phases[i] = g.Created, int64(g.Phase)
	}
	return filled(KindJobs, n, func(t *Table) []error {
		return []error{
			t.set("name", names), t.set("queue", queues), t.Numbers("min_available", members),
			t.Numbers("priority", priorities), t.Numbers("created", created), t.Numbers("phase", phases),
		}
	})
}

// capacity is what the node has, with the number of pods that Kubernetes takes for granted.
func (n *Node) capacity() map[string]any {
	amounts := n.Allocatable.amounts()
	if _, is := amounts["pods"]; !is {
		amounts["pods"] = 110
	}
	return amounts
}

// row is the node as a scenario has it.
func (n *Node) row() map[string]any {
	row := map[string]any{"name": n.Name, "capacity": n.capacity(), "unschedulable": n.Unschedulable}
	if len(n.Labels) > 0 {
		row["labels"] = n.Labels
	}
	if len(n.Taints) > 0 {
		row["taints"] = n.Taints
	}
	return row
}

// NodeTable makes a table of nodes.
func NodeTable(list []Node) (*Table, error) {
	n := len(list)
	names := newTexts(n)
	capacities, labels, taints := newCoder(n), newCoder(n), newCoder(n)
	capacityOf, labelsOf, taintsOf := make([]int32, n), make([]int32, n), make([]int32, n)
	unschedulable := make([]int64, n)
	var s shaper
	for i := range list {
		node := &list[i]
		names.bytes = append(names.bytes, node.Name...)
		names.end()
		capacityOf[i] = capacities.code(s.appendResources(nil, &node.Allocatable), func(to []byte) []byte {
			return append(to, mustJSON(node.capacity())...)
		})
		labelsOf[i] = labels.code(s.appendMap(nil, node.Labels), func(to []byte) []byte {
			if node.Labels == nil {
				return append(to, "{}"...)
			}
			return append(to, mustJSON(node.Labels)...)
		})
		text := []byte("[]")
		if len(node.Taints) > 0 {
			text = mustJSON(node.Taints)
		}
		taintsOf[i] = taints.code(text, func(to []byte) []byte { return append(to, text...) })
		if node.Unschedulable {
			unschedulable[i] = 1
		}
	}
	return filled(KindNodes, n, func(t *Table) []error {
		return []error{
			t.set("name", names), t.codes("capacity", capacityOf, capacities.list), t.codes("labels", labelsOf, labels.list),
			t.codes("taints", taintsOf, taints.list), t.Numbers("unschedulable", unschedulable),
		}
	})
}

// QueueTable makes a table of queues.
func QueueTable(queues []Queue) (*Table, error) {
	names, weights := newTexts(len(queues)), make([]int64, len(queues))
	for i, queue := range queues {
		names.bytes = append(names.bytes, queue.Name...)
		names.end()
		weights[i] = queue.Weight
		if queue.Weight == 0 {
			weights[i] = 1
		}
	}
	return filled(KindQueues, len(queues), func(t *Table) []error {
		return []error{t.set("name", names), t.Numbers("weight", weights)}
	})
}

// filled makes a table with the columns that `fill` sets.
func filled(kind, rows int, fill func(*Table) []error) (*Table, error) {
	t, err := NewTable(kind, rows)
	if err != nil {
		return nil, err
	}
	for _, err := range fill(t) {
		if err != nil {
			t.Free()
			return nil, err
		}
	}
	return t, nil
}
