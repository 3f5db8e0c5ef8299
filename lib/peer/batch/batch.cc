// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/batch/batch.h"

namespace muster {
namespace {

Preset BatchSystem(std::string_view name, std::string_view summary) {
  Preset preset;
  preset.name = name;
  preset.summary = summary;
  preset.actions = name;
  preset.tiers = "gang/predicates+binpack";
  preset.defaults = {{"gang", "sub_groups", "off"}};
  preset.catalogue = {FcfsAction(), EasyAction(), ConservativeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

}  // namespace

std::vector<Preset> BatchPresets() {
  return {
      BatchSystem("fcfs", "gangs in order of submission; no job passes another"),
      BatchSystem("easy",
                  "EASY backfilling: gangs ahead of the first that waits, if they do not delay it"),
      BatchSystem("conservative", "backfilling that delays no earlier job")};
}

}  // namespace muster
