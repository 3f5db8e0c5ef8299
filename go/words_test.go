// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"reflect"
	"strings"
	"testing"
)

func TestConstantsAreThoseOfC(t *testing.T) {
	if TaskUnknown != 9 || PhaseDegraded != 3 || PhaseCompleted != 4 {
		t.Error(TaskUnknown, PhaseDegraded, PhaseCompleted)
	}
	kinds := []int{KindDomains, KindBudgets, KindNamespaces, KindFlavors, KindPartitions, KindReservations}
	if !reflect.DeepEqual(kinds, []int{5, 6, 7, 9, 10, 11}) {
		t.Error(kinds)
	}
	c, err := NewCluster()
	must(t, err)
	defer c.Free()
	if err := c.AddJSON(`{"muster": 1, "flavors": [{"name": "spot"}]}`); err != nil {
		t.Fatal(err)
	}
	must(t, c.Remove(KindFlavors, "spot"))
	if err := c.Remove(KindFlavors, "spot"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
}
