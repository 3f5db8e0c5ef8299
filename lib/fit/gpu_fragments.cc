// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/gpu_fragments.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace muster {
namespace {

// Classes of fragments, in the order in which they are added.
enum Class : uint8_t { kQ1, kQ2, kQ4, kXl, kXr, kNa, kClasses };

// What is known of a typical task and a model, times four.
enum Outlook : uint8_t { kNeedsGpus = 0, kNeedsNone = 4, kOtherModel = 8 };
// By outlook, plus 1 where cpu suffices, plus 2 where GPUs do.
constexpr Class kClassOf[] = {kQ1, kQ2, kQ4, kQ2, kXr, kXl, kXr, kXl, kNa, kNa, kNa, kNa};
constexpr size_t kSatisfied = kNeedsGpus + 1 + 2;

template <class T>
void SortUnique(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

}  // namespace

std::vector<TypicalTask> TypicalTasks(std::vector<GpuTaskKind> kinds, int64_t percent,
                                      size_t most) {
  std::sort(kinds.begin(), kinds.end(), [](const GpuTaskKind& a, const GpuTaskKind& b) {
    return std::tie(b.count, b.cpu_milli, b.gpu_milli, b.gpus, b.models) <
           std::tie(a.count, a.cpu_milli, a.gpu_milli, a.gpus, a.models);
  });
  int64_t total = 0, taken = 0;
  for (const GpuTaskKind& kind : kinds) total += kind.count;
  size_t last = 0;
  const size_t end = std::min(kinds.size(), most);
  for (; last < end && 100 * taken < percent * total; ++last) taken += kinds[last].count;
  std::vector<TypicalTask> typical;
  for (size_t i = 0; i < last; ++i) {
    const GpuTaskKind& kind = kinds[i];
    const double weight = (static_cast<double>(kind.count) / static_cast<double>(total)) /
                          (static_cast<double>(taken) / static_cast<double>(total));
    typical.push_back({kind.cpu_milli, kind.gpu_milli, kind.gpus, kind.model_mask, weight});
  }
  return typical;
}

GpuFragments::GpuFragments(std::vector<TypicalTask> typical, int32_t models)
    : typical_(std::move(typical)) {
  for (const TypicalTask& task : typical_) {
    requests_.push_back(task.cpu_milli);
    shares_.push_back(task.gpu_milli);
  }
  SortUnique(&requests_);
  constexpr int32_t kOutOfReach = std::numeric_limits<int32_t>::max();
  for (int64_t request : requests_) {
    padded_requests_.push_back(static_cast<int32_t>(std::min<int64_t>(request, kOutOfReach)));
  }
  padded_requests_.resize((requests_.size() + 7) / 8 * 8, kOutOfReach);
  SortUnique(&shares_);
  for (const TypicalTask& task : typical_) {
    request_level_.push_back(static_cast<uint32_t>(
        std::lower_bound(requests_.begin(), requests_.end(), task.cpu_milli) - requests_.begin()));
    share_place_.push_back(static_cast<uint32_t>(
        std::lower_bound(shares_.begin(), shares_.end(), task.gpu_milli) - shares_.begin()));
  }
  for (int32_t model = 0; model < models; ++model) {
    std::vector<uint8_t> outlooks;
    for (const TypicalTask& task : typical_) {
      const bool accepted = (task.model_mask >> model & 1) != 0;
      outlooks.push_back(task.gpu_milli == 0 ? kNeedsNone : accepted ? kNeedsGpus : kOtherModel);
    }
    const auto known = std::find(outlooks_.begin(), outlooks_.end(), outlooks);
    kin_.push_back(static_cast<int16_t>(known - outlooks_.begin()));
    if (known == outlooks_.end()) outlooks_.push_back(std::move(outlooks));
  }
}

GpuFragments::State GpuFragments::StateOf(int32_t model, int32_t gpus, const GpuLefts& left) {
  Key key;
  key.left = left;
  key.gpus = static_cast<int16_t>(gpus);
  key.kin = kin_[static_cast<size_t>(model)];
  std::sort(key.left.begin(), key.left.begin() + gpus);
  return Intern(key);
}

GpuFragments::State GpuFragments::TakeWhole(State state, int32_t gpus) {
  // The GPUs with nothing taken are the last; taken whole, they are the first.
  Key key = keys_[state];
  const auto begin = key.left.begin(), end = begin + key.gpus;
  std::fill(end - gpus, end, 0);
  std::rotate(begin, end - gpus, end);
  return Intern(key);
}

GpuFragments::State GpuFragments::TakePart(State state, size_t place, int32_t gpu_milli) {
  Key key = keys_[state];
  const auto rest = static_cast<int16_t>(key.left[place] - gpu_milli);
  for (; place > 0 && key.left[place - 1] > rest; --place) key.left[place] = key.left[place - 1];
  key.left[place] = rest;
  return Intern(key);
}

GpuFragments::State GpuFragments::Intern(const Key& key) {
  const auto [at, added] = states_.try_emplace(key, static_cast<State>(keys_.size()));
  if (added) {
    keys_.push_back(key);
    amounts_.resize(keys_.size() * (requests_.size() + 1), -1);
  }
  return at->second;
}

double GpuFragments::Measure(const Key& key, uint32_t level) const {
  int32_t total = 0;
  for (int16_t i = 0; i < key.gpus; ++i) total += key.left[static_cast<size_t>(i)];
  // By share: the number of GPUs with at least so much left, and the sum of what is left on the
  // others.
  absl::InlinedVector<std::pair<int32_t, int32_t>, 32> fits(shares_.size());
  int32_t below = 0, amount_below = 0;
  for (size_t i = 0; i < shares_.size(); ++i) {
    while (below < key.gpus && key.left[static_cast<size_t>(below)] < shares_[i]) {
      amount_below += key.left[static_cast<size_t>(below++)];
    }
    fits[i] = {key.gpus - below, amount_below};
  }
  double sums[kClasses] = {};
  const std::vector<uint8_t>& outlooks = outlooks_[static_cast<size_t>(key.kin)];
  for (size_t m = 0; m < typical_.size(); ++m) {
    const auto [count, too_small] = fits[share_place_[m]];
    const size_t at = size_t{outlooks[m]} + static_cast<size_t>(level > request_level_[m]) +
                      2 * static_cast<size_t>(count >= typical_[m].gpus);
    sums[kClassOf[at]] += typical_[m].weight * (at == kSatisfied ? too_small : total);
  }
  double amount = 0;
  for (double sum : sums) amount += sum;
  return amount;
}

}  // namespace muster
