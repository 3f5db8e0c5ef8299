// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"fmt"
	"testing"
)

func must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func fill(t testing.TB, nodes, gangs int) *Cluster {
	c, err := NewCluster()
	must(t, err)
	names, cpu := make([]string, nodes), make([]int64, nodes)
	for i := range names {
		names[i], cpu[i] = fmt.Sprintf("n%d", i), 64000
	}
	table, err := NewTable(Nodes, nodes)
	must(t, err)
	must(t, table.Texts("name", names))
	must(t, table.Numbers("capacity.cpu", cpu))
	must(t, c.Add(table))
	table.Free()

	names = make([]string, gangs)
	count, request := make([]int64, gangs), make([]int64, gangs)
	for i := range names {
		names[i], count[i], request[i] = fmt.Sprintf("j%d", i), 20, int64(500*(1+i%8))
	}
	table, err = NewTable(Jobs, gangs)
	must(t, err)
	must(t, table.Texts("name", names))
	must(t, table.Numbers("min_available", count))
	must(t, table.Numbers("group.count", count))
	must(t, table.Numbers("group.shape.request.cpu", request))
	must(t, c.Add(table))
	table.Free()
	return c
}

func TestErrorsAreWords(t *testing.T) {
	c := fill(t, 2, 1)
	defer c.Free()
	if err := c.Remove(Nodes, "nowhere"); err == nil || err.Error() != `node "nowhere": does not exist` {
		t.Fatal(err)
	}
	if _, err := c.Schedule("volcanoo"); err == nil {
		t.Fatal("an unknown profile was taken")
	}
}

func TestAGangIsPlaced(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	plan, err := c.Schedule("volcano")
	must(t, err)
	defer plan.Free()
	if binds := plan.Binds(); len(binds) != 20 || plan.Name(Tasks, binds[0].Task) != "j0-0" {
		t.Fatal(binds)
	}
	applied, err := c.Apply(plan)
	must(t, err)
	if applied < 20 {
		t.Fatal(applied)
	}
}

// What one call into C costs.
func BenchmarkCrossing(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Version()
	}
}

// A cycle of 1,000 nodes and 10,000 tasks, its columns read in Go.
func BenchmarkCycle(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		c := fill(b, 1000, 500)
		b.StartTimer()
		plan, err := c.Schedule("volcano")
		must(b, err)
		if len(plan.Binds()) != 10000 {
			b.Fatal(len(plan.Binds()))
		}
		b.StopTimer()
		plan.Free()
		c.Free()
		b.StartTimer()
	}
}
