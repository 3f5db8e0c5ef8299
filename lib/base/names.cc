// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A record is the id, the length in groups of seven bits, low group first, and then the text.
// Chunks double from 1 KiB to 256 KiB, so that a table of three names is small; a longer record
// gets a chunk of its own size. What a chunk leaves unused is less than the record that starts the
// next one, so chunks are at least half full on average and 65,536 of them hold 8 GiB or more. No
// record is as short as a step, so none begins at the last one, with the address
// HashIndex::kNothing.
#include "lib/base/names.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/hash/hash.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kStep = 4;
constexpr size_t kMaxChunk = size_t{65536} * kStep;
constexpr size_t kFirstChunk = 1024;
constexpr size_t kMaxChunks = 65536;
constexpr size_t kIdBytes = sizeof(uint32_t);
constexpr size_t kMaxHeader = kIdBytes + 10;  // 64 bits in groups of seven

uint32_t HashName(std::string_view name) {
  return FoldHash(absl::Hash<absl::string_view>()(ToAbsl(name)));
}

}  // namespace

const char* NameTable::RecordAt(uint32_t address) const {
  return chunks_[address >> 16].bytes.get() + (address & 0xFFFF) * kStep;
}

uint32_t NameTable::IdAt(uint32_t address) const {
  uint32_t id;
  std::memcpy(&id, RecordAt(address), kIdBytes);
  return id;
}

std::string_view NameTable::TextAt(uint32_t address) const {
  const char* at = RecordAt(address) + kIdBytes;
  size_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto group = static_cast<uint8_t>(*at++);
    length |= size_t{group & 0x7Fu} << shift;
    if (group < 0x80) return std::string_view(at, length);
  }
}

// The same chunks, byte for byte: addresses stay what they are.
NameTable::NameTable(const NameTable& other)
    : addresses_(other.addresses_), used_(other.used_), total_(other.total_), index_(other.index_) {
  chunks_.reserve(other.chunks_.size());
  for (const Chunk& chunk : other.chunks_) {
    const bool is_last = &chunk == &other.chunks_.back();
    auto bytes = std::make_unique_for_overwrite<char[]>(chunk.capacity);
    std::memcpy(bytes.get(), chunk.bytes.get(), is_last ? used_ : chunk.capacity);
    chunks_.push_back({std::move(bytes), chunk.capacity});
  }
}

NameTable& NameTable::operator=(const NameTable& other) {
  if (this != &other) *this = NameTable(other);
  return *this;
}

NameTable::NameTable(NameTable&& other) noexcept
    : addresses_(std::move(other.addresses_)),
      chunks_(std::move(other.chunks_)),
      used_(std::exchange(other.used_, 0)),
      total_(std::exchange(other.total_, 0)),
      index_(std::move(other.index_)) {}

NameTable& NameTable::operator=(NameTable&& other) noexcept {
  addresses_ = std::move(other.addresses_);
  chunks_ = std::move(other.chunks_);
  used_ = std::exchange(other.used_, 0);
  total_ = std::exchange(other.total_, 0);
  index_ = std::move(other.index_);
  return *this;
}

uint32_t NameTable::AddressOf(uint32_t hash, std::string_view name) const {
  return index_.Find(hash, [&](uint32_t address) { return TextAt(address) == name; });
}

// Everything that may fail comes first.
uint32_t NameTable::Intern(std::string_view name) {
  const uint32_t hash = HashName(name);
  if (const uint32_t there = AddressOf(hash, name); there != HashIndex::kNothing) {
    return IdAt(there);
  }
  if (addresses_.size() >= kFull) return kFull;
  const auto id = static_cast<uint32_t>(addresses_.size());
  char header[kMaxHeader];
  std::memcpy(header, &id, kIdBytes);
  size_t header_size = kIdBytes;
  for (size_t rest = name.size();; rest >>= 7) {
    header[header_size++] = static_cast<char>((rest & 0x7F) | (rest >= 0x80 ? 0x80 : 0));
    if (rest < 0x80) break;
  }
  const size_t needed = header_size + name.size();
  index_.MakeRoom();
  if (addresses_.size() == addresses_.capacity()) {
    addresses_.reserve(std::max<size_t>(8, 2 * addresses_.size()));
  }
  if (chunks_.empty() || chunks_.back().capacity - used_ < needed) {
    if (chunks_.size() >= kMaxChunks) return kFull;
    const size_t usual =
        chunks_.empty() ? kFirstChunk : std::min(2 * chunks_.back().capacity, kMaxChunk);
    const size_t capacity = std::max(needed, usual);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(capacity), capacity});
    total_ += capacity;
    used_ = 0;
  }
  char* at = chunks_.back().bytes.get() + used_;
  std::memcpy(at, header, header_size);
  if (!name.empty()) std::memcpy(at + header_size, name.data(), name.size());
  const auto address = static_cast<uint32_t>((chunks_.size() - 1) << 16 | used_ / kStep);
  addresses_.push_back(address);
  index_.Add(hash, address);
  used_ = std::min(chunks_.back().capacity, (used_ + needed + kStep - 1) / kStep * kStep);
  return id;
}

std::optional<uint32_t> NameTable::Find(std::string_view name) const {
  const uint32_t address = AddressOf(HashName(name), name);
  if (address == HashIndex::kNothing) return std::nullopt;
  return IdAt(address);
}

void NameTable::Prefetch(std::string_view name) const { index_.Prefetch(HashName(name)); }

std::optional<uint32_t> NameTable::Erase(std::string_view name) {
  const uint32_t hash = HashName(name);
  const uint32_t address = AddressOf(hash, name);
  if (address == HashIndex::kNothing) return std::nullopt;
  index_.Remove(hash, address);
  return IdAt(address);
}

// What their records took of the chunks stays taken.
void NameTable::Truncate(uint32_t size) {
  while (addresses_.size() > size) {
    const uint32_t address = addresses_.back();
    index_.Remove(HashName(TextAt(address)), address);
    addresses_.pop_back();
  }
}

void NameTable::Clear() { *this = NameTable(); }

void NameTable::Reserve(size_t names) {
  addresses_.reserve(names);
  index_.Reserve(names);
}

size_t NameTable::MemoryUsage() const {
  return total_ + chunks_.capacity() * sizeof(Chunk) + addresses_.capacity() * sizeof(uint32_t) +
         index_.slots() * HashIndex::kSlotBytes;
}

}  // namespace muster
