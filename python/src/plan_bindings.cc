// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plans: tables as dicts of NumPy arrays, from which muster/plan.py makes DataFrames.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/plan/explain.h"
#include "lib/plan/plan_data.h"
#include "muster/plan.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/pickle.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

using Views = std::vector<std::string_view>;

// The decisions of one kind, or all.
py::dict Decisions(const Plan& plan, const TextArg& kind) {
  Views kinds, tasks, nodes, jobs, beneficiaries, phases;
  std::vector<uint8_t> after_eviction;
  std::vector<int64_t> task_index, node_index;
  for (const Decision& d : plan.decisions()) {
    const std::string_view name = DecisionKindName(d.kind);
    if (!kind.empty() && name != kind) continue;
    kinds.push_back(name);
    tasks.push_back(plan.task_name(d.task));
    nodes.push_back(plan.node_name(d.node));
    jobs.push_back(plan.job_name(d.job));
    beneficiaries.push_back(plan.task_name(d.beneficiary));
    phases.push_back(d.kind == DecisionKind::kPhase ? JobPhaseName(d.phase) : std::string_view());
    after_eviction.push_back(d.after_eviction);
    task_index.push_back(d.task == kNone ? -1 : int64_t{d.task});
    node_index.push_back(d.node == kNone ? -1 : int64_t{d.node});
  }
  py::dict table;
  table["kind"] = TextArray(kinds);
  table["task"] = TextArray(tasks);
  table["job"] = TextArray(jobs);
  table["node"] = TextArray(nodes);
  table["beneficiary"] = TextArray(beneficiaries);
  table["phase"] = TextArray(phases);
  table["after_eviction"] = NumberArray(after_eviction).attr("astype")("bool");
  table["task_index"] = NumberArray(task_index);
  table["node_index"] = NumberArray(node_index);
  return table;
}

py::dict Moves(const Plan& plan) {
  Views tasks, from, to, beneficiaries;
  std::vector<uint8_t> nominated;
  for (const Move& m : plan.moves()) {
    tasks.push_back(plan.task_name(m.task));
    from.push_back(plan.node_name(m.from));
    to.push_back(plan.node_name(m.to));
    nominated.push_back(m.nominated);
    beneficiaries.push_back(plan.task_name(m.beneficiary));
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["from"] = TextArray(from);
  table["to"] = TextArray(to);
  table["nominated"] = NumberArray(nominated).attr("astype")("bool");
  table["beneficiary"] = TextArray(beneficiaries);
  return table;
}

// A time that is unset is NaN.
py::dict Reservations(const Plan& plan) {
  Views tasks, nodes, groups;
  std::vector<double> until;
  for (const Reservation& r : plan.reservations()) {
    tasks.push_back(plan.task_name(r.task));
    nodes.push_back(plan.node_name(r.node));
    until.push_back(r.until == kAbsent ? std::numeric_limits<double>::quiet_NaN()
                                       : static_cast<double>(r.until));
    groups.push_back(r.waiting_group);
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["node"] = TextArray(nodes);
  table["until"] = NumberArray(until);
  table["waiting_group"] = TextArray(groups);
  return table;
}

py::dict Offers(const Plan& plan) {
  Views jobs, queues, nodes;
  size_t dimensions = 0;
  for (const Offer& o : plan.offers()) {
    jobs.push_back(plan.job_name(o.job));
    queues.push_back(plan.queue_name(o.queue));
    nodes.push_back(plan.node_name(o.node));
    dimensions = std::max(dimensions, o.amounts.size());
  }
  py::dict table;
  table["job"] = TextArray(jobs);
  table["queue"] = TextArray(queues);
  table["node"] = TextArray(nodes);
  for (DimensionIndex d = 0; d < dimensions; ++d) {
    std::vector<int64_t> amounts;
    for (const Offer& o : plan.offers()) {
      amounts.push_back(d < o.amounts.size() && o.amounts[d] != kAbsent ? o.amounts[d] : 0);
    }
    table[Text(plan.dimension_name(d))] = NumberArray(amounts);
  }
  return table;
}

py::dict Resizes(const Plan& plan) {
  Views jobs, groups;
  std::vector<int64_t> counts;
  for (const Resize& r : plan.resizes()) {
    jobs.push_back(plan.job_name(r.job));
    groups.push_back(r.group);
    counts.push_back(r.count);
  }
  py::dict table;
  table["job"] = TextArray(jobs);
  table["group"] = TextArray(groups);
  table["count"] = NumberArray(counts);
  return table;
}

py::dict Splits(const Plan& plan) {
  Views tasks;
  std::vector<int64_t> parts;
  for (const Split& s : plan.splits()) {
    tasks.push_back(plan.task_name(s.task));
    parts.push_back(s.parts);
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["parts"] = NumberArray(parts);
  return table;
}

// One row for each dimension of each group; a group without flavors has one row.
py::dict Assignments(const Plan& plan) {
  Views jobs, groups, dimensions, flavors;
  std::vector<int64_t> counts;
  const auto add = [&](JobIndex job, const GroupAssignment& group, std::string_view dimension,
                       std::string_view flavor) {
    jobs.push_back(plan.job_name(job));
    groups.push_back(group.group);
    counts.push_back(group.count);
    dimensions.push_back(dimension);
    flavors.push_back(flavor);
  };
  for (const Admission& admission : plan.admissions()) {
    for (const GroupAssignment& group : admission.assignment) {
      if (group.flavors.empty()) add(admission.job, group, {}, {});
      for (const AssignedFlavor& of : group.flavors) {
        add(admission.job, group, plan.dimension_name(of.dimension), of.flavor);
      }
    }
  }
  py::dict table;
  table["job"] = TextArray(jobs);
  table["group"] = TextArray(groups);
  table["count"] = NumberArray(counts);
  table["dimension"] = TextArray(dimensions);
  table["flavor"] = TextArray(flavors);
  return table;
}

// One row for each place of each group.
py::dict Places(const Plan& plan) {
  Views jobs, groups;
  std::vector<std::string> names;
  std::vector<int64_t> counts;
  for (const Admission& admission : plan.admissions()) {
    for (const GroupAssignment& group : admission.assignment) {
      for (const AssignedPlace& place : group.places) {
        jobs.push_back(plan.job_name(admission.job));
        groups.push_back(group.group);
        names.push_back(absl::StrJoin(place.values, ","));
        counts.push_back(place.count);
      }
    }
  }
  py::dict table;
  table["job"] = TextArray(jobs);
  table["group"] = TextArray(groups);
  table["place"] = TextArray(Views(names.begin(), names.end()));
  table["count"] = NumberArray(counts);
  return table;
}

py::dict Tentatives(const Plan& plan) {
  Views tasks, nodes;
  std::vector<uint8_t> nominated;
  for (const Tentative& t : plan.tentative()) {
    tasks.push_back(plan.task_name(t.task));
    nodes.push_back(plan.node_name(t.node));
    nominated.push_back(t.nominated);
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["node"] = TextArray(nodes);
  table["nominated"] = NumberArray(nominated).attr("astype")("bool");
  return table;
}

py::dict ChosenDomains(const Plan& plan) {
  Views jobs, sub_groups, domains;
  std::vector<int32_t> tiers;
  for (const ChosenDomain& chosen : plan.domains()) {
    jobs.push_back(plan.job_name(chosen.job));
    sub_groups.push_back(chosen.sub_group);
    domains.push_back(chosen.domain);
    tiers.push_back(chosen.tier);
  }
  py::dict table;
  table["job"] = TextArray(jobs);
  table["sub_group"] = TextArray(sub_groups);
  table["domain"] = TextArray(domains);
  table["tier"] = NumberArray(tiers);
  return table;
}

py::dict ChosenDevices(const Plan& plan) {
  Views tasks, devices;
  std::vector<int64_t> milli, memory;
  for (const ChosenDevice& chosen : plan.devices()) {
    tasks.push_back(plan.task_name(chosen.task));
    devices.push_back(chosen.device);
    milli.push_back(chosen.milli);
    memory.push_back(chosen.memory);
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["device"] = TextArray(devices);
  table["milli"] = NumberArray(milli);
  table["memory"] = NumberArray(memory);
  return table;
}

// One row for each pending task; what is said of its reason is shared between rows.
py::dict Pending(const Plan& plan) {
  std::vector<std::string> words;
  if (DataOf(plan) != nullptr && DataOf(plan)->names != nullptr) {
    for (const Reason& reason : plan.reasons()) {
      words.push_back(ReasonText(reason, *DataOf(plan)->names));
    }
  }
  Views tasks, jobs, kinds, texts, policies, queues;
  std::vector<int64_t> placed, needed;
  for (const PendingTask& p : plan.pending()) {
    const Reason& reason = plan.reasons()[p.reason];
    tasks.push_back(plan.task_name(p.task));
    const JobIndex job = DataOf(plan)->names->job_of(p.task);
    jobs.push_back(job == kNone ? std::string_view() : plan.job_name(job));
    kinds.push_back(ReasonKindName(reason.kind));
    texts.push_back(words[p.reason]);
    policies.push_back(reason.policy);
    queues.push_back(plan.queue_name(reason.queue));
    placed.push_back(reason.placed);
    needed.push_back(reason.needed);
  }
  py::dict table;
  table["task"] = TextArray(tasks);
  table["job"] = TextArray(jobs);
  table["reason"] = TextArray(kinds);
  table["text"] = TextArray(texts);
  table["policy"] = TextArray(policies);
  table["queue"] = TextArray(queues);
  table["placed"] = NumberArray(placed);
  table["needed"] = NumberArray(needed);
  return table;
}

py::dict Shares(const Plan& plan) {
  Views queues;
  std::vector<double> before, after;
  size_t dimensions = 0;
  bool deserved = false;
  for (const QueueShare& s : plan.shares()) {
    queues.push_back(plan.queue_name(s.queue));
    before.push_back(s.share_before);
    after.push_back(s.share_after);
    dimensions = std::max(dimensions, s.allocated_after.size());
    deserved |= !s.deserved.empty();
  }
  py::dict table;
  table["queue"] = TextArray(queues);
  table["share_before"] = NumberArray(before);
  table["share_after"] = NumberArray(after);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (size_t d = 0; d < dimensions; ++d) {
    std::vector<int64_t> from, to;
    std::vector<double> due;
    for (const QueueShare& s : plan.shares()) {
      from.push_back(s.allocated_before[d] == kAbsent ? 0 : s.allocated_before[d]);
      to.push_back(s.allocated_after[d] == kAbsent ? 0 : s.allocated_after[d]);
      due.push_back(d < s.deserved.size() ? s.deserved[d] : unknown);
    }
    const std::string name(plan.dimension_name(static_cast<DimensionIndex>(d)));
    table[Text("allocated_before." + name)] = NumberArray(from);
    table[Text("allocated_after." + name)] = NumberArray(to);
    if (deserved) table[Text("deserved." + name)] = NumberArray(due);
  }
  return table;
}

}  // namespace

void BindPlan(py::module_& module) {
  py::class_<Plan>(module, "Plan")
      .def(py::init<>())
      .def(py::pickle([](const Plan& self) { return py::bytes(PlanState(self)); },
                      [](const py::bytes& state) { return PlanOfState(state); }))
      .def_property_readonly("profile", [](const Plan& self) { return Text(self.profile()); })
      .def_property_readonly("version", &Plan::version)
      .def_property_readonly("work", &Plan::work)
      .def_property_readonly("complete", &Plan::complete)
      .def_property_readonly("cursor", &Plan::cursor)
      .def_property_readonly("digest", &Plan::Digest)
      .def_property_readonly("memory",
                             [](const Plan& self) { return Text(self.memory().ToText()); })
      .def_property_readonly("counts",
                             [](const Plan& self) {
                               py::dict counts;
                               std::array<int64_t, kDecisionKindCount> by_kind{};
                               for (const Decision& d : self.decisions())
                                 ++by_kind[static_cast<int>(d.kind)];
                               for (int k = 0; k < kDecisionKindCount; ++k) {
                                 counts[Text(DecisionKindName(static_cast<DecisionKind>(k)))] =
                                     by_kind[k];
                               }
                               counts["pending"] = self.pending().size();
                               return counts;
                             })
      .def("decisions", &Decisions, py::arg("kind") = "")
      .def("moves", &Moves)
      .def("reservations", &Reservations)
      .def("offers", &Offers)
      .def("resizes", &Resizes)
      .def("splits", &Splits)
      .def("assignments", &Assignments)
      .def("places", &Places)
      .def("tentative", &Tentatives)
      .def("domains", &ChosenDomains)
      .def("devices", &ChosenDevices)
      .def("pending", &Pending)
      .def("shares", &Shares)
      .def(
          "explain",
          [](const Plan& self, const TextArg& name) { return Value(self.Explain(name)); },
          py::arg("name"))
      .def("to_text", &Plan::ToText)
      .def("to_json", &Plan::ToJson);
}

}  // namespace muster::python
