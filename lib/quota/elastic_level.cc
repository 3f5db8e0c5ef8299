// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/quota/elastic_level.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

using Column = ElasticLevel::Column;

template <typename Visit>
void ForEachArray(Column* column, Visit visit) {
  for (std::vector<int64_t>* array :
       {&column->request, &column->weight, &column->min, &column->guarantee, &column->known_request,
        &column->known_guarantee, &column->runtime, &column->taken}) {
    visit(array);
  }
}

template <typename T>
void Permute(const std::vector<uint32_t>& from, std::vector<T>* array) {
  std::vector<T> permuted;
  permuted.reserve(from.size());
  for (uint32_t place : from) permuted.push_back((*array)[place]);
  *array = std::move(permuted);
}

template <typename T>
void FillFromBack(uint32_t place, std::vector<T>* array) {
  (*array)[place] = array->back();
  array->pop_back();
}

}  // namespace

uint32_t ElasticLevel::Add(const Child& child, bool lends_out) {
  children.push_back(child);
  lends.push_back(lends_out ? 1 : 0);
  for (Column& column : columns) {
    ForEachArray(&column, [](std::vector<int64_t>* array) { array->push_back(0); });
  }
  in_order = false;
  return static_cast<uint32_t>(children.size() - 1);
}

void ElasticLevel::Remove(uint32_t place) {
  FillFromBack(place, &children);
  FillFromBack(place, &lends);
  for (Column& column : columns) {
    ForEachArray(&column, [&](std::vector<int64_t>* array) { FillFromBack(place, array); });
  }
  if (place < children.size()) {
    children[place].loose = true;
    in_order = false;
  }
  stale = ~uint64_t{0};
  ++version;
}

void ElasticLevel::Forget() {
  columns.clear();
  for (Child& child : children) child.keys = child.taken_keys = child.taken_version = 0;
  keys = 0;
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
  Permute(order, &children);
  Permute(order, &lends);
  for (Column& column : columns) {
    ForEachArray(&column, [&](std::vector<int64_t>* array) { Permute(order, array); });
  }
  in_order = true;
}

void ElasticLevel::HandOut(Rounding rounding, Redistribution* redistribution) {
  ForEachResource(keys & stale, [&](size_t r) {
    Column& column = At(r);
    redistribution->Run(total.at(r), rounding,
                        {column.request, column.weight, column.min, column.guarantee, lends},
                        column.runtime);
  });
  stale &= ~keys;
}

void ElasticLevel::Widen(size_t resource) {
  while (columns.size() <= resource) {
    columns.emplace_back();
    ForEachArray(&columns.back(),
                 [&](std::vector<int64_t>* array) { array->resize(children.size(), 0); });
  }
}

void ElasticLevel::SetKeys(uint64_t to) {
  if (keys == to) return;
  // Who is told of a resource again later starts from nothing, but for what was known of it.
  ForEachResource(keys & ~to, [&](size_t r) {
    Column& column = At(r);
    for (std::vector<int64_t>* array : {&column.request, &column.min, &column.guarantee}) {
      std::fill(array->begin(), array->end(), 0);
    }
  });
  stale |= keys ^ to;
  keys = to;
  for (Child& child : children) child.keys &= to;
}

void ElasticLevel::SetTotal(const Sparse& to) {
  ForEachResource(total.keys() | to.keys(), [&](size_t r) {
    if (total.at(r) != to.at(r)) stale |= uint64_t{1} << r;
  });
  total = to;
}

void ElasticLevel::Take(uint32_t place) {
  Child& child = children[place];
  ForEachResource(keys & child.keys, [&](size_t r) {
    Column& column = At(r);
    column.taken[place] = column.runtime[place];
  });
  child.taken_keys |= keys & child.keys;
  child.taken_version = version;
}

void ElasticLevel::TakeAll() {
  if (all_took == version) return;
  all_took = version;
  const bool everywhere = std::all_of(children.begin(), children.end(), [&](const Child& child) {
    return child.keys == keys && child.handed_out_to;
  });
  if (!everywhere) {
    for (uint32_t place = 0; place < children.size(); ++place) {
      if (children[place].handed_out_to) Take(place);
    }
    return;
  }
  ForEachResource(keys, [&](size_t r) { At(r).taken = At(r).runtime; });
  for (Child& child : children) {
    child.taken_keys |= keys;
    child.taken_version = version;
  }
}

}  // namespace muster
