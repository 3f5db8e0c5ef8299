// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/node_states.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "lib/base/rng.h"

namespace muster {
namespace {

constexpr StateIndex kErased(kNone - 1);
constexpr int64_t kLargestExact = int64_t{1} << 53;
constexpr size_t kLooksOfSync = 3;   // so many looks cost as much as to follow one change
constexpr size_t kSpareSlots = 256;  // empty states kept for nodes that come back

}  // namespace

NodeStates::NodeStates(const Ledger& ledger, const NodeKinds& kinds, bool share,
                       std::vector<int64_t> overdraft)
    : ledger_(ledger),
      kinds_(kinds),
      share_(share),
      overdraft_(std::move(overdraft)),
      devices_(DeviceBook::Of(ledger)) {
  Rebuild();
}

void NodeStates::Rebuild() {
  const size_t dimensions = ledger_.dimensions();
  key_size_ = ledger_.node_row(0).size();
  columns_ = StateColumns{};
  for (const auto part : StateColumns::kFree) (columns_.*part).resize(dimensions);
  for (const auto part : StateColumns::kHeld) (columns_.*part).resize(dimensions);
  factors_.resize(key_size_ + 2);
  for (size_t i = 0; i < factors_.size(); ++i) factors_[i] = SplitMix64(i) | 1;
  keys_.clear();
  sum_.clear();
  kind_.clear();
  population_.clear();
  members_.clear();
  free_.clear();
  free_begin_ = 0;
  in_free_.clear();
  index_.assign(64, kNone);
  index_used_ = 0;
  live_ = 0;
  journal_start_ = journal_end();
  journal_.clear();
  ++epoch_;
  ledger_birth_ = ledger_.birth();
  ledger_position_ = ledger_.journal().size();
  kinds_version_ = kinds_.version();
  const size_t nodes = ledger_.tables().nodes.alive.size();
  state_.assign(nodes, kNone);
  for (NodeIndex n = 0; n < nodes; ++n) Place(n);
}

bool NodeStates::Rebuilt() const {
  return ledger_birth_ != ledger_.birth() || kinds_version_ != kinds_.version() ||
         state_.size() != ledger_.tables().nodes.alive.size();
}

size_t NodeStates::Behind() const {
  return Rebuilt() ? ledger_.tables().nodes.alive.size()
                   : ledger_.journal().size() - ledger_position_;
}

bool NodeStates::Followed() {
  const size_t behind = Behind();
  if (behind == 0) return true;
  if (looks_ <= kLooksOfSync * behind) return false;
  Sync();
  return true;
}

const StateColumns* NodeStates::Look(NodeIndex n, bool free) {
  if (!ledger_.tables().nodes.alive[n] || Overdrawn(n)) return nullptr;
  ++looks_;
  const size_t dimensions = ledger_.dimensions();
  if (look_.size == 0 || look_.idle.size() != dimensions) {
    look_ = StateColumns{.size = 1};
    for (const auto part : StateColumns::kFree) (look_.*part).resize(dimensions);
    for (const auto part : StateColumns::kHeld) (look_.*part).resize(dimensions);
    StateColumns::ForEach(/*free=*/true, [](auto& column) { column.resize(1); }, look_);
  }
  Fill(look_, StateIndex(0), n);
  if (free) FillFree(look_, StateIndex(0), n);
  look_.head[0] = static_cast<double>(n);
  return &look_;
}

void NodeStates::Sync() {
  looks_ = 0;
  if (Rebuilt()) {
    Rebuild();
    return;
  }
  const auto journal = ledger_.journal();
  for (; ledger_position_ < journal.size(); ++ledger_position_) Place(journal[ledger_position_]);
  if (journal_.size() > 4 * columns_.size + 65536) {
    const size_t half = journal_.size() / 2;
    journal_.erase(journal_.begin(), journal_.begin() + half);
    journal_start_ += half;
  }
}

void NodeStates::Place(NodeIndex n) {
  if (!ledger_.tables().nodes.alive[n] || Overdrawn(n)) {
    if (state_[n] != kNone) Leave(n, state_[n]);
    state_[n] = kNone;
    return;
  }
  const auto row = ledger_.node_row(n);
  const StateIndex old = state_[n];
  if (old != kNone && kind_[old] == kinds_.kind(n) && HoldsRow(old, row)) return;
  uint64_t sum = SumOf(row) + kinds_.kind(n) * factors_[row.size()];
  if (!share_) sum += n * factors_[row.size() + 1];
  PutInto(n, sum);
}

void NodeStates::Add(NodeIndex n, uint64_t change) {
  ++ledger_position_;
  const StateIndex old = state_[n];
  if (old == kNone || Overdrawn(n)) {
    Place(n);
  } else {
    PutInto(n, sum_[old] + change);
  }
}

void NodeStates::PutInto(NodeIndex n, uint64_t sum) {
  if (state_[n] != kNone) Leave(n, state_[n]);
  const StateIndex slot = Intern(n, sum);
  state_[n] = slot;
  Enter(n, slot);
}

bool NodeStates::HoldsRow(StateIndex slot, std::span<const int64_t> row) const {
  const int64_t* key = &keys_[slot * key_size_];
  bool equal = true;
  for (size_t i = 0; i < row.size(); ++i) equal &= key[i] == row[i];
  return equal;
}

bool NodeStates::Overdrawn(NodeIndex n) const {
  const auto idle = ledger_.node(n, kIdle);
  for (size_t d = 0; d < overdraft_.size(); ++d) {
    if (d != kPods && idle[d] < -overdraft_[d]) return true;
  }
  return false;
}

// A sum of products that do not wait for one another.
uint64_t NodeStates::SumOf(std::span<const int64_t> cells) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < cells.size(); ++i) sum += static_cast<uint64_t>(cells[i]) * factors_[i];
  return sum;
}

// Amounts are often multiples of large powers of two, so the differences are in the high bits of
// the sum.
uint64_t NodeStates::HashOf(uint64_t sum) {
  const uint64_t h = (sum ^ (sum >> 32)) * 0x9E3779B97F4A7C15;
  return h ^ (h >> 32);
}

StateIndex NodeStates::Intern(NodeIndex n, uint64_t sum) {
  const std::span<const int64_t> row = ledger_.node_row(n);
  const KindIndex kind = kinds_.kind(n);
  const uint64_t hash = HashOf(sum);
  size_t mask = index_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const StateIndex slot = index_[i];
    if (slot == kNone) break;
    if (slot != kErased && sum_[slot] == sum && kind_[slot] == kind &&
        (share_ || columns_.node[slot] == n) && HoldsRow(slot, row)) {
      return slot;
    }
  }
  StateIndex slot = kNone;
  while (free_.size() - free_begin_ > kSpareSlots) {
    const StateIndex candidate = free_[free_begin_++];
    in_free_[candidate] = 0;
    if (population_[candidate] == 0) {
      slot = candidate;
      break;
    }
  }
  if (free_begin_ > 4096 && free_begin_ * 2 > free_.size()) {
    free_.erase(free_.begin(), free_.begin() + free_begin_);
    free_begin_ = 0;
  }
  if (slot != kNone) {
    EraseFromIndex(slot);
    std::copy(row.begin(), row.end(), keys_.begin() + slot * key_size_);
    members_[slot].clear();
  } else {
    slot = StateIndex(columns_.size++);
    keys_.insert(keys_.end(), row.begin(), row.end());
    sum_.push_back(0);
    kind_.push_back(0);
    population_.push_back(0);
    members_.emplace_back();
    in_free_.push_back(0);
    StateColumns::ForEach(
        /*free=*/true, [](auto& column) { column.push_back(0); }, columns_);
    columns_.head.back() = kNoHead;
  }
  sum_[slot] = sum;
  kind_[slot] = kind;
  Fill(columns_, slot, n);
  FillFree(columns_, slot, n);
  journal_.push_back({slot, 1});
  if ((index_used_ + 1) * 2 > index_.size()) Rehash(4 * (columns_.size + 16));
  mask = index_.size() - 1;
  size_t i = hash & mask;
  while (index_[i] != kNone && index_[i] != kErased) i = (i + 1) & mask;
  index_used_ += index_[i] == kNone;
  index_[i] = slot;
  return slot;
}

double NodeStates::Cell(int64_t value) {
  exact_ &= value <= kLargestExact && value >= -kLargestExact;
  return static_cast<double>(value);
}

void NodeStates::FillFree(StateColumns& columns, StateIndex slot, NodeIndex n) {
  const auto allocatable = ledger_.tables().nodes.allocatable.row(n);
  const auto idle = ledger_.node(n, kIdle);
  const auto releasing = ledger_.node(n, kReleasing);
  const auto pipelined = ledger_.node(n, kPipelined);
  for (size_t d = 0; d < allocatable.size(); ++d) {
    const bool unlimited = d == kPods && allocatable[d] == kAbsent;
    const int64_t shift = unlimited ? (int64_t{1} << 61) - (int64_t{1} << 40) : 0;
    columns.idle[d][slot] = Cell(idle[d] - shift);
    columns.releasing[d][slot] = Cell(releasing[d]);
    columns.future_idle[d][slot] = Cell(idle[d] - shift + releasing[d] - pipelined[d]);
    columns.room[d][slot] = std::min(columns.idle[d][slot], columns.future_idle[d][slot]);
  }
}

// All but what is free.
void NodeStates::Fill(StateColumns& columns, StateIndex slot, NodeIndex n) {
  columns.node[slot] = n;
  columns.devices[slot] = devices_ == nullptr ? 0 : devices_->state(n).value();
  const auto allocatable = ledger_.tables().nodes.allocatable.row(n);
  const auto used = ledger_.node(n, kUsed);
  const auto requested = ledger_.node(n, kRequested);
  for (size_t d = 0; d < allocatable.size(); ++d) {
    columns.used[d][slot] = Cell(used[d]);
    columns.requested[d][slot] = Cell(requested[d]);
    columns.allocatable[d][slot] = Cell(OrZero(allocatable[d]));
  }
  auto busy = [&](DimensionIndex d) {
    const double capacity = columns.allocatable[d][slot];
    return capacity == 0 ? 0.0 : std::min(columns.requested[d][slot] / capacity, 1.0);
  };
  columns.busy_cpu[slot] = busy(kCpu);
  columns.busy_memory[slot] = busy(kMemory);
  columns.scoring_cpu[slot] = Cell(ledger_.scoring_cpu(n));
  columns.scoring_memory[slot] = Cell(ledger_.scoring_memory(n));
  columns.tasks[slot] = Cell(ledger_.tasks_in_view(n));
  columns.task_limit[slot] =
      allocatable[kPods] == kAbsent ? 1e15 : static_cast<double>(allocatable[kPods]);
}

void NodeStates::SetHead(StateIndex slot, NodeIndex n) {
  columns_.head[slot] = n == kNone ? kNoHead : static_cast<double>(n);
  journal_.push_back({slot, 0});
}

void NodeStates::Leave(NodeIndex n, StateIndex slot) {
  --population_[slot];
  if (population_[slot] == 0) {
    --live_;
    SetHead(slot, kNone);
    members_[slot].clear();
    if (!in_free_[slot]) {
      in_free_[slot] = 1;
      free_.push_back(slot);
    }
    return;
  }
  if (head(slot) != n) return;
  auto& heap = members_[slot];
  // `n` is at the top; copies of it and other nodes that left may be there, too.
  state_[n] = kNone;
  while (state_[heap.front()] != slot) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
  }
  SetHead(slot, heap.front());
}

void NodeStates::Enter(NodeIndex n, StateIndex slot) {
  auto& heap = members_[slot];
  if (heap.size() > 2 * population_[slot] + 8) {
    heap.erase(
        std::remove_if(heap.begin(), heap.end(), [&](NodeIndex m) { return state_[m] != slot; }),
        heap.end());
    std::sort(heap.begin(), heap.end());
    heap.erase(std::unique(heap.begin(), heap.end()), heap.end());
  }
  heap.push_back(n);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
  if (population_[slot]++ == 0) {
    ++live_;
    SetHead(slot, n);
  } else if (n < head(slot)) {
    SetHead(slot, n);
  }
}

void NodeStates::EraseFromIndex(StateIndex slot) {
  const size_t mask = index_.size() - 1;
  size_t i = HashOf(sum_[slot]) & mask;
  while (index_[i] != slot) i = (i + 1) & mask;
  index_[i] = kErased;
}

void NodeStates::Rehash(size_t buckets) {
  size_t size = 64;
  while (size < buckets) size *= 2;
  std::vector<StateIndex> old = std::move(index_);
  index_.assign(size, kNone);
  index_used_ = 0;
  for (StateIndex slot : old) {
    if (slot == kNone || slot == kErased) continue;
    size_t i = HashOf(sum_[slot]) & (size - 1);
    while (index_[i] != kNone) i = (i + 1) & (size - 1);
    index_[i] = slot;
    ++index_used_;
  }
}

}  // namespace muster
