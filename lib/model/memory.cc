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

const MemoryRow* MemorySlot::Find(std::string_view key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

namespace {

template <class T>
const T* CellOf(const MemoryRow* row, size_t cell) {
  return row == nullptr || cell >= row->size() ? nullptr : std::get_if<T>(&(*row)[cell]);
}

}  // namespace

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
  const auto found = rows_.find(key);
  if (found == rows_.end()) {
    rows_.emplace(key, std::move(row));
  } else {
    found->second = std::move(row);
  }
}

void MemorySlot::Erase(std::string_view key) {
  if (const auto found = rows_.find(key); found != rows_.end()) rows_.erase(found);
}

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
  for (const auto& [name, slot] : data->slots) oldest = std::min(oldest, slot.generation);
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
