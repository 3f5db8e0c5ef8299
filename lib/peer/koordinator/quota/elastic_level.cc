// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_level.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace muster {
namespace {

// Rows of `width` numbers each.
template <typename T>
void Permute(const std::vector<uint32_t>& from, size_t width, std::vector<T>* rows) {
  std::vector<T> permuted;
  permuted.reserve(from.size() * width);
  for (uint32_t place : from) {
    const auto row = rows->begin() + static_cast<ptrdiff_t>(place * width);
    permuted.insert(permuted.end(), row, row + static_cast<ptrdiff_t>(width));
  }
  *rows = std::move(permuted);
}

template <typename T>
void FillFromBack(uint32_t place, size_t width, std::vector<T>* rows) {
  const size_t rest = rows->size() - width;
  std::copy(rows->begin() + static_cast<ptrdiff_t>(rest), rows->end(),
            rows->begin() + static_cast<ptrdiff_t>(place * width));
  rows->resize(rest);
}

// Turns rows of numbers of `from` resources each into rows of `to` resources.
void Spread(size_t from, size_t to, std::vector<int64_t>* rows) {
  std::vector<int64_t> wider(rows->size() / from * to, 0);
  for (size_t i = 0; i < rows->size(); ++i) wider[i / from * to + i % from] = (*rows)[i];
  *rows = std::move(wider);
}

}  // namespace

void ElasticLevel::Prefetch() const {
  constexpr size_t kLine = 64, kMost = 32;
  if (sheets.empty()) return;
  const char* const rows = reinterpret_cast<const char*>(sheets[0].claims.data());
  const size_t lines = std::min(sheets[0].claims.size() * sizeof(int64_t) / kLine + 1, kMost);
  for (size_t line = 0; line < lines; ++line) __builtin_prefetch(rows + line * kLine, 1);
}

uint32_t ElasticLevel::Add(const Child& child, bool lends_out) {
  Part();
  children.push_back(child);
  lends.push_back(lends_out ? 1 : 0);
  inners += child.inner ? 1 : 0;
  for (Sheet& sheet : sheets) {
    sheet.claims.resize(children.size() * kClaims * lanes, 0);
    sheet.told.resize(children.size() * kTold * lanes, 0);
  }
  in_order = false;
  uneven = true;
  return static_cast<uint32_t>(children.size() - 1);
}

void ElasticLevel::Remove(uint32_t place) {
  inners -= children[place].inner ? 1 : 0;
  FillFromBack(place, 1, &children);
  FillFromBack(place, 1, &lends);
  for (Sheet& sheet : sheets) {
    FillFromBack(place, kClaims * lanes, &sheet.claims);
    FillFromBack(place, kTold * lanes, &sheet.told);
  }
  if (place < children.size()) {
    children[place].loose = true;
    in_order = false;
  }
  uneven = true;
  stale = ~uint64_t{0};
  ++version;
}

void ElasticLevel::Forget() {
  sheets.clear();
  for (Child& child : children) child.keys = child.taken_keys = child.taken_version = 0;
  keys = together_keys = 0;
  together = false;
  uneven = true;
  stale = ~uint64_t{0};
  version = 1;
  all_took = 0;
  total = Sparse();
}

void ElasticLevel::Order() {
  std::vector<uint32_t> settled, loose, order(children.size());
  for (uint32_t place = 0; place < children.size(); ++place) {
    (children[place].loose ? loose : settled).push_back(place);
    children[place].loose = false;
  }
  const auto by_name = [&](uint32_t a, uint32_t b) { return children[a].name < children[b].name; };
  std::sort(loose.begin(), loose.end(), by_name);
  std::merge(settled.begin(), settled.end(), loose.begin(), loose.end(), order.begin(), by_name);
  Permute(order, 1, &children);
  Permute(order, 1, &lends);
  for (Sheet& sheet : sheets) {
    Permute(order, kClaims * lanes, &sheet.claims);
    Permute(order, kTold * lanes, &sheet.told);
  }
  in_order = true;
}

void ElasticLevel::SetInner(uint32_t place, bool inner) {
  if (children[place].inner == inner) return;
  children[place].inner = inner;
  inner ? ++inners : --inners;
}

void ElasticLevel::Widen(size_t resource) {
  if (lanes == 4 && resource >= lanes) {
    lanes = 8;
    for (Sheet& sheet : sheets) {
      Spread(4, 8, &sheet.claims);
      Spread(4, 8, &sheet.told);
    }
  }
  while (resource >= lanes * sheets.size()) {
    sheets.push_back({std::vector<int64_t>(children.size() * kClaims * lanes, 0),
                      std::vector<int64_t>(children.size() * kTold * lanes, 0)});
  }
}

void ElasticLevel::SetKeys(uint64_t to) {
  if (keys == to) return;
  // A child that gets a resource again later starts from nothing, except for what was known of it.
  ForEachResource(keys & ~to, [&](size_t r) {
    for (uint32_t place = 0; place < children.size(); ++place) {
      const Entry entry = At(place, r);
      entry.request() = entry.floor() = entry.min() = entry.guarantee() = 0;
    }
  });
  stale |= keys ^ to;
  keys = to;
  uneven = true;
  for (Child& child : children) child.keys &= to;
}

void ElasticLevel::SetTotal(const Sparse& to) {
  ForEachResource(total.keys() | to.keys(), [&](size_t r) {
    if (total.at(r) != to.at(r)) stale |= uint64_t{1} << r;
  });
  total = to;
}

bool ElasticLevel::SetTotal(const ElasticLevel& above, uint32_t place) {
  const uint64_t taken = above.TakenKeys(place);
  bool changed = taken != total.keys();
  if ((total.keys() & ~taken) != 0) SetTotal(Sparse());
  ForEachResource(taken, [&](size_t r) {
    const int64_t amount = above.Taken(place, r);
    if (total.at(r) != amount) {
      stale |= uint64_t{1} << r;
      changed = true;
    }
    total.Set(r, amount);
  });
  return changed;
}

uint64_t ElasticLevel::Acquaint(uint32_t place) {
  const uint64_t added = keys & ~children[place].keys;
  if (added == 0) return 0;
  children[place].keys |= added;
  stale |= added;
  uneven = true;
  return added;
}

void ElasticLevel::HandOut(Rounding rounding, bool for_all, Redistribution* redistribution) {
  if (!for_all || all_took == version || !IsEven()) Part();
  const uint64_t changed = keys & stale;
  stale &= ~keys;
  if (changed == 0) return;
  Widen(static_cast<size_t>(std::bit_width(changed)) - 1);
  for (size_t s = 0; s < sheets.size(); ++s) {
    const uint32_t which = static_cast<uint32_t>(changed >> s * lanes & ((1u << lanes) - 1));
    if (which == 0) continue;
    std::array<int64_t, 8> totals = {};
    for (size_t l = 0; l < lanes; ++l) totals[l] = total.at(s * lanes + l);
    redistribution->Run(totals, which, rounding, {sheets[s].claims.data(), lanes, lends});
  }
}

bool ElasticLevel::IsEven() {
  uneven = uneven && !std::all_of(children.begin(), children.end(), [&](const Child& child) {
             return child.keys == keys && child.handed_out_to;
           });
  return !uneven;
}

void ElasticLevel::Part() {
  if (!together) return;
  together = false;
  for (uint32_t place = 0; place < children.size(); ++place) {
    Child& child = children[place];
    ForEachResource(together_keys, [&](size_t r) {
      const Entry entry = At(place, r);
      entry.taken() = entry.runtime();
    });
    child.taken_keys |= together_keys;
    child.taken_version = all_took;
  }
}

void ElasticLevel::Take(uint32_t place) {
  Part();
  Child& child = children[place];
  ForEachResource(keys & child.keys, [&](size_t r) {
    const Entry entry = At(place, r);
    entry.taken() = entry.runtime();
  });
  child.taken_keys |= keys & child.keys;
  child.taken_version = version;
}

void ElasticLevel::TakeAll() {
  if (all_took == version) return;
  if (IsEven()) {
    all_took = version;
    together_keys = together ? together_keys | keys : keys;
    together = true;
    return;
  }
  Part();
  all_took = version;
  for (uint32_t place = 0; place < children.size(); ++place) {
    if (children[place].handed_out_to) Take(place);
  }
}

int64_t ElasticLevel::Taken(uint32_t place, size_t resource) const {
  if (resource >= lanes * sheets.size()) return 0;
  const Sheet& sheet = sheets[resource / lanes];
  const size_t lane = resource % lanes;
  const bool handed_out = together && (together_keys >> resource & 1) != 0;
  return handed_out ? sheet.claims[(kClaims * place + 3) * lanes + lane]
                    : sheet.told[(kTold * place + 4) * lanes + lane];
}

}  // namespace muster
