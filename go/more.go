// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_more_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
*/
import "C"

import (
	"context"
	"fmt"
	"sync"
	"unsafe"
)

// ABIVersion is that of the library's binary interface.
func ABIVersion() int32 { return int32(C.muster_abi_version()) }

// LibraryVersion is the library's version, as "0.2.0".
func LibraryVersion() string { return C.GoString(C.muster_version_string()) }

// HasFeature returns whether the library has what the name stands for (muster_has_feature).
func HasFeature(name string) bool {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.muster_has_feature(text) != 0
}

// StatusName is the word for a number that calls of C return.
func StatusName(status int32) string {
	return C.GoString(C.muster_status_name(C.muster_status(status)))
}

// Reset removes all columns and defaults and sets the number of rows. The table keeps its memory.
func (t *Table) Reset(rows int) error {
	e := C.muster_go_more_error()
	err := check(C.muster_table_reset(t.table, C.int64_t(rows), &e), &e)
	if err == nil {
		t.rows = rows
	}
	return err
}

// Defaults sets what every row has where no column sets the field: a JSON object with fields of a
// row.
func (t *Table) Defaults(fields string) error {
	e := C.muster_go_more_error()
	text := C.CString(fields)
	defer C.free(unsafe.Pointer(text))
	return check(C.muster_table_set_defaults(t.table, text, C.int64_t(len(fields)), &e), &e)
}

// A Cell is a profile and the options of one cycle of ScheduleAll.
type Cell struct {
	Profile string
	Options Options
}

// ScheduleAll runs cycles of several profiles over the snapshot, each on a goroutine of its own.
// Cycles with Policies follow on the calling goroutine, one after another. All plans are handed out
// or none; the error names the first profile that failed.
func (s *Snapshot) ScheduleAll(ctx context.Context, cycles []Cell) ([]*Plan, error) {
	plans, errs := make([]*Plan, len(cycles)), make([]error, len(cycles))
	run := func(i int) {
		plans[i], errs[i] = s.ScheduleWith(ctx, cycles[i].Profile, cycles[i].Options)
	}
	var group sync.WaitGroup
	for i := range cycles {
		if cycles[i].Options.Policies != nil {
			continue
		}
		group.Add(1)
		go func(i int) {
			defer group.Done()
			run(i)
		}(i)
	}
	group.Wait()
	for i := range cycles {
		if cycles[i].Options.Policies != nil {
			run(i)
		}
	}
	for i, err := range errs {
		if err == nil {
			continue
		}
		for _, plan := range plans {
			if plan != nil {
				plan.Free()
			}
		}
		return nil, fmt.Errorf("cycles[%d]: %w", i, err)
	}
	return plans, nil
}
