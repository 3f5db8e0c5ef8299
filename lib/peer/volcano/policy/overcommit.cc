// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// overcommit: admit jobs up to a little more than the cluster has.
//
// Promise. A job that names minimum resources is admitted while the minimums of all admitted jobs
// that do not hold theirs yet stay within total * factor - used. A job that names none is admitted.
// Peer. Volcano's overcommit plugin; a factor below 1 means 1.2. Admitted jobs count whole even
// where they already hold a part; running ones only with what they lack. Only dimensions that the
// job asks for are compared, `pods` never. Arithmetic: double(total) * factor - double(used), one
// multiplication, one difference.
// Cost. O(jobs and nodes that changed) when the cycle opens, O(dimensions) a question.
#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"
#include "lib/policy/job_demand.h"
#include "lib/policy/kept_sums.h"

namespace muster {
namespace {

constexpr OptionDecl kOvercommitOptions[] = {
    {"factor", OptionKind::kNumber, "1.2", 0, 1e9, "of the cluster that may be promised"},
};

class Overcommit : public Policy, public GatePolicy {
 public:
  explicit Overcommit(const Options& options) : factor_(options.number("factor")) {
    if (factor_ < 1.0) factor_ = 1.2;
  }
  std::string_view name() const override { return "overcommit"; }
  PointSet points() const override { return {Point::kAdmit}; }
  GatePolicy* gate() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const JobTable& jobs = tables_->jobs;
    const size_t dimensions = tables_->dimension_count();
    static constexpr int64_t kOne = 1;
    promises_.Resize(1, dimensions);
    pending_.Resize(1, 1);
    ForChangedJobs(cycle, [&](JobIndex j) {
      std::vector<int64_t> amounts;
      if (jobs.alive[j] && jobs.spec[j].min_resources.has_value()) {
        if (internal::DataOf(cycle).phases[j] == JobPhase::kAdmitted) {
          amounts = MinimumOf(j);
        } else if (RunsItsGang(*tables_, *ledger_, j, internal::DataOf(cycle).phases[j]) &&
                   !HoldsMinimum(*tables_, *ledger_, j)) {
          amounts = DeductGated(*tables_, *ledger_, j, MissingMinimum(*tables_, *ledger_, j));
        }
        for (int64_t& amount : amounts) amount = OrZero(amount);
      }
      promises_.Put(j, 0, amounts);
      const bool is_pending =
          jobs.alive[j] && internal::DataOf(cycle).phases[j] == JobPhase::kPending;
      pending_.Put(j, 0, std::span(&kOne, is_pending ? 1 : 0));
    });
    idle_.assign(dimensions, 0);
    promised_.assign(dimensions, 0);
    if (pending_.Sum(0, 0) == 0) return;  // no job will ask
    FollowNodes();
    for (size_t d = 0; d < dimensions; ++d) {
      idle_[d] = static_cast<double>(ledger_->total()[d]) * factor_ - used_.Sum(0, d);
      promised_[d] = promises_.Sum(0, d);
    }
  }

  Verdict Admit(JobIndex job) override {
    if (!tables_->jobs.spec[job].min_resources.has_value()) return Verdict::Yes();
    const auto minimum = tables_->jobs.min_resources.row(job);
    for (DimensionIndex d = 0; d < minimum.size(); ++d) {
      if (d == kPods || OrZero(minimum[d]) <= 0) continue;
      if (promised_[d] + static_cast<double>(minimum[d]) > idle_[d]) {
        return Verdict::No(Cause::kLimit, d);
      }
    }
    return Verdict::Yes();
  }

  void Admitted(JobIndex job) override {
    if (!tables_->jobs.spec[job].min_resources.has_value()) return;
    const std::vector<int64_t> amounts = MinimumOf(job);
    for (size_t d = 0; d < amounts.size(); ++d)
      promised_[d] += static_cast<double>(OrZero(amounts[d]));
  }

 private:
  // What nodes use, of those that changed. A node that is gone held nothing when it went.
  void FollowNodes() {
    const auto journal = ledger_->journal();
    const auto put = [this](NodeIndex n) { used_.Put(n, 0, ledger_->node(n, kUsed)); };
    const size_t nodes = tables_->nodes.alive.size();
    used_.Resize(1, tables_->dimension_count());
    if (birth_ != ledger_->birth() || position_ > journal.size()) {
      for (NodeIndex n = 0; n < nodes; ++n) put(n);
    } else {
      for (NodeIndex n = known_nodes_; n < nodes; ++n) put(n);
      for (size_t p = position_; p < journal.size(); ++p) put(journal[p]);
    }
    birth_ = ledger_->birth();
    position_ = journal.size();
    known_nodes_ = static_cast<NodeIndex>(nodes);
  }

  std::vector<int64_t> MinimumOf(JobIndex job) const {
    const auto minimum = tables_->jobs.min_resources.row(job);
    return DeductGated(*tables_, *ledger_, job, {minimum.begin(), minimum.end()});
  }

  double factor_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  KeptSums promises_, used_, pending_;  // one row each; pending_: the number of such jobs
  uint64_t birth_ = 0;                  // of the ledger's journal; 0: no node was looked at
  size_t position_ = 0;                 // in it
  NodeIndex known_nodes_ = 0;
  std::vector<double> idle_, promised_;
};

}  // namespace

PolicyDecl OvercommitPolicy() {
  return {"overcommit", "admit jobs up to a little more than the cluster has", kOvercommitOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Overcommit>(options);
          }};
}

}  // namespace muster
