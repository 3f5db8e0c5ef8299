// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Clusters: makes them, changes their rows, lists what is in them. Cycles are in cycle.cc, events
// in events.cc.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/handles.h"
#include "capi/put.h"
#include "lib/base/hash_map.h"
#include "lib/model/access.h"
#include "lib/model/budget_name.h"
#include "lib/model/cluster_impl.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"

namespace muster::capi {

absl::Status CheckUsable(const muster_cluster* cluster) {
  if (cluster == nullptr) return NullArgument("cluster");
  if (cluster->busy) {
    return absl::FailedPreconditionError(
        "cluster: a call on it is running; its callbacks may not use it");
  }
  if (cluster->changing) {
    return absl::DataLossError(
        "cluster: memory ran out in the middle of an earlier change; it can only be freed");
  }
  return absl::OkStatus();
}

InUse::InUse(muster_cluster* cluster) : status_(CheckUsable(cluster)) {
  if (!status_.ok()) return;
  cluster_ = cluster;
  cluster_->busy = true;
}

namespace {

const NameTable* NamesIn(const Tables& tables, int32_t kind) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return &tables.nodes.names;
    case MUSTER_KIND_QUEUES:
      return &tables.queues.names;
    case MUSTER_KIND_JOBS:
      return &tables.jobs.names;
    case MUSTER_KIND_TASKS:
      return &tables.tasks.names;
    case MUSTER_KIND_DOMAINS:
      return &tables.domains.names;
    case MUSTER_KIND_DIMENSIONS:
      return &tables.dimensions;
    default:
      return nullptr;
  }
}

absl::StatusOr<int32_t> FindRow(const Tables& tables, int32_t kind, const char* name,
                                int64_t size) {
  const absl::StatusOr<std::string_view> text = TextIn("name", name, size);
  if (!text.ok()) return text.status();
  const NameTable* names = NamesIn(tables, kind);
  if (names == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("rows of kind ", kind, " have no index"));
  }
  const std::optional<uint32_t> row = names->Find(*text);
  if (!row) {
    return absl::NotFoundError(
        absl::StrCat(kind == MUSTER_KIND_DIMENSIONS ? "dimension" : ToAbsl(RowName(kind)), " ",
                     Quote(*text), ": does not exist"));
  }
  return static_cast<int32_t>(*row);
}

absl::Status Remove(Cluster& cluster, int32_t kind, std::string_view name) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return cluster.RemoveNode(name);
    case MUSTER_KIND_QUEUES:
      return cluster.RemoveQueue(name);
    case MUSTER_KIND_JOBS:
      return cluster.RemoveJob(name);
    case MUSTER_KIND_TASKS:
      return cluster.RemoveTask(name);
    case MUSTER_KIND_DOMAINS:
      return cluster.RemoveDomain(name);
    case MUSTER_KIND_FLAVORS:
      return cluster.RemoveFlavor(name);
    case MUSTER_KIND_PARTITIONS:
      return cluster.RemovePartition(name);
    case MUSTER_KIND_RESERVATIONS:
      return cluster.RemoveReservation(name);
    case MUSTER_KIND_BUDGETS: {
      const auto [name_space, budget] = BudgetParts(name);
      return cluster.RemoveDisruptionBudget(name_space, budget);
    }
    case MUSTER_KIND_NAMESPACES:
      return cluster.RemoveNamespace(name);
    default:
      return absl::InvalidArgumentError(absl::StrCat("rows of kind ", kind, " cannot be removed"));
  }
}

// Returns the status that the caller's number stands for, by the rules of Cluster::SetTaskStatus.
absl::StatusOr<TaskStatus> StatusIn(int64_t status) {
  if (status >= 0 && status < kTaskStatusCount) return static_cast<TaskStatus>(status);
  return absl::InvalidArgumentError(absl::StrCat("there is no status ", status));
}

absl::Status SetStatuses(muster_cluster* handle, int64_t count, const int32_t* tasks,
                         const int32_t* statuses, const int32_t* nodes) {
  if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
  if (count > 0 && (tasks == nullptr || statuses == nullptr)) {
    return NullArgument(tasks == nullptr ? "tasks" : "statuses");
  }
  Cluster& cluster = handle->cluster;
  const Tables& tables = TablesOf(cluster);
  const auto at = [](int64_t i, std::string_view rule) {
    return absl::InvalidArgumentError(absl::StrCat("statuses[", i, "]: ", ToAbsl(rule)));
  };
  const auto node_of = [&](int64_t i) -> int64_t { return nodes == nullptr ? -1 : nodes[i]; };
  // All rules are checked before the first change.
  bool keeps = false, leaves = false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t task = tasks[i], node = node_of(i);
    if (task < 0 || task >= static_cast<int64_t>(tables.tasks.alive.size()) ||
        !tables.tasks.alive[static_cast<size_t>(task)]) {
      return at(i, absl::StrCat("there is no task ", task));
    }
    const absl::StatusOr<TaskStatus> status = StatusIn(statuses[i]);
    if (!status.ok()) return at(i, std::string(status.status().message()));
    if (*status == TaskStatus::kPlaced) return at(i, "status placed exists only inside a cycle");
    if (node != MUSTER_NONE &&
        (node < 0 || node >= static_cast<int64_t>(tables.nodes.alive.size()) ||
         !tables.nodes.alive[static_cast<size_t>(node)])) {
      return at(i, absl::StrCat("there is no node ", node));
    }
    if (HoldsNode(*status)) {
      if (node == MUSTER_NONE && tables.tasks.node[static_cast<size_t>(task)] == kNone) {
        return at(i, absl::StrCat("status ", ToAbsl(TaskStatusName(*status)), " needs a node"));
      }
      keeps |= node == MUSTER_NONE;
    } else if (*status == TaskStatus::kPending && node != MUSTER_NONE) {
      return at(i, "status pending holds no node, but one is given");
    }
    leaves |= !HoldsNode(*status);
  }
  if (keeps && leaves) {  // a task that occurs twice may lose its node and then need it
    HashSet<int32_t> left;
    for (int64_t i = 0; i < count; ++i) {
      if (!HoldsNode(static_cast<TaskStatus>(statuses[i]))) {
        left.insert(tasks[i]);
      } else if (node_of(i) != MUSTER_NONE) {
        left.erase(tasks[i]);
      } else if (left.contains(tasks[i])) {
        return at(i, "the task has left its node before, in this call");
      }
    }
  }
  const absl::Status done = Changing(handle, [&] {
    Editor& editor = ImplOf(cluster).editor;
    for (int64_t i = 0; i < count; ++i) {
      const Tables& now = editor.tables();
      const auto task = static_cast<TaskIndex>(tasks[i]);
      const auto status = static_cast<TaskStatus>(statuses[i]);
      NodeIndex node = kNone;
      if (HoldsNode(status)) {
        node =
            node_of(i) == MUSTER_NONE ? now.tasks.node[task] : static_cast<NodeIndex>(node_of(i));
      }
      const bool assumed = (now.tasks.flags[task] & kTaskAssumed) != 0;
      if (assumed || now.tasks.status[task] != status || now.tasks.node[task] != node) {
        editor.SetPlace(task, status, node, /*assumed=*/false);
      }
    }
    return absl::OkStatus();
  });
  if (done.ok() && handle->recorder != nullptr) {
    const Tables& now = TablesOf(cluster);
    handle->recorder->Statuses(count, [&](int64_t i) -> Recorder::TaskReport {
      return {now.tasks.names.name(TaskIndex(tasks[i])),
              node_of(i) == MUSTER_NONE ? std::string_view()
                                        : now.nodes.names.name(NodeIndex(node_of(i))),
              static_cast<TaskStatus>(statuses[i])};
    });
  }
  return done;
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::Cluster;
using muster::ClusterSpec;
using muster::Scenario;

muster_status muster_cluster_new(const muster_cluster_options* options, muster_cluster** out,
                                 muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    muster_cluster_options said = MUSTER_CLUSTER_OPTIONS_INIT;
    if (absl::Status s = ReadStruct("muster_cluster_options", options, &said); !s.ok()) return s;
    if (said.record_limit < 0) {
      return absl::InvalidArgumentError(
          "muster_cluster_options: record_limit is negative; must be 0 or more");
    }
    auto memory = MakeMemory(said.allocator);
    if (!memory.ok()) return memory.status();
    auto cluster = std::make_unique<muster_cluster>();
    cluster->memory = *std::move(memory);
    cluster->log = {said.log, said.log_user};
    if (said.record != nullptr) {
      cluster->recorder = std::make_unique<Recorder>(said.record, said.record_user,
                                                     said.record_limit, cluster->log);
      cluster->recorder->Begin();
    }
    *out = cluster.release();
    return absl::OkStatus();
  });
}

void muster_cluster_free(muster_cluster* cluster) {
  if (cluster != nullptr && cluster->busy) {
    cluster->freed = true;
  } else {
    delete cluster;
  }
}

muster_status muster_cluster_put(muster_cluster* cluster, int32_t mode, const muster_table* table,
                                 muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (table == nullptr) return NullArgument("table");
    if (mode == MUSTER_PUT_UPDATE && table->kind <= MUSTER_KIND_DOMAINS)
      return UpdateRows(cluster, *table);
    if (mode != MUSTER_PUT_ADD && mode != MUSTER_PUT_UPDATE) {
      return absl::InvalidArgumentError(absl::StrCat("there is no mode ", mode));
    }
    const absl::StatusOr<bool> in_bulk = AddInBulk(cluster, *table);
    if (!in_bulk.ok()) return in_bulk.status();
    if (*in_bulk) return absl::OkStatus();
    ClusterSpec rows;
    if (absl::Status s = AppendRows(*table, ResolverOf(*cluster), &rows); !s.ok()) return s;
    return AddRows(cluster, rows, "");
  });
}

muster_status muster_cluster_add_json(muster_cluster* cluster, const char* json, int64_t size,
                                      muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("json", json, size);
    if (!text.ok()) return text.status();
    const absl::StatusOr<Scenario> scenario = muster::ParseScenario(*text, cluster->limits);
    if (!scenario.ok()) return scenario.status();
    return AddRows(cluster, scenario->cluster, "scenario: ");
  });
}

muster_status muster_cluster_remove(muster_cluster* cluster, int32_t kind, const char* name,
                                    int64_t size, muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("name", name, size);
    if (!text.ok()) return text.status();
    const absl::Status done =
        Changing(cluster, [&] { return Remove(cluster->cluster, kind, *text); });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->Remove(kind, *text);
    return done;
  });
}

muster_status muster_cluster_set_tasks(muster_cluster* cluster, int64_t count, const int32_t* tasks,
                                       const int32_t* statuses, const int32_t* nodes,
                                       muster_error* error) {
  return OnCluster(cluster, error,
                   [&] { return SetStatuses(cluster, count, tasks, statuses, nodes); });
}

muster_status muster_cluster_set_task(muster_cluster* cluster, const char* name, int64_t size,
                                      int32_t status, const char* node, int64_t node_size,
                                      muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto task = TextIn("name", name, size);
    if (!task.ok()) return task.status();
    std::string_view place;
    if (node != nullptr) {
      const auto text = TextIn("node", node, node_size);
      if (!text.ok()) return text.status();
      place = *text;
    }
    const auto to = StatusIn(status);
    if (!to.ok()) return to.status();
    const absl::Status done =
        Changing(cluster, [&] { return cluster->cluster.SetTaskStatus(*task, *to, place); });
    if (done.ok() && cluster->recorder != nullptr) {
      cluster->recorder->Statuses(1, [&](int64_t) -> Recorder::TaskReport {
        return {*task, place, *to};
      });
    }
    return done;
  });
}

muster_status muster_cluster_report_bind_failed(muster_cluster* cluster, const char* name,
                                                int64_t size, muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto task = TextIn("name", name, size);
    if (!task.ok()) return task.status();
    const absl::Status done =
        Changing(cluster, [&] { return cluster->cluster.ReportBindFailed(*task); });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->BindFailed(*task);
    return done;
  });
}

muster_status muster_cluster_report_evict_failed(muster_cluster* cluster, const char* name,
                                                 int64_t size, muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto task = TextIn("name", name, size);
    if (!task.ok()) return task.status();
    const absl::Status done =
        Changing(cluster, [&] { return cluster->cluster.ReportEvictFailed(*task); });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->EvictFailed(*task);
    return done;
  });
}

muster_status muster_cluster_make_tasks(muster_cluster* cluster, const char* job, int64_t job_size,
                                        const char* group, int64_t group_size, int64_t count,
                                        muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto of_job = TextIn("job", job, job_size);
    if (!of_job.ok()) return of_job.status();
    const auto of_group = TextIn("group", group, group_size);
    if (!of_group.ok()) return of_group.status();
    const absl::Status done =
        Changing(cluster, [&] { return cluster->cluster.MakeTasks(*of_job, *of_group, count); });
    if (done.ok() && cluster->recorder != nullptr) {
      cluster->recorder->MakeTasks(*of_job, *of_group, count);
    }
    return done;
  });
}

muster_status muster_cluster_find(const muster_cluster* cluster, int32_t kind, const char* name,
                                  int64_t size, int32_t* index, muster_error* error) {
  if (index != nullptr) *index = MUSTER_NONE;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (index == nullptr) return NullArgument("index");
    const auto row = FindRow(TablesOf(cluster->cluster), kind, name, size);
    if (!row.ok()) return row.status();
    *index = *row;
    return absl::OkStatus();
  });
}

uint64_t muster_cluster_layout(const muster_cluster* cluster) {
  return cluster == nullptr ? 0 : ImplOf(cluster->cluster).tables->layout;
}
uint64_t muster_cluster_version(const muster_cluster* cluster) {
  return cluster == nullptr ? 0 : cluster->cluster.version();
}

muster_status muster_cluster_write_scenario(const muster_cluster* cluster, const char* profile,
                                            muster_text** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    Scenario scenario = muster::Describe(cluster->cluster);
    if (profile != nullptr) scenario.profile = profile;
    if (!muster::IsValidUtf8(scenario.profile)) {
      return absl::InvalidArgumentError("profile: the text is not UTF-8");
    }
    return GiveText(cluster->memory, muster::WriteScenario(scenario), out);
  });
}

muster_status muster_cluster_read_scenario(muster_cluster* cluster, const char* json, int64_t size,
                                           muster_text** profile, muster_error* error) {
  if (profile != nullptr) *profile = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("json", json, size);
    if (!text.ok()) return text.status();
    const absl::StatusOr<Scenario> scenario = muster::ParseScenario(*text, cluster->limits);
    if (!scenario.ok()) return scenario.status();
    muster_text* named = nullptr;
    if (profile != nullptr) {
      if (absl::Status s = GiveText(cluster->memory, scenario->profile, &named); !s.ok()) return s;
    }
    std::unique_ptr<muster_text> held(named);
    // Fill builds another cluster and puts it in place at its end.
    if (absl::Status s = muster::Fill(*scenario, &cluster->cluster); !s.ok()) return s;
    if (profile != nullptr) *profile = held.release();
    if (cluster->recorder == nullptr) return absl::OkStatus();
    if (scenario->memory.empty()) {
      cluster->recorder->Rows("load", scenario->cluster);
    } else {
      cluster->recorder->LoadState(muster::StateText(cluster->cluster));
    }
    return absl::OkStatus();
  });
}

muster_status muster_cluster_memory(const muster_cluster* cluster, muster_text** out,
                                    muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    return GiveText(cluster->memory, cluster->cluster.memory().ToText(), out);
  });
}

muster_status muster_cluster_set_limits(muster_cluster* cluster, const muster_limits* limits,
                                        muster_error* error) {
  return OnCluster(cluster, error, [&] {
    muster::Limits read;
    absl::Status status = ReadLimits(limits, &read);
    if (status.ok()) cluster->limits = read;
    return status;
  });
}

muster_status muster_cluster_set_memory(muster_cluster* cluster, const char* memory, int64_t size,
                                        muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("memory", memory, size);
    if (!text.ok()) return text.status();
    const absl::StatusOr<muster::Memory> remembered = muster::Memory::Parse(*text);
    if (!remembered.ok()) return remembered.status();
    Changing(cluster, [&] {
      cluster->cluster.SetMemory(*remembered);
      return true;
    });
    if (cluster->recorder != nullptr) cluster->recorder->SetMemory(*remembered);
    return absl::OkStatus();
  });
}

muster_status muster_state_save(muster_cluster* cluster, muster_text** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    Changing(cluster, [&] {
      muster::NumberAnew(&cluster->cluster);
      return true;
    });
    if (cluster->recorder != nullptr) cluster->recorder->SaveState();
    return GiveText(cluster->memory, muster::StateText(cluster->cluster), out);
  });
}

muster_status muster_state_load(muster_cluster* cluster, const char* state, int64_t size,
                                muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("state", state, size);
    if (!text.ok()) return text.status();
    // It builds another cluster and puts it in place at its end.
    if (absl::Status s = muster::LoadState(*text, &cluster->cluster, cluster->limits); !s.ok()) {
      return s;
    }
    if (cluster->recorder != nullptr) cluster->recorder->LoadState(*text);
    return absl::OkStatus();
  });
}

muster_status muster_cluster_freeze(const muster_cluster* cluster, muster_snapshot** out,
                                    muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    *out = new muster_snapshot{cluster->cluster.Freeze()};
    return absl::OkStatus();
  });
}

void muster_snapshot_free(muster_snapshot* snapshot) { delete snapshot; }

uint64_t muster_snapshot_version(const muster_snapshot* snapshot) {
  return snapshot == nullptr ? 0 : snapshot->snapshot.version();
}

int64_t muster_snapshot_count(const muster_snapshot* snapshot, int32_t kind) {
  if (snapshot == nullptr) return 0;
  const muster::NameTable* names = NamesIn(TablesOf(snapshot->snapshot), kind);
  return names == nullptr ? 0 : names->size();
}

const char* muster_snapshot_name(const muster_snapshot* snapshot, int32_t kind, int32_t index,
                                 int64_t* size) {
  if (size != nullptr) *size = 0;
  if (snapshot == nullptr || index < 0) return nullptr;
  const muster::NameTable* names = NamesIn(TablesOf(snapshot->snapshot), kind);
  if (names == nullptr || static_cast<uint32_t>(index) >= names->size()) return nullptr;
  const std::string_view name = names->name(static_cast<uint32_t>(index));
  if (size != nullptr) *size = static_cast<int64_t>(name.size());
  return name.data();
}

muster_status muster_snapshot_find(const muster_snapshot* snapshot, int32_t kind, const char* name,
                                   int64_t size, int32_t* index, muster_error* error) {
  if (index != nullptr) *index = MUSTER_NONE;
  return Guard(error, [&]() -> absl::Status {
    if (snapshot == nullptr) return NullArgument("snapshot");
    if (index == nullptr) return NullArgument("index");
    const auto row = FindRow(TablesOf(snapshot->snapshot), kind, name, size);
    if (!row.ok()) return row.status();
    *index = *row;
    return absl::OkStatus();
  });
}
