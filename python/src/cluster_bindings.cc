// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Clusters and snapshots.
//
// A Cluster is used by one thread at a time. The GIL is released while a cycle runs, and reading
// rows may run code of the caller, such as __index__. Calls meanwhile - from another thread, from a
// policy of the cycle or from that code - are refused.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/describe.h"
#include "lib/model/quiet_rows.h"
#include "lib/scenario/scenario.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "python/src/advice.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/events.h"
#include "python/src/forecast.h"
#include "python/src/held_rows.h"
#include "python/src/pickle.h"
#include "python/src/rows.h"
#include "python/src/run.h"
#include "python/src/status.h"
#include "python/src/tables.h"
#include "python/src/what_if.h"

namespace muster::python {
namespace {

using ExtensionsPtr = std::shared_ptr<PythonExtensions>;

class LiveCluster {
 public:
  using Bound = void;

  LiveCluster() = default;
  explicit LiveCluster(Cluster cluster) : cluster_(std::move(cluster)) {}
  // The cluster, for the length of one call.
  Cluster& Use() {
    if (busy_) {
      throw StatusError(
          absl::FailedPreconditionError("cluster: a call runs on it, in another thread or around "
                                        "this one; freeze() before gives a snapshot "
                                        "that may be read meanwhile"));
    }
    return cluster_;
  }

  // The cluster, for a call that runs cycles or reads objects of the caller; until it ends, other
  // calls are refused.
  template <class Call>
  auto WhileBusy(const Call& call) {
    Cluster& cluster = Use();
    busy_ = true;
    struct Idle {
      std::atomic<bool>& busy;
      ~Idle() { busy = false; }
    } idle{busy_};
    return call(cluster);
  }

  Plan Schedule(const TextArg& profile, const py::dict& options, const ExtensionsPtr& policies) {
    return WhileBusy([&](Cluster& cluster) {
      return RunCycle(options, policies,
                      [&](const ScheduleOptions& o) { return cluster.Schedule(profile, o); });
    });
  }

 private:
  Cluster cluster_;
  std::atomic<bool> busy_{false};
};

absl::Status NotThere(std::string_view kind, std::string_view name) {
  return absl::NotFoundError(absl::StrCat(ToAbsl(kind), " ", Quote(name), ": does not exist"));
}

// What is known of a row; a field that an update does not name stays.
NodeSpec NodeOf(const Cluster& cluster, const std::string& name) {
  const Tables& tables = TablesOf(cluster);
  const auto row = tables.nodes.names.Find(name);
  if (!row) throw StatusError(NotThere("node", name));
  return tables.nodes.spec[*row];
}
QueueSpec QueueOf(const Cluster& cluster, const std::string& name) {
  const Tables& tables = TablesOf(cluster);
  const auto row = tables.queues.names.Find(name);
  if (!row) throw StatusError(NotThere("queue", name));
  return tables.queues.spec[*row];
}
JobSpec JobOf(const Cluster& cluster, const std::string& name) {
  const Tables& tables = TablesOf(cluster);
  const auto row = tables.jobs.names.Find(name);
  if (!row) throw StatusError(NotThere("job", name));
  return tables.jobs.spec[*row];
}
TaskSpec TaskOf(const Cluster& cluster, const std::string& name) {
  const auto row = ImplOf(cluster).tables->tasks.names.Find(name);
  if (!row) throw StatusError(NotThere("task", name));
  return DescribeTask(ImplOf(cluster).editor, *row);
}

template <class S>
S Merged(std::string_view kind, S spec, const py::dict& fields) {
  ReadInto(Place{nullptr, PlaceFor(kind, fields)}, fields, &spec);
  return spec;
}

// All rows or none. `fill` returns the spec of a row, and may throw.
template <class Fill>
size_t AddAll(Cluster& cluster, std::string_view kind, size_t count, const Fill& fill) {
  RowsTogether together(ImplOf(cluster));
  for (size_t i = 0; i < count; ++i) {
    absl::Status status;
    try {
      status = together.Add(fill(i));
    } catch (...) {
      Check(together.TakeBack(absl::OkStatus()));
      throw;
    }
    if (status.ok()) continue;
    throw StatusError(together.TakeBack(absl::Status(
        status.code(), absl::StrCat(ToAbsl(kind), "s: row ", i, ": ", status.message()))));
  }
  together.Wake();
  return count;
}

template <class S>
size_t AddColumns(Cluster& cluster, std::string_view kind, const py::dict& columns,
                  const py::dict& constants) {
  RowReader<S> rows(kind, columns, constants);
  return AddAll(cluster, kind, rows.size(), [&](size_t i) -> const S& { return rows.Fill(i); });
}

// task, status, node, since
py::list RowsOfAssumptions(const std::vector<Assumption>& assumptions) {
  py::list rows;
  for (const Assumption& one : assumptions) {
    rows.append(py::make_tuple(Text(one.task), Text(TaskStatusName(one.status)), Text(one.node),
                               one.since));
  }
  return rows;
}

std::string_view DriftName(Drift::Kind kind) {
  switch (kind) {
    case Drift::Kind::kMissing:
      return "missing";
    case Drift::Kind::kExtra:
      return "extra";
    case Drift::Kind::kDifferent:
      return "different";
  }
  return "";
}

ClusterSpec ReadCluster(const py::dict& tables) {
  const std::vector<std::string_view> tables_known = {
      "nodes",   "queues",     "jobs",    "tasks",      "domains",
      "budgets", "namespaces", "flavors", "partitions", "reservations"};
  ClusterSpec spec;
  size_t taken = 0;
  const auto read = [&](const char* key, auto* rows) {
    if (!tables.contains(key)) return;
    ++taken;
    ReadInto(Place{nullptr, key}, tables[key], rows);
  };
  read("nodes", &spec.nodes);
  read("queues", &spec.queues);
  read("jobs", &spec.jobs);
  read("tasks", &spec.tasks);
  read("domains", &spec.domains);
  read("budgets", &spec.budgets);
  read("namespaces", &spec.namespaces);
  read("flavors", &spec.flavors);
  read("partitions", &spec.partitions);
  read("reservations", &spec.reservations);
  if (taken == tables.size()) return spec;
  const Place root{nullptr, "cluster"};
  for (auto [key, rows] : tables) {
    const std::string text = ReadText(root, key);
    if (std::find(tables_known.begin(), tables_known.end(), text) == tables_known.end()) {
      UnknownKey(root, text, tables_known);
    }
  }
  return spec;
}

py::dict WriteCluster(const ClusterSpec& spec) {
  py::dict out;
  out["nodes"] = Write(spec.nodes);
  out["queues"] = Write(spec.queues);
  out["jobs"] = Write(spec.jobs);
  out["tasks"] = Write(spec.tasks);
  out["domains"] = Write(spec.domains);
  out["budgets"] = Write(spec.budgets);
  out["namespaces"] = Write(spec.namespaces);
  out["flavors"] = Write(spec.flavors);
  out["partitions"] = Write(spec.partitions);
  out["reservations"] = Write(spec.reservations);
  return out;
}

}  // namespace

void BindCluster(py::module_& module) {
  py::class_<Snapshot>(module, "Snapshot")
      .def(py::init<>())
      .def(py::pickle([](const Snapshot& self) { return py::bytes(SnapshotState(self)); },
                      [](const py::bytes& state) { return SnapshotOfState(state); }))
      .def_property_readonly("version", &Snapshot::version)
      .def("has_resource",
           [](const Snapshot& self, const std::string& name) {
             return TablesOf(self).dimensions.Find(name).has_value();
           })
      .def_property_readonly("counts", [](const Snapshot& self) {
        const Tables& t = TablesOf(self);
        return py::make_tuple(t.nodes.names.live_size(), t.queues.names.live_size(),
                              t.jobs.names.live_size(), t.tasks.names.live_size());
      });
  module.def(
      "schedule",
      [](const Snapshot& snapshot, const TextArg& profile, const py::dict& options,
         const ExtensionsPtr& policies) {
        return RunCycle(options, policies,
                        [&](const ScheduleOptions& o) { return Schedule(snapshot, profile, o); });
      },
      py::arg("snapshot"), py::arg("profile"), py::arg("options"), py::arg("policies"));

  module.def(
      "what_if",
      [](const Snapshot& snapshot, const TextArg& profile, py::handle changes,
         const ExtensionsPtr& policies) {
        const std::vector<WhatIfChange> read = ReadChanges(changes);
        return OutlookTable(AskCycles(0, policies, [&](const ScheduleOptions& options) {
          return WhatIf(snapshot, profile, read, options.extensions);
        }));
      },
      py::arg("snapshot"), py::arg("profile"), py::arg("changes"), py::arg("policies"));

  py::class_<LiveCluster> cluster(module, "Cluster");
  cluster.def(py::init<>());
  cluster.def("clone",
              [](LiveCluster& self) { return std::make_unique<LiveCluster>(self.Use().Clone()); });
  cluster.def(py::pickle(
      [](LiveCluster& self) { return py::bytes(ClusterState(&self.Use())); },
      [](const py::bytes& state) { return std::make_unique<LiveCluster>(ClusterOfState(state)); }));
  cluster.def("add_node", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.AddNode(ReadRow<NodeSpec>("node", fields))); });
  });
  cluster.def("add_nodes", [](LiveCluster& self, int64_t count, const py::dict& fields) {
    self.WhileBusy(
        [&](Cluster& c) { Check(c.AddNodes(count, ReadRow<NodeSpec>("node", fields))); });
  });
  cluster.def("update_node", [](LiveCluster& self, const TextArg& name, const py::dict& fields) {
    self.WhileBusy(
        [&](Cluster& c) { Check(c.UpdateNode(Merged("node", NodeOf(c, name), fields))); });
  });
  cluster.def("remove_node",
              [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveNode(name)); });
  cluster.def("add_queue", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.AddQueue(ReadRow<QueueSpec>("queue", fields))); });
  });
  cluster.def("update_queue", [](LiveCluster& self, const TextArg& name, const py::dict& fields) {
    self.WhileBusy(
        [&](Cluster& c) { Check(c.UpdateQueue(Merged("queue", QueueOf(c, name), fields))); });
  });
  cluster.def("remove_queue",
              [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveQueue(name)); });
  cluster.def("add_job", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.AddJob(ReadRow<JobSpec>("job", fields))); });
  });
  cluster.def("update_job", [](LiveCluster& self, const TextArg& name, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.UpdateJob(Merged("job", JobOf(c, name), fields))); });
  });
  cluster.def("remove_job",
              [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveJob(name)); });
  cluster.def("add_task", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.AddTask(ReadRow<TaskSpec>("task", fields))); });
  });
  cluster.def("update_task", [](LiveCluster& self, const TextArg& name, const py::dict& fields) {
    self.WhileBusy(
        [&](Cluster& c) { Check(c.UpdateTask(Merged("task", TaskOf(c, name), fields))); });
  });
  cluster.def("remove_task",
              [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveTask(name)); });
  cluster.def("set_task_status", [](LiveCluster& self, const TextArg& name, const py::str& status,
                                    const TextArg& node) {
    TaskStatus value;
    const std::string place = absl::StrCat("task ", Quote(name));
    const Place root{nullptr, place};
    ReadInto(Place{&root, "status"}, status, &value);
    Check(self.Use().SetTaskStatus(name, value, node));
  });
  cluster.def("add_domain", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) { Check(c.AddDomain(ReadRow<DomainSpec>("domain", fields))); });
  });
  cluster.def("remove_domain",
              [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveDomain(name)); });
  cluster.def("set_disruption_budget", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy([&](Cluster& c) {
      Check(c.SetDisruptionBudget(ReadRow<DisruptionBudgetSpec>("budget", fields)));
    });
  });
  cluster.def("remove_disruption_budget",
              [](LiveCluster& self, const TextArg& name_space, const TextArg& name) {
                Check(self.Use().RemoveDisruptionBudget(name_space, name));
              });
  cluster.def("remove_namespace", [](LiveCluster& self, const TextArg& name) {
    Check(self.Use().RemoveNamespace(name));
  });
  cluster.def("set_namespace", [](LiveCluster& self, const py::dict& fields) {
    self.WhileBusy(
        [&](Cluster& c) { Check(c.SetNamespace(ReadRow<NamespaceSpec>("namespace", fields))); });
  });
  cluster
      .def("set_flavor",
           [](LiveCluster& self, const py::dict& fields) {
             self.WhileBusy(
                 [&](Cluster& c) { Check(c.SetFlavor(ReadRow<FlavorSpec>("flavor", fields))); });
           })
      .def("remove_flavor",
           [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveFlavor(name)); })
      .def("set_partition",
           [](LiveCluster& self, const py::dict& fields) {
             self.WhileBusy([&](Cluster& c) {
               Check(c.SetPartition(ReadRow<PartitionSpec>("partition", fields)));
             });
           })
      .def("remove_partition",
           [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemovePartition(name)); })
      .def("set_reservation",
           [](LiveCluster& self, const py::dict& fields) {
             self.WhileBusy([&](Cluster& c) {
               Check(c.SetReservation(ReadRow<ReservationSpec>("reservation", fields)));
             });
           })
      .def(
          "remove_reservation",
          [](LiveCluster& self, const TextArg& name) { Check(self.Use().RemoveReservation(name)); })
      .def("make_tasks", [](LiveCluster& self, const TextArg& job, const TextArg& group,
                            int64_t count) { Check(self.Use().MakeTasks(job, group, count)); });
  cluster.def("what_if", [](LiveCluster& self, const TextArg& profile, py::handle changes,
                            const ExtensionsPtr& policies) {
    const std::vector<WhatIfChange> read = ReadChanges(changes);
    return OutlookTable(self.WhileBusy([&](Cluster& cluster) {
      return AskCycles(0, policies, [&](const ScheduleOptions& options) {
        return WhatIf(cluster, profile, read, options.extensions);
      });
    }));
  });
  cluster.def("rehearse", [](LiveCluster& self, const TextArg& profile, py::handle changes,
                             int64_t now, const ExtensionsPtr& policies, int64_t threads) {
    return self.WhileBusy([&](const Cluster& cluster) {
      return RehearsalTables(cluster, profile, changes, {now, policies, threads});
    });
  });
  cluster.def("diagnose",
              [](LiveCluster& self, const TextArg& profile, const TextArg& job, int64_t trials,
                 int64_t now, const ExtensionsPtr& policies, int64_t threads) {
                return self.WhileBusy([&](const Cluster& cluster) {
                  return DiagnosisTables(cluster, profile, job, trials, {now, policies, threads});
                });
              });
  cluster.def("drain",
              [](LiveCluster& self, const TextArg& profile, const std::vector<std::string>& nodes,
                 int64_t now, const ExtensionsPtr& policies) {
                return self.WhileBusy([&](const Cluster& cluster) {
                  return DrainTables(cluster, profile, nodes, {now, policies});
                });
              });
  cluster.def("need_nodes",
              [](LiveCluster& self, const TextArg& profile, const py::list& offers, int64_t most,
                 int64_t now, const ExtensionsPtr& policies, int64_t threads) {
                return self.WhileBusy([&](const Cluster& cluster) {
                  return NeedTables(cluster, profile, offers, most, {now, policies, threads});
                });
              });
  cluster.def("forecast",
              [](LiveCluster& self, const TextArg& profile, py::handle history,
                 const py::dict& options, const ExtensionsPtr& policies, int64_t threads) {
                return self.WhileBusy([&](const Cluster& cluster) {
                  return ForecastTables(cluster, profile, history, options, policies, threads);
                });
              });
  cluster.def("report_bind_failed", [](LiveCluster& self, const TextArg& task) {
    Check(self.Use().ReportBindFailed(task));
  });
  cluster.def("report_evict_failed", [](LiveCluster& self, const TextArg& task) {
    Check(self.Use().ReportEvictFailed(task));
  });
  cluster.def("assumptions",
              [](LiveCluster& self) { return RowsOfAssumptions(self.Use().Assumptions()); });
  cluster.def("expire_assumptions", [](LiveCluster& self, int64_t now, std::optional<int64_t> bind,
                                       std::optional<int64_t> evict) {
    return RowsOfAssumptions(
        Value(self.Use().ExpireAssumptions(now, {.bind = bind, .evict = evict})));
  });
  cluster.def("waiting_events", [](LiveCluster& self) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (WaitingEvent& event : self.Use().WaitingEvents()) {
      rows.emplace_back(std::move(event.object), std::move(event.missing));
    }
    return rows;
  });

  cluster.def(
      "rows_with", [](LiveCluster& self, const py::list& events, int64_t known, int64_t limit) {
        return self.WhileBusy([&](Cluster& c) { return RowsWith(c, events, known, limit); });
      });

  // Many rows at once: dict of arrays, dict of what all rows have.
  cluster.def("add_node_columns",
              [](LiveCluster& self, const py::dict& columns, const py::dict& all) {
                return self.WhileBusy(
                    [&](Cluster& c) { return AddColumns<NodeSpec>(c, "node", columns, all); });
              });
  cluster.def("add_queue_columns",
              [](LiveCluster& self, const py::dict& columns, const py::dict& all) {
                return self.WhileBusy(
                    [&](Cluster& c) { return AddColumns<QueueSpec>(c, "queue", columns, all); });
              });
  cluster.def("add_task_columns",
              [](LiveCluster& self, const py::dict& columns, const py::dict& all) {
                return self.WhileBusy(
                    [&](Cluster& c) { return AddColumns<TaskSpec>(c, "task", columns, all); });
              });
  cluster.def("add_job_columns", [](LiveCluster& self, const py::dict& columns, const py::dict& all,
                                    const py::dict& group_columns, const py::dict& group_all) {
    RowReader<JobSpec> jobs("job", columns, all);
    RowReader<GroupSpec> groups("job", group_columns, group_all, "group");
    groups.RequireLengthOf(jobs);
    const auto fill = [&](size_t i) {
      JobSpec job = jobs.Fill(i);
      const GroupSpec& group = groups.Fill(groups.size() == 0 ? 0 : i);
      if (group.count != 0 || group.by_count) job.groups.push_back(group);
      return job;
    };
    return self.WhileBusy([&](Cluster& c) { return AddAll(c, "job", jobs.size(), fill); });
  });

  cluster
      .def("apply_delta",
           [](LiveCluster& self, uint64_t generation, const TextArg& kind,
              const py::object& object) {
             return self.WhileBusy(
                 [&](Cluster& c) { return Text(ApplyEvent(c, generation, kind, object)); });
           })
      .def("apply_deltas",
           [](LiveCluster& self, const py::list& events) {
             return self.WhileBusy([&](Cluster& c) { return ApplyEvents(c, events); });
           })
      .def("refused_events",
           [](LiveCluster& self) {
             std::vector<std::pair<std::string, std::string>> rows;
             for (RefusedEvent& event : self.Use().RefusedEvents()) {
               rows.emplace_back(std::move(event.object), std::move(event.why));
             }
             return rows;
           })
      .def("reconcile",
           [](LiveCluster& self, const py::dict& tables) {
             py::list out;
             const ClusterSpec spec = ReadCluster(tables);
             for (const Drift& drift : Value(self.Use().Reconcile(spec))) {
               out.append(py::make_tuple(Text(DriftName(drift.kind)), drift.object));
             }
             return out;
           })
      .def("freeze", [](LiveCluster& self) { return self.Use().Freeze(); })
      .def_property_readonly("version", [](LiveCluster& self) { return self.Use().version(); })
      .def_property_readonly("counts",
                             [](LiveCluster& self) {
                               const Tables& t = TablesOf(self.Use());
                               return py::make_tuple(
                                   t.nodes.names.live_size(), t.queues.names.live_size(),
                                   t.jobs.names.live_size(), t.tasks.names.live_size());
                             })
      .def("describe", [](LiveCluster& self) { return WriteCluster(self.Use().Describe()); })
      .def("table", [](LiveCluster& self, const TextArg& kind) { return Table(self.Use(), kind); })
      .def("allocatable_totals", [](LiveCluster& self) { return AllocatableTotals(self.Use()); })
      .def("has_resource",
           [](LiveCluster& self, const TextArg& name) {
             return TablesOf(self.Use()).dimensions.Find(name).has_value();
           })
      .def("node",
           [](LiveCluster& self, const TextArg& name) { return Write(NodeOf(self.Use(), name)); })
      .def("queue",
           [](LiveCluster& self, const TextArg& name) { return Write(QueueOf(self.Use(), name)); })
      .def("job",
           [](LiveCluster& self, const TextArg& name) { return Write(JobOf(self.Use(), name)); })
      .def("task",
           [](LiveCluster& self, const TextArg& name) { return Write(TaskOf(self.Use(), name)); })
      .def("load_scenario",
           [](LiveCluster& self, const std::string& json,
              const std::map<std::string, int64_t>& limits) {
             const Scenario scenario = Value(ParseScenario(json, LimitsOf(limits)));
             Check(Fill(scenario, &self.Use()));
             py::dict options;
             if (!scenario.profile.empty()) options["profile"] = scenario.profile;
             options["now"] = scenario.options.now;
             options["seed"] = scenario.options.seed;
             options["work_budget"] = Write(scenario.options.work_budget);
             if (KindOf(scenario.options.turn) != TurnKind::kCycle) {
               options["turn"] = WriteTurn(scenario.options.turn);
             }
             return options;
           })
      .def("write_scenario",
           [](LiveCluster& self, const TextArg& profile, int64_t now, uint64_t seed) {
             Scenario scenario = Describe(self.Use());
             scenario.profile = profile;
             scenario.options.now = now;
             scenario.options.seed = seed;
             return WriteScenario(scenario);
           })
      .def_property(
          "memory", [](LiveCluster& self) { return Text(self.Use().memory().ToText()); },
          [](LiveCluster& self, const TextArg& text) {
            self.Use().SetMemory(Value(Memory::Parse(text)));
          })
      .def("schedule", &LiveCluster::Schedule, py::arg("profile"), py::arg("options"),
           py::arg("policies"))
      .def("apply", [](LiveCluster& self, const Plan& plan) {
        const ApplyReport report = Value(self.Use().Apply(plan));
        return py::make_tuple(report.applied, Write(report.refused));
      });
}

}  // namespace muster::python
