// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan as columns. They are made with the plan, so that any thread may read them.
#include "capi/plan.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "capi/costs.h"
#include "capi/handles.h"
#include "lib/model/access.h"
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
  // The source of its names. Those of a snapshot, which are no texts of C, are copied at the first
  // call for one.
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
  std::optional<muster::capi::CostColumns> costs;
};

namespace muster::capi {
namespace {

int32_t IndexOut(uint32_t index) {
  return index == kNone ? MUSTER_NONE : static_cast<int32_t>(index);
}

// A column of a view, and the function that returns its cell of a row.
template <class T, class F>
struct Field {
  const T** column;
  F get;
  T* cells = nullptr;
};
template <class T, class F>
Field(const T**, F) -> Field<T, F>;

// Fills the columns, for which memory is reserved before.
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
  // The rows' texts, one behind the other.
  template <class List, class F>
  void Texts(const List& list, const int64_t** offsets, const char** bytes, const F& text_of) {
    Bytes& texts = plan_->texts;
    const size_t begin = texts.size();
    int64_t* next = Room<int64_t>().Take(list.size() + 1);
    *offsets = next;
    *bytes = texts.data() + begin;
    *next++ = 0;
    for (const auto& row : list) {
      texts.append(text_of(row));
      *next++ = static_cast<int64_t>(texts.size() - begin);
    }
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

// One dimension of one group that an admission assigns quota to. A group without flavors has one
// row, with dimension kNone.
struct Assigned {
  JobIndex job;
  const GroupAssignment* group;
  DimensionIndex dimension = kNone;
  std::string_view flavor = {};
};

std::vector<Assigned> RowsOfAssignments(std::span<const Admission> admissions) {
  std::vector<Assigned> rows;
  for (const Admission& admission : admissions) {
    for (const GroupAssignment& group : admission.assignment) {
      if (group.flavors.empty()) rows.push_back({admission.job, &group});
      for (const AssignedFlavor& of : group.flavors) {
        rows.push_back({admission.job, &group, of.dimension, of.flavor});
      }
    }
  }
  return rows;
}

// One place of one group.
struct Placed {
  JobIndex job;
  const std::string* group;
  int64_t count;
  std::string name;
};

std::vector<Placed> RowsOfPlaces(std::span<const Admission> admissions) {
  std::vector<Placed> rows;
  for (const Admission& admission : admissions) {
    for (const GroupAssignment& group : admission.assignment) {
      for (const AssignedPlace& place : group.places) {
        rows.push_back(
            {admission.job, &group.group, place.count, absl::StrJoin(place.values, ",")});
      }
    }
  }
  return rows;
}

// What the columns are made of.
struct Parts {
  std::span<const Decision> decisions;
  std::span<const Move> moves;
  std::span<const Reservation> reservations;
  std::span<const Offer> offers;
  std::span<const Resize> resizes;
  std::span<const Split> splits;
  std::vector<Assigned> assigned;
  std::vector<Placed> placed;
  std::span<const Tentative> tentative;
  std::span<const PendingTask> pending;
  std::span<const Reason> reasons;
  std::span<const QueueShare> shares;
  std::span<const ChosenDomain> domains;
  std::span<const ChosenDevice> devices;
  std::vector<const Refusal*> refusals;  // those of all reasons
  size_t dimensions = 0;

  explicit Parts(const Plan& plan)
      : decisions(plan.decisions()),
        moves(plan.moves()),
        reservations(plan.reservations()),
        offers(plan.offers()),
        resizes(plan.resizes()),
        splits(plan.splits()),
        assigned(RowsOfAssignments(plan.admissions())),
        placed(RowsOfPlaces(plan.admissions())),
        tentative(plan.tentative()),
        pending(plan.pending()),
        reasons(plan.reasons()),
        shares(plan.shares()),
        domains(plan.domains()),
        devices(plan.devices()) {
    for (const Reason& reason : reasons) {
      for (const Refusal& refusal : reason.refusals) refusals.push_back(&refusal);
    }
    for (const Offer& offer : offers) dimensions = std::max(dimensions, offer.amounts.size());
    for (const QueueShare& share : shares) {
      dimensions = std::max({dimensions, share.allocated_before.size(),
                             share.allocated_after.size(), share.deserved.size()});
    }
  }
};

// Reserves memory for all columns, so that none of them moves while others are filled.
void Reserve(const Parts& parts, muster_plan* made) {
  const size_t reasons = parts.reasons.size(), refusals = parts.refusals.size();
  const size_t shares = parts.shares.size(), domains = parts.domains.size();
  const size_t devices = parts.devices.size();
  const size_t moves = parts.moves.size(), reservations = parts.reservations.size();
  const size_t offers = parts.offers.size(), resizes = parts.resizes.size();
  const size_t splits = parts.splits.size(), assigned = parts.assigned.size();
  const size_t placed = parts.placed.size();
  made->indices.Reserve(8 * parts.decisions.size() + 5 * moves + 2 * reservations + 3 * offers +
                        resizes + splits + 2 * assigned + placed + 3 * parts.tentative.size() +
                        2 * parts.pending.size() + 3 * reasons + 2 * refusals + shares +
                        2 * domains + devices);
  made->numbers.Reserve(reservations + (reservations + 1) + offers * parts.dimensions + resizes +
                        (resizes + 1) + splits + assigned + 2 * (assigned + 1) + placed +
                        2 * (placed + 1) + 2 * reasons + 3 * (reasons + 1) + refusals +
                        (refusals + 1) + 2 * shares * parts.dimensions + 2 * (domains + 1) +
                        2 * devices + (devices + 1));
  made->reals.Reserve(shares * (parts.dimensions + 2));
  size_t bytes = 1;
  for (const Reason& reason : parts.reasons) bytes += reason.policy.size() + reason.where.size();
  for (const Refusal* refusal : parts.refusals) bytes += refusal->detail.size();
  for (const ChosenDomain& chosen : parts.domains) {
    bytes += chosen.sub_group.size() + chosen.domain.size();
  }
  for (const ChosenDevice& chosen : parts.devices) bytes += chosen.device.size();
  for (const Reservation& reservation : parts.reservations) {
    bytes += reservation.waiting_group.size();
  }
  for (const Resize& resize : parts.resizes) bytes += resize.group.size();
  for (const Assigned& row : parts.assigned) bytes += row.group->group.size() + row.flavor.size();
  for (const Placed& row : parts.placed) bytes += row.group->size() + row.name.size();
  made->texts.reserve(bytes);
}

void FillDecisions(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using D = Decision;
  view.decision_count = static_cast<int64_t>(parts.decisions.size());
  fill.Rows(
      parts.decisions,
      Field{&view.decision_kind, [](const D& d) { return static_cast<int32_t>(d.kind); }},
      Field{&view.decision_task, [](const D& d) { return IndexOut(d.task); }},
      Field{&view.decision_node, [](const D& d) { return IndexOut(d.node); }},
      Field{&view.decision_job, [](const D& d) { return IndexOut(d.job); }},
      Field{&view.decision_beneficiary, [](const D& d) { return IndexOut(d.beneficiary); }},
      Field{&view.decision_phase, [](const D& d) { return static_cast<int32_t>(d.phase); }},
      Field{&view.decision_after_eviction, [](const D& d) { return d.after_eviction ? 1 : 0; }},
      Field{&view.decision_row, [](const D& d) { return static_cast<int32_t>(d.index); }});

  using T = Tentative;
  view.tentative_count = static_cast<int64_t>(parts.tentative.size());
  fill.Rows(parts.tentative,
            Field{&view.tentative_task, [](const T& t) { return IndexOut(t.task); }},
            Field{&view.tentative_node, [](const T& t) { return IndexOut(t.node); }},
            Field{&view.tentative_nominated, [](const T& t) { return t.nominated ? 1 : 0; }});
}

void FillMoves(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using M = Move;
  view.move_count = static_cast<int64_t>(parts.moves.size());
  fill.Rows(parts.moves, Field{&view.move_task, [](const M& m) { return IndexOut(m.task); }},
            Field{&view.move_from, [](const M& m) { return IndexOut(m.from); }},
            Field{&view.move_to, [](const M& m) { return IndexOut(m.to); }},
            Field{&view.move_nominated, [](const M& m) { return m.nominated ? 1 : 0; }},
            Field{&view.move_beneficiary, [](const M& m) { return IndexOut(m.beneficiary); }});

  using R = Reservation;
  view.reservation_count = static_cast<int64_t>(parts.reservations.size());
  fill.Rows(parts.reservations,
            Field{&view.reservation_task, [](const R& r) { return IndexOut(r.task); }},
            Field{&view.reservation_node, [](const R& r) { return IndexOut(r.node); }},
            Field{&view.reservation_until, [](const R& r) { return r.until; }});
  fill.Texts(parts.reservations, &view.reservation_group_offsets, &view.reservation_groups,
             [](const R& r) -> const std::string& { return r.waiting_group; });
}

void FillOffers(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using O = Offer;
  view.offer_count = static_cast<int64_t>(parts.offers.size());
  fill.Rows(parts.offers, Field{&view.offer_job, [](const O& o) { return IndexOut(o.job); }},
            Field{&view.offer_queue, [](const O& o) { return IndexOut(o.queue); }},
            Field{&view.offer_node, [](const O& o) { return IndexOut(o.node); }});
  view.offer_amounts =
      fill.Amounts(parts.offers, parts.dimensions, &O::amounts, int64_t{MUSTER_ABSENT});

  using R = Resize;
  view.resize_count = static_cast<int64_t>(parts.resizes.size());
  fill.Rows(parts.resizes, Field{&view.resize_job, [](const R& r) { return IndexOut(r.job); }},
            Field{&view.resize_tasks, [](const R& r) { return r.count; }});
  fill.Texts(parts.resizes, &view.resize_group_offsets, &view.resize_groups,
             [](const R& r) -> const std::string& { return r.group; });

  using S = Split;
  view.split_count = static_cast<int64_t>(parts.splits.size());
  fill.Rows(parts.splits, Field{&view.split_task, [](const S& s) { return IndexOut(s.task); }},
            Field{&view.split_parts, [](const S& s) { return s.parts; }});

  using A = Assigned;
  view.assignment_count = static_cast<int64_t>(parts.assigned.size());
  fill.Rows(parts.assigned, Field{&view.assignment_job, [](const A& a) { return IndexOut(a.job); }},
            Field{&view.assignment_dimension, [](const A& a) { return IndexOut(a.dimension); }},
            Field{&view.assignment_tasks, [](const A& a) { return a.group->count; }});
  fill.Texts(parts.assigned, &view.assignment_group_offsets, &view.assignment_groups,
             [](const A& a) -> const std::string& { return a.group->group; });
  fill.Texts(parts.assigned, &view.assignment_flavor_offsets, &view.assignment_flavors,
             [](const A& a) { return a.flavor; });

  using P = Placed;
  view.place_count = static_cast<int64_t>(parts.placed.size());
  fill.Rows(parts.placed, Field{&view.place_job, [](const P& p) { return IndexOut(p.job); }},
            Field{&view.place_tasks, [](const P& p) { return p.count; }});
  fill.Texts(parts.placed, &view.place_group_offsets, &view.place_groups,
             [](const P& p) -> const std::string& { return *p.group; });
  fill.Texts(parts.placed, &view.place_name_offsets, &view.place_names,
             [](const P& p) -> const std::string& { return p.name; });
}

void FillReasons(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using P = PendingTask;
  view.pending_count = static_cast<int64_t>(parts.pending.size());
  fill.Rows(parts.pending, Field{&view.pending_task, [](const P& p) { return IndexOut(p.task); }},
            Field{&view.pending_reason, [](const P& p) { return IndexOut(p.reason); }});

  using R = Reason;
  const auto reasons = parts.reasons;
  view.reason_count = static_cast<int64_t>(reasons.size());
  fill.Rows(reasons,
            Field{&view.reason_kind, [](const R& r) { return static_cast<int32_t>(r.kind); }},
            Field{&view.reason_queue, [](const R& r) { return IndexOut(r.queue); }},
            Field{&view.reason_dimension, [](const R& r) { return IndexOut(r.dimension); }},
            Field{&view.reason_placed, [](const R& r) { return r.placed; }},
            Field{&view.reason_needed, [](const R& r) { return r.needed; }});
  view.reason_refusals = fill.Offsets(reasons, [](const R& r) { return r.refusals.size(); });
  fill.Texts(reasons, &view.reason_policy_offsets, &view.reason_policies,
             [](const R& r) -> const std::string& { return r.policy; });
  fill.Texts(reasons, &view.reason_where_offsets, &view.reason_wheres,
             [](const R& r) -> const std::string& { return r.where; });

  using F = const Refusal*;
  view.refusal_count = static_cast<int64_t>(parts.refusals.size());
  fill.Rows(parts.refusals,
            Field{&view.refusal_code, [](F r) { return static_cast<int32_t>(r->code); }},
            Field{&view.refusal_dimension, [](F r) { return IndexOut(r->dimension); }},
            Field{&view.refusal_nodes, [](F r) { return r->nodes; }});
  fill.Texts(parts.refusals, &view.refusal_detail_offsets, &view.refusal_details,
             [](F r) -> const std::string& { return r->detail; });
}

void FillPlaces(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using C = ChosenDomain;
  view.domain_count = static_cast<int64_t>(parts.domains.size());
  fill.Rows(parts.domains, Field{&view.domain_job, [](const C& c) { return IndexOut(c.job); }},
            Field{&view.domain_tier, [](const C& c) { return c.tier; }});
  fill.Texts(parts.domains, &view.domain_sub_group_offsets, &view.domain_sub_groups,
             [](const C& c) -> const std::string& { return c.sub_group; });
  fill.Texts(parts.domains, &view.domain_name_offsets, &view.domain_names,
             [](const C& c) -> const std::string& { return c.domain; });

  using V = ChosenDevice;
  view.device_count = static_cast<int64_t>(parts.devices.size());
  fill.Rows(parts.devices, Field{&view.device_task, [](const V& v) { return IndexOut(v.task); }},
            Field{&view.device_milli, [](const V& v) { return v.milli; }},
            Field{&view.device_memory, [](const V& v) { return v.memory; }});
  fill.Texts(parts.devices, &view.device_name_offsets, &view.device_names,
             [](const V& v) -> const std::string& { return v.device; });
}

void FillShares(const Parts& parts, Filler& fill, muster_plan_view& view) {
  using Q = QueueShare;
  const auto shares = parts.shares;
  const size_t dimensions = parts.dimensions;
  view.dimensions = static_cast<int32_t>(dimensions);
  view.share_count = static_cast<int64_t>(shares.size());
  fill.Rows(shares, Field{&view.share_queue, [](const Q& q) { return IndexOut(q.queue); }},
            Field{&view.share_before, [](const Q& q) { return q.share_before; }},
            Field{&view.share_after, [](const Q& q) { return q.share_after; }});
  view.share_allocated_before =
      fill.Amounts(shares, dimensions, &Q::allocated_before, MUSTER_ABSENT);
  view.share_allocated_after = fill.Amounts(shares, dimensions, &Q::allocated_after, MUSTER_ABSENT);
  view.share_deserved = fill.Amounts(shares, dimensions, &Q::deserved, -1.0);
}

void Fill(muster_plan* made) {
  const Plan& plan = made->plan;
  const Parts parts(plan);
  Reserve(parts, made);
  Filler fill(made);
  muster_plan_view& view = made->view;
  view.complete = plan.complete() ? 1 : 0;
  view.cursor = plan.cursor();
  view.work = plan.work();
  view.version = plan.version();
  FillDecisions(parts, fill, view);
  FillMoves(parts, fill, view);
  FillOffers(parts, fill, view);
  FillReasons(parts, fill, view);
  FillPlaces(parts, fill, view);
  FillShares(parts, fill, view);
}

std::string_view NameOf(const PlanNames& names, int32_t kind, uint32_t row) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return names.node(NodeIndex(row));
    case MUSTER_KIND_QUEUES:
      return names.queue(QueueIndex(row));
    case MUSTER_KIND_JOBS:
      return names.job(JobIndex(row));
    case MUSTER_KIND_TASKS:
      return names.task(TaskIndex(row));
    case MUSTER_KIND_DIMENSIONS:
      return names.dimension(DimensionIndex(row));
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

absl::Status MakePlan(Plan plan, const Snapshot* snapshot, const CycleMetrics* metrics,
                      const std::shared_ptr<Memory>& memory, muster_plan** out) {
  auto made = std::make_unique<muster_plan>(std::move(plan), memory);
  if (metrics != nullptr) made->costs.emplace(*metrics, memory);
  if (snapshot != nullptr) {
    made->snapshot = *snapshot;
    made->is_of_snapshot = true;
  } else {
    made->names = DataOf(made->plan)->names;
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

muster_status muster_plan_get_costs(const muster_plan* plan, muster_costs_view* view,
                                    muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    if (!plan->costs.has_value()) {
      return absl::FailedPreconditionError(
          "plan: its cycle was not measured; muster_schedule_options.measure must not be 0");
    }
    return WriteStruct("muster_costs_view", plan->costs->view(), view);
  });
}

const char* muster_plan_name(const muster_plan* plan, int32_t kind, int32_t index, int64_t* size) {
  if (size != nullptr) *size = 0;
  if (plan == nullptr || index < 0) return nullptr;
  const std::string_view name = GuardValue(std::string_view(), [&] {
    if (plan->is_of_snapshot) {
      std::call_once(plan->once, [plan] {
        plan->names = muster::CopyNames(TablesOf(plan->snapshot), *DataOf(plan->plan));
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
muster_status muster_plan_memory(const muster_plan* plan, muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error, [](const Plan& p) -> absl::StatusOr<std::string> {
    return p.memory().ToText();
  });
}
