// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// koord-descheduler's configuration, as options of action rebalance.
//
//   const std::string options = ReadDescheduler(configuration, source.dump);
//   profile = absl::StrCat("koordinator:actions=rebalance,rebalance(", options, ")");
//
// The first profile counts. Plug-ins that it enables choose tasks: LowNodeLoad, FragmentationAware,
// CustomPriority, and four of Kubernetes' descheduler; others are reported. Arguments of
// MigrationController tell which tasks may leave and how. Where LowNodeLoad has thresholds of its
// own and pools, or a selector of nodes, all of these are pools, its own first, as at the peer.
// What a pool leaves out is as the arguments have it.
//
// Refused, in the peer's words: what its validation refuses. Reported: arguments without an option,
// and what holds for one plug-in there and for all rules here.
//
// Cost. O(size of the configuration + priority classes).
#ifndef MUSTER_IMPORT_KOORDINATOR_DESCHEDULER_H_
#define MUSTER_IMPORT_KOORDINATOR_DESCHEDULER_H_

#include <string>

#include "lib/import/api_object.h"
#include "lib/import/field.h"

namespace muster {

// Returns the options, with commas between them; empty: the defaults. A failure is in the log.
std::string ReadDescheduler(const Field& configuration, const Dump& dump);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_DESCHEDULER_H_
