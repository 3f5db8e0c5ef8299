// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// overcommit: admit jobs up to a little more than the cluster has.
//
// Promise. A job that names minimum resources is admitted while the minimums of all admitted jobs that do not
// hold theirs yet stay within total * factor - used. A job that names none is admitted.
// Peer. Volcano's overcommit plugin; a factor below 1 means 1.2. Admitted jobs count whole even where they
// already hold a part; running ones only with what they lack. Only dimensions that the job asks for are
// compared, `pods` never. Arithmetic: double(total) * factor - double(used), one multiplication, one difference.
// Cost. O(jobs that changed) when the cycle opens, with jobs to admit O(nodes); O(dimensions) a question.
#include "lib/policy/job_demand.h"
#include "lib/policy/job_sums.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kOptions[] = {
    {"factor", OptionKind::kNumber, "1.2", 0, 1e9, "of the cluster that may be promised"},
};

class Overcommit : public Policy {
 public:
  explicit Overcommit(const Options& options) : factor_(options.number("factor")) {
    if (factor_ < 1.0) factor_ = 1.2;
  }
  std::string_view name() const override { return "overcommit"; }
  PointSet points() const override { return {Point::kAdmit}; }

  void Open(const Cycle& cycle) override {
    tables_ = &cycle.tables;
    ledger_ = &cycle.ledger;
    const JobTable& jobs = tables_->jobs;
    const size_t dimensions = tables_->dimension_count();
    bool any = false;
    promises_.Resize(1, dimensions);
    ForChangedJobs(cycle, [&](JobIndex j) {
      std::vector<int64_t> amounts;
      if (jobs.alive[j] && jobs.spec[j].min_resources.has_value()) {
        if (cycle.phases[j] == JobPhase::kAdmitted) {
          amounts = MinimumOf(j);
        } else if (RunsItsGang(*tables_, *ledger_, j, cycle.phases[j]) &&
                   !HoldsMinimum(*tables_, *ledger_, j)) {
          amounts = DeductGated(*tables_, *ledger_, j, MissingMinimum(*tables_, *ledger_, j));
        }
        for (int64_t& amount : amounts) amount = OrZero(amount);
      }
      any |= jobs.alive[j] && cycle.phases[j] == JobPhase::kPending;
      promises_.Put(j, 0, amounts);
    });
    idle_.assign(dimensions, 0);
    promised_.assign(dimensions, 0);
    // Nobody will ask, and a look at all nodes costs more than the rest of a quiet cycle.
    if (!any) return;
    std::vector<double> used(dimensions, 0);
    for (NodeIndex n = 0; n < tables_->nodes.alive.size(); ++n) {
      if (!tables_->nodes.alive[n]) continue;
      const auto row = ledger_->node(n, kUsed);
      for (size_t d = 0; d < dimensions; ++d) used[d] += static_cast<double>(row[d]);
    }
    for (size_t d = 0; d < dimensions; ++d) {
      idle_[d] = static_cast<double>(ledger_->total()[d]) * factor_ - used[d];
      promised_[d] = promises_.Sum(0, d);
    }
  }

  Vote Admit(JobIndex job, Denial* denial) override {
    if (!tables_->jobs.spec[job].min_resources.has_value()) return Vote::kPermit;
    const auto minimum = tables_->jobs.min_resources.row(job);
    for (DimensionIndex d = 0; d < minimum.size(); ++d) {
      if (d == kPods || OrZero(minimum[d]) <= 0) continue;
      if (promised_[d] + static_cast<double>(minimum[d]) > idle_[d]) {
        denial->dimension = d;
        return Vote::kReject;
      }
    }
    return Vote::kPermit;
  }

  void Admitted(JobIndex job) override {
    if (!tables_->jobs.spec[job].min_resources.has_value()) return;
    const std::vector<int64_t> amounts = MinimumOf(job);
    for (size_t d = 0; d < amounts.size(); ++d)
      promised_[d] += static_cast<double>(OrZero(amounts[d]));
  }

 private:
  std::vector<int64_t> MinimumOf(JobIndex job) const {
    const auto minimum = tables_->jobs.min_resources.row(job);
    return DeductGated(*tables_, *ledger_, job, {minimum.begin(), minimum.end()});
  }

  double factor_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  JobSums promises_;  // one row
  std::vector<double> idle_, promised_;
};

}  // namespace

PolicyDecl OvercommitPolicy() {
  return {"overcommit", "admit jobs up to a little more than the cluster has", kOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Overcommit>(options);
          }};
}

}  // namespace muster
