// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/packed_rows.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace muster::kube {
namespace {

constexpr std::string_view kSize = "size";              // behind the keys of all buckets
constexpr size_t kMost = 2 * PackedRows::kPerBucket;    // names of a bucket, on average
constexpr size_t kFewest = PackedRows::kPerBucket / 8;  // the same

// FNV-1a.
uint64_t HashOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Ascends with the number of the bucket.
std::string KeyOf(size_t bucket) {
  constexpr size_t kDigits = 7;
  std::string key(kDigits, '0');
  for (size_t i = kDigits; i-- > 0; bucket /= 16) key[i] = "0123456789abcdef"[bucket % 16];
  return key;
}

size_t BucketsFor(size_t names) {
  return std::bit_ceil(std::max<size_t>(1, names / PackedRows::kPerBucket));
}

// Returns how many buckets the slot may have. A plan that writes more than one has kFewest names
// for each, and a name with its text is kLeast characters or more. Where few buckets are empty,
// `wanted` may be right, and no characters are counted.
uint64_t MostBuckets(const MemorySlot& slot, uint64_t wanted) {
  constexpr size_t kLeast = 4;  // 0:0:
  if (wanted <= PackedRows::kPerBucket * (slot.rows().size() + 1)) return wanted;
  size_t characters = 0;
  for (const auto& [key, row] : slot.rows()) {
    if (key != kSize) characters += slot.Text(key).size();
  }
  return characters / (kLeast * kFewest);
}

}  // namespace

void PackedRows::Load(const MemorySlot& slot) {
  *this = PackedRows();
  const uint64_t buckets = static_cast<uint64_t>(slot.Integer(kSize, 0));
  if (buckets > MostBuckets(slot, buckets) || !std::has_single_bit(buckets)) return;
  slot_ = slot;
  names_ = static_cast<size_t>(std::max<int64_t>(0, slot.Integer(kSize, 1)));
  buckets_.resize(buckets);
  if (names_ == 0) CountNames();  // names that are there are never added as new ones
}

void PackedRows::Store(MemorySlot* slot) {
  if (changed_) {
    Rebalance();
    changed_ = false;
    for (size_t b = 0; b < buckets_.size(); ++b) {
      if (!std::exchange(buckets_[b].changed, false)) continue;
      if (buckets_[b].text.empty()) {
        slot_.Erase(KeyOf(b));
      } else {
        MemoryRow row;
        row.emplace_back(std::move(buckets_[b].text));
        slot_.Set(KeyOf(b), std::move(row));
        buckets_[b] = {};
      }
    }
    slot_.Set(kSize, {static_cast<int64_t>(buckets_.size()), static_cast<int64_t>(names_)});
  }
  *slot = slot_;
}

size_t PackedRows::BucketOf(std::string_view name) const {
  const uint64_t hash = HashOf(name);
  return (hash ^ hash >> 32) & (buckets_.size() - 1);
}

std::string_view PackedRows::Read(size_t bucket) const {
  const Bucket& known = buckets_[bucket];
  return known.read ? std::string_view(known.text) : slot_.Text(KeyOf(bucket));
}

std::string& PackedRows::Own(size_t bucket) {
  Bucket& known = buckets_[bucket];
  if (!known.read) known.text = std::string(slot_.Text(KeyOf(bucket)));
  known.read = known.changed = changed_ = true;
  return known.text;
}

std::optional<PackedRows::Place> PackedRows::PlaceOf(size_t bucket, std::string_view name) const {
  const std::string_view text = Read(bucket);
  WordReader reader(text);
  while (!reader.AtEnd()) {
    const size_t begin = text.size() - reader.rest().size();
    const bool found = reader.Word() == name;
    const std::string_view of_name = reader.Word();
    if (found) return Place{begin, text.size() - reader.rest().size(), of_name};
  }
  return std::nullopt;
}

std::optional<std::string_view> PackedRows::Find(std::string_view name) const {
  const auto place = PlaceOf(BucketOf(name), name);
  return place ? std::optional(place->text) : std::nullopt;
}

void PackedRows::Add(std::string_view name, std::string_view text) {
  record_.Clear();
  record_.Word(name);
  record_.Begin(text.size());
  Own(BucketOf(name)).append(record_.text()).append(text);
  ++names_;
}

void PackedRows::Set(std::string_view name, std::string_view text) {
  const size_t bucket = BucketOf(name);
  const auto place = PlaceOf(bucket, name);
  if (!place) {
    Add(name, text);
    Rebalance();
    return;
  }
  record_.Clear();
  record_.Word(name);
  record_.Word(text);
  Own(bucket).replace(place->begin, place->end - place->begin, record_.text());
}

void PackedRows::Erase(std::string_view name) {
  const size_t bucket = BucketOf(name);
  const auto place = PlaceOf(bucket, name);
  if (!place) return;
  Own(bucket).erase(place->begin, place->end - place->begin);
  names_ -= names_ > 0;
  Rebalance();
}

void PackedRows::Reserve(size_t names, size_t characters) {
  const size_t buckets = BucketsFor(names);
  if (buckets == buckets_.size()) return;
  PackedRows other;
  other.buckets_.assign(buckets, {.read = true, .changed = true});
  for (Bucket& bucket : other.buckets_) bucket.text.reserve(kPerBucket * characters);
  other.changed_ = true;
  ForEach([&](std::string_view name, std::string_view text) { other.Add(name, text); });
  *this = std::move(other);
}

void PackedRows::Rebalance() {
  const bool many = names_ > kMost * buckets_.size();
  const bool few = names_ == 0 || (buckets_.size() > 1 && names_ < kFewest * buckets_.size());
  if (!many && !few) return;
  // The number may be that of a memory that no plan wrote.
  CountNames();
  Reserve(names_);
}

void PackedRows::CountNames() {
  names_ = 0;
  ForEach([&](std::string_view, std::string_view) { ++names_; });
}

}  // namespace muster::kube
