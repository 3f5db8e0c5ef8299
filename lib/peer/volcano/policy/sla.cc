// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// sla: a job that has waited long enough is served.
//
// Promise. A job may say how long it can wait, and the option says it for those that do not. The
// job with the time that is up first goes first, before all jobs without such a time; once its time
// is up, this policy votes for admitting it and for keeping its places. It has no vote before that.
// Peer. Volcano's sla plugin. Its vote ends the question only where it stands in an earlier tier
// than the policies that refuse; in the same tier or a later one their refusal counts. A time of 0
// is none, in the option as in a job.
// Ties. Equal times go to the next policy. Cost. O(1) a question.
#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kSlaOptions[] = {
    {"waiting_time", OptionKind::kWhole, "0", 0, 1e9,
     "seconds that a job may wait if it sets none itself; 0: for ever"},
};

class Sla : public Policy, public OrderPolicy, public GatePolicy {
 public:
  explicit Sla(const Options& options)
      : waiting_time_(static_cast<int64_t>(options.number("waiting_time"))) {}

  std::string_view name() const override { return "sla"; }
  PointSet points() const override { return {Point::kJobOrder, Point::kAdmit, Point::kPipelined}; }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    now_ = cycle.now();
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const int64_t left = WaitingTime(a), right = WaitingTime(b);
    if (left == 0 || right == 0) return static_cast<int>(left == 0) - static_cast<int>(right == 0);
    const JobTable& jobs = tables_->jobs;
    return Sign(SatSub(SatAdd(jobs.spec[a].created, left), SatAdd(jobs.spec[b].created, right)));
  }
  Verdict Admit(JobIndex job) override { return {.vote = TimeIsUp(job)}; }
  Vote Pipelined(JobIndex job) override { return TimeIsUp(job); }

 private:
  int64_t WaitingTime(JobIndex job) const {
    const int64_t own = tables_->jobs.spec[job].waiting_time.value_or(0);
    return own != 0 ? own : waiting_time_;
  }
  Vote TimeIsUp(JobIndex job) const {
    const int64_t waiting_time = WaitingTime(job);
    if (waiting_time == 0) return Vote::kAbstain;
    return now_ - tables_->jobs.spec[job].created >= waiting_time ? Vote::kPermit : Vote::kAbstain;
  }

  const int64_t waiting_time_;
  const Tables* tables_ = nullptr;
  int64_t now_ = 0;
};

}  // namespace

PolicyDecl SlaPolicy() {
  return {"sla", "who has waited long enough is served", kSlaOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Sla>(options);
          }};
}

}  // namespace muster
