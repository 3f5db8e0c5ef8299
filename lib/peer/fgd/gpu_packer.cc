// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/fgd/gpu_packer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace muster {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(MUSTER_NO_MULTIVERSION)
#define MUSTER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define MUSTER_WIDE
#endif

// Sixteen numbers side by side, which both compilers keep in the registers of the machine.
using Lanes = int16_t __attribute__((vector_size(32)));
constexpr size_t kLanes = 16;
constexpr size_t kBlock = 4 * kLanes;  // boards are whole blocks

MUSTER_WIDE int16_t HighestOfBlock(const int16_t* score) {
  Lanes best[4];
  std::memcpy(best, score, sizeof best);
  best[0] = best[1] > best[0] ? best[1] : best[0];
  best[2] = best[3] > best[2] ? best[3] : best[2];
  Lanes all = best[2] > best[0] ? best[2] : best[0];
  // Compares one half with the other.
  Lanes other =
      __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  all = other > all ? other : all;
  other = __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  all = other > all ? other : all;
  other = __builtin_shufflevector(all, all, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  all = other > all ? other : all;
  return std::max<int16_t>(all[0], all[1]);
}

// kNever where it is not allowed.
MUSTER_WIDE void KeepAllowed(const int16_t* score, const int16_t* allowed, size_t count,
                             int16_t* __restrict kept) {
  for (size_t i = 0; i < count; ++i) kept[i] = score[i] < allowed[i] ? score[i] : allowed[i];
}

// The first of the highest. REQUIRES: whole blocks, one at least.
size_t FirstHighest(const std::vector<int16_t>& numbers) {
  int16_t highest = HighestOfBlock(numbers.data());
  size_t at = 0;
  for (size_t begin = kBlock; begin < numbers.size(); begin += kBlock) {
    const int16_t of_block = HighestOfBlock(numbers.data() + begin);
    if (of_block <= highest) continue;
    highest = of_block;
    at = begin;
  }
  while (numbers[at] != highest) ++at;
  return at;
}

// Everything is compared without a branch, because which comparison fails first cannot be
// predicted.
bool Fits(const GpuTaskType& task, const PackedMachine& m) {
  bool fits = task.cpu_milli <= m.cpu_milli;
  fits &= task.memory <= m.memory;
  fits &= task.gpu_milli <= m.most;
  fits &= (task.gpu_milli == kWholeGpu ? task.gpus : 0) <= m.whole;
  fits &= task.gpus == 0 || (task.model_mask >> m.model & 1) != 0;
  return fits;
}

}  // namespace

GpuPacker::GpuPacker(PackingPolicy policy, const std::vector<GpuMachine>& machines,
                     std::vector<GpuTaskType> types, GpuFragments fragments, uint64_t seed,
                     bool measured)
    : policy_(policy),
      measured_(measured),
      types_(std::move(types)),
      changes_(machines.size()),
      board_of_(types_.size(), kUntouched),
      hopeless_(types_.size(), 0),
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
  if (policy_ == PackingPolicy::kRandom) fit_sets_.emplace(types_, machines_);
  if (policy_ == PackingPolicy::kFragments) sigmoid_.emplace();
}

GpuPlace GpuPacker::Place(uint32_t type) {
  if (hopeless_[type]) return {};
  const size_t chosen = Choose(type);
  if (chosen == machines_.size()) {
    hopeless_[type] = 1;
    return {};
  }
  const GpuTaskType& task = types_[type];
  PackedMachine& m = machines_[chosen];
  const uint32_t gpus = ChooseGpus(task, m);
  Take(task, gpus, &m);
  if (fit_sets_.has_value()) fit_sets_->Lower(chosen, m);
  changes_.Note(chosen);
  return {static_cast<int32_t>(chosen), gpus};
}

GpuPacker::Board* GpuPacker::BoardOf(uint32_t type) {
  uint32_t& number = board_of_[type];
  if (number != kUntouched) return &boards_[number];
  GpuTaskType asked = types_[type];
  asked.model_mask = ~0ULL;
  for (number = 0; number < boards_.size(); ++number) {
    if (boards_[number].asked == asked) return &boards_[number];
  }
  Board& board = boards_.emplace_back();
  board.asked = asked;
  Open(&board);
  return &board;
}

// Machines that began equal and did not change since have one number.
void GpuPacker::Open(Board* board) {
  const GpuTaskType& task = board->asked;
  if (policy_ == PackingPolicy::kFragments) board->demand = DemandOf(task);
  constexpr int32_t kUnknown = 1 << 20;
  std::vector<int32_t> of_kind(kinds_, kUnknown);
  board->score.reserve(machines_.size() + kBlock);
  for (size_t m = 0; m < machines_.size(); ++m) {
    int32_t score = changes_.Changed(m) ? kUnknown : of_kind[kind_[m]];
    if (score == kUnknown) {
      score = Fits(task, machines_[m]) ? Score(board, machines_[m]) : kNever;
      if (!changes_.Changed(m)) of_kind[kind_[m]] = score;
    }
    board->score.push_back(static_cast<int16_t>(score));
    board->fitting += score != kNever;
  }
  board->score.resize((machines_.size() + kBlock - 1) / kBlock * kBlock, kNever);
  for (size_t begin = 0; begin < board->score.size(); begin += kBlock) {
    board->bound.push_back(HighestOfBlock(board->score.data() + begin));
  }
  board->loose.assign(board->bound.size(), 0);
  board->bound.resize((board->bound.size() + kBlock - 1) / kBlock * kBlock, kNever);
  board->read = changes_.now();
}

size_t GpuPacker::DemandOf(const GpuTaskType& task) {
  const auto known = std::find_if(demands_.begin(), demands_.end(), [&](const Demand& d) {
    return d.cpu_milli == task.cpu_milli && d.gpu_milli == task.gpu_milli && d.gpus == task.gpus;
  });
  const auto number = static_cast<size_t>(known - demands_.begin());
  if (known == demands_.end()) {
    demands_.push_back({task.cpu_milli, task.gpu_milli, task.gpus, {}});
  }
  return number;
}

void GpuPacker::Refresh(Board* board) {
  if (board->fitting > 0) {
    changes_.Since(board->read, [this, board](size_t m) {
      if (board->score[m] != kNever) Update(board, m);
    });
  }
  board->read = changes_.now();
}

void GpuPacker::Update(Board* board, size_t m) {
  const int16_t old = board->score[m];
  const int16_t score = Fits(board->asked, machines_[m]) ? Score(board, machines_[m]) : kNever;
  board->score[m] = score;
  board->fitting -= score == kNever;
  int16_t& bound = board->bound[m / kBlock];
  if (score >= bound) {
    bound = score;
    board->loose[m / kBlock] = 0;
  } else if (old == bound) {
    board->loose[m / kBlock] = 1;
  }
}

size_t GpuPacker::Choose(uint32_t type) {
  if (policy_ == PackingPolicy::kRandom) {
    const size_t fitting = fit_sets_->Find(type);
    if (fitting == 0) return machines_.size();
    return fit_sets_->Found(fitting > 1 ? rng_.Below(fitting) : 0);
  }
  Board* const board = BoardOf(type);
  Refresh(board);
  if (board->fitting == 0) return machines_.size();
  size_t block = FirstHighest(board->bound);
  while (board->loose[block]) {
    board->bound[block] = HighestOfBlock(board->score.data() + block * kBlock);
    board->loose[block] = 0;
    block = FirstHighest(board->bound);
  }
  size_t m = block * kBlock;
  while (board->score[m] != board->bound[block]) ++m;
  return Fits(types_[type], machines_[m]) ? m : ChooseAllowed(types_[type], *board);
}

size_t GpuPacker::ChooseAllowed(const GpuTaskType& task, const Board& board) {
  auto filter = std::find_if(filters_.begin(), filters_.end(), [&](const Filter& known) {
    return known.model_mask == task.model_mask;
  });
  if (filter == filters_.end()) {
    filter = filters_.insert(filter,
                             {task.model_mask, std::vector<int16_t>(board.score.size(), kNever)});
    for (size_t m = 0; m < machines_.size(); ++m) {
      if ((task.model_mask >> machines_[m].model & 1) != 0) filter->allowed[m] = kAlways;
    }
  }
  kept_.resize(board.score.size());
  KeepAllowed(board.score.data(), filter->allowed.data(), kept_.size(), kept_.data());
  const size_t m = FirstHighest(kept_);
  return kept_[m] == kNever ? machines_.size() : m;
}

int16_t GpuPacker::Score(Board* board, const PackedMachine& m) {
  if (policy_ != PackingPolicy::kFragments) return PackingScore(policy_, board->asked, m);
  const uint32_t after = fragments_.LevelOf(m.cpu_milli - board->asked.cpu_milli);
  const uint64_t key = uint64_t{m.state} << 32 | m.level << 16 | after;
  const auto [known, added] = demands_[board->demand].known.try_emplace(key);
  if (added) known->second = FragmentScore(board->asked, m, after);
  return known->second;
}

int16_t GpuPacker::FragmentScore(const GpuTaskType& task, const PackedMachine& m, uint32_t after) {
  const double before = fragments_.Amount(m.state, m.level);
  if (task.gpus == 0) return (*sigmoid_)(before - fragments_.Amount(m.state, after));
  if (task.gpu_milli == kWholeGpu) {
    const GpuFragments::State state = fragments_.TakeWhole(m.state, task.gpus);
    return (*sigmoid_)(before - fragments_.Amount(state, after));
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

int16_t GpuPacker::PartScore(const GpuTaskType& task, uint32_t state, size_t place, double before,
                             uint32_t after) {
  return (*sigmoid_)(before -
                     fragments_.Amount(fragments_.TakePart(state, place, task.gpu_milli), after));
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
    const auto place = static_cast<size_t>(std::lower_bound(lefts.begin(), lefts.end(), m.left[i]) -
                                           lefts.begin());
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
