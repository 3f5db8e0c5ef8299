// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/workbench.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/binding/bench.h"
#include "lib/binding/policy_name.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/status.h"
#include "python/src/views.h"

namespace muster::python {
namespace {

using binding::Bench;
using Beneficiary = std::optional<int64_t>;

// muster._core.Workbench: what muster.Workbench passes calls on to. Python may keep it; once the
// action has returned it refuses every call.
class WorkbenchView {
 public:
  using Bound = void;

  WorkbenchView(Bench* bench, std::shared_ptr<CycleState> state)
      : bench_(bench), state_(std::move(state)) {}
  void Close() { bench_ = nullptr; }

  const std::shared_ptr<CycleState>& state() const { return state_; }
  Bench& bench() const {
    if (bench_ == nullptr) Precondition("it ends with its action");
    if (state_->asking()) Precondition("a policy is being asked; only the action may call");
    CheckCycle();
    return *bench_;
  }
  Workbench& operator*() const { return bench().workbench(); }
  // Throws if a policy that the last call asked has failed.
  void CheckCycle() const {
    if (state_->failed()) Precondition("the cycle has failed");
  }

 private:
  [[noreturn]] static void Precondition(const char* why) {
    throw StatusError(absl::FailedPreconditionError(absl::StrCat("workbench: ", why)));
  }

  Bench* bench_;
  const std::shared_ptr<CycleState> state_;
};

TaskIndex OrNoTask(const WorkbenchView& self, const Beneficiary& task) {
  return task.has_value() ? Value(self.bench().Task(*task)) : TaskIndex(kNone);
}

std::vector<TaskIndex> Tasks(const WorkbenchView& self, const IndexArray& rows) {
  std::vector<TaskIndex> tasks;
  for (py::ssize_t i = 0; i < rows.size(); ++i) {
    tasks.push_back(Value(self.bench().Task(rows.data()[i])));
  }
  return tasks;
}

// Binds a call about one row: `row` makes the index of the number, `call` answers.
template <class Row, class Call>
auto About(Row row, Call call) {
  return [row, call](const WorkbenchView& self, int64_t number) {
    const auto index = Value((self.bench().*row)(number));
    auto answer = call(*self, index);
    self.CheckCycle();
    return answer;
  };
}
template <class Row, class Call>
auto AboutTwo(Row row, Call call) {
  return [row, call](const WorkbenchView& self, int64_t a, int64_t b) {
    const auto left = Value((self.bench().*row)(a)), right = Value((self.bench().*row)(b));
    const bool answer = call(*self, left, right);
    self.CheckCycle();
    return answer;
  };
}

using WorkbenchClass = py::class_<WorkbenchView, std::shared_ptr<WorkbenchView>>;

void BindReading(WorkbenchClass& view) {
  view.def_property_readonly("cycle",
                             [](const WorkbenchView& self) { return CycleView(self.state()); })
      .def("nodes",
           [](const WorkbenchView& self) {
             return std::make_shared<NodeView>(self.state(), self.state()->NodesNow());
           })
      .def("waiting", [](const WorkbenchView& self) { return RowArray((*self).waiting()); })
      .def("pending_tasks",
           About(&Bench::Job, [](Workbench& w, JobIndex j) { return RowArray(w.PendingTasks(j)); }))
      .def("tasks_on",
           About(&Bench::Node, [](Workbench& w, NodeIndex n) { return RowArray(w.TasksOn(n)); }))
      .def("queue_before",
           AboutTwo(&Bench::Queue,
                    [](Workbench& w, QueueIndex a, QueueIndex b) { return w.QueueBefore(a, b); }))
      .def("job_before", AboutTwo(&Bench::Job, [](Workbench& w, JobIndex a,
                                                  JobIndex b) { return w.JobBefore(a, b); }))
      .def("task_before", AboutTwo(&Bench::Task, [](Workbench& w, TaskIndex a,
                                                    TaskIndex b) { return w.TaskBefore(a, b); }))
      .def("may_take_turn",
           About(&Bench::Queue, [](Workbench& w, QueueIndex q) { return w.MayTakeTurn(q).ok(); }))
      .def("allocatable", About(&Bench::Task,
                                [](Workbench& w, TaskIndex t) {
                                  return w.cycle().job_of(t) != kNone && w.Allocatable(t).ok();
                                }))
      .def("valid", About(&Bench::Job, [](Workbench& w, JobIndex j) { return w.Valid(j); }))
      .def("ready", About(&Bench::Job, [](Workbench& w, JobIndex j) { return w.Ready(j); }))
      .def("pipelined", About(&Bench::Job, [](Workbench& w, JobIndex j) { return w.Pipelined(j); }))
      .def("starving", About(&Bench::Job, [](Workbench& w, JobIndex j) { return w.Starving(j); }))
      .def("preemptable",
           [](const WorkbenchView& self, int64_t evictor, const IndexArray& tasks) {
             const TaskIndex task = Value(self.bench().Task(evictor));
             const auto chosen = (*self).Preemptable(task, Tasks(self, tasks));
             self.CheckCycle();
             return RowArray(chosen);
           })
      .def("reclaimable",
           [](const WorkbenchView& self, int64_t evictor, const IndexArray& tasks) {
             const TaskIndex task = Value(self.bench().Task(evictor));
             const auto chosen = (*self).Reclaimable(task, Tasks(self, tasks));
             self.CheckCycle();
             return RowArray(chosen);
           })
      .def("fits", [](const WorkbenchView& self, int64_t task, int64_t node) {
        const TaskIndex t = Value(self.bench().Task(task));
        const bool fits = (*self).Fits(t, Value(self.bench().Node(node)));
        self.CheckCycle();
        return fits;
      });
}

void BindMoves(WorkbenchClass& view) {
  view.def("save", [](const WorkbenchView& self) { return self.bench().Save(); })
      .def("commit",
           [](const WorkbenchView& self, int64_t before) { Check(self.bench().Commit(before)); })
      .def("rollback",
           [](const WorkbenchView& self, int64_t before) { Check(self.bench().Rollback(before)); })
      .def("admit", About(&Bench::Job,
                          [](Workbench& w, JobIndex j) {
                            w.Admit(j);
                            return py::none();
                          }))
      .def("place",
           About(&Bench::Task, [](Workbench& w, TaskIndex t) { return RowOrNone(w.Place(t)); }))
      .def("nominate",
           About(&Bench::Task, [](Workbench& w, TaskIndex t) { return RowOrNone(w.Nominate(t)); }))
      .def(
          "reserve",
          [](const WorkbenchView& self, int64_t task, std::optional<int64_t> until,
             const std::string& waiting_group) {
            const TaskIndex t = Value(self.bench().Task(task));
            const NodeIndex node = Value(self.bench().Reserve(t, until, waiting_group));
            self.CheckCycle();
            return RowOrNone(node);
          },
          py::arg("task"), py::arg("until") = py::none(), py::arg("waiting_group") = "")
      .def("place_on",
           [](const WorkbenchView& self, int64_t task, int64_t node) {
             const TaskIndex t = Value(self.bench().Task(task));
             const bool placed = (*self).PlaceOn(t, Value(self.bench().Node(node)));
             self.CheckCycle();
             return placed;
           })
      .def(
          "evict",
          [](const WorkbenchView& self, int64_t victim, const Beneficiary& beneficiary) {
            const TaskIndex t = Value(self.bench().Task(victim));
            return (*self).Evict(t, OrNoTask(self, beneficiary));
          },
          py::arg("victim"), py::arg("beneficiary") = py::none())
      .def(
          "move_to",
          [](const WorkbenchView& self, int64_t task, int64_t node,
             const Beneficiary& beneficiary) {
            const TaskIndex t = Value(self.bench().Task(task));
            const NodeIndex n = Value(self.bench().Node(node));
            return (*self).MoveTo(t, n, OrNoTask(self, beneficiary));
          },
          py::arg("task"), py::arg("node"), py::arg("beneficiary") = py::none())
      .def("return_", About(&Bench::Task, [](Workbench& w, TaskIndex t) { return w.Return(t); }))
      .def("explain_no_node", About(&Bench::Task,
                                    [](Workbench& w, TaskIndex t) {
                                      w.ExplainNoNode(t);
                                      return py::none();
                                    }))
      .def("should_stop", [](const WorkbenchView& self) { return (*self).ShouldStop(); });
}

// Runs the adapter; an exception ends the cycle.
void RunAction(const py::object& adapter, const std::shared_ptr<CycleState>& state,
               Workbench& workbench) {
  if (state->failed()) return;
  state->Open(workbench.cycle(), nullptr);
  const py::gil_scoped_acquire gil;
  Bench bench(workbench);
  const auto view = std::make_shared<WorkbenchView>(&bench, state);
  try {
    adapter.attr("run")(view);
  } catch (py::error_already_set& error) {
    state->Fail(std::move(error));
  }
  view->Close();
}

}  // namespace

std::string ReadPolicyName(const char* kind, py::handle adapter) {
  const py::object written = adapter.attr(kind);
  const std::string root = absl::StrCat(kind, " of class ", Py_TYPE(written.ptr())->tp_name);
  const Place place{nullptr, root};
  std::string name = ReadText(Place{&place, "name"}, adapter.attr("name"));
  if (!binding::IsPolicyName(name)) {
    Refuse(absl::StrCat(root, ": ", binding::PolicyNameRule(name)));
  }
  return name;
}

CustomAction MakeAction(py::handle adapter, std::shared_ptr<CycleState> state,
                        OwnedExtensions* owned) {
  CustomAction action;
  owned->names.push_back(ReadPolicyName("action", adapter));
  action.name = owned->names.back();
  const std::string root = absl::StrCat("action ", Quote(action.name));
  const Place place{nullptr, root};
  const std::string summary = ReadText(Place{&place, "summary"}, adapter.attr("summary"));
  owned->names.push_back(summary.empty() ? "written in Python" : summary);
  action.summary = owned->names.back();
  action.admits = ReadFlag(Place{&place, "admits"}, adapter.attr("admits"));
  action.evicts = ReadFlag(Place{&place, "evicts"}, adapter.attr("evicts"));
  action.run = [object = Share(py::reinterpret_borrow<py::object>(adapter)),
                state = std::move(state)](Workbench& bench, const muster::Options&) {
    RunAction(*object, state, bench);
  };
  return action;
}

void BindWorkbench(py::module_& module) {
  WorkbenchClass view(module, "Workbench");
  BindReading(view);
  BindMoves(view);
}

}  // namespace muster::python
