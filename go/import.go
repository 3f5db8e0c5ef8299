// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

package muster

/*
#include <muster/c.h>
#include <stdlib.h>

static muster_error muster_go_import_error(void) {
  muster_error error = MUSTER_ERROR_INIT;
  return error;
}
static muster_import_options muster_go_import_options(void) {
  muster_import_options options = MUSTER_IMPORT_OPTIONS_INIT;
  return options;
}
*/
import "C"

import "unsafe"

// ImportOptions set how a dump is read. The zero value stands for the defaults.
type ImportOptions struct {
	Profile       string // the scheduler that they are of: "volcano", "kube-batch"; "": by API groups
	Configuration string // the scheduler's configuration as JSON; "": as the profile has it
	DefaultQueue  string // of jobs that name none; "": "default"
	Now           int64  // seconds; the time that the scenario names
}

// Import turns a dump of another scheduler's objects (JSON as kubectl prints it) into a scenario
// document, for ReadScenario, and a report of what the scenario does not hold, which is JSON, too.
func Import(objects string, options ImportOptions) (scenario, report string, err error) {
	e := C.muster_go_import_error()
	o := C.muster_go_import_options()
	var held []unsafe.Pointer
	defer func() {
		for _, text := range held {
			C.free(text)
		}
	}()
	text := func(from string, to **C.char) {
		if from != "" {
			*to = C.CString(from)
			held = append(held, unsafe.Pointer(*to))
		}
	}
	// The pointers are to C's memory, in a struct of which C gets a copy for the call.
	text(options.Profile, (**C.char)(unsafe.Pointer(&o.profile)))
	text(options.Configuration, (**C.char)(unsafe.Pointer(&o.configuration)))
	text(options.DefaultQueue, (**C.char)(unsafe.Pointer(&o.default_queue)))
	o.now = C.int64_t(options.Now)
	var dump *C.char
	text(objects+"\n", &dump)
	var made, listed *C.muster_text
	status := C.muster_import(dump, C.int64_t(len(objects)), &o, &made, &listed, &e)
	if err := check(status, &e); err != nil {
		return "", "", err
	}
	defer C.muster_text_free(made)
	defer C.muster_text_free(listed)
	return C.GoString(C.muster_text_data(made)), C.GoString(C.muster_text_data(listed)), nil
}

// ReadScenario replaces all rows by those of a scenario document and returns the profile that it
// names, which may be "".
func (c *Cluster) ReadScenario(scenario string) (string, error) {
	e := C.muster_go_import_error()
	text := C.CString(scenario)
	defer C.free(unsafe.Pointer(text))
	var profile *C.muster_text
	status := C.muster_cluster_read_scenario(c.cluster, text, C.int64_t(len(scenario)), &profile, &e)
	if err := check(status, &e); err != nil {
		return "", err
	}
	defer C.muster_text_free(profile)
	return C.GoString(C.muster_text_data(profile)), nil
}
