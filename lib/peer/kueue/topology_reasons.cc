// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_reasons.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::kueue {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// ". Total nodes: 4; excluded: ...", or nothing if no node was.
std::string Excluded(const Shortage& s) {
  const LeafFilter& filter = *s.filter;
  std::vector<std::string> reasons;
  const auto add = [&](std::string what, int32_t count) {
    if (count > 0) reasons.push_back(absl::StrCat(what, ": ", count));
  };
  add("nodeSelector", filter.by_selector);
  add("affinity", filter.by_affinity);
  for (const auto& [taint, count] : filter.by_taint) add("taint " + Quoted(taint), count);
  int32_t elsewhere = 0;
  std::map<std::string, int32_t> by_resource;
  const TopologyTree& tree = *s.tree;
  for (uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    if (!filter.Allows(leaf)) continue;
    if (leaf < s.first || leaf >= s.last) {
      ++elsewhere;
    } else if (s.board->at[tree.lowest()][leaf].pods == 0) {
      const uint32_t limit = s.counts->LimitOf(s.board->key, leaf, s.assumed);
      if (limit != kNone) ++by_resource[tree.resources().name(limit)];
    }
  }
  add("topologyDomain", elsewhere);
  for (const auto& [name, count] : by_resource) add("resource " + Quoted(name), count);
  if (reasons.empty()) return "";
  std::sort(reasons.begin(), reasons.end());
  return absl::StrCat(". Total nodes: ", tree.leaves(),
                      "; excluded: ", absl::StrJoin(reasons, ", "));
}

// The domain that has room for the most slices, the first by name of equals.
uint32_t BestDomain(const Shortage& s) {
  const std::vector<DomainCounts>& counts = s.board->at[s.level];
  const bool by_host = s.level == s.tree->lowest() && s.tree->leaves_are_hosts();
  uint32_t best = 0;
  for (uint32_t d = 1; d < counts.size(); ++d) {
    const bool is_first = by_host && s.tree->value(s.level, d) < s.tree->value(s.level, best);
    if (counts[d].slices > counts[best].slices ||
        (counts[d].slices == counts[best].slices && is_first)) {
      best = d;
    }
  }
  return best;
}

int32_t SlicesBelow(const Shortage& s, uint32_t domain, uint32_t level, int32_t size) {
  if (level < s.level) return 0;
  uint32_t first = domain, last = domain + 1;
  for (uint32_t l = s.level; l < level; ++l) {
    first = s.tree->first_child(l, first);
    last = s.tree->last_child(l, last - 1);
  }
  int32_t slices = 0;
  for (uint32_t d = first; d < last; ++d) slices += s.board->at[level][d].pods / size;
  return slices;
}

}  // namespace

std::string TextOf(const Shortage& s, const LevelPlan& plan, const TopologyRequest* request) {
  const std::string topology = absl::StrCat("topology ", Quoted(s.tree->name()));
  if (!plan.sizes.empty()) {
    std::string text = topology + " doesn't allow to fit";
    const uint32_t domain = BestDomain(s);
    for (const TopologySlice& slice : request->slices) {
      const std::optional<uint32_t> level = s.tree->level_of(slice.level);
      absl::StrAppend(&text, "; ", SlicesBelow(s, domain, *level, slice.size), "/",
                      plan.count / slice.size, " slice(s) fit on level ", slice.level);
    }
    return text + Excluded(s);
  }
  const char* unit = plan.slice_size == 1 ? " pod(s)" : " slice(s)";
  if (s.fits == 0) {
    return absl::StrCat(topology, " doesn't allow to fit any of ", plan.slices(), unit,
                        Excluded(s));
  }
  return absl::StrCat(topology, " allows to fit only ", s.fits, " out of ", plan.slices(), unit,
                      Excluded(s));
}

}  // namespace muster::kueue
