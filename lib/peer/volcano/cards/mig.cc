// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/cards/mig.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/peer/volcano/cards/at.h"

namespace muster {
namespace {

// Returns the first number below `count` that is not in the list; 0 if all are, as the peer does,
// but then it is not called.
int FirstFree(const std::vector<int>& used, int count) {
  int free = 0;
  for (int taken : used) free += taken == free ? 1 : 0;
  return free < count ? free : 0;
}

struct Found {
  size_t kind;
  int position;
};

// Finds the smallest kind with so much memory and a free instance.
std::optional<Found> Pick(const MigGeometry& geometry, const std::vector<MigUse::Kind>& in_use,
                          int64_t memory) {
  std::optional<Found> best;
  int begin = 0;
  for (size_t i = 0; i < geometry.instances.size(); begin += geometry.instances[i++].count) {
    const MigInstance& kind = geometry.instances[i];
    if (kind.memory < memory) continue;
    if (best.has_value() && geometry.instances[best->kind].memory <= kind.memory) continue;
    if (in_use.empty()) {
      best = Found{i, begin};
      continue;
    }
    const auto used = std::find_if(in_use.begin(), in_use.end(), [&](const MigUse::Kind& one) {
      return one.name == kind.name &&
             static_cast<size_t>(std::max(kind.count, 0)) > one.used.size();
    });
    if (used != in_use.end()) best = Found{i, begin + FirstFree(used->used, kind.count)};
  }
  return best;
}

// Returns the kind of a position, and its number within that kind.
std::optional<std::pair<size_t, int>> KindAt(std::span<const MigGeometry> allowed, MigSlot slot) {
  if (slot.geometry < 0 || At(slot.geometry) >= allowed.size()) return std::nullopt;
  int left = slot.position;
  const std::vector<MigInstance>& kinds = allowed[At(slot.geometry)].instances;
  for (size_t i = 0; i < kinds.size() && left >= 0; left -= kinds[i++].count) {
    if (left < kinds[i].count) return std::pair(i, left);
  }
  return std::nullopt;
}

}  // namespace

std::optional<MigMatch> FindInstance(const MigUse& use, std::span<const MigGeometry> allowed,
                                     int64_t memory) {
  const bool cut = use.geometry >= 0;
  for (size_t g = cut ? At(use.geometry) : 0; g < allowed.size(); ++g) {
    const std::optional<Found> found =
        Pick(allowed[g], cut ? use.kinds : std::vector<MigUse::Kind>(), memory);
    if (found.has_value()) {
      return MigMatch{{static_cast<int>(g), found->position},
                      allowed[g].instances[found->kind].memory};
    }
    if (cut) break;
  }
  return std::nullopt;
}

std::optional<int64_t> AddInstance(std::span<const MigGeometry> allowed, MigSlot slot,
                                   MigUse* use) {
  const auto at = KindAt(allowed, slot);
  if (!at.has_value()) return std::nullopt;
  use->geometry = slot.geometry;
  const MigInstance& kind = allowed[At(slot.geometry)].instances[at->first];
  auto used = std::find_if(use->kinds.begin(), use->kinds.end(),
                           [&](const MigUse::Kind& one) { return one.name == kind.name; });
  if (used == use->kinds.end()) {
    used = use->kinds.insert(used, {kind.name, kind.memory, {}});
  }
  const auto place = std::lower_bound(used->used.begin(), used->used.end(), at->second);
  if (place == used->used.end() || *place != at->second) used->used.insert(place, at->second);
  return used->memory;
}

std::optional<int64_t> RemoveInstance(std::span<const MigGeometry> allowed, MigSlot slot,
                                      MigUse* use) {
  const auto at = KindAt(allowed, slot);
  if (!at.has_value()) return std::nullopt;
  use->geometry = slot.geometry;
  const MigInstance& kind = allowed[At(slot.geometry)].instances[at->first];
  const auto used = std::find_if(use->kinds.begin(), use->kinds.end(),
                                 [&](const MigUse::Kind& one) { return one.name == kind.name; });
  if (used == use->kinds.end()) return 0;
  const int64_t memory = used->memory;
  std::erase(used->used, at->second);
  if (used->used.empty()) use->kinds.erase(used);
  return memory;
}

}  // namespace muster
