// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's configuration, an object of knobs, as options and settings of profile htcondor.
//
//   const CondorKnobs knobs = ReadCondorKnobs(configuration, &ads);
//   scenario.profile = knobs.profile;
//
// What cannot be read leaves its default, with an entry, but for START: no job starts on a slot
// that has no START of its own then.
#ifndef MUSTER_IMPORT_HTCONDOR_KNOBS_H_
#define MUSTER_IMPORT_HTCONDOR_KNOBS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/import/class_ads.h"
#include "lib/import/field.h"
#include "muster/spec.h"

namespace muster {

// "htcondor/KEY"
std::string CondorSetting(std::string_view key);

struct CondorKnobs {
  struct OfGroup {
    std::string group;
    Labels::value_type setting;
  };

  std::string profile = "htcondor";
  Labels pool;                          // settings of queue default
  std::vector<std::string> groups;      // as GROUP_NAMES has them, in lower case
  std::vector<OfGroup> group_settings;  // of these groups, and of those above them
  bool divides_slots = false;           // CONSUMPTION_POLICY
  Labels consumption;                   // settings of nodes without rules of consumption
};

// `ads` gets the names of the knobs' expressions.
CondorKnobs ReadCondorKnobs(const Field& configuration, AdReader* ads);

}  // namespace muster

#endif  // MUSTER_IMPORT_HTCONDOR_KNOBS_H_
