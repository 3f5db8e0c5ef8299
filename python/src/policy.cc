// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/policy.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/views.h"

namespace muster::python {
namespace {

// A Python object that may be let go of without the GIL being held.
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

// The answers for every queue or job, and the books they were given for.
struct Column {
  std::vector<double> values;
  uint64_t content = 0;
  bool known = false;
};

// What an adapter says about its policy, asked once.
struct Adapter {
  explicit Adapter(py::handle adapter)
      : object(Share(py::reinterpret_borrow<py::object>(adapter))),
        refusal(adapter.attr("refusal").cast<std::string>()),
        node_score(adapter.attr("score_again").cast<bool>()),
        live(adapter.attr("live").cast<bool>()) {
    for (int p = 0; p < kPointCount; ++p) {
      const auto point = static_cast<Point>(p);
      if (!adapter.attr("answers")(Text(PointName(point))).cast<bool>()) points.remove(point);
    }
  }
  std::shared_ptr<py::object> object;
  std::string refusal;
  bool node_score, live;
  // Those that Python can answer at all, less those that this policy does not.
  PointSet points{Point::kJobOrder, Point::kQueueOrder, Point::kTaskOrder,   Point::kFit,
                  Point::kScore,    Point::kOverused,   Point::kAllocatable, Point::kValid,
                  Point::kReady,    Point::kAdmit,      Point::kPreemptable, Point::kReclaimable};
};

class PythonPolicy : public Policy,
                     public OrderPolicy,
                     public GatePolicy,
                     public FitPolicy,
                     public ScorePolicy,
                     public VictimPolicy {
 public:
  PythonPolicy(std::string_view name, const Adapter& adapter, std::shared_ptr<CycleState> state)
      : name_(name),
        refusal_(adapter.refusal),
        points_(adapter.points),
        node_score_(adapter.node_score),
        live_(adapter.live),
        adapter_(adapter.object),
        state_(std::move(state)) {}

  std::string_view name() const override { return name_; }
  PointSet points() const override { return points_; }
  Traits traits() const override {
    Traits traits;
    traits.tells_nodes_apart = Has(Point::kFit) || Has(Point::kScore);
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    if (state_->failed()) return;
    state_->Open(cycle);
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    scores_.clear();
    fits_.clear();
    for (Column* column :
         {&job_order_, &queue_order_, &task_order_, &overused_, &valid_, &ready_, &admit_}) {
      column->known = false;
    }
    allocatable_.clear();
    Ask([&] { adapter_->attr("open")(py::cast(CycleView(state_))); });
    // Answers that hold for the cycle are given for the books it opens with.
    if (Has(Point::kTaskOrder)) Fill("task_order", &task_order_, tables_->tasks.alive.size());
    if (Has(Point::kValid)) Fill("valid", &valid_, JobCount());
    if (Has(Point::kAdmit)) Fill("admit", &admit_, JobCount());
    if (live_) return;
    if (Has(Point::kJobOrder)) Fill("job_order", &job_order_, JobCount());
    if (Has(Point::kQueueOrder)) Fill("queue_order", &queue_order_, QueueCount());
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    return Compare("job_order", &job_order_, JobCount(), a, b);
  }
  int CompareQueues(QueueIndex a, QueueIndex b) override {
    return Compare("queue_order", &queue_order_, QueueCount(), a, b);
  }
  int CompareTasks(TaskIndex a, TaskIndex b) override {
    const std::vector<double>& keys = task_order_.values;
    if (!task_order_.known || a >= keys.size() || b >= keys.size()) return 0;
    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
  }

  bool Overused(QueueIndex queue) override {
    return Live("overused", &overused_, QueueCount()) && overused_.values[queue] != 0;
  }
  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    const ClassIndex c = tables_->tasks.task_class[task];
    if (c >= allocatable_.size()) allocatable_.resize(tables_->classes.shape.size());
    Column& column = allocatable_[c];
    const uint64_t content = ledger_->moment().content;
    if (!column.known || column.content != content) {
      if (state_->failed()) return Verdict::Yes();
      column.known = false;
      Ask([&] {
        Take(adapter_->attr("allocatable")(ClassView(state_, c)), &column, QueueCount());
      });
    }
    return !column.known || column.values[queue] != 0 ? Verdict::Yes() : Verdict::No();
  }
  bool Valid(JobIndex job) override { return !valid_.known || valid_.values[job] != 0; }
  bool Ready(JobIndex job) override {
    return !Live("ready", &ready_, JobCount()) || ready_.values[job] != 0;
  }
  Verdict Admit(JobIndex job) override {
    if (!admit_.known || admit_.values[job] == 0) return Verdict::Abstain();
    return admit_.values[job] > 0 ? Verdict::Yes() : Verdict::No();
  }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Victims("preemptable", evictor, candidates, chosen);
  }
  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Victims("reclaimable", evictor, candidates, chosen);
  }

  Scope FitScope(ClassIndex c) override { return Scope::kState; }
  Scope ScoreScope(ClassIndex c) override { return Scope::kState; }

  NodeRefusal StateRefusal() const override {
    return {RefusalCode::kPolicy,
            refusal_.empty() ? std::string(name_) : absl::StrCat(ToAbsl(name_), ": ", refusal_)};
  }

  void FitStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override {
    const std::vector<double>* mine = Frozen("fit", c, &fits_);
    if (mine == nullptr) return;
    for (size_t i = begin; i < end; ++i) fits[i - begin] &= (*mine)[states.node[i]] != 0;
  }

  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double* batch) override {
    if (!node_score_) {
      const std::vector<double>* mine = Frozen("score", c, &scores_);
      if (mine == nullptr) return;
      for (size_t i = begin; i < end; ++i) order[i - begin] += (*mine)[states.node[i]];
      return;
    }
    if (begin == end || state_->failed()) return;
    Ask([&] {
      auto view = std::make_shared<NodeView>(state_, states, begin, end);
      const std::vector<double> mine =
          Doubles(adapter_->attr("score")(ClassView(state_, c), view), end - begin);
      view->Close();
      for (size_t i = begin; i < end; ++i) order[i - begin] += mine[i - begin];
    });
  }

 private:
  bool Has(Point point) const { return points_.has(point); }
  size_t JobCount() const { return tables_->jobs.alive.size(); }
  size_t QueueCount() const { return tables_->queues.alive.size(); }

  // Calls `question` with the GIL; an exception ends the policy's part in this cycle.
  template <class F>
  void Ask(const F& question) {
    if (state_->failed()) return;
    const py::gil_scoped_acquire gil;
    try {
      question();
    } catch (py::error_already_set& error) {
      state_->Fail(std::move(error));
    } catch (const py::cast_error& error) {
      py::set_error(PyExc_TypeError, error.what());
      state_->Fail(py::error_already_set());
    }
  }

  static std::vector<double> Doubles(const py::object& answer, size_t size) {
    const py::array_t<double, py::array::c_style | py::array::forcecast> array(answer);
    if (array.ndim() != 1 || static_cast<size_t>(array.shape(0)) != size) {
      throw py::cast_error("an adapter answered in the wrong form");
    }
    return {array.data(), array.data() + size};
  }

  // (index, value) of some rows; the others count as 0.
  void Fill(const char* point, Column* column, size_t rows) {
    column->known = false;
    Ask([&] { Take(adapter_->attr(point)(), column, rows); });
  }
  void Take(const py::object& answer, Column* column, size_t rows) const {
    const auto pair = answer.cast<py::tuple>();
    const IndexArray index(pair[0]);
    const std::vector<double> values = Doubles(pair[1], static_cast<size_t>(index.size()));
    column->values.assign(rows, 0);
    for (size_t i = 0; i < values.size(); ++i) {
      column->values[static_cast<size_t>(index.data()[i])] = values[i];
    }
    column->known = true;
    column->content = ledger_->moment().content;
  }
  // Asks again once the books changed; false: there is no answer.
  bool Live(const char* point, Column* column, size_t rows) {
    if (!column->known || column->content != ledger_->moment().content) Fill(point, column, rows);
    return column->known;
  }
  int Compare(const char* point, Column* column, size_t rows, uint32_t a, uint32_t b) {
    if (live_ ? !Live(point, column, rows) : !column->known) return 0;
    return (column->values[a] > column->values[b]) - (column->values[a] < column->values[b]);
  }

  // By node; null after a failure.
  const std::vector<double>* Frozen(const char* point, ClassIndex c,
                                    std::vector<std::vector<double>>* answers) {
    if (c >= answers->size()) answers->resize(tables_->classes.shape.size());
    std::vector<double>& mine = (*answers)[c];
    if (!mine.empty()) return &mine;
    Ask([&] {
      const auto& nodes = state_->opening();
      const std::vector<double> given =
          Doubles(adapter_->attr(point)(ClassView(state_, c), py::none()), nodes->index.size());
      mine.assign(tables_->nodes.alive.size(), 0);
      for (size_t i = 0; i < given.size(); ++i) mine[nodes->index[i]] = given[i];
    });
    return mine.empty() ? nullptr : &mine;
  }

  Vote Victims(const char* point, TaskIndex evictor, std::span<const TaskIndex> candidates,
               std::vector<TaskIndex>* chosen) {
    Vote vote = Vote::kAbstain;
    Ask([&] {
      const std::vector<int64_t> index(candidates.begin(), candidates.end());
      const py::object answer =
          adapter_->attr(point)(static_cast<int64_t>(evictor), NumberArray(index));
      if (answer.is_none()) return;
      const std::vector<double> mask = Doubles(answer, candidates.size());
      for (size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) chosen->push_back(candidates[i]);
      }
      vote = Vote::kPermit;
    });
    return vote;
  }

  const std::string_view name_;
  const std::string refusal_;
  const PointSet points_;
  const bool node_score_, live_;
  const std::shared_ptr<py::object> adapter_;
  const std::shared_ptr<CycleState> state_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<std::vector<double>> scores_, fits_;  // by class, by node; empty: not asked yet
  Column job_order_, queue_order_, task_order_, overused_, valid_, ready_, admit_;
  std::vector<Column> allocatable_;  // by class
};

}  // namespace

// --- what the policies of a call have in common

void CycleState::Begin() {
  error_.reset();
  failed_ = false;
}

void CycleState::End() {
  open_ = false;
  opening_.reset();
  failed_ = false;
  if (!error_.has_value()) return;
  py::error_already_set error = *std::move(error_);
  error_.reset();
  throw error;
}

void CycleState::Fail(py::error_already_set&& error) {
  if (failed()) return;
  error_.emplace(std::move(error));
  failed_ = true;
}

void CycleState::Open(const Cycle& cycle) {
  if (open_ && tables_ == &internal::DataOf(cycle).tables && opening_ != nullptr)
    return;  // by another policy of the call
  open_ = true;
  tables_ = &internal::DataOf(cycle).tables;
  ledger_ = &internal::DataOf(cycle).ledger;
  phases_ = &internal::DataOf(cycle).phases;
  now_ = cycle.now();
  auto nodes = std::make_shared<Nodes>();
  nodes->dimensions = ledger_->dimensions();
  const std::vector<uint8_t>& alive = tables_->nodes.alive;
  for (NodeIndex n = 0; n < alive.size(); ++n) {
    if (!alive[n]) continue;
    nodes->index.push_back(n);
    if (!needs_opening) continue;
    const auto row = ledger_->node_row(n);
    nodes->stride = row.size();
    nodes->rows.insert(nodes->rows.end(), row.begin(), row.end());
  }
  opening_ = std::move(nodes);
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

PythonExtensions::PythonExtensions(const py::list& adapters) {
  auto owned = std::make_shared<OwnedExtensions>();
  for (py::handle adapter : adapters) {
    owned->names.push_back(adapter.attr("name").cast<std::string>());
    const std::string_view name = owned->names.back();
    Adapter mine(adapter);
    state->needs_opening |=
        mine.points.has(Point::kFit) || (mine.points.has(Point::kScore) && !mine.node_score);
    owned->policies.push_back({name,
                               "written in Python",
                               {},
                               [name, mine = std::move(mine), state = state](const Options&) {
                                 return std::make_unique<PythonPolicy>(name, mine, state);
                               }});
  }
  list = std::move(owned);
}

void BindPolicies(py::module_& module) {
  py::class_<PythonExtensions, std::shared_ptr<PythonExtensions>>(module, "Extensions")
      .def(py::init<const py::list&>(), py::arg("adapters"));
  BindViews(module);
}

}  // namespace muster::python
