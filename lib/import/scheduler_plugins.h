// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A part of the importer of scheduler-plugins, for its own files.
//
//   PodReader reader(source.configuration);
//   scheduler_plugins_import::ReadNetwork(source.dump, &reader);
#ifndef MUSTER_IMPORT_SCHEDULER_PLUGINS_H_
#define MUSTER_IMPORT_SCHEDULER_PLUGINS_H_

#include "lib/import/api_object.h"
#include "lib/import/kube_scheduler.h"

namespace muster::scheduler_plugins_import {

// AppGroups and the NetworkTopology as options of NetworkOverhead, which is on if there are both.
void ReadNetwork(const Dump& dump, PodReader* reader);

}  // namespace muster::scheduler_plugins_import

#endif  // MUSTER_IMPORT_SCHEDULER_PLUGINS_H_
