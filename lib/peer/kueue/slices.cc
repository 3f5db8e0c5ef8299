// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/slices.h"

#include <algorithm>

namespace muster::kueue {
namespace {

// Returns the slice that replaces this one. Of several that claim it, one with quota comes first,
// then the oldest.
std::optional<size_t> ReplacementOf(const std::vector<Slice>& slices, const std::string& name) {
  std::optional<size_t> found;
  for (size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    if (slice.evicted || slice.replaces.empty() || slice.replaces != name) continue;
    if (!found || (!slices[*found].reserved && slice.reserved)) found = i;
  }
  return found;
}

}  // namespace

SliceChoice ChooseSlices(const std::vector<Slice>& slices) {
  SliceChoice choice;
  std::optional<size_t> newest;
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].evicted) continue;
    newest = i;
    if (!slices[i].reserved) continue;
    const std::optional<size_t> next = ReplacementOf(slices, slices[i].name);
    if (!next || !slices[*next].reserved) choice.holder = i;
  }
  choice.current = choice.holder ? choice.holder : newest;
  if (choice.holder) {
    const std::optional<size_t> next = ReplacementOf(slices, slices[*choice.holder].name);
    if (next && !slices[*next].reserved) choice.current = next;
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    if (choice.current == i || choice.holder == i) continue;
    (ReplacementOf(slices, slices[i].name) ? choice.replaced : choice.stray).push_back(i);
  }
  return choice;
}

std::optional<size_t> GrantedSlice(const std::vector<Slice>& slices) {
  const auto at = std::find_if(slices.rbegin(), slices.rend(),
                               [](const Slice& s) { return s.reserved && !s.evicted; });
  if (at == slices.rend()) return std::nullopt;
  return static_cast<size_t>(slices.rend() - at) - 1;
}

bool MayReplace(std::string_view workload, std::string_view replaced) {
  const auto space = [](std::string_view name) {
    const size_t slash = name.find('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
  };
  return space(workload) == space(replaced);
}

}  // namespace muster::kueue
