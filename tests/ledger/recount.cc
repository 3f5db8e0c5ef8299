// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/ledger/recount.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "muster/policy/sub_group.h"
#include "muster/quantity.h"

namespace muster::testing {
namespace {

void Add(Cells& cells, std::span<const int64_t> row, int64_t sign = 1) {
  for (size_t d = 0; d < cells.size(); ++d) cells[d] += sign * row[d];
}

// Of the job's sub-groups, tasks of none first; none at all where it has no sub-groups.
std::vector<std::string> SubGroupNames(const Tables& tables, JobIndex j) {
  std::vector<std::string> names;
  if (!tables.jobs.alive[j] || tables.jobs.spec[j].sub_groups.empty()) return names;
  for (size_t s = 0; s <= tables.jobs.spec[j].sub_groups.size(); ++s) {
    names.push_back("sub-group counts " + std::to_string(j) + "." + std::to_string(s));
  }
  return names;
}

std::vector<DevicePart> GrantsOf(const Tables& tables, TaskIndex t) {
  std::vector<DevicePart> grants;
  const std::vector<DeviceSpec>& devices = tables.nodes.spec[tables.tasks.node[t]].devices;
  for (uint32_t d = 0; d < devices.size(); ++d) {
    for (const DeviceHold& hold : tables.hold_lists[tables.tasks.devices[t]]) {
      if (hold.device == devices[d].name) {
        grants.push_back({d, {hold.milli, ParseQuantity(hold.memory.text, Unit::kWhole).value()}});
      }
    }
  }
  return grants;
}

}  // namespace

States FromTables(const Tables& tables, const Accounting& rules) {
  States states;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const bool alive = tables.tasks.alive[t];
    const TaskStatus status = alive ? tables.tasks.status[t] : TaskStatus::kUnknown;
    const NodeIndex node = alive && HoldsNode(status) ? tables.tasks.node[t] : kNone;
    states.push_back({status, node, node != kNone});
    if (!rules.books.empty() && node != kNone) states.back().grants = GrantsOf(tables, t);
  }
  return states;
}

AccountsByName Recount(const Tables& tables, const States& states, const Accounting& rules) {
  const size_t dims = tables.dimension_count();
  AccountsByName books;
  const auto at = [&](const std::string& what, uint32_t index) -> Cells& {
    Cells& cells = books[what + " " + std::to_string(index)];
    if (cells.empty()) cells.assign(dims, 0);
    return cells;
  };
  Cells total(dims, 0);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    for (const char* account :
         {"idle", "releasing", "pipelined", "used", "requested", "evictable"}) {
      at(account, n);
    }
    books["view " + std::to_string(n)] = {0, 0, 0};
    if (!rules.books.empty()) {
      Cells& now = books["devices now " + std::to_string(n)];
      Cells& later = books["devices later " + std::to_string(n)];
      for (const DeviceSpec& device : tables.nodes.spec[n].devices) {
        if (!tables.nodes.alive[n]) continue;
        const int64_t memory = ParseQuantity(device.memory.text, Unit::kWhole).value();
        now.insert(now.end(), {device.milli, memory});
        later.insert(later.end(), {device.milli, memory});
      }
    }
    if (!tables.nodes.alive[n]) continue;
    for (size_t d = 0; d < dims; ++d) {
      const int64_t has = tables.nodes.allocatable.row(n)[d];
      total[d] += OrZero(has);
      at("idle", n)[d] = has == kAbsent && d == kPods ? int64_t{1} << 61 : OrZero(has);
    }
  }
  books["total"] = total;
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    at("job allocated", j);
    books["job counts " + std::to_string(j)].assign(kTaskStatusCount + 2, 0);
    for (GroupIndex g = 0; tables.jobs.alive[j] && g < tables.jobs.groups[j].size(); ++g) {
      books["group counts " + std::to_string(j) + "." + std::to_string(g)].assign(
          kTaskStatusCount + 2, 0);
    }
    for (const std::string& name : SubGroupNames(tables, j)) {
      books[name].assign(kTaskStatusCount + 2, 0);
    }
  }
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    for (const char* account :
         {"queue allocated", "queue pending", "tree allocated", "tree pending"}) {
      at(account, q);
    }
  }
  // What a task takes of its node, and of the one that it is promised.
  const auto add_place = [&](TaskIndex t, TaskStatus status, NodeIndex n, bool view,
                             const std::vector<DevicePart>& grants) {
    for (const DevicePart& grant : grants) {
      for (const char* account : {"devices now ", "devices later "}) {
        const bool now = account == std::string("devices now ");
        if (status == (now ? TaskStatus::kNominated : TaskStatus::kReleasing)) continue;
        Cells& cells = books[account + std::to_string(n)];
        cells[2 * grant.device] -= grant.amount.milli;
        cells[2 * grant.device + 1] -= grant.amount.memory;
      }
    }
    const ClassIndex c = tables.tasks.task_class[t];
    const auto request = tables.classes.request.row(c);
    if (n != kNone) {
      if (status == TaskStatus::kNominated) {
        if (rules.statuses[TaskStatus::kNominated].pipelined == 0) {
          Add(at("releasing", n), request, -1);
          Add(at("used", n), request);
        } else {
          Add(at("pipelined", n), request);
        }
      } else {
        Add(at("idle", n), request, -1);
        Add(at("used", n), request);
        if (status == TaskStatus::kReleasing) Add(at("releasing", n), request);
      }
      const bool leaves_if_asked = status == TaskStatus::kRunning || status == TaskStatus::kBound;
      if (leaves_if_asked && (tables.tasks.flags[t] & kTaskPreemptable)) {
        Add(at("evictable", n), request);
      }
      if (view) {
        const bool main = rules.score_main_containers;
        Add(at("requested", n), request);
        Cells& cells = books["view " + std::to_string(n)];
        cells[0] += main ? tables.classes.scoring_cpu_main[c] : tables.classes.scoring_cpu[c];
        cells[1] += main ? tables.classes.scoring_memory_main[c] : tables.classes.scoring_memory[c];
        cells[2] += 1;
      }
    }
  };
  for (TaskIndex t = 0; t < states.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const TaskState& state = states[t];
    const TaskStatus status = state.status;
    const bool promised = state.promised != kNone;
    add_place(t, status, state.node, state.view, state.grants);
    if (promised) {
      add_place(t, TaskStatus::kNominated, state.promised, /*view=*/true, state.promised_grants);
    }
    const ClassIndex c = tables.tasks.task_class[t];
    const auto request = tables.classes.request.row(c);
    const JobIndex j = tables.tasks.job[t];
    if (j == kNone) continue;
    const bool lonely = status == TaskStatus::kPending && tables.classes.best_effort[c];
    const std::string number = std::to_string(j);
    std::vector<std::string> names = {
        "job counts " + number,
        "group counts " + number + "." + std::to_string(tables.tasks.group[t])};
    if (const auto subs = SubGroupNames(tables, j); !subs.empty()) {
      const SubGroupIndex s = tables.tasks.sub_group[t];
      names.push_back(subs[SubGroup::SlotOf(s)]);
    }
    for (const std::string& name : names) {
      books[name][static_cast<int>(status)] += 1;
      books[name][kTaskStatusCount] += lonely;
      books[name][kTaskStatusCount + 1] += promised;
    }
    const bool charged = IsAllocated(status) || status == TaskStatus::kNominated || promised;
    if (!charged && status != TaskStatus::kPending) continue;
    if (charged) Add(at("job allocated", j), request);
    const QueueIndex queue = tables.jobs.queue[j];
    Add(at(charged ? "queue allocated" : "queue pending", queue), request);
    for (QueueIndex a = queue; a != kNone; a = tables.queues.parent[a]) {
      Add(at(charged ? "tree allocated" : "tree pending", a), request);
    }
  }
  // What is free now is free later, too, or it cannot be taken now.
  for (NodeIndex n = 0; !rules.books.empty() && n < tables.nodes.alive.size(); ++n) {
    Cells& now = books["devices now " + std::to_string(n)];
    const Cells& later = books["devices later " + std::to_string(n)];
    for (size_t i = 0; i < now.size(); ++i) now[i] = std::min(now[i], later[i]);
  }
  return books;
}

AccountsByName Read(const Ledger& ledger) {
  const Tables& tables = ledger.tables();
  AccountsByName books;
  const std::pair<const char*, NodeAccount> accounts[] = {{"idle ", kIdle},
                                                          {"releasing ", kReleasing},
                                                          {"pipelined ", kPipelined},
                                                          {"used ", kUsed},
                                                          {"requested ", kRequested}};
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const std::string number = std::to_string(n);
    for (const auto& [name, account] : accounts)
      books[name + number] = Copy(ledger.node(n, account));
    books["evictable " + number] = Copy(ledger.evictable(n));
    books["view " + number] = {ledger.scoring_cpu(n), ledger.scoring_memory(n),
                               ledger.tasks_in_view(n)};
    DeviceBook* devices = DeviceBook::Of(ledger);
    if (devices == nullptr) continue;
    for (bool later : {false, true}) {
      Cells& cells = books[(later ? "devices later " : "devices now ") + number];
      for (const DeviceAmount& free : devices->states().Free(devices->state(n), later)) {
        cells.insert(cells.end(), {free.milli, free.memory});
      }
    }
  }
  books["total"] = Copy(ledger.total());
  const auto counts = [](const JobCounts& of) {
    Cells cells(of.by_status.begin(), of.by_status.end());
    cells.push_back(of.pending_best_effort);
    cells.push_back(of.promised);
    return cells;
  };
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    const std::string number = std::to_string(j);
    books["job allocated " + number] = Copy(ledger.job_allocated(j));
    books["job counts " + number] = counts(ledger.job(j));
    for (GroupIndex g = 0; tables.jobs.alive[j] && g < tables.jobs.groups[j].size(); ++g) {
      books["group counts " + number + "." + std::to_string(g)] = counts(ledger.group(j, g));
    }
    const std::vector<std::string> subs = SubGroupNames(tables, j);
    for (uint32_t s = 0; s < subs.size(); ++s) {
      books[subs[s]] = counts(ledger.sub_group(j, SubGroup::AtSlot(j, s).index));
    }
  }
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    const std::string number = std::to_string(q);
    books["queue allocated " + number] = Copy(ledger.queue_allocated(q));
    books["queue pending " + number] = Copy(ledger.queue_pending(q));
    books["tree allocated " + number] = Copy(ledger.tree_allocated(q));
    books["tree pending " + number] = Copy(ledger.tree_pending(q));
  }
  return books;
}

std::string FirstDifference(const AccountsByName& expected, const AccountsByName& actual) {
  for (const auto& [name, cells] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) return name + " is missing";
    if (found->second != cells) {
      return name + ": expected " + ::testing::PrintToString(cells) + ", the ledger has " +
             ::testing::PrintToString(found->second);
    }
  }
  return expected.size() == actual.size() ? "" : "the ledger has more accounts";
}

}  // namespace muster::testing
