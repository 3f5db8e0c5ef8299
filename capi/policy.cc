// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/policy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"

namespace muster::capi {
namespace {

// The answers for every queue or job, and the books they were given for.
template <class T>
struct Answers {
  std::vector<T> values;  // by row
  uint64_t content = 0;
  bool known = false;
};

using RowsOfTable = std::vector<int32_t>;

RowsOfTable Alive(const std::vector<uint8_t>& alive) {
  RowsOfTable rows;
  for (size_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) rows.push_back(static_cast<int32_t>(i));
  }
  return rows;
}

class CPolicy : public Policy,
                public OrderPolicy,
                public GatePolicy,
                public FitPolicy,
                public ScorePolicy,
                public VictimPolicy {
 public:
  CPolicy(std::string_view name, std::string_view refusal, const muster_policy& table,
          PolicyList* list)
      : name_(name),
        refusal_(refusal),
        table_(table),
        live_((table.flags & MUSTER_POLICY_LIVE) != 0),
        list_(list) {
    const std::pair<Point, bool> offered[] = {{Point::kJobOrder, table.job_order != nullptr},
                                              {Point::kQueueOrder, table.queue_order != nullptr},
                                              {Point::kTaskOrder, table.task_order != nullptr},
                                              {Point::kFit, table.fit != nullptr},
                                              {Point::kScore, table.score != nullptr},
                                              {Point::kOverused, table.overused != nullptr},
                                              {Point::kAllocatable, table.allocatable != nullptr},
                                              {Point::kValid, table.valid != nullptr},
                                              {Point::kReady, table.ready != nullptr},
                                              {Point::kAdmit, table.admit != nullptr},
                                              {Point::kPreemptable, table.preemptable != nullptr},
                                              {Point::kReclaimable, table.reclaimable != nullptr}};
    for (const auto& [point, is_offered] : offered) {
      if (!is_offered) points_.remove(point);
    }
  }

  std::string_view name() const override { return name_; }
  PointSet points() const override { return points_; }
  Traits traits() const override {
    Traits traits;
    traits.tells_nodes_apart = points_.has(Point::kFit) || points_.has(Point::kScore);
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  VictimPolicy* victims() override { return this; }

  void Open(const Cycle& cycle) override {
    if (list_->failed()) return;
    cycle_ = list_->Open(cycle);
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    fits_.clear();
    scores_.clear();
    allocatable_.clear();
    frozen_.node.clear();
    job_order_.known = queue_order_.known = task_order_.known = false;
    overused_.known = ready_.known = valid_.known = false;
    admit_.known = false;
    if (table_.open != nullptr) {
      Ask("open", [&] { return table_.open(table_.user, cycle_); });
    }
    // Answers that hold for the cycle are given for the books it opens with.
    if (table_.task_order != nullptr) AskTaskOrder();
    if (table_.valid != nullptr) AskJobs("valid", table_.valid, uint8_t{1}, &valid_);
    if (table_.admit != nullptr) AskJobs("admit", table_.admit, int8_t{0}, &admit_);
    if (live_) return;
    if (table_.job_order != nullptr) AskJobs("job_order", table_.job_order, 0.0, &job_order_);
    if (table_.queue_order != nullptr) {
      AskQueues("queue_order", table_.queue_order, 0.0, &queue_order_);
    }
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    if (live_ && !Fresh(job_order_)) AskJobs("job_order", table_.job_order, 0.0, &job_order_);
    return Compare(job_order_, a, b);
  }
  int CompareQueues(QueueIndex a, QueueIndex b) override {
    if (live_ && !Fresh(queue_order_)) {
      AskQueues("queue_order", table_.queue_order, 0.0, &queue_order_);
    }
    return Compare(queue_order_, a, b);
  }
  int CompareTasks(TaskIndex a, TaskIndex b) override { return Compare(task_order_, a, b); }

  bool Overused(QueueIndex queue) override {
    if (!Fresh(overused_)) AskQueues("overused", table_.overused, uint8_t{0}, &overused_);
    return overused_.known && overused_.values[queue] != 0;
  }
  bool Ready(JobIndex job) override {
    if (!Fresh(ready_)) AskJobs("ready", table_.ready, uint8_t{1}, &ready_);
    return !ready_.known || ready_.values[job] != 0;
  }
  bool Valid(JobIndex job) override { return !valid_.known || valid_.values[job] != 0; }
  Verdict Admit(JobIndex job) override {
    if (!admit_.known || admit_.values[job] == 0) return Verdict::Abstain();
    return admit_.values[job] > 0 ? Verdict::Yes() : Verdict::No();
  }
  Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
    const ClassIndex c = tables_->tasks.task_class[task];
    if (c >= allocatable_.size()) allocatable_.resize(tables_->classes.shape.size());
    Answers<uint8_t>& mine = allocatable_[c];
    if (!Fresh(mine)) {
      const muster_class_view view = ViewOf(c);
      const auto ask = [&](uintptr_t user, const muster_cycle* cycle, const int32_t* rows,
                           int64_t count, uint8_t* out) {
        return table_.allocatable(user, cycle, &view, rows, count, out);
      };
      AskRows("allocatable", ask, Alive(tables_->queues.alive), tables_->queues.alive.size(),
              uint8_t{1}, &mine);
    }
    return !mine.known || mine.values[queue] != 0 ? Verdict::Yes() : Verdict::No();
  }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Victims("preemptable", table_.preemptable, evictor, candidates, chosen);
  }
  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Victims("reclaimable", table_.reclaimable, evictor, candidates, chosen);
  }

  Scope FitScope(ClassIndex) override { return Scope::kState; }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  NodeRefusal StateRefusal() const override {
    return {RefusalCode::kPolicy, refusal_.empty()
                                      ? std::string(name_)
                                      : absl::StrCat(ToAbsl(name_), ": ", ToAbsl(refusal_))};
  }

  // A fit does not change within a cycle: it is asked about all nodes once.
  void FitStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override {
    const std::vector<double>* mine = Frozen(c, &fits_, /*scores=*/false);
    if (mine == nullptr) return;
    for (size_t i = begin; i < end; ++i) fits[i - begin] &= (*mine)[states.node[i]] != 0;
  }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    if (begin == end) return;
    if (!live_) {
      const std::vector<double>* mine = Frozen(c, &scores_, /*scores=*/true);
      if (mine == nullptr) return;
      for (size_t i = begin; i < end; ++i) order[i - begin] += (*mine)[states.node[i]];
      return;
    }
    Nodes now;
    for (size_t i = begin; i < end; ++i) now.node.push_back(static_cast<int32_t>(states.node[i]));
    const auto take = [&](const std::vector<std::vector<double>>& columns,
                          std::vector<double>* cells) {
      for (const std::vector<double>& column : columns) {
        cells->insert(cells->end(), column.begin() + static_cast<std::ptrdiff_t>(begin),
                      column.begin() + static_cast<std::ptrdiff_t>(end));
      }
    };
    take(states.allocatable, &now.allocatable);
    take(states.idle, &now.idle);
    take(states.future_idle, &now.future_idle);
    take(states.used, &now.used);
    std::vector<double> out(now.node.size(), 0.0);
    if (!AskNodes(c, now, /*scores=*/true, &out)) return;
    for (size_t i = begin; i < end; ++i) order[i - begin] += out[i - begin];
  }

 private:
  struct Nodes {
    std::vector<int32_t> node;
    std::vector<double> allocatable, idle, future_idle, used;  // column by column
  };

  // Calls back; false: there is no answer to use.
  template <class F>
  bool Ask(const char* what, const F& call) {
    if (list_->failed()) return false;
    const muster_status status = call();
    if (status == MUSTER_PASSTHROUGH) return false;
    if (status == MUSTER_OK) return true;
    list_->Fail(UserFailure(absl::StrCat("policy ", Quote(name_), ", ", what), status));
    return false;
  }

  template <class T>
  bool Fresh(const Answers<T>& answers) const {
    return list_->failed() || (answers.known && answers.content == ledger_->moment().content);
  }

  template <class T>
  static int Compare(const Answers<T>& keys, uint32_t a, uint32_t b) {
    if (!keys.known || a >= keys.values.size() || b >= keys.values.size()) return 0;
    return (keys.values[a] > keys.values[b]) - (keys.values[a] < keys.values[b]);
  }

  // All that is asked about rows: `nothing` is what a row without an answer has. A policy that passes has nothing to
  // say about any row, until it is asked again.
  template <class T, class F>
  void AskRows(const char* what, const F& call, const RowsOfTable& rows, size_t all, T nothing,
               Answers<T>* answers) {
    answers->known = false;
    std::vector<T> out(rows.size(), nothing);
    const bool answered = Ask(what, [&] {
      return call(table_.user, cycle_, rows.data(), static_cast<int64_t>(rows.size()), out.data());
    });
    if (list_->failed()) return;
    answers->values.assign(all, nothing);
    for (size_t i = 0; answered && i < rows.size(); ++i) {
      if constexpr (std::is_same_v<T, double>) {
        if (!CheckFinite(what, out[i], rows[i])) return;
      }
      answers->values[static_cast<size_t>(rows[i])] = out[i];
    }
    answers->known = true;
    answers->content = ledger_->moment().content;
  }
  template <class T, class F>
  void AskJobs(const char* what, const F& call, T nothing, Answers<T>* answers) {
    AskRows(what, call, Alive(tables_->jobs.alive), tables_->jobs.alive.size(), nothing, answers);
  }
  template <class T, class F>
  void AskQueues(const char* what, const F& call, T nothing, Answers<T>* answers) {
    AskRows(what, call, Alive(tables_->queues.alive), tables_->queues.alive.size(), nothing,
            answers);
  }
  void AskTaskOrder() {
    RowsOfTable rows;
    for (int32_t task : Alive(tables_->tasks.alive)) {
      if (tables_->has_job(static_cast<TaskIndex>(task))) rows.push_back(task);
    }
    AskRows("task_order", table_.task_order, rows, tables_->tasks.alive.size(), 0.0, &task_order_);
  }

  bool CheckFinite(const char* what, double value, int32_t row) {
    if (std::isfinite(value)) return true;
    list_->Fail(absl::InvalidArgumentError(
        absl::StrCat("policy ", Quote(name_), ", ", what, ": the answer for row ", row,
                     std::isnan(value) ? " is not a number" : " is infinite")));
    return false;
  }

  muster_class_view ViewOf(ClassIndex c) const {
    const auto request = tables_->classes.request.row(c);
    return {static_cast<uint32_t>(sizeof(muster_class_view)), static_cast<int32_t>(c),
            static_cast<int32_t>(request.size()), 0, request.data()};
  }

  // The alive nodes and their books, as the cycle opens; made for the first question.
  const Nodes& Opening() {
    if (!frozen_.node.empty()) return frozen_;
    frozen_ = {};
    frozen_.node = Alive(tables_->nodes.alive);
    const size_t count = frozen_.node.size(), dimensions = tables_->dimension_count();
    for (std::vector<double>* cells :
         {&frozen_.allocatable, &frozen_.idle, &frozen_.future_idle, &frozen_.used}) {
      cells->resize(count * dimensions);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto n = static_cast<NodeIndex>(frozen_.node[i]);
      const auto idle = ledger_->node(n, kIdle), used = ledger_->node(n, kUsed);
      for (DimensionIndex d = 0; d < dimensions; ++d) {
        const int64_t has = tables_->nodes.allocatable.at(n, d);
        const size_t cell = d * count + i;
        frozen_.allocatable[cell] = has == kAbsent ? 0 : static_cast<double>(has);
        frozen_.idle[cell] = static_cast<double>(idle[d]);
        frozen_.future_idle[cell] = static_cast<double>(ledger_->future_idle(n, d));
        frozen_.used[cell] = static_cast<double>(used[d]);
      }
    }
    return frozen_;
  }

  bool AskNodes(ClassIndex c, const Nodes& nodes, bool scores, std::vector<double>* out) {
    const muster_class_view task_class = ViewOf(c);
    const auto count = static_cast<int64_t>(nodes.node.size());
    const muster_nodes_view view = {static_cast<uint32_t>(sizeof(muster_nodes_view)),
                                    static_cast<int32_t>(tables_->dimension_count()),
                                    count,
                                    count,
                                    nodes.node.data(),
                                    nodes.allocatable.data(),
                                    nodes.idle.data(),
                                    nodes.future_idle.data(),
                                    nodes.used.data()};
    if (!scores) {
      std::vector<uint8_t> fits(nodes.node.size(), 1);
      if (!Ask("fit",
               [&] { return table_.fit(table_.user, cycle_, &task_class, &view, fits.data()); })) {
        return false;
      }
      out->assign(fits.begin(), fits.end());
      return true;
    }
    if (!Ask("score",
             [&] { return table_.score(table_.user, cycle_, &task_class, &view, out->data()); })) {
      return false;
    }
    for (size_t i = 0; i < out->size(); ++i) {
      if (!CheckFinite("score", (*out)[i], nodes.node[i])) return false;
    }
    return true;
  }

  // By node; null where there is no answer.
  const std::vector<double>* Frozen(ClassIndex c, std::vector<std::vector<double>>* answers,
                                    bool scores) {
    if (c >= answers->size()) answers->resize(tables_->classes.shape.size());
    std::vector<double>& mine = (*answers)[c];
    if (!mine.empty()) return &mine;
    const Nodes& nodes = Opening();
    std::vector<double> out(nodes.node.size(), scores ? 0.0 : 1.0);
    const double nothing = scores ? 0.0 : 1.0;
    const bool answered = AskNodes(c, nodes, scores, &out);
    if (list_->failed()) return nullptr;
    mine.assign(tables_->nodes.alive.size(), nothing);
    for (size_t i = 0; answered && i < out.size(); ++i) {
      mine[static_cast<size_t>(nodes.node[i])] = out[i];
    }
    return mine.empty() ? nullptr : &mine;
  }

  template <class F>
  Vote Victims(const char* what, const F& call, TaskIndex evictor,
               std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    const RowsOfTable rows(candidates.begin(), candidates.end());
    std::vector<uint8_t> out(rows.size(), 0);
    if (!Ask(what, [&] {
          return call(table_.user, cycle_, static_cast<int32_t>(evictor), rows.data(),
                      static_cast<int64_t>(rows.size()), out.data());
        })) {
      return Vote::kAbstain;
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] != 0) chosen->push_back(candidates[i]);
    }
    return Vote::kPermit;
  }

  const std::string_view name_, refusal_;
  const muster_policy& table_;
  const bool live_;
  PolicyList* const list_;
  PointSet points_{Point::kJobOrder, Point::kQueueOrder, Point::kTaskOrder,   Point::kFit,
                   Point::kScore,    Point::kOverused,   Point::kAllocatable, Point::kValid,
                   Point::kReady,    Point::kAdmit,      Point::kPreemptable, Point::kReclaimable};
  const muster_cycle* cycle_ = nullptr;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  Nodes frozen_;
  std::vector<std::vector<double>> fits_, scores_;  // by class, by node; empty: not asked yet
  Answers<double> job_order_, queue_order_, task_order_;
  Answers<uint8_t> overused_, ready_, valid_;
  Answers<int8_t> admit_;
  std::vector<Answers<uint8_t>> allocatable_;  // by class
};

bool IsPolicyName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

PolicyList::~PolicyList() {
  for (const Entry& entry : entries_) {
    if (entry.table.destroy != nullptr) entry.table.destroy(entry.table.user);
  }
}

absl::Status PolicyList::Add(const muster_policy& table) {
  const std::string_view name = table.name == nullptr ? "" : table.name;
  if (!IsPolicyName(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("muster_policy: name ", Quote(name),
                     " must be 1 to 64 lower-case letters, digits, '-' and '_'"));
  }
  for (const Entry& entry : entries_) {
    if (entry.name == name) {
      return absl::AlreadyExistsError(absl::StrCat("policy ", Quote(name), ": is there twice"));
    }
  }
  if ((table.flags & ~MUSTER_POLICY_LIVE) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", Quote(name), ": flags is ", table.flags));
  }
  entries_.push_back({std::string(name), table.refusal == nullptr ? "" : table.refusal, table});
  Entry& entry = entries_.back();
  entry.table.destroy = nullptr;  // until the list is whole
  policies.push_back({entry.name, "of the caller's own", {}, [&entry, this](const Options&) {
                        return std::make_unique<CPolicy>(entry.name, entry.refusal, entry.table,
                                                         this);
                      }});
  entry.table.destroy = table.destroy;
  return absl::OkStatus();
}

bool PolicyList::Begin() {
  if (running_.exchange(true)) return false;
  failed_ = false;
  failure_ = absl::OkStatus();
  return true;
}

void PolicyList::End() {
  cycle_ = {};
  running_ = false;
}

void PolicyList::Fail(absl::Status failure) {
  if (failed_) return;
  failure_ = std::move(failure);
  failed_ = true;
}

const muster_cycle* PolicyList::Open(const Cycle& cycle) {
  cycle_ = {&internal::DataOf(cycle).tables, &internal::DataOf(cycle).ledger,
            &internal::DataOf(cycle).phases, cycle.now()};
  return &cycle_;
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_policies_new(const muster_policy* const* policies, int32_t count,
                                  muster_policies** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  int32_t taken = 0;
  const muster_status status = Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
    if (policies == nullptr && count > 0) return NullArgument("policies");
    auto made = std::make_unique<muster_policies>();
    made->list = std::make_shared<PolicyList>();
    while (taken < count) {
      if (policies[taken] == nullptr) return NullArgument("a policy");
      muster_policy table = MUSTER_POLICY_INIT;
      if (absl::Status s = ReadStruct("muster_policy", policies[taken], &table); !s.ok()) return s;
      if (absl::Status s = made->list->Add(table); !s.ok()) return s;
      ++taken;  // its `destroy` is the list's from here on
    }
    *out = made.release();
    return absl::OkStatus();
  });
  // Those that the list did not take.
  for (int32_t i = taken; status != MUSTER_OK && policies != nullptr && i < count; ++i) {
    muster_policy table = MUSTER_POLICY_INIT;
    if (policies[i] == nullptr) continue;
    const muster_status read =
        Guard(nullptr, [&] { return ReadStruct("muster_policy", policies[i], &table); });
    if (read == MUSTER_OK && table.destroy != nullptr) table.destroy(table.user);
  }
  return status;
}

void muster_policies_free(muster_policies* policies) { delete policies; }
