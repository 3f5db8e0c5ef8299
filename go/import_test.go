// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

import (
	"strings"
	"testing"
)

const dump = `{"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}},
  {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1", "metadata": {"name": "q"},
   "spec": {"weight": 1}, "status": {"state": "Open"}},
  {"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1",
   "metadata": {"name": "g", "namespace": "ns"}, "spec": {"queue": "q", "minMember": 1}},
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns",
   "annotations": {"scheduling.k8s.io/group-name": "g"}},
   "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}},
  {"kind": "Secret", "metadata": {"name": "s"}}]}`

func TestImport(t *testing.T) {
	scenario, report, err := Import(dump, ImportOptions{Now: 7})
	must(t, err)
	if !strings.Contains(report, `"object": "Secret s"`) {
		t.Error(report)
	}
	cluster, err := NewCluster()
	must(t, err)
	defer cluster.Free()
	profile, err := cluster.ReadScenario(scenario)
	must(t, err)
	plan, err := cluster.Schedule(profile)
	must(t, err)
	defer plan.Free()
	if binds := plan.Binds(); profile != "volcano" || len(binds) != 1 {
		t.Error(profile, binds)
	}
}

func TestImportRefuses(t *testing.T) {
	for _, options := range []ImportOptions{{Profile: "vulcano"}, {Configuration: "["}} {
		if _, _, err := Import(dump, options); err == nil {
			t.Error(options)
		}
	}
	cluster, err := NewCluster()
	must(t, err)
	defer cluster.Free()
	if _, err := cluster.ReadScenario("{"); err == nil {
		t.Error("a scenario that is none")
	}
}
