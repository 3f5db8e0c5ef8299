// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// negotiate: one negotiation cycle.
//
// 1. Tasks that an earlier plan nominated have a claim already. They are bound once their request
//    is free on the node, and keep the nomination while leaving tasks hold it. Where neither is so,
//    or where the node refuses them now, they negotiate with the others.
// 2. The rest is one cycle of the negotiator (negotiator.h). A match with a free slot becomes a
//    bind at once; one with a claimed slot evicts the task that has claimed it, and nominates.
// 3. Priorities, usage and the turns of groups go to the memory (records.h).
//
// A match that the books refuse is none: the task then stays pending. The ads alone decide
// otherwise: their amounts are those of the books.
//
// Reasons. no_node with the peer's message in Reason::where, and in its refusals how many slots
// refuse, by the side that does. A job behind one of its auto cluster that was refused has the same
// reason. A job that a session did not come to has "submitter limit exceeded", and one of a
// submitter without a session the message of kNoSession. Tasks of closed queues are not offered.
//
// Cuts fall before each job that is offered.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/extension/cycle.h"
#include "lib/peer/htcondor/htcondor.h"
#include "lib/peer/htcondor/profile.h"
#include "lib/peer/htcondor/read_world.h"
#include "lib/peer/htcondor/records.h"
#include "lib/peer/htcondor/settings.h"
#include "lib/search/refusal_tally.h"

namespace muster {
namespace {

constexpr const char* kNoSession =
    "submitter not negotiated with: its ceiling or the quota of its group is used up";
constexpr const char* kLimitExceeded = "submitter limit exceeded";

class Negotiation : public condor::NegotiationWatch {
 public:
  Negotiation(ActionContext& context, const condor::PoolSettings& settings, condor::AdNames* names)
      : context_(context),
        tables_(context.tables),
        settings_(settings),
        names_(*names),
        reader_(tables_, context.ledger, settings, context.facts.now, names) {}

  void Run(MemorySlots* memory) {
    std::vector<TaskIndex> waiting = SettlePromises();
    if (context_.meter.ended()) return;
    condor::Negotiator negotiator(settings_.rules, settings_.groups, &names_);
    condor::Recall(memory->Recall(condor::kRecordSlot.slot), tables_, settings_, context_.facts.now,
                   &negotiator);
    const condor::CycleRecord record = negotiator.RunCycle(reader_.ReadPool(waiting), this);
    condor::Remember(&negotiator, &memory->Remember(condor::kRecordSlot.slot));
    if (!context_.meter.ended()) Explain(record, negotiator);
  }

  bool MayGoOn() override {
    if (context_.meter.Cut()) return false;
    context_.meter.Spend();
    return true;
  }

  void Matched(const condor::NegotiationEvent& match) override {
    const TaskIndex task(match.job_row);
    const condor::SlotRow& slot = reader_.slot(match.slot_row);
    const Ledger::Savepoint before = context_.ledger.Save();
    if (slot.task == kNone) {
      if (!FitsNow(task, slot.node)) return;
      context_.ledger.Move(task, TaskStatus::kPlaced, slot.node);
    } else {
      context_.ledger.Move(slot.task, TaskStatus::kReleasing, slot.node);
      if (!FitsLater(task, slot.node)) {
        context_.ledger.Rollback(before);
        return;
      }
      context_.decisions.NoteEviction(slot.task, task);
      context_.ledger.Move(task, TaskStatus::kNominated, slot.node);
      context_.decisions.NoteNominatedAfterEviction(task);
    }
    context_.decisions.Commit(before);
  }

 private:
  // Compares the larger of the task's requests with what `has` returns of each dimension.
  template <class Has>
  bool Fits(TaskIndex task, NodeIndex node, const Has& has) const {
    const ClassIndex c = tables_.tasks.task_class[task];
    for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
      const int64_t request = std::max(OrZero(tables_.classes.request.at(c, d)),
                                       OrZero(tables_.classes.initial_request.at(c, d)));
      const bool is_absent = tables_.nodes.allocatable.at(node, d) == kAbsent;
      if (request == 0 || (d == kPods && is_absent)) continue;
      if (is_absent || request > has(d)) return false;
    }
    return true;
  }
  bool FitsLater(TaskIndex task, NodeIndex node) const {
    return Fits(task, node, [&](DimensionIndex d) { return context_.ledger.future_idle(node, d); });
  }
  bool FitsNow(TaskIndex task, NodeIndex node) const {
    const auto idle = context_.ledger.node(node, kIdle);
    return Fits(task, node, [&](DimensionIndex d) { return idle[d]; }) && FitsLater(task, node);
  }

  // Returns the tasks that negotiate.
  std::vector<TaskIndex> SettlePromises() {
    std::vector<TaskIndex> waiting;
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      const TaskStatus status = tables_.tasks.status[t];
      const bool waits = status == TaskStatus::kPending || status == TaskStatus::kNominated;
      if (!tables_.tasks.alive[t] || !waits || !tables_.has_job(t) || context_.IsGated(t)) continue;
      const NodeIndex promised =
          status == TaskStatus::kNominated ? tables_.tasks.node[t] : tables_.tasks.nominated[t];
      if (promised != kNone) {
        if (context_.meter.Cut()) return {};
        context_.meter.Spend();
        if (SettlePromise(t, promised)) continue;
      }
      if (tables_.queues.spec[context_.QueueOf(t)].state == QueueState::kClosed) {
        Reason reason{ReasonKind::kQueueClosed};
        reason.queue = context_.QueueOf(t);
        context_.reasons.Explain(t, std::move(reason));
        continue;
      }
      waiting.push_back(t);
    }
    return waiting;
  }

  // Returns whether the task keeps its claim, or is bound by it.
  bool SettlePromise(TaskIndex task, NodeIndex node) {
    if (context_.ledger.status(task) == TaskStatus::kNominated) {
      context_.ledger.Move(task, TaskStatus::kPending, kNone);
    }
    Refusal refusal;
    if (!tables_.nodes.alive[node] || !tables_.nodes.spec[node].ready ||
        reader_.gate().Refuses(node, reader_.gate().KindOf(task), &refusal)) {
      return false;
    }
    const Ledger::Savepoint before = context_.ledger.Save();
    if (FitsNow(task, node)) {
      context_.ledger.Move(task, TaskStatus::kPlaced, node);
    } else if (FitsLater(task, node)) {
      context_.ledger.Move(task, TaskStatus::kNominated, node);
      context_.decisions.NoteNominatedAfterEviction(task, false);
    } else {
      return false;
    }
    context_.decisions.Commit(before);
    return true;
  }

  // What stopped the jobs of a submitter: by auto cluster, what its last session refused.
  struct Story {
    bool had_session = false;
    HashMap<int64_t, const condor::NegotiationEvent*> refused;
  };

  void Explain(const condor::CycleRecord& record, const condor::Negotiator& negotiator) {
    using Kind = condor::NegotiationEvent::Kind;
    HashMap<std::string, Story> stories;
    HashMap<uint32_t, int64_t> clusters;
    const std::vector<condor::Negotiator::JobsLeft> left = negotiator.ListJobsLeft();
    for (const auto& [submitter, jobs] : left) {
      for (const condor::CondorJob* job : jobs) clusters[job->row] = job->auto_cluster;
    }
    std::string submitter;
    for (const condor::NegotiationEvent& event : record.events) {
      if (event.kind == Kind::kSession) {
        submitter = event.name;
        stories[submitter].had_session = true;
      }
      if (event.kind != Kind::kReject) continue;
      if (const auto c = clusters.find(event.job_row); c != clusters.end()) {
        stories[submitter].refused[c->second] = &event;
      }
    }
    for (const auto& [name, jobs] : left) {
      const Story& story = stories[name];
      HashMap<int64_t, ReasonPtr> reasons;  // by auto cluster
      for (const condor::CondorJob* job : jobs) {
        ReasonPtr& reason = reasons[job->auto_cluster];
        if (reason == nullptr) {
          reason = std::make_shared<const Reason>(ReasonOf(story, *job));
        }
        context_.reasons.Explain(TaskIndex(job->row), reason);
      }
    }
  }

  Reason ReasonOf(const Story& story, const condor::CondorJob& job) const {
    Reason reason{ReasonKind::kNoNode};
    reason.where = story.had_session ? kLimitExceeded : kNoSession;
    const auto refused = story.refused.find(job.auto_cluster);
    if (refused == story.refused.end()) return reason;
    const condor::NegotiationEvent& event = *refused->second;
    reason.where = event.other;
    const condor::MatchRefusalCounts& counts = event.refusals;
    RefusalTally tally;
    const auto add = [&](RefusalCode code, std::string detail, int64_t slots) {
      if (slots > 0) tally.Add(tally.NumberOf({code, kNone, std::move(detail)}), slots);
    };
    if (counts.by_gate > 0) {
      for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
        Refusal refusal;
        if (!tables_.nodes.alive[n] || !tables_.nodes.spec[n].ready) continue;
        if (reader_.gate().Refuses(n, job.kind, &refusal)) add(refusal.code, refusal.detail, 1);
      }
    }
    add(RefusalCode::kPolicy, "rejected by the job's requirements", counts.by_job);
    add(RefusalCode::kPolicy, "reject the job because of their own requirements", counts.by_slot);
    add(RefusalCode::kPolicy, "matched with other jobs", counts.taken);
    add(RefusalCode::kPolicy, "match but are serving other users", counts.others);
    reason.refusals = tally.Sorted();
    return reason;
  }

  ActionContext& context_;
  const Tables& tables_;
  const condor::PoolSettings& settings_;
  condor::AdNames& names_;
  mutable condor::PoolReader reader_;
};

void RunNegotiate(ActionContext& context, const Options& options) {
  condor::AdNames names;
  condor::PoolSettings settings;
  // It was read without a failure before the cycle.
  if (!condor::ReadSettings(context.tables, options, &names, &settings).ok()) return;
  Negotiation negotiation(context, settings, &names);
  negotiation.Run(internal::DataOf(*context.facts.cycle).memory.get());
}

}  // namespace

ActionDecl NegotiateAction() {
  ActionDecl action;
  action.name = "negotiate";
  action.summary = "a negotiation cycle: submitters by user priority, slots by rank";
  action.options = condor::NegotiateOptionDecls();
  action.run = RunNegotiate;
  action.evicts = true;
  action.memory = {condor::kRecordSlot};
  action.check = [](const Tables& tables, const Options& options) {
    condor::AdNames names;
    condor::PoolSettings settings;
    return condor::ReadSettings(tables, options, &names, &settings);
  };
  action.points = PointSet{};
  return action;
}

}  // namespace muster
