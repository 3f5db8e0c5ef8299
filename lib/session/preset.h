// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A preset: what a profile is before its spec string changes it. Each peer's folder makes its own.
//
//   Preset preset;
//   preset.name = "mine";
//   preset.actions = "admit+allocate+backfill";
//   preset.tiers = "priority+gang/drf+predicates";
//   preset.catalogue = {AdmitAction(), AllocateAction(), BackfillAction()};
#ifndef MUSTER_SESSION_PRESET_H_
#define MUSTER_SESSION_PRESET_H_

#include <string_view>
#include <vector>

#include "lib/part/action.h"
#include "lib/session/config.h"

namespace muster {

// An option that a preset gives to a policy unless the spec string sets it.
struct PolicyDefault {
  std::string_view policy, option, value;
};

struct Preset {
  std::string_view name;
  std::string_view summary;
  std::string_view actions;  // in the form that "actions=" takes
  std::string_view tiers;    // in the form that "tiers=" takes
  std::vector<PolicyDefault> defaults;
  std::vector<ActionDecl> catalogue;  // the actions that the profile may run
  ProfileConfig rules;                // all fields but name, actions and tiers
};

}  // namespace muster

#endif  // MUSTER_SESSION_PRESET_H_
