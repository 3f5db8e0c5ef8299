// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/share/rate_filling.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/numeric/int128.h"
#include "lib/share/matrix_game.h"

namespace muster {
namespace {

using Wide = absl::int128;

constexpr int64_t kWholeLoad = int64_t{1} << 20;  // all machines of a type
constexpr int64_t kBoundParts = 1 << 24;          // bounds are found up to this part of them
constexpr int64_t kMostLoad = int64_t{1} << 60;
constexpr size_t kMostAnswers = 400;  // of a phase

class RateFiller {
 public:
  RateFiller(const std::vector<RateJob>& jobs, const std::vector<int64_t>& machines)
      : jobs_(jobs),
        machines_(machines),
        types_(machines.size()),
        gap_parts_(200 * (static_cast<int64_t>(machines.size()) + 1)),
        is_open_(types_, 1),
        is_bound_(jobs.size(), 0),
        target_(jobs.size(), 0),
        cap_(jobs.size(), 0),
        hull_size_(jobs.size(), 0),
        hull_(jobs.size() * types_, 0),
        by_rate_(jobs.size() * types_, 0) {
    plan_.time.assign(jobs.size(), std::vector<int64_t>(types_, 0));
    plan_.level = plan_.bound = target_;
    for (size_t m = 0; m < jobs.size(); ++m) {
      const auto begin = by_rate_.begin() + static_cast<std::ptrdiff_t>(m * types_);
      std::iota(begin, begin + static_cast<std::ptrdiff_t>(types_), 0);
      std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(types_),
                       [&](uint32_t a, uint32_t b) { return Rate(m, a) < Rate(m, b); });
    }
  }

  RatePlan Fill() {
    while (RunPhase()) {
    }
    return std::move(plan_);
  }

 private:
  // Prices, and what all jobs buy at them to reach the level of this phase.
  struct Answer {
    std::vector<int64_t> prices;
    int64_t level = 0;
    std::vector<int64_t> loads;  // by type, in kWholeLoad
  };

  int64_t Rate(size_t m, size_t j) const { return machines_[j] > 0 ? jobs_[m].rate[j] : 0; }
  bool MayUse(size_t m, size_t j) const {
    return Rate(m, j) > 0 && (is_bound_[m] != 0 || is_open_[j] != 0);
  }
  int64_t Target(size_t m, int64_t level) const {
    return is_bound_[m] != 0 ? target_[m] : std::min(level, cap_[m]);
  }

  // Finds the highest least level of jobs that are not bound, and binds jobs to it. Returns whether
  // there are others.
  bool RunPhase() {
    level_ = SetCaps();
    if (level_ == 0) return false;
    best_.clear();
    answers_.clear();
    std::vector<int64_t> weights(types_, kWholeMix / static_cast<int64_t>(types_));
    const int64_t most = kWholeLoad + kWholeLoad / gap_parts_;
    int64_t load = 0;
    GameMix mix;
    do {
      Ask(PricesOf(weights));
      std::vector<std::vector<int64_t>> columns;
      for (const Answer& answer : answers_) columns.push_back(answer.loads);
      mix = SolveGame(columns);
      weights = mix.rows;
      load = LargestLoad(mix);
    } while (level_ >= reached_ && load > most && answers_.size() < kMostAnswers);
    // Else the others cannot even reach, without the types that are closed, what the plan has.
    if (level_ >= reached_) {
      TakeMix(mix);
      bound_ = level_;
      reached_ =
          static_cast<int64_t>(Wide(Lowered(level_)) * kWholeLoad / std::max(load, kWholeLoad));
    }
    if (plan_.prices.empty()) {
      plan_.prices = best_;
      plan_.least = level_;
    }
    return best_.empty() ? BindAll() : Bind();
  }

  // Sets the caps of jobs that are not bound, and returns the highest.
  int64_t SetCaps() {
    int64_t most = 0;
    for (size_t m = 0; m < jobs_.size(); ++m) {
      if (is_bound_[m] != 0) continue;
      cap_[m] = 0;
      for (size_t j = 0; j < types_; ++j) {
        if (MayUse(m, j)) cap_[m] = std::max(cap_[m], Rate(m, j) * kWholeTime);
      }
      most = std::max(most, cap_[m]);
    }
    return most;
  }

  int64_t Lowered(int64_t level) const { return level - level / gap_parts_; }

  std::vector<int64_t> PricesOf(const std::vector<int64_t>& weights) const {
    std::vector<int64_t> prices(types_, 0);
    for (size_t j = 0; j < types_; ++j) {
      if (machines_[j] > 0) prices[j] = weights[j] / machines_[j];
    }
    return prices;
  }

  // Lowers the level to the bound of the prices, if that is lower, and adds what jobs buy.
  void Ask(std::vector<int64_t> prices) {
    FormHulls(prices);
    if (!CanPay(prices, level_)) {
      level_ = BoundOf(prices);
      best_ = prices;
    }
    Answer answer{.prices = std::move(prices),
                  .level = best_.empty() ? level_ : Lowered(level_),
                  .loads = {}};
    std::vector<Wide> taken(types_, 0);
    for (size_t m = 0; m < jobs_.size(); ++m) {
      const Wide machines = Wide(jobs_[m].width) * jobs_[m].count;
      Buy(m, answer.level, [&](size_t j, int64_t time) { taken[j] += machines * time; });
    }
    for (size_t j = 0; j < types_; ++j) {
      const Wide all = Wide(machines_[j]) * kWholeTime;
      const Wide load = all == 0 ? 0 : (taken[j] * kWholeLoad + all - 1) / all;
      answer.loads.push_back(static_cast<int64_t>(std::min<Wide>(load, kMostLoad)));
    }
    answers_.push_back(std::move(answer));
  }

  // Sets the types of each job's lower hull at the prices, by rate.
  void FormHulls(const std::vector<int64_t>& prices) {
    for (size_t m = 0; m < jobs_.size(); ++m) {
      uint32_t* hull = &hull_[m * types_];
      uint32_t size = 0;
      for (size_t i = 0; i < types_; ++i) {
        const uint32_t j = by_rate_[m * types_ + i];
        if (!MayUse(m, j)) continue;
        const int64_t rate = Rate(m, j), price = prices[j];
        if (size > 0 && Rate(m, hull[size - 1]) == rate && prices[hull[size - 1]] <= price) {
          continue;
        }
        for (; size > 0; --size) {
          const int64_t top_rate = Rate(m, hull[size - 1]), top_price = prices[hull[size - 1]];
          const int64_t low_rate = size > 1 ? Rate(m, hull[size - 2]) : 0;
          const int64_t low_price = size > 1 ? prices[hull[size - 2]] : 0;
          if (Wide(top_price - low_price) * (rate - low_rate) <
              Wide(price - low_price) * (top_rate - low_rate)) {
            break;
          }
        }
        hull[size++] = j;
      }
      hull_size_[m] = size;
    }
  }

  // Calls take(type, time) for the one or two types with which the job reaches its target.
  template <class Take>
  void Buy(size_t m, int64_t level, Take take) const {
    const int64_t target = Target(m, level);
    if (target == 0) return;
    const uint32_t* hull = &hull_[m * types_];
    size_t i = 0;
    while (Rate(m, hull[i]) * kWholeTime < target) ++i;
    if (i == 0) {
      take(hull[0], (target + Rate(m, hull[0]) - 1) / Rate(m, hull[0]));
      return;
    }
    const int64_t low = Rate(m, hull[i - 1]), step = Rate(m, hull[i]) - low;
    const int64_t time = (target - low * kWholeTime + step - 1) / step;
    take(hull[i], time);
    if (time < kWholeTime) take(hull[i - 1], kWholeTime - time);
  }

  // Returns what the job pays for its target, in price times kWholeTime; never too much.
  Wide CostOf(size_t m, int64_t level, const std::vector<int64_t>& prices) const {
    const int64_t target = Target(m, level);
    if (target == 0) return 0;
    const uint32_t* hull = &hull_[m * types_];
    size_t i = 0;
    while (Rate(m, hull[i]) * kWholeTime < target) ++i;
    const int64_t low = i > 0 ? Rate(m, hull[i - 1]) : 0;
    const int64_t low_price = i > 0 ? prices[hull[i - 1]] : 0;
    const int64_t time = (target - low * kWholeTime) / (Rate(m, hull[i]) - low);
    const Wide cost = Wide(low_price) * kWholeTime + Wide(prices[hull[i]] - low_price) * time;
    return cost * jobs_[m].width * jobs_[m].count;
  }

  // Returns what all jobs pay less what all machines cost: above 0, the level cannot be reached.
  Wide Excess(const std::vector<int64_t>& prices, int64_t level) const {
    Wide excess = 0;
    for (size_t j = 0; j < types_; ++j) excess -= Wide(prices[j]) * machines_[j] * kWholeTime;
    for (size_t m = 0; m < jobs_.size(); ++m) excess += CostOf(m, level, prices);
    return excess;
  }
  bool CanPay(const std::vector<int64_t>& prices, int64_t level) const {
    return Excess(prices, level) <= 0;
  }

  // Returns a level that jobs cannot pay for at these prices, close to those that they can.
  int64_t BoundOf(const std::vector<int64_t>& prices) const {
    int64_t low = 0, high = level_;
    Wide below = -Excess(prices, low), above = Excess(prices, high);
    for (bool halve = false; high - low > low / kBoundParts + 1;) {
      const int64_t range = high - low;
      // In parts of 2^20: by the line through both ends, or in the middle.
      int64_t part = kWholeLoad / 2;
      if (!halve) {
        const Wide sum = (below >> 20) + (above >> 20) + 1;
        part = static_cast<int64_t>(std::clamp<Wide>(below / sum, 1, kWholeLoad - 1));
      }
      const int64_t middle = std::clamp<int64_t>(
          low + static_cast<int64_t>(Wide(range) * part / kWholeLoad), low + 1, high - 1);
      const Wide excess = Excess(prices, middle);
      if (excess > 0) {
        high = middle;
        above = excess;
      } else {
        low = middle;
        below = -excess;
      }
      halve = high - low > range / 2;
    }
    return high;
  }

  // Returns the largest load of a type, in kWholeLoad, rounded up.
  int64_t LargestLoad(const GameMix& mix) const {
    Wide most = 0;
    for (size_t j = 0; j < types_; ++j) {
      Wide sum = 0;
      for (size_t k = 0; k < answers_.size(); ++k) {
        sum += Wide(answers_[k].loads[j]) * mix.columns[k];
      }
      most = std::max(most, sum);
    }
    return static_cast<int64_t>(most / kWholeMix) + 1;
  }

  // Sets the plan to the mix, scaled down to the machines that there are.
  void TakeMix(const GameMix& mix) {
    std::vector<Wide> sums(jobs_.size() * types_, 0);
    for (size_t k = 0; k < answers_.size(); ++k) {
      if (mix.columns[k] == 0) continue;
      FormHulls(answers_[k].prices);
      for (size_t m = 0; m < jobs_.size(); ++m) {
        Buy(m, answers_[k].level,
            [&](size_t j, int64_t time) { sums[m * types_ + j] += Wide(mix.columns[k]) * time; });
      }
    }
    for (size_t m = 0; m < jobs_.size(); ++m) plan_.level[m] = 0;
    for (size_t j = 0; j < types_; ++j) {
      const Wide all = Wide(machines_[j]) * kWholeTime;
      Wide taken = 0;
      for (size_t m = 0; m < jobs_.size(); ++m) {
        Wide& time = sums[m * types_ + j];
        time /= kWholeMix;
        taken += time * jobs_[m].width * jobs_[m].count;
      }
      for (size_t m = 0; m < jobs_.size(); ++m) {
        const Wide time = sums[m * types_ + j];
        plan_.time[m][j] = static_cast<int64_t>(taken > all ? time * all / taken : time);
        plan_.level[m] += plan_.time[m][j] * Rate(m, j);
      }
    }
  }

  bool BindAll() {
    for (size_t m = 0; m < jobs_.size(); ++m) {
      if (is_bound_[m] == 0) plan_.bound[m] = cap_[m];
    }
    return false;
  }

  // Binds the jobs that pay for their levels, and closes the types that they pay for. Returns
  // whether there are others.
  bool Bind() {
    const int64_t level = std::max(level_, reached_);
    DropSmallPrices(level + level / gap_parts_);
    FormHulls(best_);
    bool any = false;
    for (size_t m = 0; m < jobs_.size(); ++m) {
      if (is_bound_[m] == 0 && CostOf(m, level, best_) == 0) {
        any = true;
      } else if (is_bound_[m] == 0) {
        is_bound_[m] = 1;
        plan_.bound[m] = std::min(bound_, cap_[m]);
        target_[m] = plan_.level[m];
      } else {
        target_[m] = std::min(target_[m], plan_.level[m]);
      }
    }
    for (size_t j = 0; j < types_; ++j) {
      if (best_[j] > 0) is_open_[j] = 0;
    }
    return any;
  }

  // Drops prices, the types that are worth least first, as long as the others prove that `level`
  // cannot be reached. What they alone would bind can rise, if only a little.
  void DropSmallPrices(int64_t level) {
    std::vector<size_t> order(types_);
    std::iota(order.begin(), order.end(), 0);
    const auto value = [this](size_t j) { return Wide(best_[j]) * machines_[j]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return value(a) < value(b); });
    for (const size_t j : order) {
      if (best_[j] == 0) continue;
      std::vector<int64_t> fewer = best_;
      fewer[j] = 0;
      FormHulls(fewer);
      if (!CanPay(fewer, level)) best_ = std::move(fewer);
    }
  }

  const std::vector<RateJob>& jobs_;
  const std::vector<int64_t>& machines_;
  const size_t types_;
  const int64_t gap_parts_;        // the mix may load a type by one part too much
  std::vector<uint8_t> is_open_;   // by type: to jobs that are not bound
  std::vector<uint8_t> is_bound_;  // by job
  std::vector<int64_t> target_;    // by job: of one that is bound, its level
  std::vector<int64_t> cap_;       // by job: of others, their highest level
  std::vector<uint32_t> hull_size_, hull_, by_rate_;
  int64_t reached_ = 0;        // by all jobs that are not bound, up to their caps
  int64_t bound_ = 0;          // of the last phase that raised the plan
  int64_t level_ = 0;          // of this phase: no plan has a higher one
  std::vector<int64_t> best_;  // the prices that prove it; empty: all jobs can be at their caps
  std::vector<Answer> answers_;
  RatePlan plan_;
};

}  // namespace

RatePlan FillRates(const std::vector<RateJob>& jobs, const std::vector<int64_t>& machines) {
  if (machines.empty() || jobs.empty()) {
    RatePlan plan;
    plan.time.assign(jobs.size(), std::vector<int64_t>(machines.size(), 0));
    plan.level = plan.bound = std::vector<int64_t>(jobs.size(), 0);
    return plan;
  }
  return RateFiller(jobs, machines).Fill();
}

}  // namespace muster
