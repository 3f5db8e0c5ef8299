// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/views.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"

namespace muster::python {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void NoColumn(std::string_view of, std::string_view what) {
  Refuse(absl::StrCat(ToAbsl(of), " have no column ", Quote(what)));
}

// Returns nothing for a dimension that no row names; its amounts are 0.
std::optional<DimensionIndex> Dimension(const Tables& tables, std::string_view name) {
  return tables.dimensions.Find(name);
}

py::array_t<double> Zeros(size_t size) { return NumberArray(std::vector<double>(size, 0.0)); }

template <class Id>
std::vector<Id> Checked(const IndexArray& index, size_t rows, std::string_view of) {
  std::vector<Id> out(static_cast<size_t>(index.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t row = index.data()[i];
    if (row < 0 || static_cast<size_t>(row) >= rows) {
      Refuse(absl::StrCat(ToAbsl(of), ": there is no index ", row));
    }
    out[i] = Id(row);
  }
  return out;
}

template <class T, class Id, class F>
py::array_t<T> Numbers(const std::vector<Id>& rows, const F& get) {
  std::vector<T> values(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<T>(get(rows[i]));
  return NumberArray(values);
}

template <class Id, class F>
py::object Texts(const std::vector<Id>& rows, const F& get) {
  std::vector<std::string_view> texts(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) texts[i] = get(rows[i]);
  return TextArray(texts);
}

py::array_t<int64_t> Alive(const std::vector<uint8_t>& alive) {
  std::vector<int64_t> index;
  for (size_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) index.push_back(static_cast<int64_t>(i));
  }
  return NumberArray(index);
}

double OrInfinity(int64_t cell) { return cell == kAbsent ? kInfinity : static_cast<double>(cell); }

std::string_view DomainName(const Tables& tables, DomainIndex d) {
  return d < tables.domains.alive.size() ? tables.domains.names.name(d) : std::string_view();
}

}  // namespace

// --- nodes

NodeView::NodeView(std::shared_ptr<CycleState> state,
                   std::shared_ptr<const CycleState::Nodes> nodes)
    : state_(std::move(state)), opening_(std::move(nodes)) {
  if (opening_ != nullptr) index_.assign(opening_->index.begin(), opening_->index.end());
}

NodeView::NodeView(std::shared_ptr<CycleState> state, const StateColumns& columns, size_t begin,
                   size_t end)
    : state_(std::move(state)),
      index_(columns.node.begin() + static_cast<std::ptrdiff_t>(begin),
             columns.node.begin() + static_cast<std::ptrdiff_t>(end)),
      columns_(&columns),
      begin_(begin) {}

py::array_t<int64_t> NodeView::index() const { return NumberArray(index_); }

py::object NodeView::names() const {
  const NameTable& names = state_->tables().nodes.names;
  std::vector<std::string_view> texts;
  texts.reserve(index_.size());
  for (int64_t n : index_) texts.push_back(names.name(static_cast<uint32_t>(n)));
  return TextArray(texts);
}

py::object NodeView::labels(const std::string& key) const {
  const Tables& tables = state_->tables();
  py::array out(py::dtype("O"), static_cast<py::ssize_t>(index_.size()));
  auto** cells = static_cast<PyObject**>(out.mutable_data());
  absl::flat_hash_map<std::string_view, py::object> known;  // few different values
  for (size_t i = 0; i < index_.size(); ++i) {
    PyObject* value = Py_None;
    for (const auto& [k, v] : tables.nodes.spec[static_cast<size_t>(index_[i])].labels) {
      if (k != key) continue;
      auto [it, is_new] = known.try_emplace(v);
      if (is_new) it->second = Text(v);
      value = it->second.ptr();
    }
    Py_INCREF(value);
    Py_XSETREF(cells[i], value);
  }
  return out;
}

py::array_t<double> NodeView::amounts(std::string_view what, std::string_view dimension) const {
  const Tables& tables = state_->tables();
  const std::optional<DimensionIndex> d = Dimension(tables, dimension);
  if (!d || *d >= tables.dimension_count()) return Zeros(size());
  std::vector<double> out(size());
  const auto unlimited = [&](size_t i) {
    return *d == kPods &&
           tables.nodes.allocatable.at(static_cast<size_t>(index_[i]), kPods) == kAbsent;
  };
  if (what == "allocatable") {
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t cell = tables.nodes.allocatable.at(static_cast<size_t>(index_[i]), *d);
      out[i] = unlimited(i) ? kInfinity : static_cast<double>(OrZero(cell));
    }
    return NumberArray(out);
  }
  const bool is_idle = what == "idle" || what == "future_idle";
  if (opening_ != nullptr) {
    const auto cell = [&](size_t i, NodeAccount account) {
      return opening_->rows[i * opening_->stride + account * opening_->dimensions + *d];
    };
    const auto fill = [&](const auto& get) {
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = is_idle && unlimited(i) ? kInfinity : static_cast<double>(get(i));
      }
    };
    if (*d >= opening_->dimensions) return Zeros(size());
    if (what == "idle") {
      fill([&](size_t i) { return cell(i, kIdle); });
    } else if (what == "releasing") {
      fill([&](size_t i) { return cell(i, kReleasing); });
    } else if (what == "future_idle") {
      fill([&](size_t i) { return cell(i, kIdle) + cell(i, kReleasing) - cell(i, kPipelined); });
    } else if (what == "used") {
      fill([&](size_t i) { return cell(i, kUsed); });
    } else if (what == "requested") {
      fill([&](size_t i) { return cell(i, kRequested); });
    } else {
      NoColumn("nodes", what);
    }
    return NumberArray(out);
  }
  if (columns_ == nullptr) {
    throw StatusError(
        absl::FailedPreconditionError("policy: these nodes were shown for one call; copy them"));
  }
  const std::vector<std::vector<double>>* columns = what == "idle"          ? &columns_->idle
                                                    : what == "releasing"   ? &columns_->releasing
                                                    : what == "future_idle" ? &columns_->future_idle
                                                    : what == "used"        ? &columns_->used
                                                    : what == "requested"   ? &columns_->requested
                                                                            : nullptr;
  if (columns == nullptr) NoColumn("nodes", what);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = is_idle && unlimited(i) ? kInfinity : (*columns)[*d][begin_ + i];
  }
  return NumberArray(out);
}

// --- jobs, queues, tasks

py::list CycleView::dimensions() const {
  const Tables& tables = state_->tables();
  py::list names;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    names.append(Text(tables.dimensions.name(d)));
  }
  return names;
}

py::array_t<int64_t> CycleView::jobs() const { return Alive(state_->tables().jobs.alive); }
py::array_t<int64_t> CycleView::queues() const { return Alive(state_->tables().queues.alive); }
py::array_t<int64_t> CycleView::tasks() const {
  const TaskTable& tasks = state_->tables().tasks;
  std::vector<int64_t> index;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (tasks.alive[t] && tasks.job[t] != kNone) index.push_back(t);
  }
  return NumberArray(index);
}

py::array_t<int64_t> CycleView::domains() const {
  const Tables& tables = state_->tables();
  std::vector<int64_t> index;
  for (size_t d = 0; d < tables.domains.alive.size(); ++d) {
    if (tables.domains.alive[d]) index.push_back(static_cast<int64_t>(d));
  }
  index.push_back(static_cast<int64_t>(tables.domains.alive.size()));
  return NumberArray(index);
}

py::object CycleView::job_column(std::string_view what, const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const Ledger& ledger = state_->ledger();
  const std::vector<JobSpec>& spec = tables.jobs.spec;
  const auto rows = Checked<JobIndex>(index, spec.size(), "jobs");
  const auto count = [&](const auto& get) {
    return Numbers<int64_t>(rows, [&](JobIndex j) { return get(ledger.job(j)); });
  };
  if (what == "name") return Texts(rows, [&](JobIndex j) { return tables.jobs.names.name(j); });
  if (what == "queue") {
    return Texts(rows, [&](JobIndex j) {
      const QueueIndex q = tables.jobs.queue[j];
      return q == kNone ? std::string_view() : tables.queues.names.name(q);
    });
  }
  if (what == "phase")
    return Texts(rows, [&](JobIndex j) { return JobPhaseName(state_->phases()[j]); });
  if (what == "priority")
    return Numbers<int64_t>(rows, [&](JobIndex j) { return spec[j].priority; });
  if (what == "created") return Numbers<int64_t>(rows, [&](JobIndex j) { return spec[j].created; });
  if (what == "min_available") {
    return Numbers<int64_t>(rows, [&](JobIndex j) { return spec[j].min_available; });
  }
  if (what == "tasks") {
    return Numbers<int64_t>(rows, [&](JobIndex j) { return tables.jobs.tasks[j].size(); });
  }
  if (what == "estimate" || what == "deadline" || what == "waiting_time") {
    return Numbers<double>(rows, [&](JobIndex j) {
      const auto& value = what == "estimate"   ? spec[j].estimate
                          : what == "deadline" ? spec[j].deadline
                                               : spec[j].waiting_time;
      return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
    });
  }
  if (what == "pending") return count([](const JobCounts& c) { return c.pending(); });
  if (what == "ready") return count([](const JobCounts& c) { return c.ready(); });
  if (what == "running") return count([](const JobCounts& c) { return c[TaskStatus::kRunning]; });
  NoColumn("jobs", what);
}

py::object CycleView::queue_column(std::string_view what, const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const std::vector<QueueSpec>& spec = tables.queues.spec;
  const auto rows = Checked<QueueIndex>(index, spec.size(), "queues");
  if (what == "name") return Texts(rows, [&](QueueIndex q) { return tables.queues.names.name(q); });
  if (what == "parent") {
    return Texts(rows, [&](QueueIndex q) { return std::string_view(spec[q].parent); });
  }
  if (what == "weight") return Numbers<int64_t>(rows, [&](QueueIndex q) { return spec[q].weight; });
  if (what == "priority")
    return Numbers<int64_t>(rows, [&](QueueIndex q) { return spec[q].priority; });
  if (what == "created")
    return Numbers<int64_t>(rows, [&](QueueIndex q) { return spec[q].created; });
  if (what == "jobs")
    return Numbers<int64_t>(rows, [&](QueueIndex q) { return tables.queues.jobs[q]; });
  NoColumn("queues", what);
}

py::object CycleView::task_column(std::string_view what, const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const TaskTable& tasks = tables.tasks;
  const auto rows = Checked<TaskIndex>(index, tasks.alive.size(), "tasks");
  if (what == "name") return Texts(rows, [&](TaskIndex t) { return tasks.names.name(t); });
  if (what == "job") {
    return Texts(rows, [&](TaskIndex t) {
      return tasks.job[t] == kNone ? std::string_view() : tables.jobs.names.name(tasks.job[t]);
    });
  }
  if (what == "queue") {
    return Texts(rows, [&](TaskIndex t) {
      const QueueIndex q = tasks.job[t] == kNone ? kNone : tables.jobs.queue[tasks.job[t]];
      return q == kNone ? std::string_view() : tables.queues.names.name(q);
    });
  }
  if (what == "node") {
    return Texts(rows, [&](TaskIndex t) {
      const NodeIndex n = state_->ledger().node_of(t);
      return n == kNone ? std::string_view() : tables.nodes.names.name(n);
    });
  }
  if (what == "status") {
    return Texts(rows, [&](TaskIndex t) { return TaskStatusName(state_->ledger().status(t)); });
  }
  if (what == "task_class")
    return Numbers<int64_t>(rows, [&](TaskIndex t) { return tasks.task_class[t]; });
  if (what == "priority")
    return Numbers<int64_t>(rows, [&](TaskIndex t) { return tasks.priority[t]; });
  if (what == "created")
    return Numbers<int64_t>(rows, [&](TaskIndex t) { return tasks.created[t]; });
  NoColumn("tasks", what);
}

py::array_t<double> CycleView::job_amounts(std::string_view what, std::string_view dimension,
                                           const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const auto rows = Checked<JobIndex>(index, tables.jobs.alive.size(), "jobs");
  const auto d = Dimension(tables, dimension);
  if (what != "allocated") NoColumn("jobs", what);
  if (!d) return Zeros(rows.size());
  return Numbers<double>(rows, [&](JobIndex j) { return state_->ledger().job_allocated(j)[*d]; });
}

py::array_t<double> CycleView::queue_amounts(std::string_view what, std::string_view dimension,
                                             const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const Ledger& ledger = state_->ledger();
  const auto rows = Checked<QueueIndex>(index, tables.queues.alive.size(), "queues");
  const auto d = Dimension(tables, dimension);
  const auto of = [&](const auto& get) -> py::array_t<double> {
    if (!d) return Zeros(rows.size());
    return Numbers<double>(rows, get);
  };
  if (what == "allocated") return of([&](QueueIndex q) { return ledger.tree_allocated(q)[*d]; });
  if (what == "pending") return of([&](QueueIndex q) { return ledger.tree_pending(q)[*d]; });
  const RowTable* table = what == "guaranteed" ? &tables.queues.guaranteed
                          : what == "deserved" ? &tables.queues.deserved
                          : what == "limit"    ? &tables.queues.limit
                                               : nullptr;
  if (table == nullptr) NoColumn("queues", what);
  if (what == "limit") {
    return Numbers<double>(
        rows, [&](QueueIndex q) { return d ? OrInfinity(table->at(q, *d)) : kInfinity; });
  }
  return of([&](QueueIndex q) { return OrZero(table->at(q, *d)); });
}

py::array_t<double> CycleView::task_amounts(std::string_view what, std::string_view dimension,
                                            const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const auto rows = Checked<TaskIndex>(index, tables.tasks.alive.size(), "tasks");
  const auto d = Dimension(tables, dimension);
  if (what != "request") NoColumn("tasks", what);
  if (!d) return Zeros(rows.size());
  return Numbers<double>(rows,
                         [&](TaskIndex t) { return OrZero(state_->ledger().request(t)[*d]); });
}

py::object CycleView::domain_column(std::string_view what, const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const Domains& domains = state_->domains();
  const auto rows = Checked<DomainIndex>(index, size_t{domains.root()} + 1, "domains");
  if (what == "name") return Texts(rows, [&](DomainIndex d) { return DomainName(tables, d); });
  if (what == "parent") {
    return Texts(rows, [&](DomainIndex d) {
      const DomainIndex parent = domains.parent(d);
      return parent == kNone ? std::string_view() : DomainName(tables, parent);
    });
  }
  if (what == "tier") return Numbers<int64_t>(rows, [&](DomainIndex d) { return domains.tier(d); });
  if (what == "nodes")
    return Numbers<int64_t>(rows, [&](DomainIndex d) { return domains.nodes(d).size(); });
  NoColumn("domains", what);
}

py::array_t<double> CycleView::domain_amounts(std::string_view what, std::string_view dimension,
                                              const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const Domains& domains = state_->domains();
  const auto rows = Checked<DomainIndex>(index, size_t{domains.root()} + 1, "domains");
  const auto d = Dimension(tables, dimension);
  if (what != "idle" && what != "allocatable") NoColumn("domains", what);
  if (!d) return Zeros(rows.size());
  return Numbers<double>(rows, [&](DomainIndex domain) {
    int64_t sum = 0;
    for (const NodeIndex n : domains.nodes(domain)) {
      sum += what == "idle" ? state_->ledger().node(n, kIdle)[*d]
                            : OrZero(tables.nodes.allocatable.at(n, *d));
    }
    return sum;
  });
}

py::object CycleView::group_column(std::string_view what, const IndexArray& jobs,
                                   const IndexArray& index) const {
  const Tables& tables = state_->tables();
  const auto job = Checked<JobIndex>(jobs, tables.jobs.spec.size(), "jobs");
  if (index.size() != jobs.size()) Refuse("sub-groups: as many jobs as indices are needed");
  std::vector<SubGroup> rows(job.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t group = index.data()[i];
    const auto count = static_cast<int64_t>(tables.jobs.spec[job[i]].sub_groups.size());
    if (group < -1 || group >= count) Refuse(absl::StrCat("sub-groups: there is no index ", group));
    rows[i] = {job[i], group < 0 ? SubGroupIndex(kNone) : SubGroupIndex(group)};
  }
  const auto spec = [&](const SubGroup& group) -> const SubGroupSpec* {
    if (group.index == kNone) return nullptr;
    return &tables.jobs.spec[group.job].sub_groups[group.index];
  };
  const auto count = [&](const SubGroup& group) -> const JobCounts& {
    return tables.jobs.spec[group.job].sub_groups.empty()
               ? state_->ledger().job(group.job)
               : state_->ledger().sub_group(group.job, group.index);
  };
  if (what == "job") return job_column("name", jobs);
  if (what == "name") {
    return Texts(rows, [&](const SubGroup& g) {
      return spec(g) == nullptr ? std::string_view() : std::string_view(spec(g)->name);
    });
  }
  if (what == "min_available") {
    return Numbers<int64_t>(
        rows, [&](const SubGroup& g) { return spec(g) == nullptr ? 0 : spec(g)->min_available; });
  }
  if (what == "order") {
    return Numbers<int64_t>(
        rows, [&](const SubGroup& g) { return spec(g) == nullptr ? 0 : spec(g)->order; });
  }
  if (what == "pending")
    return Numbers<int64_t>(rows, [&](const SubGroup& g) { return count(g).pending(); });
  if (what == "ready")
    return Numbers<int64_t>(rows, [&](const SubGroup& g) { return count(g).ready(); });
  NoColumn("sub-groups", what);
}

void BindViews(py::module_& module) {
  py::class_<ClassView>(module, "ClassView")
      .def_property_readonly("index", [](const ClassView& self) { return self.index.value(); })
      .def_property_readonly("request",
                             [](const ClassView& self) {
                               const Tables& tables = self.state->tables();
                               py::dict request;
                               const auto row = tables.classes.request.row(self.index);
                               for (DimensionIndex d = 0; d < row.size(); ++d) {
                                 if (row[d] != kAbsent) {
                                   request[Text(tables.dimensions.name(d))] = OrZero(row[d]);
                                 }
                               }
                               return request;
                             })
      .def_property_readonly("shape",
                             [](const ClassView& self) {
                               return Write(self.state->tables().classes.shape[self.index]);
                             })
      .def_property_readonly("example", [](const ClassView& self) {
        // The oldest task of the class, for messages.
        const TaskTable& tasks = self.state->tables().tasks;
        for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
          if (tasks.alive[t] && tasks.task_class[t] == self.index) return Text(tasks.names.name(t));
        }
        return py::str("");
      });
  py::class_<NodeView, std::shared_ptr<NodeView>>(module, "NodeView")
      .def("__len__", &NodeView::size)
      .def("index", &NodeView::index)
      .def("names", &NodeView::names)
      .def("labels", &NodeView::labels, py::arg("key"))
      .def("amounts", &NodeView::amounts, py::arg("what"), py::arg("dimension"));
  py::class_<CycleView>(module, "CycleView")
      .def_property_readonly("now", &CycleView::now)
      .def("dimensions", &CycleView::dimensions)
      .def("nodes", &CycleView::nodes)
      .def("jobs", &CycleView::jobs)
      .def("queues", &CycleView::queues)
      .def("tasks", &CycleView::tasks)
      .def("domains", &CycleView::domains)
      .def("job_column", &CycleView::job_column, py::arg("what"), py::arg("index"))
      .def("queue_column", &CycleView::queue_column, py::arg("what"), py::arg("index"))
      .def("task_column", &CycleView::task_column, py::arg("what"), py::arg("index"))
      .def("domain_column", &CycleView::domain_column, py::arg("what"), py::arg("index"))
      .def("group_column", &CycleView::group_column, py::arg("what"), py::arg("jobs"),
           py::arg("index"))
      .def("domain_amounts", &CycleView::domain_amounts, py::arg("what"), py::arg("dimension"),
           py::arg("index"))
      .def("job_amounts", &CycleView::job_amounts, py::arg("what"), py::arg("dimension"),
           py::arg("index"))
      .def("queue_amounts", &CycleView::queue_amounts, py::arg("what"), py::arg("dimension"),
           py::arg("index"))
      .def("task_amounts", &CycleView::task_amounts, py::arg("what"), py::arg("dimension"),
           py::arg("index"));
}

}  // namespace muster::python
