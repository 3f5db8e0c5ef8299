// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a policy behind a vtable may read of its cycle.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/policy.h"
#include "capi/table.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/describe.h"
#include "lib/scenario/scenario.h"

namespace muster::capi {
namespace {

using Cell = std::function<int64_t(uint32_t row)>;

// Returns which rows are there; null: the kind has none. The whole cluster is a domain, too.
const std::vector<uint8_t>* RowsOfKind(const muster_cycle& cycle, int32_t kind) {
  switch (kind) {
    case MUSTER_KIND_DOMAINS:
      return cycle.domains == nullptr ? nullptr : &cycle.tables->domains.alive;
    case MUSTER_KIND_NODES:
      return &cycle.tables->nodes.alive;
    case MUSTER_KIND_QUEUES:
      return &cycle.tables->queues.alive;
    case MUSTER_KIND_JOBS:
      return &cycle.tables->jobs.alive;
    case MUSTER_KIND_TASKS:
      return &cycle.tables->tasks.alive;
    default:
      return nullptr;
  }
}

bool IsThere(int32_t kind, const std::vector<uint8_t>& alive, int64_t row) {
  if (row < 0) return false;
  const auto place = static_cast<size_t>(row);
  if (place < alive.size()) return alive[place] != 0;
  return kind == MUSTER_KIND_DOMAINS && place == alive.size();
}

// Returns the column of amounts `what` in dimension d; empty if there is none of that name.
Cell Amounts(const muster_cycle& cycle, int32_t kind, std::string_view what, DimensionIndex d) {
  const Tables& t = *cycle.tables;
  const Ledger& l = *cycle.ledger;
  if (kind == MUSTER_KIND_NODES) {
    if (what == "allocatable") return [&t, d](uint32_t n) { return t.nodes.allocatable.at(n, d); };
    if (what == "idle") return [&l, d](uint32_t n) { return l.node(NodeIndex(n), kIdle)[d]; };
    if (what == "used") return [&l, d](uint32_t n) { return l.node(NodeIndex(n), kUsed)[d]; };
    if (what == "releasing")
      return [&l, d](uint32_t n) { return l.node(NodeIndex(n), kReleasing)[d]; };
  } else if (kind == MUSTER_KIND_QUEUES) {
    if (what == "allocated")
      return [&l, d](uint32_t q) { return l.queue_allocated(QueueIndex(q))[d]; };
    if (what == "pending") return [&l, d](uint32_t q) { return l.queue_pending(QueueIndex(q))[d]; };
    if (what == "limit") return [&t, d](uint32_t q) { return t.queues.limit.at(q, d); };
    if (what == "deserved") return [&t, d](uint32_t q) { return t.queues.deserved.at(q, d); };
  } else if (kind == MUSTER_KIND_JOBS) {
    if (what == "allocated") return [&l, d](uint32_t j) { return l.job_allocated(JobIndex(j))[d]; };
  } else if (kind == MUSTER_KIND_TASKS) {
    if (what == "request") return [&l, d](uint32_t k) { return l.request(TaskIndex(k))[d]; };
  } else if (kind == MUSTER_KIND_DOMAINS) {
    // The sum over the nodes of a domain.
    const auto sum = [&cycle](auto amount) {
      return [&cycle, amount](uint32_t row) {
        int64_t total = 0;
        for (const NodeIndex n : cycle.domains->nodes(DomainIndex(row))) {
          if (const int64_t cell = amount(n); cell != kAbsent) total += cell;
        }
        return total;
      };
    };
    if (what == "allocatable")
      return sum([&t, d](NodeIndex n) { return t.nodes.allocatable.at(n, d); });
    if (what == "idle") return sum([&l, d](NodeIndex n) { return l.node(n, kIdle)[d]; });
  }
  return nullptr;
}

Cell Numbers(const muster_cycle& cycle, int32_t kind, std::string_view what) {
  const Tables& t = *cycle.tables;
  const Ledger& l = *cycle.ledger;
  if (kind == MUSTER_KIND_NODES) {
    if (what == "unschedulable") {
      return [&t](uint32_t n) -> int64_t { return t.nodes.spec[n].unschedulable; };
    }
  } else if (kind == MUSTER_KIND_QUEUES) {
    if (what == "weight") return [&t](uint32_t q) { return t.queues.spec[q].weight; };
    if (what == "priority")
      return [&t](uint32_t q) -> int64_t { return t.queues.spec[q].priority; };
    if (what == "created") return [&t](uint32_t q) { return t.queues.spec[q].created; };
  } else if (kind == MUSTER_KIND_JOBS) {
    if (what == "queue") return [&t](uint32_t j) { return int64_t{RowNumber(t.jobs.queue[j])}; };
    if (what == "priority") return [&t](uint32_t j) -> int64_t { return t.jobs.spec[j].priority; };
    if (what == "created") return [&t](uint32_t j) { return t.jobs.spec[j].created; };
    if (what == "min_available") return [&t](uint32_t j) { return t.jobs.spec[j].min_available; };
    if (what == "phase") {
      return [&cycle](uint32_t j) { return static_cast<int64_t>((*cycle.phases)[j]); };
    }
    if (what == "tasks") {
      return [&t](uint32_t j) { return static_cast<int64_t>(t.jobs.tasks[j].size()); };
    }
    if (what == "tasks_pending")
      return [&l](uint32_t j) -> int64_t { return l.job(JobIndex(j)).pending(); };
    if (what == "tasks_ready")
      return [&l](uint32_t j) -> int64_t { return l.job(JobIndex(j)).ready(); };
  } else if (kind == MUSTER_KIND_TASKS) {
    if (what == "job") return [&t](uint32_t k) { return int64_t{RowNumber(t.tasks.job[k])}; };
    if (what == "node")
      return [&l](uint32_t k) { return int64_t{RowNumber(l.node_of(TaskIndex(k)))}; };
    if (what == "status")
      return [&l](uint32_t k) { return static_cast<int64_t>(l.status(TaskIndex(k))); };
    if (what == "priority") return [&t](uint32_t k) -> int64_t { return t.tasks.priority[k]; };
    if (what == "created") return [&t](uint32_t k) { return t.tasks.created[k]; };
    if (what == "class")
      return [&t](uint32_t k) { return int64_t{RowNumber(t.tasks.task_class[k])}; };
  } else if (kind == MUSTER_KIND_DOMAINS) {
    const Domains& domains = *cycle.domains;
    if (what == "parent")
      return [&domains](uint32_t d) { return int64_t{RowNumber(domains.parent(DomainIndex(d)))}; };
    if (what == "tier")
      return [&domains](uint32_t d) -> int64_t { return domains.tier(DomainIndex(d)); };
    if (what == "nodes") {
      return [&domains](uint32_t d) {
        return static_cast<int64_t>(domains.nodes(DomainIndex(d)).size());
      };
    }
  }
  return nullptr;
}

// Returns the shape of a class, or of a task's class; null: there is no such row.
const TaskShape* ShapeOf(const Tables& t, int32_t kind, int32_t index) {
  if (index < 0) return nullptr;
  const auto row = static_cast<size_t>(index);
  if (kind == MUSTER_KIND_CLASSES) {
    return row < t.classes.shape.size() && t.classes.tasks[row] > 0 ? &t.classes.shape[row]
                                                                    : nullptr;
  }
  if (kind != MUSTER_KIND_TASKS || row >= t.tasks.alive.size() || !t.tasks.alive[row]) {
    return nullptr;
  }
  return &t.classes.shape[t.tasks.task_class[row]];
}

absl::Status CheckOpen(const muster_cycle* cycle) {
  if (cycle == nullptr) return NullArgument("cycle");
  if (cycle->tables != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError("cycle: it is over; copy what is to be kept");
}

absl::Status NoSuchRow(std::string_view what, int64_t index) {
  return absl::OutOfRangeError(absl::StrCat("cycle: there is no ", ToAbsl(what), " ", index));
}

absl::StatusOr<std::string> RowText(const Tables& t, int32_t kind, int32_t index) {
  const auto is_there = [index](const std::vector<uint8_t>& alive) {
    return index >= 0 && static_cast<size_t>(index) < alive.size() &&
           alive[static_cast<size_t>(index)] != 0;
  };
  const auto row = static_cast<size_t>(std::max(index, 0));
  switch (kind) {
    case MUSTER_KIND_NODES:
      if (is_there(t.nodes.alive)) return WriteRow(t.nodes.spec[row]);
      break;
    case MUSTER_KIND_QUEUES:
      if (is_there(t.queues.alive)) return WriteRow(t.queues.spec[row]);
      break;
    case MUSTER_KIND_JOBS:
      if (is_there(t.jobs.alive)) return WriteRow(t.jobs.spec[row]);
      break;
    case MUSTER_KIND_DOMAINS:
      if (is_there(t.domains.alive)) return WriteRow(t.domains.spec[row]);
      break;
    case MUSTER_KIND_TASKS:
      if (is_there(t.tasks.alive)) return WriteRow(DescribeTask(t, TaskIndex(index)));
      break;
    case MUSTER_KIND_CLASSES: {
      const TaskShape* shape = ShapeOf(t, kind, index);
      if (shape != nullptr) return WriteRow(*shape);
      return NoSuchRow("task class", index);
    }
    default:
      return absl::InvalidArgumentError(absl::StrCat("cycle: there are no rows of kind ", kind));
  }
  return NoSuchRow(RowName(kind), index);
}

absl::Status MatchNodes(const Tables& t, int32_t task_class, uint32_t rules, const int32_t* nodes,
                        int64_t count, uint8_t* out) {
  constexpr uint32_t kRules =
      MUSTER_MATCH_SELECTOR | MUSTER_MATCH_TAINTS | MUSTER_MATCH_SCHEDULABLE;
  if ((rules & ~kRules) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rules are ", rules, "; must be MUSTER_MATCH_..., or-ed"));
  }
  if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
  if (count > 0 && (nodes == nullptr || out == nullptr)) {
    return NullArgument(nodes == nullptr ? "nodes" : "out");
  }
  const TaskShape* shape = ShapeOf(t, MUSTER_KIND_CLASSES, task_class);
  if (shape == nullptr) return NoSuchRow("task class", task_class);
  for (int64_t i = 0; i < count; ++i) {
    if (!IsThere(MUSTER_KIND_NODES, t.nodes.alive, nodes[i])) return NoSuchRow("node", nodes[i]);
    const NodeSpec& node = t.nodes.spec[static_cast<size_t>(nodes[i])];
    out[i] = ((rules & MUSTER_MATCH_SELECTOR) == 0 || MatchesNode(*shape, node)) &&
             ((rules & MUSTER_MATCH_TAINTS) == 0 || FirstUntolerated(*shape, node) == nullptr) &&
             ((rules & MUSTER_MATCH_SCHEDULABLE) == 0 || !node.unschedulable ||
              ToleratesUnschedulable(*shape));
  }
  return absl::OkStatus();
}

absl::Status GetNumbers(const muster_cycle* cycle, int32_t kind, const char* column,
                        const int32_t* rows, int64_t count, int64_t* out) {
  if (absl::Status s = CheckOpen(cycle); !s.ok()) return s;
  if (column == nullptr) return NullArgument("column");
  if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
  if (count > 0 && (rows == nullptr || out == nullptr)) {
    return NullArgument(rows == nullptr ? "rows" : "out");
  }
  const std::vector<uint8_t>* alive = RowsOfKind(*cycle, kind);
  if (alive == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("cycle: there are no rows of kind ", kind));
  }
  const std::string_view name(column);
  Cell cell;
  if (const size_t dot = name.find('.'); dot == std::string_view::npos) {
    cell = Numbers(*cycle, kind, name);
  } else {
    const std::optional<DimensionIndex> d = cycle->tables->dimensions.Find(name.substr(dot + 1));
    if (!d || *d >= cycle->tables->dimension_count()) {
      return absl::NotFoundError(
          absl::StrCat("cycle: there is no dimension ", Quote(name.substr(dot + 1))));
    }
    cell = Amounts(*cycle, kind, name.substr(0, dot), *d);
  }
  if (cell == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("cycle: ", ToAbsl(TableName(kind)), " have no column ", Quote(name)));
  }
  for (int64_t i = 0; i < count; ++i) {
    const int32_t row = rows[i];
    if (!IsThere(kind, *alive, row)) {
      return absl::OutOfRangeError(
          absl::StrCat("cycle: rows[", i, "]: there is no ", ToAbsl(RowName(kind)), " ", row));
    }
    out[i] = cell(static_cast<uint32_t>(row));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

int64_t muster_cycle_now(const muster_cycle* cycle) { return cycle == nullptr ? 0 : cycle->now; }

int64_t muster_cycle_count(const muster_cycle* cycle, int32_t kind) {
  if (cycle == nullptr || cycle->tables == nullptr) return 0;
  if (kind == MUSTER_KIND_DIMENSIONS) return static_cast<int64_t>(cycle->tables->dimension_count());
  const std::vector<uint8_t>* alive = RowsOfKind(*cycle, kind);
  if (alive == nullptr) return 0;
  return static_cast<int64_t>(alive->size()) + (kind == MUSTER_KIND_DOMAINS ? 1 : 0);
}

const char* muster_cycle_name(const muster_cycle* cycle, int32_t kind, int32_t index,
                              int64_t* size) {
  if (size != nullptr) *size = 0;
  if (index < 0 || index >= muster_cycle_count(cycle, kind)) return nullptr;
  const muster::Tables& t = *cycle->tables;
  const muster::NameTable* names = &t.dimensions;
  if (kind == MUSTER_KIND_DOMAINS) {
    if (static_cast<size_t>(index) == t.domains.alive.size()) return "";
    names = &t.domains.names;
  }
  if (kind == MUSTER_KIND_NODES) names = &t.nodes.names;
  if (kind == MUSTER_KIND_QUEUES) names = &t.queues.names;
  if (kind == MUSTER_KIND_JOBS) names = &t.jobs.names;
  if (kind == MUSTER_KIND_TASKS) names = &t.tasks.names;
  const std::string_view name = names->name(static_cast<uint32_t>(index));
  if (size != nullptr) *size = static_cast<int64_t>(name.size());
  return name.data();
}

muster_status muster_cycle_get_numbers(const muster_cycle* cycle, int32_t kind, const char* column,
                                       const int32_t* rows, int64_t count, int64_t* out,
                                       muster_error* error) {
  return Guard(error, [&] { return GetNumbers(cycle, kind, column, rows, count, out); });
}

const char* muster_cycle_label(const muster_cycle* cycle, int32_t kind, int32_t index,
                               const char* key, int64_t* size) {
  if (size != nullptr) *size = 0;
  if (cycle == nullptr || cycle->tables == nullptr || key == nullptr) return nullptr;
  const muster::Tables& t = *cycle->tables;
  const muster::Labels* labels = nullptr;
  if (kind == MUSTER_KIND_NODES) {
    if (!IsThere(kind, t.nodes.alive, index)) return nullptr;
    labels = &t.nodes.spec[static_cast<size_t>(index)].labels;
  } else if (const muster::TaskShape* shape = ShapeOf(t, kind, index)) {
    labels = &shape->labels;
  } else {
    return nullptr;
  }
  const std::string* value = muster::FindLabel(*labels, key);
  if (value == nullptr) return nullptr;
  if (size != nullptr) *size = static_cast<int64_t>(value->size());
  return value->data();
}

muster_status muster_cycle_row(const muster_cycle* cycle, int32_t kind, int32_t index,
                               muster_text** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckOpen(cycle); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    const absl::StatusOr<std::string> text = RowText(*cycle->tables, kind, index);
    if (!text.ok()) return text.status();
    auto memory = MakeMemory(nullptr);
    if (!memory.ok()) return memory.status();
    return GiveText(*memory, *text, out);
  });
}

muster_status muster_cycle_match_nodes(const muster_cycle* cycle, int32_t task_class,
                                       uint32_t rules, const int32_t* nodes, int64_t count,
                                       uint8_t* out, muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckOpen(cycle); !s.ok()) return s;
    return MatchNodes(*cycle->tables, task_class, rules, nodes, count, out);
  });
}
