// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memories as values. lib/plan writes them, lib/scenario reads them.
#include "muster/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/model/memory_data.h"

namespace muster {
namespace {

constexpr size_t kMostRows = 32;                   // of a run
constexpr size_t kMostMerged = kMostRows * 3 / 4;  // of one that two become: it may grow again

template <class T>
const T* CellOf(const MemoryRow* row, size_t cell) {
  return row == nullptr || cell >= row->size() ? nullptr : std::get_if<T>(&(*row)[cell]);
}

}  // namespace

std::vector<MemoryRows::Shared>& MemoryRows::RunRef::Own() {
  if (run_->owners.load(std::memory_order_acquire) > 1) {
    RunRef own;
    own.run_->rows = run_->rows;
    *this = std::move(own);
  }
  return run_->rows;
}

size_t MemoryRows::RunOf(std::string_view key) const {
  // Rows are often written in the order of their keys.
  if (runs_.empty() || runs_.back().rows().back()->first < key) return runs_.size();
  const auto at = std::lower_bound(
      runs_.begin(), runs_.end(), key,
      [](const RunRef& run, std::string_view k) { return run.rows().back()->first < k; });
  return static_cast<size_t>(at - runs_.begin());
}

namespace {

// Returns the place of the first row of the run that is not before the key.
template <class Rows>
size_t PlaceIn(const Rows& rows, std::string_view key) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), key,
                       [](const auto& row, std::string_view k) { return row->first < k; });
  return static_cast<size_t>(at - rows.begin());
}

}  // namespace

MemoryRows::const_iterator MemoryRows::begin() const { return {this, 0, 0}; }
MemoryRows::const_iterator MemoryRows::end() const { return {this, runs_.size(), 0}; }

MemoryRows::const_iterator MemoryRows::find(std::string_view key) const {
  const size_t run = RunOf(key);
  if (run == runs_.size()) return end();
  const size_t at = PlaceIn(runs_[run].rows(), key);
  return runs_[run].rows()[at]->first == key ? const_iterator(this, run, at) : end();
}

size_t MemoryRows::size() const {
  size_t rows = 0;
  for (const RunRef& run : runs_) rows += run.rows().size();
  return rows;
}

bool MemoryRows::Equals(const MemoryRows& other) const {
  if (SharesAllWith(other)) return true;
  if (size() != other.size()) return false;
  // Most runs are shared, and both sides most often reach them at the same time.
  size_t run = 0, at = 0;
  for (const RunRef& mine : runs_) {
    if (at == 0 && mine == other.runs_[run]) {
      ++run;
      continue;
    }
    for (const Shared& row : mine.rows()) {
      const std::vector<Shared>& theirs = other.runs_[run].rows();
      if (row != theirs[at] && *row != *theirs[at]) return false;
      if (++at < theirs.size()) continue;
      ++run;
      at = 0;
    }
  }
  return true;
}

void MemoryRows::Set(Shared row) {
  const std::string_view key = row->first;
  size_t run = RunOf(key);
  if (run == runs_.size()) {
    // A key behind all others joins the last run as long as there is room.
    if (runs_.empty() || runs_.back().rows().size() >= kMostRows) runs_.emplace_back();
    run = runs_.size() - 1;
  }
  std::vector<Shared>& rows = runs_[run].Own();
  const bool is_last = rows.empty() || rows.back()->first < key;
  const size_t at = is_last ? rows.size() : PlaceIn(rows, key);
  if (at < rows.size() && rows[at]->first == key) {
    rows[at] = std::move(row);
    return;
  }
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(at), std::move(row));
  if (rows.size() > kMostRows) Split(run);
}

void MemoryRows::Split(size_t run) {
  std::vector<Shared>& rows = runs_[run].Own();
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  RunRef upper;
  upper.Own().assign(std::make_move_iterator(half), std::make_move_iterator(rows.end()));
  rows.erase(half, rows.end());
  runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(run + 1), std::move(upper));
}

void MemoryRows::Erase(std::string_view key) {
  const size_t run = RunOf(key);
  if (run == runs_.size()) return;
  const size_t at = PlaceIn(runs_[run].rows(), key);
  if (runs_[run].rows()[at]->first != key) return;
  std::vector<Shared>& rows = runs_[run].Own();
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
  if (rows.empty()) {
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run));
    return;
  }
  MergeWithNext(run);
  if (run > 0) MergeWithNext(run - 1);
}

// Small runs become one, so that there are few of them.
void MemoryRows::MergeWithNext(size_t run) {
  if (run + 1 >= runs_.size()) return;
  const std::vector<Shared>& next = runs_[run + 1].rows();
  if (runs_[run].rows().size() + next.size() > kMostMerged) return;
  std::vector<Shared>& rows = runs_[run].Own();
  rows.insert(rows.end(), next.begin(), next.end());
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run + 1));
}

const MemoryRow* MemorySlot::Find(std::string_view key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

int64_t MemorySlot::Integer(std::string_view key, size_t cell, int64_t otherwise) const {
  const int64_t* value = CellOf<int64_t>(Find(key), cell);
  return value == nullptr ? otherwise : *value;
}

double MemorySlot::Real(std::string_view key, size_t cell, double otherwise) const {
  const double* value = CellOf<double>(Find(key), cell);
  return value == nullptr ? otherwise : *value;
}

std::string_view MemorySlot::Text(std::string_view key, size_t cell) const {
  const std::string* value = CellOf<std::string>(Find(key), cell);
  return value == nullptr ? std::string_view() : *value;
}

void MemorySlot::Set(std::string_view key, MemoryRow row) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (MemoryCell& cell : row) {
    double* real = std::get_if<double>(&cell);
    if (real != nullptr) *real = std::isnan(*real) ? 0 : std::clamp(*real, -kMost, kMost);
  }
  rows_.Set(std::make_shared<const Rows::value_type>(std::string(key), std::move(row)));
}

void MemorySlot::Erase(std::string_view key) { rows_.Erase(key); }

Memory::Memory() = default;

bool Memory::empty() const { return data_ == nullptr; }

const MemorySlot* Memory::Find(std::string_view slot) const {
  if (data_ == nullptr) return nullptr;
  const auto found = data_->slots.find(slot);
  return found == data_->slots.end() ? nullptr : &*found->second.rows;
}

bool Memory::Equals(const Memory& other) const {
  if (data_ == other.data_) return true;
  // Data without slots is never kept: see MakeMemory.
  return data_ != nullptr && other.data_ != nullptr && *data_ == *other.data_;
}

namespace internal {

const MemoryData* DataOf(const Memory& memory) { return memory.data_.get(); }

Memory MakeMemory(MemoryData data) {
  Memory memory;
  if (!data.slots.empty()) memory.data_ = std::make_shared<const MemoryData>(std::move(data));
  return memory;
}

uint64_t OldestGeneration(const Memory& memory) {
  const MemoryData* data = DataOf(memory);
  if (data == nullptr) return 0;
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (const auto& [name, slot] : data->slots) {
    if (slot.generation != 0) oldest = std::min(oldest, slot.generation);  // 0 never asks
  }
  return oldest;
}

uint64_t NewestGeneration(const Memory& memory) {
  const MemoryData* data = DataOf(memory);
  uint64_t newest = 0;
  if (data == nullptr) return newest;
  for (const auto& [name, slot] : data->slots) newest = std::max(newest, slot.generation);
  return newest;
}

}  // namespace internal
}  // namespace muster
