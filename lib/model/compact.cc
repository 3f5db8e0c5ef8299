// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Drops dead rows from all tables at once. Every index moves down to the number of living rows
// before it, so the order of rows, and with it every tie, stays. The cost is that of all tables,
// paid once for as many removals as there are living rows.
#include <algorithm>
#include <utility>

#include "lib/base/strings.h"
#include "lib/model/editor.h"

namespace muster {
namespace {

constexpr size_t kLeastDead = 1024;
// Tables come back to the size at which they are compacted: the memory for that stays, for it would
// have to be fetched and filled anew each time.
constexpr size_t kMostSlack = 4;

// Where the rows of one table go.
template <class Id = uint32_t>
struct Moves {
  explicit Moves(std::vector<uint8_t> alive) : keep(std::move(alive)), to(keep.size(), kNone) {
    for (size_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) to[i] = Id(count++);
    }
  }

  Id operator()(Id index) const { return index == kNone ? Id(kNone) : to[index]; }

  template <class T>
  void Drop(std::vector<T>& column) const {
    for (size_t i = 0; i < keep.size(); ++i) {
      if (keep[i] && to[i] != i) column[to[i]] = std::move(column[i]);
    }
    column.resize(count);
    if (column.capacity() / kMostSlack > count) column.shrink_to_fit();
  }
  void Drop(NameTable& names) const {
    NameTable kept;
    kept.Reserve(count);
    for (uint32_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) kept.Intern(names.name(i));
    }
    names = std::move(kept);
  }
  void Drop(RowTable& rows) const { rows.Compact(keep); }
  template <class... Columns>
  void DropAll(Columns&... columns) const {
    (Drop(columns), ...);
  }

  void Rename(std::vector<Id>& column) const {
    for (Id& index : column) index = (*this)(index);
  }

  std::vector<uint8_t> keep;
  std::vector<Id> to;  // kNone: gone
  uint32_t count = 0;
};

void MoveNodes(NodeTable& nodes, const Moves<NodeIndex>& node, const Moves<DomainIndex>& domain) {
  node.DropAll(nodes.names, nodes.alive, nodes.spec, nodes.capacity, nodes.allocatable,
               nodes.domain);
  domain.Rename(nodes.domain);
}

void MoveQueues(QueueTable& queues, const Moves<QueueIndex>& queue) {
  queue.DropAll(queues.names, queues.alive, queues.spec, queues.parent, queues.children,
                queues.guaranteed, queues.deserved, queues.limit, queues.borrow_limit,
                queues.lend_limit, queues.jobs);
  queue.Rename(queues.parent);
  for (std::vector<QueueIndex>& children : queues.children) queue.Rename(children);
}

void MoveJobs(JobTable& jobs, const Moves<JobIndex>& job, const Moves<QueueIndex>& queue,
              const Moves<TaskIndex>& task) {
  job.DropAll(jobs.names, jobs.alive, jobs.spec, jobs.queue, jobs.tasks, jobs.groups,
              jobs.min_resources);
  queue.Rename(jobs.queue);
  for (std::vector<TaskIndex>& tasks : jobs.tasks) task.Rename(tasks);
}

void MoveTasks(TaskTable& tasks, const Moves<TaskIndex>& task) {
  task.DropAll(tasks.names, tasks.alive, tasks.job, tasks.group, tasks.sub_group, tasks.task_class,
               tasks.status, tasks.node, tasks.nominated, tasks.priority, tasks.flags,
               tasks.created, tasks.ordinal, tasks.uid_rank, tasks.started, tasks.protected_until,
               tasks.waits_until, tasks.waiting_group, tasks.priority_class, tasks.gates,
               tasks.devices);
  const auto rename = [&task](auto& by_task) {
    std::decay_t<decltype(by_task)> renamed;
    for (auto& [index, known] : by_task) renamed.emplace(task(index), std::move(known));
    by_task = std::move(renamed);
  };
  rename(tasks.facts);
  rename(tasks.uids);
  rename(tasks.assumed_since);
}

void MoveClasses(ClassTable& classes, const Moves<ClassIndex>& task_class,
                 const Moves<QueueIndex>& queue) {
  task_class.DropAll(classes.shape, classes.queue, classes.plain, classes.request,
                     classes.initial_request, classes.best_effort, classes.scoring_cpu,
                     classes.scoring_memory, classes.scoring_cpu_main, classes.scoring_memory_main,
                     classes.constraints, classes.tasks);
  queue.Rename(classes.queue);
  task_class.Rename(classes.plain);
}

void MoveDomains(DomainTable& domains, const Moves<DomainIndex>& domain,
                 const Moves<NodeIndex>& node) {
  domain.DropAll(domains.names, domains.alive, domains.spec, domains.parent, domains.children,
                 domains.nodes);
  domain.Rename(domains.parent);
  for (std::vector<DomainIndex>& children : domains.children) domain.Rename(children);
  for (std::vector<NodeIndex>& nodes : domains.nodes) node.Rename(nodes);
}

template <class Spec>
void MoveRecords(RecordTable<Spec>& records) {
  const Moves record(records.alive);
  record.DropAll(records.names, records.alive, records.spec);
}

void MoveAllRecords(Tables& t) {
  MoveRecords(t.flavors);
  MoveRecords(t.partitions);
  MoveRecords(t.reservations);
}

// Which entries of a list of `size` living rows still use.
std::vector<uint8_t> Used(size_t size, const std::vector<uint32_t>& column) {
  std::vector<uint8_t> used(size, 0);
  used[0] = 1;
  for (uint32_t index : column) used[index] = 1;
  return used;
}

// Which classes have tasks, or are the plain class of one that has.
std::vector<uint8_t> UsedClasses(const ClassTable& classes) {
  std::vector<uint8_t> used(classes.tasks.size());
  std::ranges::transform(classes.tasks, used.begin(), [](uint32_t tasks) { return tasks > 0; });
  for (ClassIndex c = 0; c < used.size(); ++c) {
    if (classes.tasks[c] > 0) used[classes.plain[c]] = 1;
  }
  return used;
}

}  // namespace

void Editor::MaybeCompact() {
  const Tables& t = *tables_;
  const size_t rows = t.nodes.alive.size() + t.queues.alive.size() + t.jobs.alive.size() +
                      t.tasks.alive.size() + t.domains.alive.size() + t.classes.tasks.size() +
                      t.flavors.alive.size() + t.partitions.alive.size() +
                      t.reservations.alive.size();
  const size_t interned = t.gate_lists.size() + t.hold_lists.size() + t.strings.size();
  if (rows > 2 * living_ + kLeastDead || interned > 2 * living_ + kLeastDead) Compact();
}

void Editor::Compact() {
  Tables& t = Change();
  const Moves<NodeIndex> node(t.nodes.alive);
  const Moves<QueueIndex> queue(t.queues.alive);
  const Moves<JobIndex> job(t.jobs.alive);
  const Moves<TaskIndex> task(t.tasks.alive);
  const Moves<ClassIndex> task_class(UsedClasses(t.classes));
  const Moves<DomainIndex> domain(t.domains.alive);

  MoveNodes(t.nodes, node, domain);
  MoveQueues(t.queues, queue);
  MoveJobs(t.jobs, job, queue, task);
  MoveTasks(t.tasks, task);
  MoveClasses(t.classes, task_class, queue);
  MoveDomains(t.domains, domain, node);
  MoveAllRecords(t);
  job.Rename(t.tasks.job);
  task_class.Rename(t.tasks.task_class);
  node.Rename(t.tasks.node);
  node.Rename(t.tasks.nominated);

  const Moves<> gates(Used(t.gate_lists.size(), t.tasks.gates));
  gates.Drop(t.gate_lists);
  gates.Rename(t.tasks.gates);
  const Moves<> holds(Used(t.hold_lists.size(), t.tasks.devices));
  holds.Drop(t.hold_lists);
  holds.Rename(t.tasks.devices);
  std::vector<uint8_t> string_used = Used(t.strings.size(), t.tasks.priority_class);
  for (const uint32_t group : t.tasks.waiting_group) string_used[group] = 1;
  const Moves<> strings(std::move(string_used));
  strings.Drop(t.strings);
  strings.Rename(t.tasks.priority_class);
  strings.Rename(t.tasks.waiting_group);
  interner_.Renumber(task_class.to, gates.to, holds.to, t);

  node.Drop(first_on_);
  task.Rename(first_on_);
  task.DropAll(next_, previous_);
  task.Rename(next_);
  task.Rename(previous_);
  for (auto& [name, tasks] : nominations_) {
    absl::btree_set<TaskIndex> moved;
    for (TaskIndex index : tasks) moved.insert(task(index));
    tasks = std::move(moved);
  }
  HashMap<TaskIndex, std::string> elsewhere;
  for (auto& [index, name] : nominated_elsewhere_) {
    elsewhere.emplace(task(index), std::move(name));
  }
  nominated_elsewhere_ = std::move(elsewhere);

  job_numbers_.clear();
  for (JobIndex j = 0; j < t.jobs.alive.size(); ++j) NumberGroups(j);

  t.log_start += t.log.size();
  t.log.clear();
  ++t.version;  // a plan that was made before names other rows
  ++t.layout;
}

}  // namespace muster
