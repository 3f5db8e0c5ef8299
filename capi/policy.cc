// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/policy.h"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "lib/base/strings.h"
#include "lib/binding/column_policy.h"
#include "lib/binding/policy_name.h"
#include "lib/extension/cycle.h"

namespace muster::capi {
namespace {

using binding::Question;

// Returns whether the policy answers at the point. Without a default, so that the compiler names a
// point that C does not reach.
bool Answers(const muster_policy& table, Point point) {
  switch (point) {
    case Point::kJobOrder:
      return table.job_order != nullptr;
    case Point::kQueueOrder:
      return table.queue_order != nullptr;
    case Point::kTaskOrder:
      return table.task_order != nullptr;
    case Point::kFit:
      return table.fit != nullptr;
    case Point::kScore:
      return table.score != nullptr;
    case Point::kOverused:
      return table.overused != nullptr;
    case Point::kAllocatable:
      return table.allocatable != nullptr;
    case Point::kPreemptive:
      return table.preemptive != nullptr;
    case Point::kValid:
      return table.valid != nullptr;
    case Point::kReady:
      return table.ready != nullptr;
    case Point::kPipelined:
      return table.pipelined != nullptr;
    case Point::kAdmit:
      return table.admit != nullptr;
    case Point::kStarving:
      return table.starving != nullptr;
    case Point::kPreemptable:
      return table.preemptable != nullptr;
    case Point::kReclaimable:
      return table.reclaimable != nullptr;
    case Point::kEvictable:
      return table.evictable != nullptr;
    case Point::kVictims:
      return table.victims != nullptr;
    case Point::kVictimQueueOrder:
      return table.victim_queue_order != nullptr;
    case Point::kSubGroupOrder:
      return table.sub_group_order != nullptr;
    case Point::kSubGroupReady:
      return table.sub_group_ready != nullptr;
    case Point::kSubGroupPipelined:
      return table.sub_group_pipelined != nullptr;
    case Point::kDomainScore:
      return table.domain_score != nullptr;
    case Point::kDomainSearch:
      return table.domain_search != nullptr;
  }
  return false;
}

PointSet PointsOf(const muster_policy& table) {
  PointSet points = binding::kEveryPoint;
  for (int p = 0; p < kPointCount; ++p) {
    if (!Answers(table, static_cast<Point>(p))) points.remove(static_cast<Point>(p));
  }
  return points;
}

// One policy: questions become calls of its table.
class TableCallbacks : public binding::Callbacks {
 public:
  TableCallbacks(std::string_view name, const muster_policy& table, PolicyList* list)
      : name_(name), table_(table), list_(*list) {}

  void Open(const Cycle& cycle) override {
    cycle_ = list_.Open(cycle);
    opening_.node.clear();
    if (table_.open == nullptr) return;
    const PolicyList::Asking asking(&list_);
    Check("open", table_.open(table_.user, cycle_));
  }
  bool Ask(const Question& question, std::span<double> answers) override {
    out_ = answers;
    rows_ = reinterpret_cast<const int32_t*>(question.rows.data());
    count_ = static_cast<int64_t>(question.rows.size());
    const PolicyList::Asking asking(&list_);
    return Check(PointName(question.point), Call(question));
  }
  void Refuse(const Question& question, size_t i, const std::string& fault) override {
    list_.Fail(absl::InvalidArgumentError(
        absl::StrCat("policy ", Quote(name_), ", ", ToAbsl(PointName(question.point)),
                     ": the answer for row ", question.rows[i], fault)));
  }
  bool failed() const override { return list_.failed(); }

 private:
  struct Nodes {
    std::vector<int32_t> node;
    std::vector<double> allocatable, idle, future_idle, used;  // column by column
  };

  // Returns whether there is an answer to use.
  bool Check(std::string_view what, muster_status status) {
    if (status == MUSTER_OK) return true;
    if (status != MUSTER_PASSTHROUGH) {
      list_.Fail(UserFailure(absl::StrCat("policy ", Quote(name_), ", ", ToAbsl(what)), status));
    }
    return false;
  }

  muster_status Call(const Question& q) {
    switch (q.point) {
      case Point::kJobOrder:
        return Rows(table_.job_order);
      case Point::kQueueOrder:
        return Rows(table_.queue_order);
      case Point::kTaskOrder:
        return Rows(table_.task_order);
      case Point::kFit:
      case Point::kScore:
        return OfNodes(q);
      case Point::kOverused:
        return Rows(table_.overused);
      case Point::kAllocatable:
      case Point::kPreemptive:
        return OfQueues(q);
      case Point::kValid:
        return Rows(table_.valid);
      case Point::kReady:
        return Rows(table_.ready);
      case Point::kPipelined:
        return Rows(table_.pipelined);
      case Point::kAdmit:
        return Rows(table_.admit);
      case Point::kStarving:
        return Rows(table_.starving);
      case Point::kPreemptable:
        return For(table_.preemptable, q);
      case Point::kReclaimable:
        return For(table_.reclaimable, q);
      case Point::kEvictable:
        return As<uint8_t>([&](uint8_t* out) {
          return table_.evictable(table_.user, cycle_, RowNumber(q.evictor),
                                  q.from_other_queues ? 1 : 0, rows_, count_, out);
        });
      case Point::kVictims:
        return Rows(table_.victims);
      case Point::kVictimQueueOrder:
        return For(table_.victim_queue_order, q);
      case Point::kSubGroupOrder:
        return Groups(table_.sub_group_order, q);
      case Point::kSubGroupReady:
        return Groups(table_.sub_group_ready, q);
      case Point::kSubGroupPipelined:
        return Groups(table_.sub_group_pipelined, q);
      case Point::kDomainScore:
      case Point::kDomainSearch:
        return OfDomains(q);
    }
    return MUSTER_PASSTHROUGH;
  }

  // Calls with room for answers of type T, which hold those of a policy without an opinion.
  template <class T, class F>
  muster_status As(const F& call) {
    std::vector<T> out(out_.size());
    std::ranges::transform(out_, out.begin(), [](double x) { return static_cast<T>(x); });
    const muster_status status = call(out.data());
    if (status == MUSTER_OK) std::ranges::copy(out, out_.begin());
    return status;
  }
  template <class T>
  muster_status Rows(muster_status (*call)(uintptr_t, const muster_cycle*, const int32_t*, int64_t,
                                           T*)) {
    return As<T>([&](T* out) { return call(table_.user, cycle_, rows_, count_, out); });
  }
  // About rows for one beneficiary.
  template <class T>
  muster_status For(muster_status (*call)(uintptr_t, const muster_cycle*, int32_t, const int32_t*,
                                          int64_t, T*),
                    const Question& q) {
    return As<T>([&](T* out) {
      return call(table_.user, cycle_, RowNumber(q.evictor), rows_, count_, out);
    });
  }
  template <class T>
  muster_status Groups(muster_status (*call)(uintptr_t, const muster_cycle*, const int32_t*,
                                             const int32_t*, int64_t, T*),
                       const Question& q) {
    std::vector<int32_t> groups;
    for (const uint32_t group : q.groups) groups.push_back(RowNumber(group));
    return As<T>(
        [&](T* out) { return call(table_.user, cycle_, rows_, groups.data(), count_, out); });
  }

  muster_status OfQueues(const Question& q) {
    return As<uint8_t>([&](uint8_t* out) {
      if (q.point == Point::kPreemptive) {
        return table_.preemptive(table_.user, cycle_, q.request.data(),
                                 static_cast<int32_t>(q.request.size()), rows_, count_, out);
      }
      const muster_class_view view = ViewOf(q.task_class);
      return table_.allocatable(table_.user, cycle_, &view, rows_, count_, out);
    });
  }

  muster_status OfDomains(const Question& q) {
    const int32_t job = RowNumber(q.group.job), group = RowNumber(q.group.index);
    if (q.point == Point::kDomainScore) {
      return table_.domain_score(table_.user, cycle_, job, group, rows_, count_, out_.data());
    }
    return As<int32_t>([&](int32_t* out) {
      return table_.domain_search(table_.user, cycle_, job, group, RowNumber(q.within),
                                  RowNumber(q.allocated), q.evicting ? 1 : 0, rows_, count_, out);
    });
  }

  muster_status OfNodes(const Question& q) {
    Nodes now;
    if (q.states != nullptr) now = Shown(q);
    const Nodes& nodes = q.states != nullptr ? now : Opening();
    const muster_class_view task_class = ViewOf(q.task_class);
    const muster_nodes_view view = {static_cast<uint32_t>(sizeof(muster_nodes_view)),
                                    static_cast<int32_t>(cycle_->tables->dimension_count()),
                                    count_,
                                    count_,
                                    rows_,
                                    nodes.allocatable.data(),
                                    nodes.idle.data(),
                                    nodes.future_idle.data(),
                                    nodes.used.data()};
    if (q.point == Point::kScore) {
      return table_.score(table_.user, cycle_, &task_class, &view, out_.data());
    }
    return As<uint8_t>(
        [&](uint8_t* out) { return table_.fit(table_.user, cycle_, &task_class, &view, out); });
  }

  // The books of the states in question.
  static Nodes Shown(const Question& q) {
    Nodes now;
    const auto take = [&](const std::vector<std::vector<double>>& columns,
                          std::vector<double>* cells) {
      for (const std::vector<double>& column : columns) {
        cells->insert(cells->end(), column.begin() + static_cast<std::ptrdiff_t>(q.begin),
                      column.begin() + static_cast<std::ptrdiff_t>(q.end));
      }
    };
    take(q.states->allocatable, &now.allocatable);
    take(q.states->idle, &now.idle);
    take(q.states->future_idle, &now.future_idle);
    take(q.states->used, &now.used);
    return now;
  }

  // The nodes in question and their books, as the cycle opens; made for the first question.
  const Nodes& Opening() {
    if (!opening_.node.empty()) return opening_;
    opening_ = {};
    opening_.node.assign(rows_, rows_ + count_);
    const Tables& tables = *cycle_->tables;
    const Ledger& ledger = *cycle_->ledger;
    const size_t count = opening_.node.size(), dimensions = tables.dimension_count();
    for (std::vector<double>* cells :
         {&opening_.allocatable, &opening_.idle, &opening_.future_idle, &opening_.used}) {
      cells->resize(count * dimensions);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto n = NodeIndex(opening_.node[i]);
      const auto idle = ledger.node(n, kIdle), used = ledger.node(n, kUsed);
      for (DimensionIndex d = 0; d < dimensions; ++d) {
        const int64_t has = tables.nodes.allocatable.at(n, d);
        const size_t cell = d * count + i;
        opening_.allocatable[cell] = has == kAbsent ? 0 : static_cast<double>(has);
        opening_.idle[cell] = static_cast<double>(idle[d]);
        opening_.future_idle[cell] = static_cast<double>(ledger.future_idle(n, d));
        opening_.used[cell] = static_cast<double>(used[d]);
      }
    }
    return opening_;
  }

  muster_class_view ViewOf(ClassIndex c) const {
    const auto request = cycle_->tables->classes.request.row(c);
    return {static_cast<uint32_t>(sizeof(muster_class_view)), static_cast<int32_t>(c),
            static_cast<int32_t>(request.size()), 0, request.data()};
  }

  const std::string_view name_;
  const muster_policy& table_;
  PolicyList& list_;
  const muster_cycle* cycle_ = nullptr;
  Nodes opening_;
  // Of the question that is being asked.
  std::span<double> out_;
  const int32_t* rows_ = nullptr;
  int64_t count_ = 0;
};

// Reads as many tables as there are, and adds them to the list. `taken` counts those of which the
// list calls `destroy`.
template <class Table>
absl::Status AddAll(const char* type, const Table& fresh, const Table* const* tables, int32_t count,
                    PolicyList* list, int32_t* taken) {
  for (; *taken < count; ++*taken) {
    if (tables[*taken] == nullptr) return NullArgument(type);
    Table table = fresh;
    if (absl::Status s = ReadStruct(type, tables[*taken], &table); !s.ok()) return s;
    if (absl::Status s = list->Add(table); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Calls `destroy` of the tables that no list took.
template <class Table>
void DestroyRest(const char* type, const Table& fresh, const Table* const* tables, int32_t count,
                 int32_t taken) {
  for (int32_t i = taken; tables != nullptr && i < count; ++i) {
    if (tables[i] == nullptr) continue;
    Table table = fresh;
    const muster_status read = Guard(nullptr, [&] { return ReadStruct(type, tables[i], &table); });
    if (read == MUSTER_OK && table.destroy != nullptr) table.destroy(table.user);
  }
}

constexpr muster_policy kNoPolicy = MUSTER_POLICY_INIT;
constexpr muster_action kNoAction = MUSTER_ACTION_INIT;

}  // namespace

PolicyList::~PolicyList() {
  for (const Entry& entry : entries_) {
    if (entry.destroy != nullptr) entry.destroy(entry.user);
  }
}

absl::StatusOr<PolicyList::Entry*> PolicyList::AddEntry(const char* kind, const char* name,
                                                        const char* words) {
  const std::string_view text = name == nullptr ? "" : name;
  if (!binding::IsPolicyName(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("muster_", kind, ": ", binding::PolicyNameRule(text)));
  }
  for (const Entry& entry : entries_) {
    if (entry.name == text) {
      return absl::AlreadyExistsError(absl::StrCat(kind, " ", Quote(text), ": is there twice"));
    }
  }
  entries_.push_back({std::string(text), words == nullptr ? "" : words});
  return &entries_.back();
}

absl::Status PolicyList::Add(const muster_policy& table) {
  if ((table.flags & ~MUSTER_POLICY_LIVE) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "policy ", Quote(table.name == nullptr ? "" : table.name), ": flags is ", table.flags));
  }
  absl::StatusOr<Entry*> added = AddEntry("policy", table.name, table.refusal);
  if (!added.ok()) return added.status();
  Entry& entry = **added;
  entry.policy = table;
  const bool live = (table.flags & MUSTER_POLICY_LIVE) != 0;
  const binding::ColumnDecl decl{.name = entry.name,
                                 .refusal = entry.words,
                                 .points = PointsOf(table),
                                 .live_orders = live,
                                 .live_scores = live};
  policies.push_back({entry.name, "of the caller's own", {}, [&entry, decl, this](const Options&) {
                        return std::make_unique<binding::ColumnPolicy>(
                            decl, std::make_unique<TableCallbacks>(entry.name, entry.policy, this));
                      }});
  entry.destroy = table.destroy;  // not before all else has succeeded
  entry.user = table.user;
  return absl::OkStatus();
}

bool PolicyList::Begin() {
  if (running_.exchange(true)) return false;
  failed_ = false;
  has_words_ = true;
  failure_ = absl::OkStatus();
  return true;
}

void PolicyList::End() {
  cycle_ = {};
  running_ = false;
}

absl::Status PolicyTurn::Begin(std::string_view owner, const muster_policies* policies) {
  if (policies == nullptr) return absl::OkStatus();
  if (!policies->list->Begin()) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToAbsl(owner), ": the policies are asked by a cycle that is still running"));
  }
  list_ = policies->list;
  return absl::OkStatus();
}

void PolicyList::Fail(absl::Status failure) {
  if (failed_) return;
  failure_ = std::move(failure);
  failed_ = true;
}

void PolicyList::FailWithoutWords() noexcept {
  if (failed_) return;
  failed_ = true;
  has_words_ = false;
}

absl::Status PolicyList::failure() const {
  if (!has_words_) throw std::bad_alloc();
  return failure_;
}

const muster_cycle* PolicyList::Open(const Cycle& cycle) {
  const internal::CycleData& data = internal::DataOf(cycle);
  cycle_ = {&data.tables, &data.ledger, &data.phases, data.domains, cycle.now()};
  return &cycle_;
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_extensions_new(const muster_policy* const* policies, int32_t policy_count,
                                    const muster_action* const* actions, int32_t action_count,
                                    muster_policies** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  int32_t policies_taken = 0, actions_taken = 0;
  const muster_status status = Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    for (const int32_t count : {policy_count, action_count}) {
      if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
    }
    if (policies == nullptr && policy_count > 0) return NullArgument("policies");
    if (actions == nullptr && action_count > 0) return NullArgument("actions");
    auto made = std::make_unique<muster_policies>();
    made->list = std::make_shared<PolicyList>();
    absl::Status added = AddAll("muster_policy", kNoPolicy, policies, policy_count,
                                made->list.get(), &policies_taken);
    if (!added.ok()) return added;
    added =
        AddAll("muster_action", kNoAction, actions, action_count, made->list.get(), &actions_taken);
    if (!added.ok()) return added;
    *out = made.release();
    return absl::OkStatus();
  });
  if (status == MUSTER_OK) return status;
  DestroyRest("muster_policy", kNoPolicy, policies, policy_count, policies_taken);
  DestroyRest("muster_action", kNoAction, actions, action_count, actions_taken);
  return status;
}

muster_status muster_policies_new(const muster_policy* const* policies, int32_t count,
                                  muster_policies** out, muster_error* error) {
  return muster_extensions_new(policies, count, nullptr, 0, out, error);
}

void muster_policies_free(muster_policies* policies) { delete policies; }
