// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/held_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/base/hash_map.h"
#include "lib/model/access.h"
#include "lib/model/keys.h"
#include "python/src/convert.h"
#include "python/src/events.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

RowKind KindOfKey(std::string_view key) { return static_cast<RowKind>(key[0] - 'a'); }
// Nodes, queues, jobs and tasks are rows; domains and records are not.
bool IsRow(std::string_view key) { return KindOfKey(key) <= RowKind::kTask; }

// Rows by key, as they are after the events so far.
class Held {
 public:
  // `rows` are held before the events. Without a memory, removals take no row away.
  Held(const Tables& tables, int64_t rows, int64_t limit)
      : t_(tables), limit_(limit), rows_(rows) {}

  void Remember(const Deltas::Memory& memory) {
    has_memory_ = true;
    for (const auto& [key, generation] : memory.generations) seen_[key] = generation;
    for (const Deltas::Memory::Late& late : memory.waiting) {
      const auto kind = static_cast<RowKind>(late.object.index());
      const std::string key =
          std::visit([kind](const auto& object) { return KeyOf(kind, object.name); }, late.object);
      if (IsRow(key)) Add(key);
      if (const auto* job = std::get_if<JobSpec>(&late.object)) AddTasksOf(*job);
    }
  }

  int64_t rows() const { return rows_; }

  void Take(const Delta& delta) {
    const std::string key = Deltas::KeyOfEvent(delta);
    const bool is_removal = std::holds_alternative<Removal>(delta.object);
    if (key.empty() || !IsRow(key) || (is_removal && !has_memory_)) return;
    const auto seen = seen_.find(key);
    if (seen != seen_.end() && seen->second >= delta.generation) return;
    const auto [newest, is_first] = newest_.try_emplace(key, delta.generation);
    const bool is_newest = is_first || delta.generation > newest->second;
    newest->second = std::max(newest->second, delta.generation);
    if (is_removal) {
      if (is_newest) Remove(key);
      seen_[key] = delta.generation;  // a removal is never refused
      return;
    }
    Add(key);
    if (const auto* job = std::get_if<JobSpec>(&delta.object)) AddTasksOf(*job);
  }

 private:
  void Add(const std::string& key) {
    bool& is_there = there_.try_emplace(key, Lives(key)).first->second;
    if (!is_there) ++rows_;
    is_there = true;
  }
  void Leave(const std::string& key) {
    bool& is_there = there_.try_emplace(key, Lives(key)).first->second;
    if (is_there) --rows_;
    is_there = false;
  }

  // The tasks that the counts of the job's groups make: not those with events of their own.
  void AddTasksOf(const JobSpec& job) {
    for (const GroupSpec& group : job.groups) {
      if (rows_ > limit_) return;
      if (group.count > limit_) {  // whichever of them are there
        rows_ += std::min(group.count, std::numeric_limits<int64_t>::max() - rows_);
        return;
      }
      for (int64_t i = 0; i < group.count && rows_ <= limit_; ++i) {
        const std::string key = KeyOf(RowKind::kTask, GroupTaskName(job.name, group.name, i));
        if (!seen_.contains(key)) Add(key);
      }
    }
  }

  // A job leaves with its tasks, but for those with events of their own: they wait.
  void Remove(const std::string& key) {
    Leave(key);
    if (KindOfKey(key) != RowKind::kJob) return;
    const std::optional<JobIndex> job = t_.jobs.names.Find(key.substr(1));
    if (!job) return;
    for (TaskIndex task : t_.jobs.tasks[*job]) {
      const std::string of_task = KeyOf(RowKind::kTask, t_.tasks.names.name(task));
      if (!seen_.contains(of_task) && !newest_.contains(of_task)) Leave(of_task);
    }
  }

  bool Lives(std::string_view key) const {
    const std::string_view name = key.substr(1);
    switch (KindOfKey(key)) {
      case RowKind::kNode:
        return t_.nodes.names.Find(name).has_value();
      case RowKind::kQueue:
        return t_.queues.names.Find(name).has_value();
      case RowKind::kJob:
        return t_.jobs.names.Find(name).has_value();
      default:
        return t_.tasks.names.Find(name).has_value();
    }
  }

  const Tables& t_;
  const int64_t limit_;
  int64_t rows_;
  bool has_memory_ = false;
  HashMap<std::string, bool> there_;       // what was looked at, living or waiting
  HashMap<std::string, uint64_t> seen_;    // the newest event of each that was surely not refused
  HashMap<std::string, uint64_t> newest_;  // of these events, refused or not
};

// The most rows while the events are applied, or some number above the limit.
int64_t MostRows(Held& held, const py::list& events, int64_t limit) {
  int64_t most = held.rows();
  for (const py::handle event : events) {
    if (most > limit) break;
    try {
      held.Take(ReadEvent(event.cast<py::tuple>()));
    } catch (const StatusError&) {
      continue;  // it is refused
    }
    most = std::max(most, held.rows());
  }
  return most;
}

}  // namespace

int64_t RowsWith(const Cluster& cluster, const py::list& events, int64_t known, int64_t limit) {
  const Tables& t = TablesOf(cluster);
  const Deltas& deltas = ImplOf(cluster).deltas;
  const auto living = static_cast<int64_t>(t.nodes.names.live_size() + t.queues.names.live_size() +
                                           t.jobs.names.live_size() + t.tasks.names.live_size());
  const bool is_exact = !deltas.anything_waits();
  Held held(t, is_exact ? living : known, limit);
  const int64_t most = MostRows(held, events, limit);
  if (most <= limit || (is_exact && events.empty())) return most;
  Held exact(t, living, limit);
  exact.Remember(deltas.Remembered());
  return MostRows(exact, events, limit);
}

}  // namespace muster::python
