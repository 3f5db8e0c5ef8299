// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative on nodes: jobs in order, each given the earliest time at which its tasks find nodes
// that they can keep for as long as the job's estimate. Nothing is remembered but which job ends
// when and what was promised: at every time at which something ends the world as it will be then is
// made anew, and a node is looked at at every time that matters to a stay.
#include "lib/reference/peer/batch/conservative.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "lib/reference/cycle.h"
#include "lib/reference/kube/domains.h"

namespace muster::reference {

namespace {

constexpr int64_t kEver = std::numeric_limits<int64_t>::max();

struct Stay {
  TaskIndex task;
  NodeIndex node;
  int64_t from, to;
};

class Conservative {
 public:
  explicit Conservative(Cycle& cycle) : cycle_(cycle), tables_(cycle.tables()) {}

  void Run() {
    const std::vector<JobIndex> jobs = Jobs();
    for (JobIndex job : cycle_.world.session_jobs()) NoteHolders(job);
    for (JobIndex job : jobs) {
      if (Start(job)) {
        NoteHolders(job);
      } else {
        Promise(job);
      }
    }
  }

 private:
  int64_t Estimate(JobIndex job) const { return tables_.jobs.spec[job].estimate.value_or(kEver); }
  static int64_t After(int64_t time, int64_t length) {
    return time > 0 && length > kEver - time ? kEver : time + length;
  }

  // The waiting jobs, in order. All may ask.
  std::vector<JobIndex> Jobs() {
    std::vector<JobIndex> jobs;
    for (JobIndex job : cycle_.world.session_jobs()) {
      JobPhase& phase = cycle_.world.phase[job];
      if (phase == JobPhase::kPending) phase = JobPhase::kAdmitted;
      const auto& tasks = cycle_.world.tasks_of(job);
      const bool waits = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) {
        return cycle_.world.status[t] == TaskStatus::kPending;
      });
      if (waits && JobValid(cycle_, job)) jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(),
              [this](JobIndex a, JobIndex b) { return JobLess(cycle_, a, b); });
    const auto options = cycle_.profile->action_options.find("conservative");
    std::string order = "fifo";
    if (options != cycle_.profile->action_options.end() && options->second.contains("order")) {
      order = options->second.at("order");
    }
    std::map<JobIndex, double> key;
    for (JobIndex job : jobs) {
      const auto estimate = static_cast<double>(Estimate(job));
      if (order == "sjf") key[job] = estimate;
      if (order == "ljf") key[job] = -estimate;
      if (order == "smallest") key[job] = Size(job, 1);
      if (order == "largest") key[job] = -Size(job, 1);
      if (order == "area") key[job] = Size(job, estimate);
    }
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](JobIndex a, JobIndex b) { return key[a] < key[b]; });
    return jobs;
  }

  // The part of the cluster that the job asks for, in the dimension where that is most, so many
  // times.
  double Size(JobIndex job, double times) const {
    double size = 0;
    for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
      int64_t all = 0;
      for (NodeIndex n : cycle_.world.session_nodes()) all += cycle_.world.capacity[n][d];
      if (d == kPods || all <= 0) continue;
      double asked = 0;
      for (TaskIndex t : cycle_.world.tasks_of(job)) {
        asked += static_cast<double>(OrZero(cycle_.world.request(t)[d]));
      }
      size = std::max(size, times * asked / static_cast<double>(all));
    }
    return size;
  }

  // The job's tasks that hold nodes, until they should end.
  void NoteHolders(JobIndex job) {
    std::erase_if(holders_, [&](const Stay& stay) { return tables_.tasks.job[stay.task] == job; });
    const int64_t estimate = Estimate(job);
    if (estimate == kEver) return;
    for (TaskIndex t : cycle_.world.tasks_of(job)) {
      if (!IsAllocated(cycle_.world.status[t])) continue;
      // What is said of a task that waits is of an earlier run.
      const bool begins = tables_.tasks.status[t] == TaskStatus::kPending;
      const int64_t said = tables_.tasks.started[t];
      const int64_t started = begins || said == kAbsent ? cycle_.now : said;
      const int64_t end = After(started, estimate);
      if (end == kEver) continue;
      holders_.push_back({t, cycle_.world.node[t], started, std::max(end, cycle_.now + 1)});
    }
  }

  bool Start(JobIndex job) {
    const World before = cycle_.world;
    Statement statement;
    if (Place(job, cycle_.now, statement)) {
      Commit(cycle_, statement);
      return true;
    }
    cycle_.world = before;
    return false;
  }

  void Promise(JobIndex job) {
    std::set<int64_t> times;
    for (const Stay& stay : holders_) times.insert(stay.to);
    for (const Stay& stay : promises_) times.insert(stay.to);
    times.erase(kEver);
    const World before = cycle_.world;
    for (int64_t time : times) {
      Statement statement;
      for (const Stay& stay : holders_) {
        if (stay.to <= time) Evict(cycle_.world, stay.task);
      }
      const bool found = Place(job, time, statement);
      cycle_.world = before;
      if (!found) continue;
      for (const Operation& operation : statement) {
        promises_.push_back({operation.task, operation.node, time, After(time, Estimate(job))});
      }
      return;
    }
  }

  // Puts the job's waiting tasks on nodes, from `time` on, in a world where what ends by then is
  // leaving.
  bool Place(JobIndex job, int64_t time, Statement& statement) {
    const int64_t end = After(time, Estimate(job));
    const int64_t ready = CountReady(cycle_.world, job);
    for (TaskIndex task : TasksToPlace(cycle_, job)) {
      const FilterState state = PrepareFilters(cycle_, task);
      std::vector<NodeIndex> now, later;
      for (NodeIndex n : cycle_.world.session_nodes()) {
        if (Judge(cycle_, state, task, n).refusal || !KeepsRoom(task, n, time, end)) continue;
        if (HasRoomNow(cycle_.world, task, n) && HasRoomLater(cycle_.world, task, n)) {
          now.push_back(n);
        } else if (time > cycle_.now && HasRoomLater(cycle_.world, task, n)) {
          later.push_back(n);
        }
      }
      const NodeIndex node = BestNode(cycle_, task, now.empty() ? later : now);
      if (node == kNone) break;
      if (now.empty()) {
        DoPipeline(cycle_, statement, task, node, false);
      } else {
        DoAllocate(cycle_, statement, task, node);
      }
    }
    const int64_t there = ready + static_cast<int64_t>(statement.size());
    return !statement.empty() && there >= tables_.jobs.spec[job].min_available;
  }

  // Whether the node has room for the task beside the promises at every time of its stay.
  bool KeepsRoom(TaskIndex task, NodeIndex node, int64_t from, int64_t to) const {
    std::set<int64_t> times = {from};
    bool promised = false;
    for (const Stay& stay : promises_) {
      if (stay.node != node) continue;
      promised = true;
      times.insert({stay.from, stay.to});
    }
    if (!promised) return true;
    for (int64_t time : times) {
      if (time < from || (time != from && time >= to)) continue;
      Row room = cycle_.world.future_idle(node);
      for (const Stay& stay : holders_) {
        if (stay.node == node && stay.to > from && stay.to <= time) {
          AddTo(room, cycle_.world.request(stay.task), 1);
        }
      }
      for (const Stay& stay : promises_) {
        if (stay.node == node && stay.from <= time && time < stay.to) {
          AddTo(room, cycle_.world.request(stay.task), -1);
        }
      }
      const auto request = cycle_.world.request(task);
      for (DimensionIndex d = 0; d < room.size(); ++d) {
        if (d != kPods && OrZero(request[d]) > 0 && OrZero(request[d]) > room[d]) return false;
      }
    }
    return true;
  }

  Cycle& cycle_;
  const Tables& tables_;
  std::vector<Stay> holders_, promises_;
};

void RunConservative(Cycle& cycle) { Conservative(cycle).Run(); }

}  // namespace

ActionTwins BatchActions() { return {{"conservative", RunConservative}}; }

}  // namespace muster::reference
