// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/policy.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/binding/column_policy.h"
#include "lib/extension/cycle.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/views.h"
#include "python/src/workbench.h"

namespace muster::python {
// A question, for the adapter alone: valid while it is asked. It is not in the namespace below, for
// GCC 12 takes pybind11's functions about such a type for undefined.
struct QuestionView {
  using Bound = void;
  const binding::Question& question;
  std::shared_ptr<CycleState> state;
  std::shared_ptr<NodeView> nodes;  // null: as the cycle found them
};

namespace {

// What an adapter states about its policy, asked once.
struct Adapter {
  Adapter(std::string_view name, py::handle adapter)
      : object(Share(py::reinterpret_borrow<py::object>(adapter))),
        decl{.name = name,
             .refusal = Refusal(name, adapter.attr("refusal")),
             .points = binding::kEveryPoint,
             .live_orders = adapter.attr("live").cast<bool>(),
             .live_scores = adapter.attr("score_again").cast<bool>()} {
    for (int p = 0; p < kPointCount; ++p) {
      const auto point = static_cast<Point>(p);
      if (!adapter.attr("answers")(Text(PointName(point))).cast<bool>()) decl.points.remove(point);
    }
  }
  static std::string Refusal(std::string_view name, py::handle words) {
    const std::string root = absl::StrCat("policy ", Quote(name));
    const Place place{nullptr, root};
    return ReadText(Place{&place, "refusal"}, words);
  }

  std::shared_ptr<py::object> object;
  binding::ColumnDecl decl;
};

// One policy: questions become calls of its adapter.
class AdapterCallbacks : public binding::Callbacks {
 public:
  AdapterCallbacks(std::shared_ptr<py::object> adapter, std::shared_ptr<CycleState> state)
      : adapter_(std::move(adapter)), state_(std::move(state)) {}
  ~AdapterCallbacks() override { state_->Forget(this); }

  void Open(const Cycle& cycle) override {
    state_->Open(cycle, this);
    Call([&] { adapter_->attr("open")(py::cast(CycleView(state_))); });
  }
  bool Ask(const binding::Question& question, std::span<double> answers) override {
    bool answered = false;
    Call([&] {
      std::shared_ptr<NodeView> nodes;
      if (question.states != nullptr) {
        nodes = std::make_shared<NodeView>(state_, *question.states, question.begin, question.end);
      }
      const QuestionView view{question, state_, nodes};
      const py::object answer =
          adapter_->attr("ask")(py::cast(&view, py::return_value_policy::reference));
      if (nodes != nullptr) nodes->Close();
      if (answer.is_none()) return;
      const py::array_t<double, py::array::c_style | py::array::forcecast> array(answer);
      if (array.ndim() != 1 || static_cast<size_t>(array.shape(0)) != answers.size()) {
        throw py::cast_error("an adapter answered in the wrong form");
      }
      std::copy_n(array.data(), answers.size(), answers.begin());
      answered = true;
    });
    return answered;
  }
  void Refuse(const binding::Question& question, size_t, const std::string& fault) override {
    const std::string words = absl::StrCat(ToAbsl(PointName(question.point)), ": an answer", fault);
    Call([&] { throw py::cast_error(words); });
  }
  bool failed() const override { return state_->failed(); }

 private:
  // Calls `body` with the GIL; an exception ends the policy's part in this cycle.
  template <class F>
  void Call(const F& body) {
    if (state_->failed()) return;
    const py::gil_scoped_acquire gil;
    const CycleState::Asking asking(state_.get());
    try {
      body();
    } catch (py::error_already_set& error) {
      state_->Fail(std::move(error));
    } catch (const py::cast_error& error) {
      py::set_error(PyExc_TypeError, error.what());
      state_->Fail(py::error_already_set());
    }
  }

  const std::shared_ptr<py::object> adapter_;
  const std::shared_ptr<CycleState> state_;
};

void BindQuestion(py::module_& module) {
  py::class_<QuestionView>(module, "Question")
      .def_property_readonly(
          "point", [](const QuestionView& self) { return Text(PointName(self.question.point)); })
      .def_property_readonly("rows",
                             [](const QuestionView& self) { return RowArray(self.question.rows); })
      .def_property_readonly(
          "groups", [](const QuestionView& self) { return RowArray(self.question.groups); })
      .def_property_readonly(
          "task_class",
          [](const QuestionView& self) { return ClassView(self.state, self.question.task_class); })
      .def_property_readonly("nodes", [](const QuestionView& self) { return self.nodes; })
      .def_property_readonly(
          "evictor", [](const QuestionView& self) { return RowOrNone(self.question.evictor); })
      .def_property_readonly(
          "from_other_queues",
          [](const QuestionView& self) { return self.question.from_other_queues; })
      .def_property_readonly(
          "request",
          [](const QuestionView& self) {
            const auto request = self.question.request;
            return NumberArray(std::vector<int64_t>(request.begin(), request.end()));
          })
      .def_property_readonly("group",
                             [](const QuestionView& self) {
                               const SubGroup& group = self.question.group;
                               const int64_t index =
                                   group.index == kNone ? -1 : int64_t{group.index};
                               return py::make_tuple(int64_t{group.job}, index);
                             })
      .def_property_readonly(
          "within", [](const QuestionView& self) { return RowOrNone(self.question.within); })
      .def_property_readonly(
          "allocated", [](const QuestionView& self) { return RowOrNone(self.question.allocated); })
      .def_property_readonly("evicting",
                             [](const QuestionView& self) { return self.question.evicting; });
}

}  // namespace

// --- what the policies of a call have in common

std::shared_ptr<py::object> Share(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            if (Py_IsInitialized() == 0) {
              held->release();  // the interpreter is gone, and its objects with it
            } else {
              const py::gil_scoped_acquire gil;
              *held = py::object();
            }
            delete held;
          }};
}

void CycleState::Begin() {
  error_.reset();
  failed_ = false;
}

void CycleState::End() {
  std::optional<py::error_already_set> error = std::move(error_);
  Close();
  if (error.has_value()) throw *std::move(error);
}

void CycleState::Close() {
  open_ = false;
  openers_.clear();
  opening_.reset();
  failed_ = false;
  error_.reset();
}

void CycleState::Fail(py::error_already_set&& error) {
  if (failed()) return;
  error_.emplace(std::move(error));
  failed_ = true;
}

void CycleState::Open(const Cycle& cycle, const void* opener) {
  const internal::CycleData& data = internal::DataOf(cycle);
  if (opener == nullptr) {
    if (!openers_.empty()) return;
  } else {
    // Advice and forecasts run a session after another: policies of another one begin a cycle, too.
    const bool again = std::find(openers_.begin(), openers_.end(), opener) != openers_.end();
    if (again || tables_ != &data.tables || ledger_ != &data.ledger) openers_.clear();
    openers_.push_back(opener);
    if (openers_.size() > 1) return;
  }
  open_ = true;
  tables_ = &data.tables;
  ledger_ = &data.ledger;
  phases_ = &data.phases;
  domains_ = data.domains;
  now_ = cycle.now();
  opening_ = NodesNow(needs_opening);
}

std::shared_ptr<const CycleState::Nodes> CycleState::NodesNow(bool with_books) const {
  RequireOpen();
  auto nodes = std::make_shared<Nodes>();
  nodes->dimensions = ledger_->dimensions();
  const std::vector<uint8_t>& alive = tables_->nodes.alive;
  for (NodeIndex n = 0; n < alive.size(); ++n) {
    if (!alive[n]) continue;
    nodes->index.push_back(n);
    if (!with_books) continue;
    const auto row = ledger_->node_row(n);
    nodes->stride = row.size();
    nodes->rows.insert(nodes->rows.end(), row.begin(), row.end());
  }
  return nodes;
}

void CycleState::Forget(const void* opener) {
  if (std::find(openers_.begin(), openers_.end(), opener) == openers_.end()) return;
  open_ = false;
  openers_.clear();
}

void CycleState::RequireOpen() const {
  if (open_) return;
  throw StatusError(
      absl::FailedPreconditionError("policy: what a policy is shown ends with its cycle; copy it"));
}
const Tables& CycleState::tables() const {
  RequireOpen();
  return *tables_;
}
const Ledger& CycleState::ledger() const {
  RequireOpen();
  return *ledger_;
}
const std::vector<JobPhase>& CycleState::phases() const {
  RequireOpen();
  return *phases_;
}

const Domains& CycleState::domains() const {
  RequireOpen();
  return *domains_;
}

PythonExtensions::PythonExtensions(const py::list& policies, const py::list& actions) {
  auto owned = std::make_shared<OwnedExtensions>();
  for (py::handle adapter : policies) {
    owned->names.push_back(ReadPolicyName("policy", adapter));
    const std::string_view name = owned->names.back();
    Adapter mine(name, adapter);
    const PointSet& points = mine.decl.points;
    state->needs_opening |=
        points.has(Point::kFit) || (points.has(Point::kScore) && !mine.decl.live_scores);
    owned->policies.push_back(
        {name, "written in Python", {}, [mine = std::move(mine), state = state](const Options&) {
           return std::make_unique<binding::ColumnPolicy>(
               mine.decl, std::make_unique<AdapterCallbacks>(mine.object, state));
         }});
  }
  for (py::handle adapter : actions)
    owned->actions.push_back(MakeAction(adapter, state, owned.get()));
  list = std::move(owned);
}

void BindPolicies(py::module_& module) {
  py::list names;
  for (int p = 0; p < kPointCount; ++p) names.append(Text(PointName(static_cast<Point>(p))));
  module.attr("points") = names;
  py::class_<PythonExtensions, std::shared_ptr<PythonExtensions>>(module, "Extensions")
      .def(py::init<const py::list&, const py::list&>(), py::arg("policies"),
           py::arg("actions") = py::list());
  BindQuestion(module);
  BindViews(module);
  BindWorkbench(module);
}

}  // namespace muster::python
