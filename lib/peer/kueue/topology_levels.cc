// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_levels.h"

#include "absl/strings/str_cat.h"

namespace muster::kueue {
namespace {

bool OnlySlices(const TopologyRequest& request) {
  return !request.required && !request.preferred && !request.slices.empty();
}

std::optional<std::string> KeyOf(const TopologyTree& tree, const TopologyRequest& request) {
  if (request.required) return request.required;
  if (request.preferred) return request.preferred;
  if (OnlySlices(request)) return tree.key(0);
  if (request.unconstrained.value_or(false)) return tree.key(tree.lowest());
  return std::nullopt;
}

// Slices in slices. The first slice is read already.
std::string ReadInner(const TopologyTree& tree, const std::vector<TopologySlice>& slices,
                      LevelPlan* plan) {
  if (slices.size() < 2) return "";
  plan->sizes.assign(tree.levels(), 0);
  int32_t size = plan->slice_size;
  uint32_t level = plan->slice_level;
  for (size_t i = 1; i < slices.size(); ++i) {
    const std::optional<uint32_t> inner = tree.level_of(slices[i].level);
    if (!inner) {
      return absl::StrCat("no requested topology level for additional slice layer: ",
                          slices[i].level);
    }
    if (*inner <= level) {
      return absl::StrCat("additional slice layer topology ", slices[i].level,
                          " must be at a lower level than ", tree.key(level));
    }
    if (slices[i].size <= 0 || size % slices[i].size != 0) {
      return absl::StrCat("additional slice layer size ", slices[i].size,
                          " must evenly divide parent layer size ", size);
    }
    size = slices[i].size;
    while (level < *inner) plan->sizes[++level] = size;
  }
  return "";
}

}  // namespace

std::optional<std::string> LevelKeyOf(const TopologyTree& tree, const TopologyPodSet& pod_set) {
  if (pod_set.request != nullptr) {
    if (std::optional<std::string> key = KeyOf(tree, *pod_set.request)) return key;
  }
  if (pod_set.implied) return tree.key(tree.lowest());
  return std::nullopt;
}

std::optional<int32_t> SliceSizeOf(const TopologyRequest* request) {
  if (request == nullptr || request->slices.empty()) return 1;
  if (request->slices[0].size <= 0) return std::nullopt;
  return request->slices[0].size;
}

std::string ReadLevels(const TopologyTree& tree, const TopologyPodSet& pod_set,
                       const TopologyGates& gates, LevelPlan* plan) {
  const TopologyRequest none;
  const TopologyRequest& request = pod_set.request != nullptr ? *pod_set.request : none;
  const std::optional<int32_t> size = SliceSizeOf(pod_set.request);
  if (!size) return "slice topology requested, but slice size not provided";
  plan->count = pod_set.count;
  plan->slice_size = *size;
  plan->required = request.required.has_value();
  plan->unconstrained =
      request.unconstrained.value_or(false) || pod_set.implied || OnlySlices(request);
  plan->least_first = plan->unconstrained && gates.mixed_profile;
  const std::optional<std::string> key = LevelKeyOf(tree, pod_set);
  if (!key) return "topology level not specified";
  const std::optional<uint32_t> level = tree.level_of(*key);
  if (!level) return absl::StrCat("no requested topology level: ", *key);
  plan->level = *level;
  const std::string& slice_key =
      request.slices.empty() ? tree.key(tree.lowest()) : request.slices[0].level;
  const std::optional<uint32_t> slice_level = tree.level_of(slice_key);
  if (!slice_level) {
    return absl::StrCat("no requested topology level for slices: ", slice_key);
  }
  plan->slice_level = *slice_level;
  if (plan->level > plan->slice_level) {
    return absl::StrCat("podset slice topology ", slice_key, " is above the podset topology ",
                        *key);
  }
  return ReadInner(tree, request.slices, plan);
}

bool TopologyFinder::HasLevels(const TopologyRequest& request) const {
  const std::optional<std::string> key = KeyOf(tree(), request);
  if (!key || !tree().level_of(*key)) return false;
  for (const TopologySlice& slice : request.slices) {
    if (!tree().level_of(slice.level)) return false;
  }
  return true;
}

}  // namespace muster::kueue
