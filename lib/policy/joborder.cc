// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// joborder: jobs go by one number, the smallest first.
//
// Rules. The option `by` names the number:
//   sjf, ljf           the estimate; its negative
//   smallest, largest  the size: the part of the cluster that the job requests, in the dimension
//                      where that is largest; its negative
//   saf                estimate times size (smallest area first)
//   f1, f2, f3, f4     formulas of estimate, size and time of creation (job_keys.h). The size is in
//                      whole cpus, GPUs or Gi of that dimension.
//   edf                the deadline
//   srpt               the rest of the estimate: all of it for a job that waits, what is left since
//                      its first task started for one that runs. Jobs that lost their places begin
//                      anew.
//   las                service: what the job has held so far, as a part of the cluster, times
//                      seconds (least attained service)
// A job without an estimate or a deadline goes last by a number that reads it.
//
// Memory, of `las` alone. Slot "service" has a row for each job that has held a place: service up
// to a time, and the time. A place counts from the start of its task; a task without a start counts
// from the first cycle that sees it. A task that leaves between two cycles is not counted since the
// first of them.
//
// Ties are left to the next policy. Cost. Open: O(jobs), las also O(tasks that hold a place).
// A job's number is computed when it is first compared.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/policy/job_keys.h"
#include "lib/policy/job_size.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr MemoryDecl kServiceSlot = {"service", 1};
constexpr double kLast = std::numeric_limits<double>::infinity();

constexpr OptionDecl kJobOrderOptions[] = {
    {"by", OptionKind::kChoice, "saf", 0, 0,
     "sjf|ljf|smallest|largest|saf|f1|f2|f3|f4|edf|srpt|las: the number"},
};

class JobOrderBy : public Policy, public OrderPolicy {
 public:
  explicit JobOrderBy(const Options& options) : by_(options.text("by")) {}

  std::string_view name() const override { return "joborder"; }
  PointSet points() const override { return {Point::kJobOrder}; }
  OrderPolicy* order() override { return this; }

  void Open(const Cycle& cycle) override {
    cycle_ = &cycle;
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    keys_.assign(tables_->jobs.alive.size(), std::nullopt);
    if (by_ == "las") CountService();
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const double left = KeyOf(a), right = KeyOf(b);
    return left == right ? 0 : left < right ? -1 : 1;
  }

 private:
  double KeyOf(JobIndex job) {
    if (!keys_[job].has_value()) keys_[job] = Compute(job);
    return *keys_[job];
  }

  double Compute(JobIndex job) const {
    const JobSpec& spec = tables_->jobs.spec[job];
    if (by_ == "las") return 0;  // it has no row
    if (by_ == "edf") return spec.deadline ? static_cast<double>(*spec.deadline) : kLast;
    if (by_ == "smallest") return SizeOfJob(*tables_, *ledger_, job).share;
    if (by_ == "largest") return -SizeOfJob(*tables_, *ledger_, job).share;
    if (!spec.estimate) return kLast;
    const auto estimate = static_cast<double>(*spec.estimate);
    if (by_ == "sjf") return estimate;
    if (by_ == "ljf") return -estimate;
    if (by_ == "srpt") return std::max(estimate - RanFor(job), 0.0);
    const JobSize size = SizeOfJob(*tables_, *ledger_, job);
    if (by_ == "saf") return estimate * size.share;
    const auto formula = static_cast<JobFormula>(by_[1] - '1');
    return FormulaKey(formula, {.estimate = estimate,
                                .size = static_cast<double>(size.units),
                                .submit = static_cast<double>(spec.created)});
  }

  // Returns the seconds since the first of its tasks that hold a place started.
  double RanFor(JobIndex job) const {
    double longest = 0;
    for (const TaskIndex task : tables_->jobs.tasks[job]) {
      if (!Serves(task) || tables_->tasks.started[task] == kAbsent) continue;
      longest = std::max(longest, Now() - static_cast<double>(tables_->tasks.started[task]));
    }
    return longest;
  }

  double Now() const { return static_cast<double>(cycle_->now()); }
  bool Serves(TaskIndex task) const {
    const TaskStatus status = ledger_->status(task);
    return IsAllocated(status) || status == TaskStatus::kReleasing;
  }

  // Adds to each row what the job has held since, and drops rows of jobs that are gone.
  void CountService() {
    const JobTable& jobs = tables_->jobs;
    MemorySlot& slot = cycle_->Remember(kServiceSlot.slot);
    slot.EraseIf([&](std::string_view name) {
      const std::optional<JobIndex> job = jobs.names.Find(name);
      return !job || !jobs.alive[*job];
    });
    for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
      if (!jobs.alive[job]) continue;
      const std::string_view name = jobs.names.name(job);
      const bool known = slot.Find(name) != nullptr;
      const double before = slot.Real(name, 0);
      const std::optional<double> more =
          ServiceSince(job, known ? static_cast<double>(slot.Integer(name, 1)) : -kLast);
      keys_[job] = before + more.value_or(0);
      if (known || more.has_value()) slot.Set(name, {*keys_[job], cycle_->now()});
    }
  }

  // Returns nothing if the job holds no place.
  std::optional<double> ServiceSince(JobIndex job, double since) const {
    std::optional<double> service;
    for (const TaskIndex task : tables_->jobs.tasks[job]) {
      if (!Serves(task)) continue;
      const int64_t started = tables_->tasks.started[task];
      double from = std::max(since, started == kAbsent ? -kLast : static_cast<double>(started));
      if (from == -kLast) from = Now();
      service = service.value_or(0) + ShareOf(task) * std::max(Now() - from, 0.0);
    }
    return service;
  }

  double ShareOf(TaskIndex task) const {
    double share = 0;
    for (DimensionIndex d = 0; d < ledger_->dimensions(); ++d) {
      if (d == kPods || ledger_->total()[d] <= 0) continue;
      share = std::max(share, static_cast<double>(ledger_->request(task)[d]) /
                                  static_cast<double>(ledger_->total()[d]));
    }
    return share;
  }

  const std::string by_;
  const Cycle* cycle_ = nullptr;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<std::optional<double>> keys_;  // by job, once computed
};

}  // namespace

PolicyDecl JobOrderPolicy() {
  return {.name = "joborder",
          .summary = "jobs go by estimate, size, deadline or service",
          .options = kJobOrderOptions,
          .make = [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<JobOrderBy>(options);
          },
          .memory = {kServiceSlot}};
}

}  // namespace muster
