// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// tdm: nodes that are lent to batch work for hours of the day (time-division multiplexing).
//
// Promise. A node with a label volcano.sh/revocable-zone is lent while its zone's window is open,
// to tasks that are content with that (TaskShape::revocable) and to no other task; there such a
// task scores 100. On nodes that are not lent, a task that is neither preemptable nor revocable may
// preempt running preemptable tasks, of each job so many as it can lack: max_unavailable less those
// that are down already; else what runs beyond min_running; else, or where less than that runs,
// one. Jobs that are not preemptable go first, and starve while any of their tasks waits; a job is
// as good as placed when as many tasks as it needs have a place, nominated ones included. For
// shuffle: on lent nodes of a zone with a closed window, running preemptable tasks go, of each job
// so many as it can lack, zone by zone.
// Options. from.ZONE and to.ZONE: the window, in minutes after midnight; one that does not end
// after it begins ends on the next day. A zone with one of the two is never open.
// Peer. Volcano's tdm plugin. The clock is the cycle's `now`, the day that of UTC. As with the peer
// the last minute counts by its first second only, and a window that goes over midnight is open in
// the evening and closed again after midnight: what began yesterday is not looked at. Whether a job
// is preemptable is its own mark, and an absent one means no. A zone that is not declared is
// closed, but no task is taken off its nodes. Where its fit is switched off and its score is not,
// the peer drops all that its other plugins said of a node in a closed zone; here they count. Not
// reproduced: the least time between two rounds of victims, which the caller of shuffle keeps.
// Reasons. Node affinity, with words: lent to revocable tasks, or not lent at this hour.
// Ties. Of a job's tasks those first that are named first. Cost. Zones: once per node and kind of
// task; O(candidates) and O(1) for the rest.
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

constexpr std::string_view kRevocableLabel = "volcano.sh/revocable-zone";
constexpr int64_t kDay = 24 * 60 * 60;
constexpr int64_t kLeastVictims = 1;

constexpr OptionDecl kTdmOptions[] = {
    {"from.*", OptionKind::kNumber, "0", 0, 24 * 60 - 1, "minute of the day a zone is lent from"},
    {"to.*", OptionKind::kNumber, "0", 0, 24 * 60 - 1, "minute it is lent to"},
};

// "3", or "30%" of all, rounded up.
int64_t NumberOf(const std::string& part, int64_t all) {
  int64_t number = 0;
  for (const char c : part) number = c == '%' ? number : 10 * number + (c - '0');
  return part.back() == '%' ? (number * all + 99) / 100 : number;
}

class TimeDivision : public Policy,
                     public OrderPolicy,
                     public GatePolicy,
                     public FitPolicy,
                     public ScorePolicy,
                     public VictimPolicy {
 public:
  explicit TimeDivision(const Options& options) {
    for (const auto& [zone, minute] : options.family("from."))
      windows_[zone].from = Seconds(minute);
    for (const auto& [zone, minute] : options.family("to.")) windows_[zone].to = Seconds(minute);
  }

  std::string_view name() const override { return "tdm"; }
  PointSet points() const override {
    return {Point::kFit,       Point::kScore,    Point::kPreemptable, Point::kJobOrder,
            Point::kPipelined, Point::kStarving, Point::kVictims};
  }
  Traits traits() const override {
    Traits traits;
    traits.kinds_changed = kinds_changed_;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const int64_t second = ((cycle.now() % kDay) + kDay) % kDay;
    kinds_changed_ = false;
    for (auto& [zone, window] : windows_) {
      const bool was_open = window.open;
      window.open = window.IsOpenAt(second);
      kinds_changed_ |= window.open != was_open;
    }
    const NodeTable& nodes = tables_->nodes;
    lent_.assign(nodes.alive.size(), Lent::kNever);
    declared_.assign(nodes.alive.size(), nullptr);
    for (NodeIndex n = 0; n < lent_.size(); ++n) {
      for (const auto& [key, zone] : nodes.spec[n].labels) {
        if (key != kRevocableLabel || zone.empty()) continue;
        const auto window = windows_.find(zone);
        const bool open = window != windows_.end() && window->second.open;
        lent_[n] = open ? Lent::kNow : Lent::kLater;
        if (window != windows_.end()) declared_[n] = &window->first;
      }
    }
  }

  Scope FitScope(ClassIndex) override { return Scope::kKind; }
  bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) override {
    if (lent_[node] == Lent::kNever) return true;
    if (lent_[node] == Lent::kNow && IsRevocable(c)) return true;
    const bool now = lent_[node] == Lent::kNow;
    *refusal = {RefusalCode::kNodeAffinity,
                now ? "(lent to revocable tasks)" : "(not lent at this hour)"};
    return false;
  }

  Scope ScoreScope(ClassIndex c) override { return IsRevocable(c) ? Scope::kState : Scope::kNone; }
  std::vector<KindScore> KindScores() const override { return {{.weight = 0}}; }
  int64_t RawKindScore(size_t, ClassIndex c, NodeIndex node) override {
    return IsRevocable(c) && lent_[node] == Lent::kNow;
  }
  void ScoreStates(ClassIndex, const StateColumns& states, size_t begin, size_t end, double* order,
                   double*) override {
    for (size_t i = begin; i < end; ++i) {
      order[i - begin] += lent_[states.node[i]] == Lent::kNow ? 100.0 : 0.0;
    }
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    return static_cast<int>(IsPreemptable(a)) - static_cast<int>(IsPreemptable(b));
  }
  Vote Pipelined(JobIndex job) override {
    const JobCounts& counts = ledger_->job(job);
    const bool enough =
        counts.ready() + counts.nominated() >= tables_->jobs.spec[job].min_available;
    return enough ? Vote::kPermit : Vote::kReject;
  }
  bool Starving(JobIndex job) override {
    return !IsPreemptable(job) && ledger_->job(job).pending() > 0;
  }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const TaskTable& tasks = tables_->tasks;
    if (MayGo(evictor) || IsRevocable(tasks.task_class[evictor])) return Vote::kReject;
    std::map<JobIndex, int64_t> spare;
    for (TaskIndex t : candidates) {
      if (Runs(t) && MayGo(t) && lent_[ledger_->node_of(t)] == Lent::kNever &&
          Takes(&spare, tasks.job[t])) {
        chosen->push_back(t);
      }
    }
    return Vote::kPermit;
  }

  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    std::map<std::string_view, std::map<JobIndex, int64_t>> spare;  // by zone
    for (TaskIndex t : candidates) {
      const NodeIndex node = ledger_->node_of(t);
      if (Runs(t) && MayGo(t) && lent_[node] == Lent::kLater && declared_[node] != nullptr &&
          Takes(&spare[*declared_[node]], tables_->tasks.job[t])) {
        chosen->push_back(t);
      }
    }
  }

 private:
  enum class Lent : uint8_t { kNever, kLater, kNow };
  struct Window {
    int64_t from = kAbsent, to = kAbsent;  // seconds of the day
    bool open = false;

    bool IsOpenAt(int64_t second) const {
      if (from == kAbsent || to == kAbsent || second < from) return false;
      return to <= from || second <= to;
    }
  };

  static int64_t Seconds(double minute) { return std::llround(minute) * 60; }

  bool IsRevocable(ClassIndex c) const { return tables_->classes.shape[c].revocable; }
  bool MayGo(TaskIndex t) const { return (tables_->tasks.flags[t] & kTaskPreemptable) != 0; }
  bool Runs(TaskIndex t) const { return ledger_->status(t) == TaskStatus::kRunning; }
  // Takes one off what the job can lack, if that is something.
  bool Takes(std::map<JobIndex, int64_t>* spare, JobIndex job) const {
    if (job == kNone) return false;
    return spare->try_emplace(job, SpareOf(job)).first->second-- > 0;
  }
  bool IsPreemptable(JobIndex job) const {
    return tables_->jobs.spec[job].preemptable.value_or(false);
  }

  // How many running tasks the job can lack.
  int64_t SpareOf(JobIndex job) const {
    const JobSpec& spec = tables_->jobs.spec[job];
    const JobCounts& counts = ledger_->job(job);
    const auto all = static_cast<int64_t>(tables_->jobs.tasks[job].size());
    const int64_t running = counts[TaskStatus::kRunning];
    if (!spec.min_running.empty()) {
      const int64_t need = NumberOf(spec.min_running, all);
      return running >= need ? running - need : kLeastVictims;
    }
    if (!spec.max_unavailable.empty()) {
      const int64_t ended = counts[TaskStatus::kSucceeded] + counts[TaskStatus::kFailed];
      return NumberOf(spec.max_unavailable, all) - (all - ended - running);
    }
    return kLeastVictims;
  }

  std::map<std::string, Window, std::less<>> windows_;  // by zone
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<Lent> lent_;                    // per node
  std::vector<const std::string*> declared_;  // per node: its zone, if options say when it is lent
  bool kinds_changed_ = false;
};

}  // namespace

PolicyDecl TimeDivisionPolicy() {
  return {"tdm", "nodes that are lent to batch work for hours of the day", kTdmOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<TimeDivision>(options);
          }};
}

}  // namespace muster
