// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The six interfaces of policies, each over one Inquiry: what the engine asks about one row is
// answered from what the callbacks answered about all.
//
//   OrderColumns order(&inquiry, /*live=*/false);
//   order.CompareJobs(a, b);   // by the keys of point job_order
#ifndef MUSTER_BINDING_COLUMN_INTERFACES_H_
#define MUSTER_BINDING_COLUMN_INTERFACES_H_

#include <string>
#include <utility>
#include <vector>

#include "lib/binding/inquiry.h"
#include "lib/extension/no_kind_answers.h"

namespace muster::binding {

class OrderColumns final : public OrderPolicy {
 public:
  OrderColumns(Inquiry* inquiry, bool live) : inquiry_(*inquiry), live_(live) {}
  void Forget() { by_evictor_.clear(); }

  int CompareJobs(JobIndex a, JobIndex b) override { return Compare(Point::kJobOrder, a, b); }
  int CompareQueues(QueueIndex a, QueueIndex b) override {
    return Compare(Point::kQueueOrder, a, b);
  }
  int CompareTasks(TaskIndex a, TaskIndex b) override;
  int CompareSubGroups(const SubGroup& a, const SubGroup& b) override {
    return Compare(Point::kSubGroupOrder, inquiry_.RowOf(a), inquiry_.RowOf(b));
  }
  int CompareVictimQueues(QueueIndex a, QueueIndex b, QueueIndex evictor) override;

 private:
  int Compare(Point point, size_t a, size_t b);

  Inquiry& inquiry_;
  const bool live_;
  std::vector<Column> by_evictor_;  // of victim_queue_order, by queue
};

class GateColumns final : public GatePolicy {
 public:
  GateColumns(Inquiry* inquiry, bool live) : inquiry_(*inquiry), live_(live) {}
  void Forget();

  bool Overused(QueueIndex queue) override { return Now(Point::kOverused, queue) != 0; }
  Verdict Allocatable(QueueIndex queue, TaskIndex task) override;
  Verdict Preemptive(QueueIndex queue, std::span<const int64_t> request) override;
  Verdict Admit(JobIndex job) override;
  // The phase of the job changes after this call, so the next question asks anew.
  void Admitted(JobIndex) override { admitted_ = live_; }
  bool Valid(JobIndex job) override { return inquiry_.Kept(Point::kValid, job) != 0; }
  bool Ready(JobIndex job) override { return Now(Point::kReady, job) != 0; }
  Vote Pipelined(JobIndex job) override { return VoteOf(Now(Point::kPipelined, job)); }
  bool Starving(JobIndex job) override { return Now(Point::kStarving, job) != 0; }
  bool SubGroupReady(const SubGroup& group) override {
    return Now(Point::kSubGroupReady, inquiry_.RowOf(group)) != 0;
  }
  Vote SubGroupPipelined(const SubGroup& group) override {
    return VoteOf(Now(Point::kSubGroupPipelined, inquiry_.RowOf(group)));
  }

 private:
  double Now(Point point, size_t row) { return inquiry_.Now(point, row); }
  static Vote VoteOf(double answer) {
    return answer < 0 ? Vote::kReject : answer > 0 ? Vote::kPermit : Vote::kAbstain;
  }

  Inquiry& inquiry_;
  const bool live_;
  bool admitted_ = false;         // a job, since `admit` was asked
  std::vector<Column> by_class_;  // of allocatable
  Column preemptive_;             // for the request that was asked about last
  std::vector<int64_t> request_;
};

class FitColumns final : public FitPolicy, public NoKindAnswers {
 public:
  FitColumns(Inquiry* inquiry, std::string refusal)
      : inquiry_(*inquiry), refusal_(std::move(refusal)) {}
  void Forget() { by_class_.clear(); }

  Scope FitScope(ClassIndex) override { return Scope::kState; }
  void FitStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override;
  NodeRefusal StateRefusal() const override { return {RefusalCode::kPolicy, refusal_}; }

 private:
  Inquiry& inquiry_;
  const std::string refusal_;
  std::vector<Column> by_class_;
};

class ScoreColumns final : public ScorePolicy {
 public:
  ScoreColumns(Inquiry* inquiry, bool live) : inquiry_(*inquiry), live_(live) {}
  void Forget() { by_class_.clear(); }

  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double* batch) override;

 private:
  Inquiry& inquiry_;
  const bool live_;
  std::vector<Column> by_class_;
};

class VictimColumns final : public VictimPolicy {
 public:
  explicit VictimColumns(Inquiry* inquiry) : inquiry_(*inquiry) {}

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Choose({.point = Point::kPreemptable, .evictor = evictor}, candidates, chosen);
  }
  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Choose({.point = Point::kReclaimable, .evictor = evictor}, candidates, chosen);
  }
  Vote Evictable(JobIndex evictor, bool from_other_queues, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    return Choose(
        {.point = Point::kEvictable, .evictor = evictor, .from_other_queues = from_other_queues},
        candidates, chosen);
  }
  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    Choose({.point = Point::kVictims}, candidates, chosen);
  }

 private:
  Vote Choose(Question question, std::span<const TaskIndex> candidates,
              std::vector<TaskIndex>* chosen);

  Inquiry& inquiry_;
};

class DomainColumns final : public DomainPolicy {
 public:
  explicit DomainColumns(Inquiry* inquiry) : inquiry_(*inquiry) {}

  DomainLists DomainsForJob(JobIndex job, DomainIndex within, DomainIndex allocated,
                            bool evicting) override {
    return Search({job, kNone}, within, allocated, evicting);
  }
  DomainLists DomainsForGroup(const SubGroup& group, DomainIndex within, DomainIndex allocated,
                              bool evicting) override {
    return Search(group, within, allocated, evicting);
  }
  bool OffersLeaf(const SubGroup& group, DomainIndex leaf) override;
  void ScoreDomains(const SubGroup& group, std::span<const DomainIndex> domains,
                    std::span<double> scores) override;

 private:
  // The domains inside `within`, itself included, by tier and name.
  std::vector<uint32_t> Inside(DomainIndex within) const;
  std::vector<double> Ranks(const Question& question);
  DomainLists Search(const SubGroup& group, DomainIndex within, DomainIndex allocated,
                     bool evicting);

  Inquiry& inquiry_;
};

}  // namespace muster::binding

#endif  // MUSTER_BINDING_COLUMN_INTERFACES_H_
