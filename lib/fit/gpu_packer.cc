// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/gpu_packer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace muster {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(MUSTER_NO_MULTIVERSION)
#define MUSTER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define MUSTER_WIDE
#endif

// Sixteen numbers side by side, which both compilers keep in registers of what width there is.
using Lanes = int16_t __attribute__((vector_size(32)));
constexpr size_t kLanes = 16;
constexpr size_t kBlock = 4 * kLanes;  // boards are whole blocks

MUSTER_WIDE int16_t HighestOfBlock(const int16_t* score) {
  Lanes best[4];
  std::memcpy(best, score, sizeof best);
  best[0] = best[1] > best[0] ? best[1] : best[0];
  best[2] = best[3] > best[2] ? best[3] : best[2];
  best[0] = best[2] > best[0] ? best[2] : best[0];
  int16_t highest = best[0][0];
  for (size_t k = 1; k < kLanes; ++k) highest = std::max<int16_t>(highest, best[0][k]);
  return highest;
}

// How many of a block's numbers are `value`.
MUSTER_WIDE uint32_t CountEqual(const int16_t* score, int16_t value) {
  Lanes equal = {};
  for (size_t k = 0; k < 4; ++k) {
    Lanes lanes;
    std::memcpy(&lanes, score + k * kLanes, sizeof lanes);
    equal -= lanes == value;
  }
  uint32_t count = 0;
  for (size_t k = 0; k < kLanes; ++k) count += static_cast<uint32_t>(equal[k]);
  return count;
}

// The machine that fits and has so many before it that fit. REQUIRES: there is one.
size_t NthFitting(const std::vector<int16_t>& score, uint64_t nth, int16_t never) {
  size_t at = 0;
  for (;; at += kBlock) {
    const uint64_t fitting = kBlock - CountEqual(score.data() + at, never);
    if (nth < fitting) break;
    nth -= fitting;
  }
  while (score[at] == never || nth-- > 0) ++at;
  return at;
}

bool Fits(const GpuTaskType& task, const PackedMachine& m) {
  if (task.cpu_milli > m.cpu_milli || task.memory > m.memory) return false;
  if (task.gpus == 0) return true;
  if ((task.model_mask >> m.model & 1) == 0) return false;
  return task.gpu_milli < kWholeGpu ? m.most >= task.gpu_milli : m.whole >= task.gpus;
}

}  // namespace

GpuPacker::GpuPacker(PackingPolicy policy, const std::vector<GpuMachine>& machines,
                     std::vector<GpuTaskType> types, GpuFragments fragments, uint64_t seed,
                     bool measured)
    : policy_(policy),
      measured_(measured),
      types_(std::move(types)),
      newest_(machines.size(), kUntouched),
      boards_(types_.size()),
      fragments_(std::move(fragments)),
      rng_(seed) {
  std::map<std::tuple<int64_t, int64_t, int32_t, int32_t>, uint32_t> kinds;
  for (const GpuMachine& given : machines) {
    PackedMachine& m = machines_.emplace_back();
    m.cpu_milli = given.cpu_milli;
    m.memory = given.memory;
    m.gpus = given.gpus;
    m.model = given.model;
    m.total = given.gpus * kWholeGpu;
    m.whole = given.gpus;
    m.most = given.gpus > 0 ? kWholeGpu : 0;
    std::fill_n(m.left.begin(), given.gpus, static_cast<int16_t>(kWholeGpu));
    m.level = fragments_.LevelOf(m.cpu_milli);
    m.state = fragments_.StateOf(m.model, m.gpus, m.left);
    const auto kind = std::tuple(given.cpu_milli, given.memory, given.gpus, given.model);
    kind_.push_back(kinds.try_emplace(kind, static_cast<uint32_t>(kinds.size())).first->second);
  }
  kinds_ = static_cast<uint32_t>(kinds.size());
}

GpuPlace GpuPacker::Place(uint32_t type) {
  Board& board = boards_[type];
  if (board.score.empty()) {
    Open(type);
  } else if (board.fitting == 0) {
    return {};
  } else if (log_.size() - board.read < machines_.size()) {
    for (size_t i = board.read; i < log_.size(); ++i) {
      if (newest_[log_[i]] == i) Update(type, log_[i]);
    }
  } else {
    for (size_t m = 0; m < machines_.size(); ++m) Update(type, m);
  }
  board.read = log_.size();
  if (board.fitting == 0) return {};
  const size_t chosen =
      policy_ != PackingPolicy::kRandom
          ? FirstHighest(&board)
          : NthFitting(board.score, board.fitting > 1 ? rng_.Below(board.fitting) : 0, kNever);
  const GpuTaskType& task = types_[type];
  PackedMachine& m = machines_[chosen];
  const uint32_t gpus = ChooseGpus(task, m);
  Take(task, gpus, &m);
  newest_[chosen] = static_cast<uint32_t>(log_.size());
  log_.push_back(static_cast<uint32_t>(chosen));
  return {static_cast<int32_t>(chosen), gpus};
}

size_t GpuPacker::FirstHighest(Board* board) {
  for (uint32_t block : board->stale) {
    board->highest[block] = HighestOfBlock(board->score.data() + block * kBlock);
  }
  board->stale.clear();
  const auto block = std::max_element(board->highest.begin(), board->highest.end());
  const auto begin =
      board->score.begin() + (block - board->highest.begin()) * static_cast<ptrdiff_t>(kBlock);
  return static_cast<size_t>(std::find(begin, begin + kBlock, *block) - board->score.begin());
}

// The first board of a type: machines that began alike and are as they were have one number.
void GpuPacker::Open(uint32_t type) {
  Board& board = boards_[type];
  const GpuTaskType& task = types_[type];
  if (policy_ == PackingPolicy::kFragments) board.demand = DemandOf(task);
  constexpr int32_t kUnknown = 1 << 20;
  std::vector<int32_t> of_kind(kinds_, kUnknown);
  board.score.reserve(machines_.size() + kBlock);
  for (size_t m = 0; m < machines_.size(); ++m) {
    int32_t score = newest_[m] != kUntouched ? kUnknown : of_kind[kind_[m]];
    if (score == kUnknown) {
      score = Fits(task, machines_[m]) ? Score(type, machines_[m]) : kNever;
      if (newest_[m] == kUntouched) of_kind[kind_[m]] = score;
    }
    board.score.push_back(static_cast<int16_t>(score));
    board.fitting += score != kNever;
  }
  board.score.resize((machines_.size() + kBlock - 1) / kBlock * kBlock, kNever);
  for (size_t begin = 0; begin < board.score.size(); begin += kBlock) {
    board.highest.push_back(HighestOfBlock(board.score.data() + begin));
  }
}

size_t GpuPacker::DemandOf(const GpuTaskType& task) {
  for (size_t i = 0; i < demands_.size(); ++i) {
    const Demand& known = demands_[i];
    if (known.cpu_milli == task.cpu_milli && known.gpu_milli == task.gpu_milli &&
        known.gpus == task.gpus) {
      return i;
    }
  }
  Demand demand{task.cpu_milli, task.gpu_milli, task.gpus, {}, {0}, {}};
  for (int64_t request : fragments_.requests()) {
    demand.cuts.push_back(request);
    demand.cuts.push_back(request + task.cpu_milli);
  }
  std::sort(demand.cuts.begin(), demand.cuts.end());
  demand.cuts.erase(std::unique(demand.cuts.begin(), demand.cuts.end()), demand.cuts.end());
  for (int64_t cut : demand.cuts) {
    demand.level_after.push_back(fragments_.LevelOf(cut - task.cpu_milli));
  }
  demands_.push_back(std::move(demand));
  return demands_.size() - 1;
}

void GpuPacker::Update(uint32_t type, size_t m) {
  Board& board = boards_[type];
  const int16_t old = board.score[m];
  if (old == kNever) return;
  const int16_t score = Fits(types_[type], machines_[m]) ? Score(type, machines_[m]) : kNever;
  if (score == old) return;
  board.score[m] = score;
  board.fitting -= score == kNever;
  int16_t& highest = board.highest[m / kBlock];
  if (score >= highest) {
    highest = score;
  } else if (old == highest) {
    // Below everything, so that it is noted once at most for each number that rises meanwhile.
    highest = kNever;
    board.stale.push_back(static_cast<uint32_t>(m / kBlock));
  }
}

int16_t GpuPacker::Score(uint32_t type, const PackedMachine& m) {
  if (policy_ != PackingPolicy::kFragments) return PackingScore(policy_, types_[type], m);
  Demand& demand = demands_[boards_[type].demand];
  const uint32_t place = CountNotAbove(demand.cuts, m.cpu_milli);
  const auto [known, added] = demand.known.try_emplace(uint64_t{place} << 32 | m.state);
  if (added) known->second = FragmentScore(types_[type], m, demand.level_after[place]);
  return known->second;
}

int16_t GpuPacker::FragmentScore(const GpuTaskType& task, const PackedMachine& m, uint32_t after) {
  const double before = fragments_.Amount(m.state, m.level);
  if (task.gpus == 0) return sigmoid_(before - fragments_.Amount(m.state, after));
  if (task.gpu_milli == kWholeGpu) {
    const GpuFragments::State state = fragments_.TakeWhole(m.state, task.gpus);
    return sigmoid_(before - fragments_.Amount(state, after));
  }
  int16_t best = -1;
  int32_t last = -1;  // equal GPUs have equal numbers
  for (size_t i = 0; i < static_cast<size_t>(m.gpus); ++i) {
    const int32_t left = fragments_.Lefts(m.state)[i];
    if (left < task.gpu_milli || left == last) continue;
    last = left;
    best = std::max(best, PartScore(task, m.state, i, before, after));
  }
  return best;
}

int16_t GpuPacker::PartScore(const GpuTaskType& task, uint32_t state, size_t place, double before, uint32_t after) {
  return sigmoid_(before - fragments_.Amount(fragments_.TakePart(state, place, task.gpu_milli), after));
}

uint32_t GpuPacker::ChooseGpus(const GpuTaskType& task, const PackedMachine& m) {
  if (task.gpus == 0) return 0;
  if (task.gpu_milli < kWholeGpu) return 1U << ChooseShared(task, m);
  uint32_t chosen = 0;
  int32_t missing = task.gpus;
  for (int32_t i = 0; missing > 0; ++i) {
    if (m.left[static_cast<size_t>(i)] < kWholeGpu) continue;
    chosen |= 1U << i;
    --missing;
  }
  return chosen;
}

size_t GpuPacker::ChooseShared(const GpuTaskType& task, const PackedMachine& m) {
  const auto gpus = static_cast<size_t>(m.gpus);
  if (policy_ == PackingPolicy::kRandom) {
    uint64_t fitting = 0;
    for (size_t i = 0; i < gpus; ++i) fitting += m.left[i] >= task.gpu_milli;
    uint64_t nth = fitting > 1 ? rng_.Below(fitting) : 0;
    size_t i = 0;
    while (m.left[i] < task.gpu_milli || nth-- > 0) ++i;
    return i;
  }
  size_t chosen = gpus;
  if (policy_ != PackingPolicy::kFragments) {
    for (size_t i = 0; i < gpus; ++i) {
      if (m.left[i] < task.gpu_milli) continue;
      if (chosen == gpus || m.left[i] < m.left[chosen]) chosen = i;
    }
    return chosen;
  }
  const double before = fragments_.Amount(m.state, m.level);
  const uint32_t after = fragments_.LevelOf(m.cpu_milli - task.cpu_milli);
  int16_t best = -1;
  for (size_t i = 0; i < gpus; ++i) {
    if (m.left[i] < task.gpu_milli) continue;
    const std::span<const int16_t> lefts = fragments_.Lefts(m.state);
    const auto place = static_cast<size_t>(
        std::lower_bound(lefts.begin(), lefts.end(), m.left[i]) - lefts.begin());
    const int16_t score = PartScore(task, m.state, place, before, after);
    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return chosen;
}

void GpuPacker::Take(const GpuTaskType& task, uint32_t gpus, PackedMachine* m) {
  m->cpu_milli -= task.cpu_milli;
  m->memory -= task.memory;
  if (measures()) m->level = fragments_.LevelOf(m->cpu_milli);
  if (task.gpus == 0) return;
  m->tags |= task.gpu_milli < kWholeGpu ? 1 : 1U << task.gpus;
  m->total -= task.gpus * task.gpu_milli;
  m->most = m->whole = 0;
  for (size_t i = 0; i < static_cast<size_t>(m->gpus); ++i) {
    if ((gpus >> i & 1) != 0) m->left[i] = static_cast<int16_t>(m->left[i] - task.gpu_milli);
    m->most = std::max<int32_t>(m->most, m->left[i]);
    m->whole += m->left[i] == kWholeGpu;
  }
  if (measures()) m->state = fragments_.StateOf(m->model, m->gpus, m->left);
}

}  // namespace muster
