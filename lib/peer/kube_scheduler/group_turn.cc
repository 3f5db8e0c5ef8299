// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cycle of a pod group: its waiting members one after the other, each on the view in which the
// earlier ones have their places. A group of which too few members could be placed is undone, and
// then tries preemption over the whole cluster.
//
// 1. Members go by priority, then by attempts (most first), then by time and name.
// 2. The cycle ends early when the members left cannot make up the minimum any more.
// 3. If enough are placed, these are bound, and the others wait for the next cycle.
// 4. Else all less important pods are removed, and the members are tried again. If enough are
//    placed then, the pods come back one by one, the most important first and those of broken
//    budgets before the others, as long as every member still fits on its node. The rest are
//    victims, and every placed member is nominated to its node.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kube_scheduler/scheduler.h"
#include "lib/peer/kube_scheduler/trace.h"

namespace muster::kube {
namespace {

constexpr char kGroupUnschedulable[] = "pod group is unschedulable";
constexpr char kClaimsDone[] = "deallocation and deletion of ResourceClaims completed";

}  // namespace

class GroupTurn {
 public:
  GroupTurn(Scheduler& scheduler, std::unique_ptr<Entity> entity)
      : s_(scheduler),
        entity_(std::move(entity)),
        group_(entity_->group),
        least_(s_.settings_.off.has(Plugin::kGangScheduling)
                   ? 0
                   : std::max<int64_t>(1, s_.tables_.jobs.spec[group_].min_available)) {}

  void Run();

 private:
  struct Attempt {
    std::unique_ptr<PodCycle> cycle;
    NodeIndex node = kNone;
  };
  struct Pass {
    std::vector<Attempt> attempts;
    bool placed = false;    // enough members have places
    bool unplaced = false;  // an error object comes before the message
    std::string message;
    std::string text() const {
      if (!unplaced) return message;
      return message.empty() ? kGroupUnschedulable
                             : absl::StrCat(kGroupUnschedulable, ", ", message);
    }
  };

  bool IsValid(std::string* error) const;
  bool HasNodes(std::string* error) const;
  void FailWithError(const std::string& error);
  void SortMembers();
  int64_t Scheduled() const;
  // Returns 1: enough; 0: not yet; -1: never.
  int Judge(int64_t scheduled, int64_t remaining, std::string* message) const;
  Pass TryAll();
  void Revert(const Pass& pass);
  // Returns whether a nomination for every placed member was found; sets what the group waits for.
  bool Preempt();
  bool IsOngoing() const;
  std::vector<Victim> LessImportant() const;
  void Remove(const Victim& victim);
  void PutBack(const Victim& victim);
  bool StillFits(Pass& pass);
  std::vector<Victim> Reprieve(std::vector<Victim> victims, Pass& pass);
  void Bind(const Pass& pass);
  void Reject(Pass& pass);
  void FailMember(size_t i, const std::string& message, PluginSet rejectors);
  void Finish(PodQueue::GroupOutcome outcome);

  struct Left {
    NodeIndex node;
    int64_t started;
    Leaving leaving;
  };

  Scheduler& s_;
  std::unique_ptr<Entity> entity_;
  const JobIndex group_;
  const int64_t least_;  // members to be placed; 0: however few
  GroupTrace trace_;
  HashMap<TaskIndex, Left> left_;  // removed pods
  std::string preemption_;         // what became of it
  bool waits_ = false;             // for victims
  std::vector<TaskIndex> victims_;
  HashMap<TaskIndex, NodeIndex> nominate_;
  std::vector<std::pair<TaskIndex, NodeIndex>> placed_;
  std::vector<uint8_t> kept_;  // by member: it stays in the queue
};

bool GroupTurn::IsValid(std::string* error) const {
  const int32_t priority = s_.tables_.jobs.spec[group_].priority;
  const uint8_t never = s_.tables_.tasks.flags[entity_->members[0].task] & kTaskNeverPreempts;
  const auto check = [&](TaskIndex t) {
    if (s_.world_.priority(t) != priority) {
      *error = absl::StrCat(
          "all pods in a single pod group should have the same priority as the pod group's "
          "priority, got ",
          s_.world_.priority(t), " and ", priority);
      return false;
    }
    const uint8_t own = s_.tables_.tasks.flags[t] & kTaskNeverPreempts;
    if (own != never) {
      const auto word = [](uint8_t flag) { return flag ? "Never" : "PreemptLowerPriority"; };
      *error = absl::StrCat(
          "all pods in a single pod group should have the same preemption policy, got ", word(own),
          " and ", word(never));
      return false;
    }
    return true;
  };
  for (const Member& member : entity_->members) {
    if (!check(member.task)) return false;
  }
  for (const TaskIndex t : s_.tables_.jobs.tasks[group_]) {
    if (s_.world_.node_of(t) != kNone && !check(t)) return false;
  }
  return true;
}

bool GroupTurn::HasNodes(std::string* error) const {
  if (!s_.world_.order().empty()) return true;
  *error = kNoNodes;
  return false;
}

void GroupTurn::SortMembers() {
  std::sort(entity_->members.begin(), entity_->members.end(), [](const Member& a, const Member& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.attempts != b.attempts) return a.attempts > b.attempts;
    return std::tie(a.time, a.name) < std::tie(b.time, b.name);
  });
}

int64_t GroupTurn::Scheduled() const {
  int64_t count = 0;
  for (const TaskIndex t : s_.tables_.jobs.tasks[group_]) count += s_.world_.node_of(t) != kNone;
  return count;
}

int GroupTurn::Judge(int64_t scheduled, int64_t remaining, std::string* message) const {
  message->clear();
  if (scheduled >= least_) return 1;
  const bool never = remaining + scheduled < least_;
  *message = absl::StrCat("minCount (", least_, ") ", never ? "cannot be" : "is not yet",
                          " satisfied: ", scheduled, " scheduled, ", remaining, " remaining");
  return never ? -1 : 0;
}

GroupTurn::Pass GroupTurn::TryAll() {
  Pass pass;
  int64_t scheduled = Scheduled(), remaining = static_cast<int64_t>(entity_->members.size());
  int judged = Judge(scheduled, remaining, &pass.message);
  if (judged < 0) {
    pass.unplaced = true;
    return pass;
  }
  bool any = false;
  for (const Member& member : entity_->members) {
    Attempt& attempt = pass.attempts.emplace_back();
    attempt.cycle = std::make_unique<PodCycle>(s_.world_, s_.states_, s_.settings_, s_.nominations_,
                                               member.task, group_);
    s_.start_ = attempt.cycle->Search(s_.start_);
    if (!attempt.cycle->feasible().empty()) attempt.node = attempt.cycle->Best();
    if (s_.settings_.traces) {
      trace_.attempts.push_back(AttemptOf(s_.world_, *attempt.cycle, attempt.node));
    }
    attempt.cycle->ForgetNodes();
    --remaining;
    if (attempt.node != kNone) {
      ++scheduled;
      s_.world_.Add(member.task, attempt.node, s_.now_);
      s_.nominations_.Clear(member.task);
    }
    judged = Judge(scheduled, remaining, &pass.message);
    if (judged < 0) break;
    any |= attempt.node != kNone;
  }
  pass.unplaced = judged == 0 || (judged > 0 && !any);
  pass.placed = judged > 0 && any;
  Revert(pass);
  return pass;
}

// Takes the places back, the last first. A nomination that a place had ended is made again.
void GroupTurn::Revert(const Pass& pass) {
  for (size_t i = pass.attempts.size(); i-- > 0;) {
    if (pass.attempts[i].node == kNone) continue;
    const Member& member = entity_->members[i];
    s_.world_.Remove(member.task);
    const auto node = s_.tables_.nodes.names.Find(member.nominated);
    if (node) s_.nominations_.Set(member.task, *node);
  }
}

bool GroupTurn::IsOngoing() const {
  const int32_t priority = s_.tables_.jobs.spec[group_].priority;
  for (const Member& member : entity_->members) {
    const auto node = s_.tables_.nodes.names.Find(member.nominated);
    if (!node) continue;
    for (const Victim& victim : VictimsOn(s_.world_, true, {&*node, 1}, s_.now_)) {
      if (victim.priority >= priority) continue;
      for (const TaskIndex t : victim.pods) {
        if (s_.world_.node_of(t) == *node && s_.world_.leaving(t) == Leaving::kPreempted) {
          return true;
        }
      }
    }
  }
  return false;
}

std::vector<Victim> GroupTurn::LessImportant() const {
  std::vector<Victim> victims = VictimsOn(s_.world_, true, s_.world_.order(), s_.now_);
  const int32_t priority = s_.tables_.jobs.spec[group_].priority;
  std::erase_if(victims, [&](const Victim& victim) { return victim.priority >= priority; });
  return victims;
}

void GroupTurn::Remove(const Victim& victim) {
  for (const TaskIndex t : victim.pods) {
    left_[t] = {s_.world_.node_of(t), s_.world_.started(t), s_.world_.leaving(t)};
    s_.world_.Remove(t);
  }
}

void GroupTurn::PutBack(const Victim& victim) {
  for (const TaskIndex t : victim.pods) {
    const Left& left = left_[t];
    s_.world_.Add(t, left.node, left.started);
    s_.world_.SetLeaving(t, left.leaving);
  }
}

bool GroupTurn::StillFits(Pass& pass) {
  std::vector<TaskIndex> added;
  bool fits = true;
  for (const Attempt& attempt : pass.attempts) {
    if (attempt.node == kNone) continue;
    const TaskIndex t = attempt.cycle->task();
    if (attempt.cycle->Filter(attempt.node, s_.world_.books(attempt.node)).code != Code::kFits) {
      fits = false;
      break;
    }
    s_.world_.Add(t, attempt.node, s_.now_);
    added.push_back(t);
  }
  for (const TaskIndex t : added) s_.world_.Remove(t);
  return fits;
}

std::vector<Victim> GroupTurn::Reprieve(std::vector<Victim> victims, Pass& pass) {
  std::stable_sort(victims.begin(), victims.end(), MoreImportant);
  CountViolations(&s_.dry_runs_.budgets(), &victims);
  const auto count = [&](const Victim& victim, int sign) {
    for (const TaskIndex t : victim.pods) {
      for (const Attempt& attempt : pass.attempts) {
        if (attempt.node != kNone) attempt.cycle->Count(t, left_[t].node, sign);
      }
    }
  };
  std::vector<Victim> gone;
  for (const bool violating : {true, false}) {
    for (Victim& victim : victims) {
      if ((victim.violations > 0) != violating) continue;
      PutBack(victim);
      count(victim, 1);
      if (StillFits(pass)) continue;
      count(victim, -1);
      Remove(victim);
      gone.push_back(victim);
    }
  }
  std::stable_sort(gone.begin(), gone.end(), MoreImportant);
  return gone;
}

bool GroupTurn::Preempt() {
  if (!s_.settings_.preempts) return false;
  for (const Member& member : entity_->members) {
    if (!(s_.tables_.tasks.flags[member.task] & kTaskNeverPreempts)) continue;
    preemption_ = absl::StrCat(
        kClaimsDone, ", pod group preemption: ", "not eligible due to preemptionPolicy=Never.");
    return false;
  }
  if (IsOngoing()) {
    for (const Member& member : entity_->members) {
      const auto node = s_.tables_.nodes.names.Find(member.nominated);
      nominate_[member.task] = node ? *node : NodeIndex(kNone);
    }
    preemption_ = "pod group preemption: ongoing preemption on nominated nodes";
    return true;
  }
  std::vector<Victim> victims = LessImportant();
  if (victims.empty()) {
    preemption_ = "pod group preemption: No preemption victims found for incoming preemptor";
    return false;
  }
  for (const Victim& victim : victims) Remove(victim);
  Pass pass = TryAll();
  if (!pass.placed) {
    for (const Victim& victim : victims) PutBack(victim);
    preemption_ = absl::StrCat(kClaimsDone, ", pod group preemption: ", pass.text());
    return false;
  }
  const std::vector<Victim> gone = Reprieve(std::move(victims), pass);
  for (const Victim& victim : gone) {
    PutBack(victim);
    victims_.insert(victims_.end(), victim.pods.begin(), victim.pods.end());
  }
  for (const Attempt& attempt : pass.attempts) {
    if (attempt.node != kNone) nominate_[attempt.cycle->task()] = attempt.node;
  }
  preemption_ = absl::StrCat("pod group preemption: found a placement for podgroup, preempting ",
                             victims_.size(), " victims");
  return true;
}

void GroupTurn::FailMember(size_t i, const std::string& message, PluginSet rejectors) {
  Member& member = entity_->members[i];
  kept_[i] = 1;
  member.rejectors = rejectors;
  if (rejectors.empty()) {
    ++member.errors;
  } else {
    ++member.failures;
    member.errors = 0;
  }
  member.time = s_.now_;
  member.sequence = s_.queue_.NextSequence();
  s_.unplaced_[member.task].message = message;
  MemberTrace& failed = trace_.failed.emplace_back();
  failed.task = member.task;
  failed.message = message;
  failed.rejectors = rejectors;
}

void GroupTurn::FailWithError(const std::string& error) {
  for (size_t i = 0; i < entity_->members.size(); ++i) {
    FailMember(i, error, {});
    trace_.failed.back().nominates = true;
  }
  trace_.status = "False";
  trace_.reason = "SchedulerError";
  trace_.message = error;
  Finish(PodQueue::GroupOutcome::kError);
}

void GroupTurn::Bind(const Pass& pass) {
  int64_t scheduled = Scheduled();
  std::vector<std::pair<TaskIndex, NodeIndex>> waiting;
  for (size_t i = 0; i < entity_->members.size(); ++i) {
    const TaskIndex t = entity_->members[i].task;
    const Attempt* attempt = i < pass.attempts.size() ? &pass.attempts[i] : nullptr;
    if (attempt != nullptr && attempt->node != kNone) {
      trace_.bound.emplace_back(t, attempt->node);
      // Members wait for the bind of the one that makes up the minimum, nominated to their nodes.
      if (++scheduled < least_) waiting.emplace_back(t, attempt->node);
    } else if (attempt != nullptr) {
      FailMember(i, FailureText(s_.world_, *attempt->cycle, {}), attempt->cycle->rejectors());
      s_.unplaced_[t].refusals = RefusalsOf(s_.world_, *attempt->cycle);
    }
  }
  placed_ = trace_.bound;
  for (const auto& [t, node] : waiting) {
    if (s_.nominations_.of(t) != node) trace_.nominations.emplace_back(t, node);
  }
  trace_.status = "True";
  trace_.reason = "Scheduled";
  Finish(PodQueue::GroupOutcome::kPlaced);
}

void GroupTurn::Reject(Pass& pass) {
  const std::string untried = pass.text();
  const bool joins = !untried.empty() && !preemption_.empty();
  const std::string text = absl::StrCat(untried, joins ? ", " : "", preemption_);
  for (size_t i = 0; i < entity_->members.size(); ++i) {
    const TaskIndex t = entity_->members[i].task;
    const auto nominated = nominate_.find(t);
    const bool tried = i < pass.attempts.size();
    if (tried && pass.attempts[i].node == kNone) {
      const PodCycle& cycle = *pass.attempts[i].cycle;
      FailMember(i, FailureText(s_.world_, cycle, {}), cycle.rejectors());
      s_.unplaced_[t].refusals = RefusalsOf(s_.world_, cycle);
    } else if (!tried) {
      FailMember(i, untried, {});
    } else if (waits_) {
      FailMember(i, text, {});
    } else {
      FailMember(i, absl::StrCat(kGroupUnschedulable, ", ", text), {});
      trace_.failed.back().nominates = true;
    }
    if (waits_ && nominated != nominate_.end()) {
      trace_.failed.back().nominates = true;
      trace_.failed.back().nominated = nominated->second;
    }
  }
  trace_.status = "False";
  trace_.reason = "Unschedulable";
  trace_.message = text;
  Finish(PodQueue::GroupOutcome::kRejected);
}

// Hands the members that are left back to the queue, and lets the decisions take effect.
void GroupTurn::Finish(PodQueue::GroupOutcome outcome) {
  for (const Member& member : entity_->members) trace_.members.push_back(member.task);
  std::vector<std::pair<std::string, NodeIndex>> changes;
  for (const MemberTrace& failed : trace_.failed) {
    if (!failed.nominates) continue;
    const NodeIndex before = s_.nominations_.of(failed.task);
    if (before != failed.nominated) trace_.nominations.emplace_back(failed.task, failed.nominated);
    changes.emplace_back(s_.tables_.tasks.names.name(failed.task), failed.nominated);
  }
  for (const TaskIndex t : victims_) {
    if (!s_.world_.terminating(t)) trace_.deleted.push_back(t);
  }
  if (s_.settings_.traces) s_.trace_ = TraceOf(s_.world_, trace_);
  Members left;
  for (size_t i = 0; i < entity_->members.size(); ++i) {
    if (kept_[i]) left.push_back(std::move(entity_->members[i]));
  }
  const TaskIndex first = entity_->members.empty() ? TaskIndex(kNone) : trace_.members[0];
  entity_->members = std::move(left);
  const bool tried = !entity_->members.empty();
  s_.queue_.FailGroup(std::move(entity_), outcome, tried);
  s_.Preempt(trace_.deleted, first);
  for (const auto& [name, node] : changes) {
    const auto task = s_.tables_.tasks.names.Find(name);
    if (node != kNone) s_.made_.push_back({Made::Kind::kNominate, *task, node});
    s_.SetNomination(name, node);
  }
  for (const auto& [t, node] : placed_) s_.Place(t, node);
}

void GroupTurn::Run() {
  Members& all = entity_->members;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Member& member) { return member.task == kNone; }),
            all.end());
  if (entity_->members.empty()) return;
  kept_.assign(entity_->members.size(), 0);
  trace_.group = entity_->name;
  trace_.start = s_.start_;
  SortMembers();
  std::string error;
  if (!IsValid(&error) || !HasNodes(&error)) {
    FailWithError(error);
    return;
  }
  Pass pass = TryAll();
  if (pass.placed) {
    Bind(pass);
    return;
  }
  waits_ = Preempt();
  Reject(pass);
}

void Scheduler::TryGroup(std::unique_ptr<Entity> entity) {
  GroupTurn(*this, std::move(entity)).Run();
}

}  // namespace muster::kube
