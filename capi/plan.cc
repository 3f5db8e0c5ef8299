// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan as columns. They are made with the plan, so that any thread may read them.
#include "capi/plan.h"

#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "capi/handles.h"
#include "lib/plan/plan_data.h"

using muster::capi::Allocator;
using muster::capi::Bytes;
using muster::capi::Cells;
using muster::capi::Memory;

struct muster_plan {
  muster_plan(muster::Plan made, const std::shared_ptr<Memory>& from)
      : plan(std::move(made)),
        memory(from),
        indices(from),
        numbers(from),
        reals(from),
        texts(Allocator<char>(from)) {}

  muster::Plan plan;
  std::shared_ptr<Memory> memory;
  // What its names come from. Those of a snapshot, which are no texts of C, are copied when they are first asked for.
  muster::Snapshot snapshot;
  bool is_of_snapshot = false;
  mutable std::once_flag once;
  mutable std::shared_ptr<const muster::PlanNames> names;
  // All columns of a type, one behind the other.
  Cells<int32_t> indices;
  Cells<int64_t> numbers;
  Cells<double> reals;
  Bytes texts;
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
};

namespace muster::capi {
namespace {

int32_t IndexOut(uint32_t index) {
  return index == kNone ? MUSTER_NONE : static_cast<int32_t>(index);
}

// A column of a view, and what a row has in it.
template <class T, class F>
struct Field {
  const T** column;
  F get;
  T* cells = nullptr;
};
template <class T, class F>
Field(const T**, F) -> Field<T, F>;

// Lays the columns out. Room is made before.
class Filler {
 public:
  explicit Filler(muster_plan* plan) : plan_(plan) {}

  // All columns of a list in one pass: a plan of a large cycle is larger than the caches.
  template <class List, class... Fields>
  void Rows(const List& list, Fields... fields) {
    (Take(list.size(), &fields), ...);
    size_t i = 0;
    for (const auto& row : list) {
      ((fields.cells[i] = fields.get(row)), ...);
      ++i;
    }
  }
  // Where each row's part ends, the first beginning at 0.
  template <class List, class F>
  const int64_t* Offsets(const List& list, const F& size_of) {
    int64_t* const begin = Room<int64_t>().Take(list.size() + 1);
    int64_t* next = begin;
    int64_t end = 0;
    *next++ = 0;
    for (const auto& row : list) *next++ = end += static_cast<int64_t>(size_of(row));
    return begin;
  }
  // Of each row a list of so many, `absent` where its own ends earlier.
  template <class List, class Row, class T>
  const T* Amounts(const List& list, size_t dimensions, std::vector<T> Row::*amounts, T absent) {
    T* const begin = Room<T>().Take(list.size() * dimensions);
    T* next = begin;
    for (const Row& row : list) {
      const std::vector<T>& said = row.*amounts;
      for (size_t d = 0; d < dimensions; ++d) *next++ = d < said.size() ? said[d] : absent;
    }
    return begin;
  }

 private:
  template <class T>
  Cells<T>& Room() {
    if constexpr (std::is_same_v<T, int32_t>) return plan_->indices;
    if constexpr (std::is_same_v<T, int64_t>) return plan_->numbers;
    if constexpr (std::is_same_v<T, double>) return plan_->reals;
  }
  template <class T, class F>
  void Take(size_t count, Field<T, F>* field) {
    *field->column = field->cells = Room<T>().Take(count);
  }

  muster_plan* plan_;
};

void Fill(muster_plan* made) {
  const Plan& plan = made->plan;
  const auto decisions = plan.decisions();
  const auto tentative = plan.tentative();
  const auto pending = plan.pending();
  const auto reasons = plan.reasons();
  const auto shares = plan.shares();
  const auto domains = plan.domains();
  const auto devices = plan.devices();
  std::vector<const Refusal*> refusals;
  size_t text_bytes = 0;
  for (const ChosenDomain& chosen : domains) {
    text_bytes += chosen.sub_group.size() + chosen.domain.size();
  }
  for (const ChosenDevice& chosen : devices) text_bytes += chosen.device.size();
  for (const Reason& reason : reasons) {
    text_bytes += reason.policy.size() + reason.where.size();
    for (const Refusal& refusal : reason.refusals) {
      refusals.push_back(&refusal);
      text_bytes += refusal.detail.size();
    }
  }
  size_t dimensions = 0;
  for (const QueueShare& share : shares) {
    dimensions = std::max({dimensions, share.allocated_before.size(), share.allocated_after.size(),
                           share.deserved.size()});
  }
  made->indices.Reserve(7 * decisions.size() + 3 * tentative.size() + 2 * pending.size() +
                        3 * reasons.size() + 2 * refusals.size() + shares.size() +
                        2 * domains.size() + devices.size());
  made->numbers.Reserve(2 * reasons.size() + 3 * (reasons.size() + 1) + refusals.size() +
                        refusals.size() + 1 + 2 * shares.size() * dimensions +
                        2 * (domains.size() + 1) + 3 * devices.size() + 1);
  made->reals.Reserve(shares.size() * (dimensions + 2));
  made->texts.reserve(text_bytes + 1);

  Filler fill(made);
  muster_plan_view& view = made->view;
  view.dimensions = static_cast<int32_t>(dimensions);
  view.complete = plan.complete() ? 1 : 0;
  view.cursor = plan.cursor();
  view.work = plan.work();
  view.version = plan.version();

  using D = Decision;
  view.decision_count = static_cast<int64_t>(decisions.size());
  fill.Rows(
      decisions,
      Field{&view.decision_kind, [](const D& d) { return static_cast<int32_t>(d.kind); }},
      Field{&view.decision_task, [](const D& d) { return IndexOut(d.task); }},
      Field{&view.decision_node, [](const D& d) { return IndexOut(d.node); }},
      Field{&view.decision_job, [](const D& d) { return IndexOut(d.job); }},
      Field{&view.decision_beneficiary, [](const D& d) { return IndexOut(d.beneficiary); }},
      Field{&view.decision_phase, [](const D& d) { return static_cast<int32_t>(d.phase); }},
      Field{&view.decision_after_eviction, [](const D& d) { return d.after_eviction ? 1 : 0; }});

  using T = Tentative;
  view.tentative_count = static_cast<int64_t>(tentative.size());
  fill.Rows(tentative, Field{&view.tentative_task, [](const T& t) { return IndexOut(t.task); }},
            Field{&view.tentative_node, [](const T& t) { return IndexOut(t.node); }},
            Field{&view.tentative_nominated, [](const T& t) { return t.nominated ? 1 : 0; }});

  using P = PendingTask;
  view.pending_count = static_cast<int64_t>(pending.size());
  fill.Rows(pending, Field{&view.pending_task, [](const P& p) { return IndexOut(p.task); }},
            Field{&view.pending_reason, [](const P& p) { return IndexOut(p.reason); }});

  using R = Reason;
  view.reason_count = static_cast<int64_t>(reasons.size());
  fill.Rows(reasons,
            Field{&view.reason_kind, [](const R& r) { return static_cast<int32_t>(r.kind); }},
            Field{&view.reason_queue, [](const R& r) { return IndexOut(r.queue); }},
            Field{&view.reason_dimension, [](const R& r) { return IndexOut(r.dimension); }},
            Field{&view.reason_placed, [](const R& r) { return r.placed; }},
            Field{&view.reason_needed, [](const R& r) { return r.needed; }});
  view.reason_refusals = fill.Offsets(reasons, [](const R& r) { return r.refusals.size(); });
  view.reason_policy_offsets = fill.Offsets(reasons, [](const R& r) { return r.policy.size(); });
  view.reason_where_offsets = fill.Offsets(reasons, [](const R& r) { return r.where.size(); });

  using F = const Refusal*;
  view.refusal_count = static_cast<int64_t>(refusals.size());
  fill.Rows(refusals, Field{&view.refusal_code, [](F r) { return static_cast<int32_t>(r->code); }},
            Field{&view.refusal_dimension, [](F r) { return IndexOut(r->dimension); }},
            Field{&view.refusal_nodes, [](F r) { return r->nodes; }});
  view.refusal_detail_offsets = fill.Offsets(refusals, [](F r) { return r->detail.size(); });
  for (const R& reason : reasons) made->texts.append(reason.policy);
  const size_t details = made->texts.size();
  for (F refusal : refusals) made->texts.append(refusal->detail);
  const size_t wheres = made->texts.size();
  for (const R& reason : reasons) made->texts.append(reason.where);
  view.reason_policies = made->texts.data();
  view.refusal_details = made->texts.data() + details;
  view.reason_wheres = made->texts.data() + wheres;

  using C = ChosenDomain;
  view.domain_count = static_cast<int64_t>(domains.size());
  fill.Rows(domains, Field{&view.domain_job, [](const C& c) { return IndexOut(c.job); }},
            Field{&view.domain_tier, [](const C& c) { return c.tier; }});
  view.domain_sub_group_offsets =
      fill.Offsets(domains, [](const C& c) { return c.sub_group.size(); });
  view.domain_name_offsets = fill.Offsets(domains, [](const C& c) { return c.domain.size(); });
  const size_t sub_groups = made->texts.size();
  for (const C& chosen : domains) made->texts.append(chosen.sub_group);
  const size_t names = made->texts.size();
  for (const C& chosen : domains) made->texts.append(chosen.domain);
  view.domain_sub_groups = made->texts.data() + sub_groups;
  view.domain_names = made->texts.data() + names;

  using V = ChosenDevice;
  view.device_count = static_cast<int64_t>(devices.size());
  fill.Rows(devices, Field{&view.device_task, [](const V& v) { return IndexOut(v.task); }},
            Field{&view.device_milli, [](const V& v) { return v.milli; }},
            Field{&view.device_memory, [](const V& v) { return v.memory; }});
  view.device_name_offsets = fill.Offsets(devices, [](const V& v) { return v.device.size(); });
  const size_t device_names = made->texts.size();
  for (const V& chosen : devices) made->texts.append(chosen.device);
  view.device_names = made->texts.data() + device_names;

  view.share_count = static_cast<int64_t>(shares.size());
  using Q = QueueShare;
  fill.Rows(shares, Field{&view.share_queue, [](const Q& q) { return IndexOut(q.queue); }},
            Field{&view.share_before, [](const Q& q) { return q.share_before; }},
            Field{&view.share_after, [](const Q& q) { return q.share_after; }});
  view.share_allocated_before =
      fill.Amounts(shares, dimensions, &Q::allocated_before, MUSTER_ABSENT);
  view.share_allocated_after = fill.Amounts(shares, dimensions, &Q::allocated_after, MUSTER_ABSENT);
  view.share_deserved = fill.Amounts(shares, dimensions, &Q::deserved, -1.0);
}

std::string_view NameOf(const PlanNames& names, int32_t kind, uint32_t row) {
  switch (kind) {
    case MUSTER_NODES:
      return names.node(row);
    case MUSTER_QUEUES:
      return names.queue(row);
    case MUSTER_JOBS:
      return names.job(row);
    case MUSTER_TASKS:
      return names.task(row);
    case MUSTER_DIMENSIONS:
      return names.dimension(row);
    default:
      return {};
  }
}

template <class F>
muster_status GivePlanText(const muster_plan* plan, muster_text** out, muster_error* error,
                           const F& text) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    if (out == nullptr) return NullArgument("out");
    const absl::StatusOr<std::string> words = text(plan->plan);
    if (!words.ok()) return words.status();
    return GiveText(plan->memory, *words, out);
  });
}

}  // namespace

const Plan& PlanOf(const muster_plan& plan) { return plan.plan; }

absl::Status MakePlan(Plan plan, const Snapshot* snapshot, const std::shared_ptr<Memory>& memory,
                      muster_plan** out) {
  auto made = std::make_unique<muster_plan>(std::move(plan), memory);
  if (snapshot != nullptr) {
    made->snapshot = *snapshot;
    made->is_of_snapshot = true;
  } else {
    made->names = made->plan.data()->names;
  }
  Fill(made.get());
  *out = made.release();
  return absl::OkStatus();
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::Plan;

void muster_plan_free(muster_plan* plan) { delete plan; }

muster_status muster_plan_get_view(const muster_plan* plan, muster_plan_view* view,
                                   muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    return WriteStruct("muster_plan_view", plan->view, view);
  });
}

const char* muster_plan_name(const muster_plan* plan, int32_t kind, int32_t index, int64_t* size) {
  if (size != nullptr) *size = 0;
  if (plan == nullptr || index < 0) return nullptr;
  const std::string_view name = GuardValue(std::string_view(), [&] {
    if (plan->is_of_snapshot) {
      std::call_once(plan->once, [plan] {
        plan->names = muster::CopyNames(plan->snapshot.tables(), *plan->plan.data());
      });
    }
    return NameOf(*plan->names, kind, static_cast<uint32_t>(index));
  });
  if (name.empty()) return nullptr;
  if (size != nullptr) *size = static_cast<int64_t>(name.size());
  return name.data();
}

muster_status muster_plan_digest(const muster_plan* plan, char out[33], muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    if (out == nullptr) return NullArgument("out");
    const std::string digest = plan->plan.Digest();
    std::memcpy(out, digest.c_str(), digest.size() + 1);
    return absl::OkStatus();
  });
}

muster_status muster_plan_explain(const muster_plan* plan, const char* name, int64_t size,
                                  muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error, [&](const Plan& p) -> absl::StatusOr<std::string> {
    const auto text = TextIn("name", name, size);
    if (!text.ok()) return text.status();
    return p.Explain(*text);
  });
}
muster_status muster_plan_to_text(const muster_plan* plan, muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error,
                      [](const Plan& p) -> absl::StatusOr<std::string> { return p.ToText(); });
}
muster_status muster_plan_to_json(const muster_plan* plan, muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error,
                      [](const Plan& p) -> absl::StatusOr<std::string> { return p.ToJson(); });
}
