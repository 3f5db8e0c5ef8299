// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/training/training.h"

namespace muster {
namespace {

Preset TrainingScheduler(std::string_view name, std::string_view summary, std::string_view actions,
                         std::string_view tiers) {
  Preset preset;
  preset.name = name;
  preset.summary = summary;
  preset.actions = actions;
  preset.tiers = tiers;
  preset.defaults = {{"gang", "sub_groups", "off"}};
  preset.catalogue = {LeaseAction(), RoundsAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

}  // namespace

std::vector<Preset> TrainingPresets() {
  return {
      TrainingScheduler("tiresias", "gangs by levels of the GPU time that they have had", "lease",
                        "gang(without=job_order)+attained/predicates+binpack"),
      TrainingScheduler("themis", "gangs by how much sharing delays their end", "lease(round=1200)",
                        "gang(without=job_order)+finish-time/predicates+binpack"),
      TrainingScheduler("gavel", "gangs by fair parts of their time on each type of GPU", "rounds",
                        "gang(without=job_order)/predicates+binpack")};
}

std::vector<PolicyDecl> TrainingPolicies() { return {AttainedPolicy(), FinishTimePolicy()}; }

}  // namespace muster
