// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// koord-scheduler's configuration: what PodReader reads of it, and Koordinator's own plug-ins as
// options of the profile.
//
//   const KoordinatorConfiguration read = ReadKoordinatorConfiguration(source);
//   scenario->profile = read.profile("koordinator");
//
// Arguments and weights of plug-ins become options. Where the file lists plug-ins, one that it
// enables at no point is off, as at the peer; without a list all stay on, with a note. Arguments
// without an option are reported, and so is all else that is not read.
//
// The configuration may also be koord-descheduler's (koordinator_descheduler.h): the profile is
// then its rounds alone. A List of both is a profile with rounds after its cycles.
//
// Cost. O(size of the configuration).
#ifndef MUSTER_IMPORT_KOORDINATOR_CONFIGURATION_H_
#define MUSTER_IMPORT_KOORDINATOR_CONFIGURATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "lib/import/importer.h"
#include "lib/import/kube_scheduler.h"

namespace muster {

struct KoordinatorConfiguration {
  PodReader reader;
  std::string scheduler = "koord-scheduler";  // what pods of the profile name
  // Of action rebalance; absent: the descheduler has no configuration.
  std::optional<std::string> rebalance = {};
  bool has_cycles = true;  // false: the configuration is the descheduler's alone

  std::string profile(std::string_view name) const;
};

// A failure is in the log.
KoordinatorConfiguration ReadKoordinatorConfiguration(const ImportSource& source);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_CONFIGURATION_H_
