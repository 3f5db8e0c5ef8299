// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package muster

import (
	"context"
	"reflect"
	"testing"
)

// argument returns a value that gets a call past the checks of Go: lists and texts are not empty.
func argument(of reflect.Type) reflect.Value {
	switch {
	case of == reflect.TypeOf((*context.Context)(nil)).Elem():
		return reflect.ValueOf(context.Background())
	case of == reflect.TypeOf(&Table{}):
		return reflect.ValueOf(&Table{rows: 1})
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of.Kind() == reflect.Slice:
		return reflect.Append(reflect.MakeSlice(of, 0, 1), argument(of.Elem()))
	case of.Kind() == reflect.String:
		return reflect.ValueOf("x")
	default:
		return reflect.Zero(of)
	}
}

// callAll calls each method of the value. All must return, and those that return an error must fail.
func callAll(t *testing.T, value any) {
	t.Helper()
	of := reflect.ValueOf(value)
	for i := 0; i < of.NumMethod(); i++ {
		name, method := of.Type().Method(i).Name, of.Method(i)
		var arguments []reflect.Value
		for k := 0; k < method.Type().NumIn(); k++ {
			arguments = append(arguments, argument(method.Type().In(k)))
		}
		call := method.Call
		if method.Type().IsVariadic() {
			call = method.CallSlice
		}
		for _, result := range call(arguments) {
			if result.Type().Name() == "error" && result.IsNil() {
				t.Errorf("%T.%s: no error", value, name)
			}
		}
	}
}

func TestZeroValuesAreRefused(t *testing.T) {
	for _, value := range []any{&Cluster{}, &Table{rows: 1}, &Plan{}, &Snapshot{}, &Policies{}, &Cycle{}, &Workbench{}} {
		callAll(t, value)
	}
}

func TestFreedValuesAreRefused(t *testing.T) {
	c := fill(t, 4, 1)
	plan, err := c.ScheduleWith(context.Background(), "volcano", Options{Measure: MeasureChoices})
	must(t, err)
	snapshot, err := c.Freeze()
	must(t, err)
	table, err := NewTable(KindNodes, 1)
	must(t, err)
	own, err := NewPolicies([]Policy{{Name: "own", JobOrder: func(*Cycle, []int32, []float64) error { return nil }}}, nil)
	must(t, err)
	for _, value := range []interface{ Free() }{plan, snapshot, table, own, c} {
		value.Free()
		value.Free()
		callAll(t, value)
	}
	if len(plan.Binds()) != 0 || plan.Pending() != 0 {
		t.Error("a plan that was freed has rows")
	}
}

func TestANilTableIsRefused(t *testing.T) {
	c := fill(t, 1, 1)
	defer c.Free()
	if _, err := c.Reconcile(nil); err == nil || err.Error() != "tables[0] is nil" {
		t.Error(err)
	}
}

// Without its policies a cycle would decide otherwise.
func TestFreedPoliciesStopTheCycle(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	own, err := NewPolicies([]Policy{{Name: "own", JobOrder: func(*Cycle, []int32, []float64) error { return nil }}}, nil)
	must(t, err)
	own.Free()
	for _, policies := range []*Policies{own, {}} {
		plan, err := c.ScheduleWith(context.Background(), "volcano", Options{Policies: policies})
		if plan != nil || err == nil || err.Error() != "policies: they were freed" {
			t.Error(plan, err)
		}
	}
}

// What callbacks are shown ends with the call.
func TestWhatACallbackKeepsIsRefused(t *testing.T) {
	c := fill(t, 4, 1)
	defer c.Free()
	var cycle, ofBench *Cycle
	var bench *Workbench
	own, err := NewPolicies(
		[]Policy{{Name: "own", JobOrder: func(c *Cycle, _ []int32, _ []float64) error { cycle = c; return nil }}},
		[]Action{{Name: "keep", Run: func(b *Workbench) error { bench, ofBench = b, b.Cycle(); return nil }}})
	must(t, err)
	defer own.Free()
	plan, err := c.ScheduleWith(context.Background(), "muster:actions=keep+allocate", Options{Policies: own})
	must(t, err)
	defer plan.Free()
	if cycle == nil || bench == nil || ofBench == nil {
		t.Fatal("a callback was not called")
	}
	callAll(t, cycle)
	callAll(t, ofBench)
	callAll(t, bench)
}
