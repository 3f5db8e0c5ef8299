// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/fgd/gpu_packing.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "lib/base/math.h"

namespace muster::reference {
namespace {

constexpr size_t kNoGpu = ~size_t{0};

std::string TagOf(const PackingTask& task) {
  return task.milli < 1000 ? "share" : std::to_string(task.gpus);
}

int64_t LeftOf(const Packing::Machine& machine) {
  return std::accumulate(machine.left.begin(), machine.left.end(), int64_t{0});
}

int64_t FreeOf(const Packing::Machine& machine) {
  return std::count(machine.left.begin(), machine.left.end(), 1000);
}

bool Accepts(const PackingTask& task, const std::string& model) {
  return task.models.empty() ||
         std::find(task.models.begin(), task.models.end(), model) != task.models.end();
}

int64_t CountWith(const Packing::Machine& machine, int64_t milli) {
  return std::count_if(machine.left.begin(), machine.left.end(),
                       [&](int64_t left) { return left >= milli; });
}

bool Fits(const PackingTask& task, const Packing::Machine& machine) {
  if (task.cpu > machine.cpu || task.memory > machine.memory) return false;
  if (task.milli == 0) return true;
  return Accepts(task, machine.model) && CountWith(machine, task.milli) >= task.gpus;
}

// The GPU with the least left that is enough.
size_t Tightest(const PackingTask& task, const Packing::Machine& machine) {
  size_t found = kNoGpu;
  for (size_t i = 0; i < machine.left.size(); ++i) {
    if (machine.left[i] < task.milli) continue;
    if (found == kNoGpu || machine.left[i] < machine.left[found]) found = i;
  }
  return found;
}

}  // namespace

Packing::Packing(std::string policy, std::vector<Machine> machines,
                 const std::vector<PackingTask>& list, uint64_t seed)
    : policy_(std::move(policy)), machines_(std::move(machines)), rng_(seed) {
  using Kind = std::tuple<int64_t, int64_t, int64_t, std::string>;
  std::map<Kind, std::pair<size_t, PackingTask>> kinds;
  for (const PackingTask& task : list) {
    std::string words;
    for (const std::string& model : task.models) words += (words.empty() ? "" : "|") + model;
    auto& [count, example] = kinds[{task.cpu, task.milli, task.gpus, words}];
    ++count;
    example = task;
  }
  std::vector<std::tuple<size_t, Kind, PackingTask>> sorted;
  for (const auto& [kind, entry] : kinds) sorted.emplace_back(entry.first, kind, entry.second);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) > std::tie(std::get<0>(b), std::get<1>(b));
  });
  const auto total = static_cast<double>(list.size());
  size_t covered = 0, taken = 0;
  while (taken < sorted.size() && static_cast<double>(covered) < 0.95 * total) {
    covered += std::get<0>(sorted[taken++]);
  }
  for (size_t i = 0; i < taken; ++i) {
    const auto& [count, kind, task] = sorted[i];
    typical_.push_back(
        {task, (static_cast<double>(count) / total) / (static_cast<double>(covered) / total)});
  }
}

double Packing::Fragments(const Machine& machine) const {
  double q1 = 0, q2 = 0, q4 = 0, xl = 0, xr = 0, na = 0;
  const auto all = static_cast<double>(LeftOf(machine));
  for (const auto& [task, weight] : typical_) {
    const bool cpu = machine.cpu >= task.cpu;
    const bool gpu = CountWith(machine, task.milli) >= task.gpus;
    if (task.milli == 0) {
      (cpu ? xl : xr) += weight * all;
    } else if (!Accepts(task, machine.model)) {
      na += weight * all;
    } else if (cpu && gpu) {
      double small = 0;
      for (int64_t left : machine.left) {
        if (left < task.milli) small += static_cast<double>(left);
      }
      q2 += weight * small;
    } else if (gpu) {
      q4 += weight * all;
    } else {
      (cpu ? q2 : q1) += weight * all;
    }
  }
  return q1 + q2 + q4 + xl + xr + na;
}

int64_t Packing::FragmentScore(const PackingTask& task, const Machine& machine, size_t* gpu) const {
  const auto sigmoid = [&](const Machine& after) {
    const double d = Fragments(machine) - Fragments(after);
    return static_cast<int64_t>((1 / (1 + Exp(-d / 1000))) * 100);
  };
  Machine after = machine;
  after.cpu -= task.cpu;
  if (task.milli == 0) return sigmoid(after);
  if (task.milli == 1000) {
    int64_t missing = task.gpus;
    for (int64_t& left : after.left) {
      if (left == 1000 && missing-- > 0) left = 0;
    }
    return sigmoid(after);
  }
  int64_t best = -1;
  for (size_t i = 0; i < machine.left.size(); ++i) {
    if (machine.left[i] < task.milli) continue;
    after.left = machine.left;
    after.left[i] -= task.milli;
    if (const int64_t score = sigmoid(after); score > best) {
      best = score;
      *gpu = i;
    }
  }
  return best;
}

int64_t Packing::Score(const PackingTask& task, const Machine& machine, size_t* gpu) const {
  const auto cpu = static_cast<double>(machine.cpu), need_cpu = static_cast<double>(task.cpu),
             left = static_cast<double>(LeftOf(machine)),
             need = static_cast<double>(task.milli * task.gpus);
  *gpu = Tightest(task, machine);
  if (policy_ == "fgd") return FragmentScore(task, machine, gpu);
  if (policy_ == "fgd:best-fit") {
    const double rest = 0.5 * (cpu - need_cpu) / 128000 + 0.5 * (left - need) / 8000;
    return static_cast<int64_t>((1 - rest) * 100);
  }
  if (policy_ == "fgd:dotprod") {
    const double v = ((cpu / 128000) * (need_cpu / 128000) + (left / 8000) * (need / 8000)) / 2;
    return static_cast<int64_t>(100 * (1 - v));
  }
  if (task.milli == 0) return 0;
  if (policy_ == "fgd:gpu-packing") {
    const int64_t free = FreeOf(machine);
    if (free == static_cast<int64_t>(machine.left.size())) return std::max(33 - free, free);
    std::vector<int64_t> lefts = machine.left;
    std::stable_sort(lefts.begin(), lefts.end());
    int64_t use = 0, percent = 0, found = 0;
    for (int64_t amount : lefts) {
      if (amount < task.milli || found == task.gpus) continue;
      ++found;
      use += amount == 1000;
      percent += amount * 100 / 1000;
    }
    if (use > 0) return std::max<int64_t>(50 - use, 33);
    return std::max<int64_t>(100 - percent / 10, 50);
  }
  // fgd:gpu-clustering
  const int64_t fuller = 25 * (8000 - LeftOf(machine)) / 8000;
  if (machine.tags.contains(TagOf(task))) return fuller + (machine.tags.size() == 1 ? 75 : 50);
  return fuller + (machine.tags.empty() ? 25 : 0);
}

std::optional<Packing::Answer> Packing::Place(const PackingTask& task) {
  std::vector<size_t> fitting;
  for (size_t m = 0; m < machines_.size(); ++m) {
    if (Fits(task, machines_[m])) fitting.push_back(m);
  }
  if (fitting.empty()) return std::nullopt;
  Answer answer{fitting[0], {}};
  size_t gpu = kNoGpu;
  if (policy_ == "fgd:random") {
    if (fitting.size() > 1) answer.machine = fitting[rng_.Below(fitting.size())];
    const Machine& machine = machines_[answer.machine];
    std::vector<size_t> enough;
    for (size_t i = 0; i < machine.left.size(); ++i) {
      if (machine.left[i] >= task.milli) enough.push_back(i);
    }
    if (task.milli > 0 && task.milli < 1000) {
      gpu = enough[enough.size() > 1 ? rng_.Below(enough.size()) : 0];
    }
  } else {
    std::optional<int64_t> best;
    for (size_t m : fitting) {
      size_t chosen = kNoGpu;
      const int64_t score = Score(task, machines_[m], &chosen);
      if (best.has_value() && score <= *best) continue;
      best = score;
      answer.machine = m;
      gpu = chosen;
    }
  }
  Machine& machine = machines_[answer.machine];
  if (task.milli == 1000) {
    for (size_t i = 0; i < machine.left.size(); ++i) {
      if (machine.left[i] == 1000 && answer.gpus.size() < static_cast<size_t>(task.gpus)) {
        answer.gpus.insert(i);
      }
    }
  } else if (task.milli > 0) {
    answer.gpus.insert(gpu);
  }
  machine.cpu -= task.cpu;
  machine.memory -= task.memory;
  for (size_t i : answer.gpus) machine.left[i] -= task.milli;
  if (task.milli > 0) machine.tags.insert(TagOf(task));
  return answer;
}

}  // namespace muster::reference
