// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/rows.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster::yarn {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMilli = 1000;
// Sums over the largest cluster stay within 64 bits.
constexpr int64_t kMostHad = int64_t{1} << 35;

int64_t RoundedUp(int64_t amount, int64_t unit) { return amount / unit + (amount % unit != 0); }
int64_t Bounded(int64_t amount) { return std::clamp<int64_t>(amount, 0, kMostHad); }

constexpr const char* kRackLabel = "yarn.apache.org/rack";

bool IsAboutRacks(const NodeTerm& term) {
  return term.match_fields.empty() &&
         std::ranges::all_of(term.match_expressions,
                             [](const Requirement& one) { return one.key == kRackLabel; });
}

}  // namespace

const RequestRow& FindOrAddRequest(const RequestName& name, AppRow* app) {
  const auto known = std::ranges::find(app->requests, name, &RequestRow::name);
  if (known != app->requests.end()) return *known;
  const int32_t priority = app->requests.empty() ? 1 : app->requests.back().priority + 1;
  app->requests.push_back({.priority = priority, .name = name, .size = name.size});
  return app->requests.back();
}

ClusterRows::ClusterRows(const Tables& tables, const Ledger& ledger)
    : tables_(tables), ledger_(ledger), place_of_(tables.nodes.alive.size(), kNoPlace) {
  std::vector<std::pair<int64_t, int64_t>> others(place_of_.size());  // bytes, thousandths
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const muster::NodeIndex n = ledger.node_of(t);
    const TaskStatus status = ledger.status(t);
    if (n == muster::kNone || !HoldsNode(status)) continue;
    if (tables.has_job(t) && IsAllocated(status)) continue;
    const auto request = ledger.request(t);
    others[n].first += OrZero(request[kMemory]);
    others[n].second += OrZero(request[kCpu]);
  }
  for (muster::NodeIndex n = 0; n < place_of_.size(); ++n) {
    if (!tables.nodes.alive[n] || !tables.nodes.spec[n].ready) continue;
    const auto has = tables.nodes.allocatable.row(n);
    place_of_[n] = static_cast<NodePlace>(nodes_.size());
    nodes_.push_back({n,
                      {Bounded((OrZero(has[kMemory]) - others[n].first) / kMiB),
                       Bounded((OrZero(has[kCpu]) - others[n].second) / kMilli)}});
    largest_ = MostOf(largest_,
                      {Bounded(OrZero(has[kMemory]) / kMiB), Bounded(OrZero(has[kCpu]) / kMilli)});
  }
}

std::string ClusterRows::RackOf(NodePlace place) const {
  for (const auto& [key, value] : tables_.nodes.spec[nodes_[place].node].labels) {
    if (key == kRackLabel) return absl::StrCat("rack:", value);
  }
  return "rack:/default-rack";
}

Resource ClusterRows::LargestUpTo(const Resource& most) const {
  return {most.memory == 0 ? largest_.memory : std::min(most.memory, largest_.memory),
          most.vcores == 0 ? largest_.vcores : std::min(most.vcores, largest_.vcores)};
}

Offered ClusterRows::ReadApps(const RequestRules& rules) const {
  std::vector<JobIndex> order;
  for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
    if (tables_.jobs.alive[j] && !tables_.jobs.tasks[j].empty()) order.push_back(j);
  }
  std::ranges::sort(order, {}, [&](JobIndex j) {
    const JobSpec& spec = tables_.jobs.spec[j];
    return std::tuple(spec.created, spec.uid_rank, j);
  });
  Offered offered;
  AdmittedByClass known;
  for (const JobIndex j : order) ReadApp(j, rules, &known, &offered);
  return offered;
}

void ClusterRows::ReadApp(JobIndex job, const RequestRules& rules, AdmittedByClass* known,
                          Offered* offered) const {
  AppRow app{.job = job, .kind = rules.kind_of ? rules.kind_of(job) : 0, .user = "nobody"};
  const JobSpec& spec = tables_.jobs.spec[job];
  if (spec.owner) app.user = spec.owner->user;
  std::vector<TaskIndex> pending;
  for (const TaskIndex t : tables_.jobs.tasks[job]) {
    if (!tables_.tasks.alive[t]) continue;
    const TaskStatus status = ledger_.status(t);
    const bool is_gated = (tables_.tasks.flags[t] & kTaskGated) != 0;
    if (status == TaskStatus::kPending && !is_gated) pending.push_back(t);
    if (!IsAllocated(status)) continue;
    const NodePlace place = place_of_[ledger_.node_of(t)];
    if (place == kNoPlace) continue;
    app.running.push_back(RunningOf(t, place, rules));
  }
  std::ranges::sort(app.running, {},
                    [](const RunningRow& row) { return std::tuple(row.since, row.task); });
  if (const std::string why = WhyShut(job, rules); !why.empty()) {
    for (const TaskIndex t : pending) offered->refused.emplace_back(t, why);
    pending.clear();
  }
  if (rules.refusal_of && !rules.refusal_of(job).empty()) return;
  const auto group = rules.master_group_of ? rules.master_group_of(job) : std::nullopt;
  if (group) SetMaster(*group, rules, &pending, &app, offered);
  ReadRequests(std::move(pending), rules, known, &app, offered);
  if (!app.running.empty() || !app.requests.empty()) offered->apps.push_back(std::move(app));
}

// Until the master runs, it is all that the application requests.
void ClusterRows::SetMaster(GroupIndex group, const RequestRules& rules,
                            std::vector<TaskIndex>* pending, AppRow* app, Offered* offered) const {
  const TaskTable& all = tables_.tasks;
  TaskIndex master = muster::kNone;
  for (RunningRow& row : app->running) {
    if (all.group[row.task] != group) continue;
    row.is_master = true;
    app->master = row.size;
    const TaskStatus status = ledger_.status(row.task);
    if (status == TaskStatus::kRunning || status == TaskStatus::kBound) return;
    break;
  }
  if (!app->master) {
    const auto order = [&](TaskIndex t) { return std::tuple(all.ordinal[t], all.uid_rank[t], t); };
    for (const TaskIndex t : *pending) {
      if (all.group[t] != group) continue;
      if (master == muster::kNone || order(t) < order(master)) master = t;
    }
    if (master == muster::kNone) return;  // it has ended, and does not come back
    app->master = SizeOf(all.task_class[master], rules);
  }
  for (const TaskIndex t : *pending) {
    if (t != master) offered->refused.emplace_back(t, "the application's master does not run yet");
  }
  pending->clear();
  if (master != muster::kNone) pending->push_back(master);
  app->waits_for_master = true;
}

std::string ClusterRows::WhyShut(JobIndex job, const RequestRules& rules) const {
  if (std::string why = rules.refusal_of ? rules.refusal_of(job) : ""; !why.empty()) return why;
  const muster::QueueIndex home = rules.home_of ? rules.home_of(job) : tables_.jobs.queue[job];
  for (muster::QueueIndex q = home; q != muster::kNone; q = tables_.queues.parent[q]) {
    if (tables_.queues.spec[q].state != QueueState::kClosed) continue;
    return absl::StrCat("queue ", Quote(tables_.queues.spec[home].name), " is stopped");
  }
  return "";
}

// Returns the runs of sorted tasks of one priority and one class. Those of one priority follow the
// first of their groups and tasks: the numbers of classes depend on what the cluster once held.
std::vector<std::span<const TaskIndex>> ClusterRows::RunsOf(
    std::span<const TaskIndex> tasks) const {
  const TaskTable& all = tables_.tasks;
  const auto place = [&](TaskIndex t) {
    return std::tuple(-int64_t{all.priority[t]}, all.group[t], all.ordinal[t], all.uid_rank[t], t);
  };
  std::vector<std::pair<TaskIndex, std::span<const TaskIndex>>> runs;  // each with its first task
  for (size_t i = 0; i < tasks.size();) {
    const TaskIndex of = tasks[i];
    TaskIndex first = of;
    size_t end = i;
    for (; end < tasks.size() && all.task_class[tasks[end]] == all.task_class[of] &&
           all.priority[tasks[end]] == all.priority[of];
         ++end) {
      if (place(tasks[end]) < place(first)) first = tasks[end];
    }
    runs.emplace_back(first, tasks.subspan(i, end - i));
    i = end;
  }
  std::ranges::sort(runs, {}, [&](const auto& run) { return place(run.first); });
  std::vector<std::span<const TaskIndex>> ordered;
  for (const auto& [first, run] : runs) ordered.push_back(run);
  return ordered;
}

void ClusterRows::ReadRequests(std::vector<TaskIndex> tasks, const RequestRules& rules,
                               AdmittedByClass* known, AppRow* app, Offered* offered) const {
  const TaskTable& all = tables_.tasks;
  std::ranges::sort(tasks, {}, [&](TaskIndex t) {
    return std::tuple(-int64_t{all.priority[t]}, all.task_class[t], all.ordinal[t], all.uid_rank[t],
                      t);
  });
  for (const std::span<const TaskIndex> alike : RunsOf(tasks)) {
    const TaskIndex* first = alike.data();
    const ClassIndex c = all.task_class[*first];
    if (const std::string why = Refusal(c, PlainSize(c), rules); !why.empty()) {
      for (const TaskIndex t : alike) offered->refused.emplace_back(t, why);
      continue;
    }
    const Admitted& admitted = AdmittedOf(c, app->kind, rules, known);
    const int32_t lowest = app->waits_for_master ? 0 : 1;
    const Resource size = SizeOf(c, rules);
    const std::string& group = tables_.jobs.groups[app->job][all.group[*first]].name;
    app->requests.push_back({.priority = static_cast<int32_t>(app->requests.size()) + lowest,
                             .name = {group, all.priority[*first], size},
                             .size = size,
                             .everywhere = admitted.everywhere,
                             .places = admitted.places,
                             .racks = admitted.racks});
    app->requests.back().tasks = {alike.rbegin(), alike.rend()};
  }
}

const ClusterRows::Admitted& ClusterRows::AdmittedOf(ClassIndex c, uint32_t kind,
                                                     const RequestRules& rules,
                                                     AdmittedByClass* known) const {
  const auto [found, is_new] = known->try_emplace(uint64_t{kind} << 32 | c);
  Admitted& admitted = found->second;
  if (!is_new) return admitted;
  size_t serving = 0;
  for (NodePlace p = 0; p < nodes_.size(); ++p) {
    if (rules.serves && !rules.serves(kind, nodes_[p].node)) continue;
    ++serving;
    if (Admits(nodes_[p].node, c)) admitted.places.push_back(p);
  }
  admitted.everywhere = admitted.places.size() == serving;
  if (!admitted.everywhere) return admitted;
  ReadWishes(c, &admitted);
  return admitted;
}

// `admitted` has the nodes that serve the job.
void ClusterRows::ReadWishes(ClassIndex c, Admitted* admitted) const {
  const std::vector<PreferredNodeTerm>& terms = tables_.classes.shape[c].preferred_node_affinity;
  const std::vector<NodePlace> serving = std::exchange(admitted->places, {});
  if (terms.empty()) return;
  for (const NodePlace p : serving) {
    const muster::NodeSpec& spec = tables_.nodes.spec[nodes_[p].node];
    bool wants_node = false, wants_rack = false;
    for (const PreferredNodeTerm& preferred : terms) {
      if (!Matches(preferred.term, spec)) continue;
      wants_rack = true;
      wants_node |= !IsAboutRacks(preferred.term);
    }
    if (wants_node) admitted->places.push_back(p);
    if (wants_rack) admitted->racks.push_back(RackOf(p));
  }
  std::ranges::sort(admitted->racks);
  const auto end = std::unique(admitted->racks.begin(), admitted->racks.end());
  admitted->racks.erase(end, admitted->racks.end());
}

Resource ClusterRows::PlainSize(ClassIndex c) const {
  const auto larger = [&](DimensionIndex d) {
    return std::max(OrZero(tables_.classes.request.at(c, d)),
                    OrZero(tables_.classes.initial_request.at(c, d)));
  };
  return {Bounded(RoundedUp(larger(kMemory), kMiB)), Bounded(RoundedUp(larger(kCpu), kMilli))};
}

RunningRow ClusterRows::RunningOf(TaskIndex task, NodePlace place,
                                  const RequestRules& rules) const {
  const TaskTable& all = tables_.tasks;
  const TaskStatus status = ledger_.status(task);
  const bool runs = status == TaskStatus::kRunning || status == TaskStatus::kBound;
  return {.task = task,
          .place = place,
          .size = SizeOf(all.task_class[task], rules),
          .priority = static_cast<int32_t>(
              std::min<int64_t>(-int64_t{all.priority[task]}, std::numeric_limits<int32_t>::max())),
          .is_spared = !runs || (all.flags[task] & kTaskPreemptable) == 0,
          .since = all.started[task] == kAbsent ? all.created[task] : all.started[task]};
}

// What runs may be larger than what is allocated now.
Resource ClusterRows::SizeOf(ClassIndex c, const RequestRules& rules) const {
  const Resource plain = PlainSize(c);
  return rules.rounded(plain, MostOf(plain, rules.most));
}

std::string ClusterRows::Refusal(ClassIndex c, const Resource& size,
                                 const RequestRules& rules) const {
  const auto request = tables_.classes.request.row(c);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kCpu || d == kMemory || d == kPods || OrZero(request[d]) == 0) continue;
    return absl::StrCat("resource ", Quote(tables_.dimensions.name(d)),
                        " is not known to the scheduler");
  }
  const Resource& most = rules.most;
  if (FitsInAll(size, most)) return "";
  return absl::StrCat("requested <memory:", size.memory, ", vCores:", size.vcores,
                      "> is above the largest allocation, <memory:", most.memory,
                      ", vCores:", most.vcores, ">");
}

bool ClusterRows::Admits(muster::NodeIndex node, ClassIndex c) const {
  const muster::NodeSpec& spec = tables_.nodes.spec[node];
  const TaskShape& shape = tables_.classes.shape[c];
  if (spec.unschedulable && !ToleratesUnschedulable(shape)) return false;
  return MatchesNode(shape, spec) && FirstUntolerated(shape, spec) == nullptr;
}

}  // namespace muster::yarn
