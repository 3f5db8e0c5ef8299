// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// finish-time: the job that sharing delays most goes first.
//
// Idea. A job that shares a cluster should end no later than it would on a part of its own. How far
// it is from that is its ratio rho: the time from its creation to its end in the shared cluster,
// over its time alone. Serving the worst ratios first brings them together.
//
// Rules.
//   rho      (seconds since creation + what is left of the estimate) / estimate. What is left is
//            the estimate less the seconds for which the job held places, and 0 at least.
//   visible  of n jobs with tasks and estimates, the 1 - fairness part with the worst ratios,
//            rounded up, are visible and go before all others. A job counts until it is removed,
//            also while its tasks are gated or once they have ended. The visible job with the least
//            work left goes first, counted in GPU-seconds: the freedom that fairness leaves is
//            spent on short waits. Jobs of one ratio become visible by creation, then by uid rank.
//   others   go by rho, the worst first.
// A job without an estimate goes last. fairness=1 orders by rho alone, fairness=0 by work left.
// service_rows.h has the rules of time held, and the memory (slot "finish-time").
//
// Guarantee. Comparisons are exact: products of integers, no rounding.
//
// Peers. Ratio and fraction are those of Themis. There the time alone is that on one n-th of the
// cluster. All jobs of a cycle share this factor, so it changes no order and is left out.
// training.h has what is not kept.
//
// Ties. Of visible jobs: the worse ratio. Others: the next policy. Cost. Open: O(jobs log jobs +
// tasks). Comparing: O(1).
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/peer/training/service_rows.h"
#include "lib/peer/training/training.h"

namespace muster {
namespace {

constexpr MemoryDecl kFinishTimeSlot = {"finish-time", 1};
constexpr OptionDecl kFinishTimeOptions[] = {
    {"fairness", OptionKind::kNumber, "0.8", 0, 1,
     "all but this part of the jobs, those with the worst ratios, go before the others"},
    {"resource", OptionKind::kText, "nvidia.com/gpu", 0, 0, "what work counts"},
};

class FinishTime : public Policy, public OrderPolicy {
 public:
  explicit FinishTime(const Options& options)
      : hidden_(std::llround(options.number("fairness") * kWholePart)),
        rows_(kFinishTimeSlot.slot, options.text("resource")) {}

  std::string_view name() const override { return "finish-time"; }
  PointSet points() const override { return {Point::kJobOrder}; }
  OrderPolicy* order() override { return this; }

  void Open(const Cycle& cycle) override {
    const Tables& tables = internal::DataOf(cycle).tables;
    rows_.Update(cycle);
    ranks_.assign(tables.jobs.alive.size(), {});
    std::vector<JobIndex> jobs;
    for (JobIndex job = 0; job < ranks_.size(); ++job) {
      if (!tables.jobs.alive[job] || tables.jobs.tasks[job].empty()) continue;
      const JobSpec& spec = tables.jobs.spec[job];
      if (!spec.estimate || *spec.estimate <= 0) continue;
      const JobService& row = rows_.of(job);
      const int64_t left = std::max<int64_t>(*spec.estimate - SatAdd(row.ran, row.ran_before), 0);
      ranks_[job] = {.tier = kOthers,
                     .stay = SatAdd(SecondsBetween(spec.created, cycle.now()), left),
                     .alone = *spec.estimate,
                     .work = SatMul(left, rows_.SizeOf(job))};
      jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) {
      if (const int order = CompareRatios(a, b); order != 0) return order < 0;
      const JobSpec &left = tables.jobs.spec[a], &right = tables.jobs.spec[b];
      if (left.created != right.created) return left.created < right.created;
      return left.uid_rank != right.uid_rank ? left.uid_rank < right.uid_rank : a < b;
    });
    const auto count = static_cast<int64_t>(jobs.size());
    const int64_t visible = (count * (kWholePart - hidden_) + kWholePart - 1) / kWholePart;
    for (int64_t i = 0; i < visible; ++i) ranks_[jobs[i]].tier = kVisible;
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const Rank &left = ranks_[a], &right = ranks_[b];
    if (left.tier != right.tier) return left.tier < right.tier ? -1 : 1;
    if (left.tier == kVisible && left.work != right.work) return left.work < right.work ? -1 : 1;
    return left.tier == kWithoutEstimate ? 0 : CompareRatios(a, b);
  }

 private:
  static constexpr int64_t kWholePart = 1'000'000;
  enum Tier : uint8_t { kVisible, kOthers, kWithoutEstimate };
  struct Rank {
    Tier tier = kWithoutEstimate;
    int64_t stay = 0, alone = 1;  // rho is the quotient
    int64_t work = 0;             // that is left, in thousandths of a GPU times seconds
  };

  // Returns a negative number if a's ratio is worse.
  int CompareRatios(JobIndex a, JobIndex b) const {
    const absl::int128 left = absl::int128(ranks_[a].stay) * ranks_[b].alone;
    const absl::int128 right = absl::int128(ranks_[b].stay) * ranks_[a].alone;
    return left == right ? 0 : left > right ? -1 : 1;
  }

  const int64_t hidden_;  // millionths
  ServiceRows rows_;
  std::vector<Rank> ranks_;  // by job
};

}  // namespace

PolicyDecl FinishTimePolicy() {
  return {.name = "finish-time",
          .summary = "the job that sharing delays most, by its estimate, goes first",
          .options = kFinishTimeOptions,
          .make = [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<FinishTime>(options);
          },
          .memory = {kFinishTimeSlot}};
}

}  // namespace muster
