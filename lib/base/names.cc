// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A record is the length in groups of seven bits, low group first, then the text, then a zero byte: name(id).data() is
// also a text of C, as muster/c.h hands it out. Chunks double
// from 1 KiB to 256 KiB, so that a table of three names is small; a longer record gets a chunk of
// its own size. What a chunk leaves unused is less than the record that starts the next one, so
// chunks are at least half full on average and 65,536 of them hold 8 GiB or more.
#include "lib/base/names.h"

#include <algorithm>
#include <cstring>

#include "absl/hash/hash.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kStep = 4;
constexpr size_t kMaxChunk = size_t{65536} * kStep;
constexpr size_t kFirstChunk = 1024;
constexpr size_t kMaxChunks = 65536;
constexpr size_t kMaxLengthBytes = 10;  // 64 bits in groups of seven

}  // namespace

std::string_view NameTable::Store::Get(uint32_t id) const {
  const uint32_t address = addresses[id];
  const char* at = chunks[address >> 16].get() + (address & 0xFFFF) * kStep;
  size_t length = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t group = static_cast<uint8_t>(*at++);
    length |= size_t{group & 0x7Fu} << shift;
    if (group < 0x80) return std::string_view(at, length);
  }
}

uint32_t NameTable::Store::Add(std::string_view name) {
  if (addresses.size() >= kFull) return kFull;
  char header[kMaxLengthBytes];
  size_t header_size = 0;
  for (size_t rest = name.size();; rest >>= 7) {
    header[header_size++] = static_cast<char>((rest & 0x7F) | (rest >= 0x80 ? 0x80 : 0));
    if (rest < 0x80) break;
  }
  const size_t needed = header_size + name.size() + 1;
  if (chunks.empty() || capacity - used < needed) {
    if (chunks.size() >= kMaxChunks) return kFull;
    const size_t usual = chunks.empty() ? kFirstChunk : std::min(2 * capacity, kMaxChunk);
    capacity = std::max(needed, usual);
    chunks.push_back(std::make_unique_for_overwrite<char[]>(capacity));
    total += capacity;
    used = 0;
  }
  char* at = chunks.back().get() + used;
  std::memcpy(at, header, header_size);
  if (!name.empty()) std::memcpy(at + header_size, name.data(), name.size());
  at[needed - 1] = '\0';
  addresses.push_back(static_cast<uint32_t>((chunks.size() - 1) << 16 | used / kStep));
  used = std::min(capacity, (used + needed + kStep - 1) / kStep * kStep);
  return static_cast<uint32_t>(addresses.size() - 1);
}

size_t NameTable::Hash::operator()(std::string_view name) const {
  return absl::Hash<absl::string_view>()(ToAbsl(name));
}

NameTable::NameTable()
    : store_(std::make_unique<Store>()), ids_(0, Hash{store_.get()}, Equal{store_.get()}) {}

NameTable::~NameTable() = default;

// Adds every text anew, in the order of ids, and then marks the dead ones.
NameTable::NameTable(const NameTable& other) : NameTable() {
  Reserve(other.size());
  for (uint32_t id = 0; id < other.size(); ++id) {
    const std::string_view name = other.name(id);
    store_->Add(name);
    if (other.Find(name) == id) ids_.insert(id);
  }
}

NameTable& NameTable::operator=(const NameTable& other) {
  if (this != &other) *this = NameTable(other);
  return *this;
}

uint32_t NameTable::Intern(std::string_view name) {
  if (const std::optional<uint32_t> id = Find(name); id.has_value()) return *id;
  const uint32_t id = store_->Add(name);
  if (id != kFull) ids_.insert(id);
  return id;
}

std::optional<uint32_t> NameTable::Find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return *found;
}

std::optional<uint32_t> NameTable::Erase(std::string_view name) {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  const uint32_t id = *found;
  ids_.erase(found);
  return id;
}

void NameTable::Clear() { *this = NameTable(); }

void NameTable::Reserve(size_t names) {
  store_->addresses.reserve(names);
  ids_.reserve(names);
}

size_t NameTable::MemoryUsage() const {
  return store_->total + store_->chunks.capacity() * sizeof(store_->chunks[0]) +
         store_->addresses.capacity() * sizeof(uint32_t) +
         ids_.capacity() * (sizeof(uint32_t) + 1);  // a slot and its control byte
}

}  // namespace muster
