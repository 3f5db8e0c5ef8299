// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/quota/redistribution.h"

#include <algorithm>
#include <vector>

#include "lib/quota/sparse.h"

namespace muster {
namespace {

using Wide = unsigned __int128;

// Sets `parts` to what each child gets of `total` by weight.
void Split(int64_t total, int64_t weights, Rounding rounding, std::span<Claimant* const> children,
           std::vector<int64_t>* parts) {
  parts->assign(children.size(), 0);
  struct Remainder {
    size_t child;
    uint64_t left;
  };
  std::vector<Remainder> remainders;
  int64_t residue = total;
  for (size_t i = 0; i < children.size(); ++i) {
    const int64_t weight = children[i]->weight;
    if (rounding == Rounding::kNearest) {
      const double exact =
          static_cast<double>(weight) * static_cast<double>(total) / static_cast<double>(weights);
      (*parts)[i] = static_cast<int64_t>(exact + 0.5);
      continue;
    }
    if (weight <= 0) continue;
    const Wide product = static_cast<Wide>(weight) * static_cast<Wide>(total);
    (*parts)[i] = static_cast<int64_t>(product / static_cast<Wide>(weights));
    residue -= (*parts)[i];
    remainders.push_back({i, static_cast<uint64_t>(product % static_cast<Wide>(weights))});
  }
  if (rounding == Rounding::kNearest || residue <= 0) return;
  const size_t units = std::min(static_cast<size_t>(residue), remainders.size());
  const auto before = [&](const Remainder& a, const Remainder& b) {
    if (a.left != b.left) return a.left > b.left;
    return children[a.child]->name < children[b.child]->name;
  };
  std::nth_element(remainders.begin(), remainders.begin() + static_cast<ptrdiff_t>(units),
                   remainders.end(), before);
  for (size_t i = 0; i < units; ++i) ++(*parts)[remainders[i].child];
}

}  // namespace

void Redistribute(int64_t total, Rounding rounding, std::span<Claimant*> children) {
  int64_t left = total, weights = 0;
  std::vector<Claimant*> wanting;
  for (Claimant* child : children) {
    const int64_t floor = std::max(child->min, child->guarantee);
    if (child->request > floor) {
      wanting.push_back(child);
      weights = SaturatingAdd(weights, child->weight);
      child->runtime = floor;
    } else {
      child->runtime = child->lends ? child->request : floor;
    }
    left = SaturatingSubtract(left, child->runtime);
  }
  std::vector<int64_t> parts;
  while (left > 0 && weights > 0 && !wanting.empty()) {
    Split(left, weights, rounding, wanting, &parts);
    left = weights = 0;
    size_t still = 0;
    for (size_t i = 0; i < wanting.size(); ++i) {
      Claimant* child = wanting[i];
      child->runtime = SaturatingAdd(child->runtime, parts[i]);
      if (child->runtime < child->request) {
        weights = SaturatingAdd(weights, child->weight);
        wanting[still++] = child;
      } else {
        left = SaturatingAdd(left, child->runtime - child->request);
        child->runtime = child->request;
      }
    }
    wanting.resize(still);
  }
}

}  // namespace muster
