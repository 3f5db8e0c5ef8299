// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A sorted list of jobs in chunks, with the sum and the least of their processors and the shortest
// estimate of each chunk.
//
//   ChunkList running;                            // by predicted end
//   running.Insert({.key = end, .tie = job, .processors = 8});
//   running.Remove(end, job);
//   for (size_t at = 0; at < running.chunks(); ++at) {
//     if (running.chunk(at).least <= free) ...look inside...
//   }
//
// Batch policies need two answers from a list that changes all the time: when so many processors
// will have been given back (chunks are skipped by their sums), and which job in order is small
// enough (chunks are skipped by their minima). A chunk is some cache lines. Inserting and removing
// move at most one chunk's entries and the array of chunk numbers.
#ifndef MUSTER_REPLAY_CHUNK_LIST_H_
#define MUSTER_REPLAY_CHUNK_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace muster {

class ChunkList {
 public:
  struct Entry {
    int64_t key = 0;   // the order, ...
    uint32_t tie = 0;  // ...among equal keys
    uint32_t job = 0;
    int64_t processors = 0;
    int64_t estimate = 0;
  };
  static constexpr size_t kRoom = 48;
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  struct Chunk {
    size_t size = 0;
    int64_t sum = 0;
    int64_t least = kMost;     // processors
    int64_t shortest = kMost;  // estimate
    Entry entries[kRoom];
  };

  void Insert(const Entry& entry) {
    ++size_;
    if (order_.empty()) {
      order_.push_back(NewChunk());
      return Put(0, 0, entry);
    }
    const size_t at = FindChunk(entry.key, entry.tie);
    const Chunk& chunk = chunks_[order_[at]];
    Put(at, Position(chunk, entry.key, entry.tie), entry);
  }

  // REQUIRES: it is there.
  void Remove(int64_t key, uint32_t tie) {
    const size_t at = FindChunk(key, tie);
    Erase(at, Position(chunks_[order_[at]], key, tie));
  }

  // Chunk number `at` in order, and entry `position` in it.
  void Erase(size_t at, size_t position) {
    --size_;
    Chunk& chunk = chunks_[order_[at]];
    const int64_t processors = chunk.entries[position].processors;
    const int64_t estimate = chunk.entries[position].estimate;
    std::copy(chunk.entries + position + 1, chunk.entries + chunk.size, chunk.entries + position);
    --chunk.size;
    chunk.sum -= processors;
    if (chunk.size == 0) {
      free_.push_back(order_[at]);
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (processors == chunk.least || estimate == chunk.shortest) {
      FindLeast(&chunk);
    }
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  size_t chunks() const { return order_.size(); }
  const Chunk& chunk(size_t at) const { return chunks_[order_[at]]; }
  const Entry& front() const { return chunk(0).entries[0]; }  // REQUIRES: !empty()

 private:
  static bool Before(const Entry& entry, int64_t key, uint32_t tie) {
    return entry.key != key ? entry.key < key : entry.tie < tie;
  }
  // Returns the first chunk with a last entry that is not before the key, or the last chunk.
  size_t FindChunk(int64_t key, uint32_t tie) const {
    size_t low = 0, high = order_.size() - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      const Chunk& chunk = chunks_[order_[middle]];
      if (Before(chunk.entries[chunk.size - 1], key, tie)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  static size_t Position(const Chunk& chunk, int64_t key, uint32_t tie) {
    size_t position = chunk.size;
    while (position > 0 && !Before(chunk.entries[position - 1], key, tie)) --position;
    return position;
  }
  static void FindLeast(Chunk* chunk) {
    chunk->least = chunk->shortest = kMost;
    for (size_t i = 0; i < chunk->size; ++i) {
      chunk->least = std::min(chunk->least, chunk->entries[i].processors);
      chunk->shortest = std::min(chunk->shortest, chunk->entries[i].estimate);
    }
  }
  uint32_t NewChunk() {
    if (free_.empty()) {
      chunks_.emplace_back();
      return static_cast<uint32_t>(chunks_.size() - 1);
    }
    const uint32_t number = free_.back();
    free_.pop_back();
    chunks_[number].size = 0;
    chunks_[number].sum = 0;
    chunks_[number].least = chunks_[number].shortest = kMost;
    return number;
  }
  void Put(size_t at, size_t position, const Entry& entry) {
    if (chunks_[order_[at]].size == kRoom) {
      // A full chunk splits in two; one at the end, where lists that only grow get their entries,
      // stays full.
      const bool at_end = at + 1 == order_.size() && position == kRoom;
      const size_t kept = at_end ? kRoom : kRoom / 2;
      const uint32_t number = NewChunk();  // may move the chunks
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at) + 1, number);
      Chunk& left = chunks_[order_[at]];
      Chunk& right = chunks_[number];
      std::copy(left.entries + kept, left.entries + kRoom, right.entries);
      right.size = kRoom - kept;
      left.size = kept;
      for (size_t i = 0; i < right.size; ++i) right.sum += right.entries[i].processors;
      left.sum -= right.sum;
      FindLeast(&left);
      FindLeast(&right);
      if (position > kept || at_end) {
        position -= kept;
        ++at;
      }
    }
    Chunk& chunk = chunks_[order_[at]];
    std::copy_backward(chunk.entries + position, chunk.entries + chunk.size,
                       chunk.entries + chunk.size + 1);
    chunk.entries[position] = entry;
    ++chunk.size;
    chunk.sum += entry.processors;
    chunk.least = std::min(chunk.least, entry.processors);
    chunk.shortest = std::min(chunk.shortest, entry.estimate);
  }

  std::vector<Chunk> chunks_;
  std::vector<uint32_t> order_;  // chunks by their place in the list
  std::vector<uint32_t> free_;
  size_t size_ = 0;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_CHUNK_LIST_H_
