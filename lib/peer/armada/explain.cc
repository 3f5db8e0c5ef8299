// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/explain.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/gang_prices.h"
#include "lib/peer/armada/matching.h"
#include "lib/peer/armada/messages.h"

namespace muster::armada {
namespace {

// Of nodes that have room for the job itself. The message about all nodes is in Reason::where.
constexpr const char* kTooFew = "has room for one task of the gang";
constexpr const char* kPassedOver = "has room, passed over";

bool ConcernsNodes(Reason reason) {
  return reason == Reason::kJobDoesNotFit || reason == Reason::kGangDoesNotFit ||
         reason == Reason::kLabelNotIndexed || reason == Reason::kLabelWithoutNodes ||
         reason == Reason::kNoUniformNodes;
}

// Whether the nodes with equal refusals are counted together.
bool SameRefusal(const Refusal& a, const Refusal& b) {
  return a.code == b.code && a.dimension == b.dimension && a.detail == b.detail;
}

}  // namespace

Explainer::Explainer(ActionContext& context, const World& world, const Round& round,
                     const std::string& pool)
    : context_(context), world_(world), round_(round), pool_(pool) {
  ended_.resize(round.accounts().size(), Reason::kNone);
}

void ExplainIncomplete(ActionContext& context, const World& world) {
  for (const TaskIndex task : world.incomplete) {
    context.reasons.Explain(task, muster::Reason{ReasonKind::kInvalidGang});
  }
}

void Explainer::All() {
  // A gang of running jobs alone ends no queue.
  for (const int job : world_.queued) {
    const Reason reason = round_.context(job).reason;
    if (!EndsQueue(reason)) continue;
    ended_[static_cast<size_t>(round_.tables().home_context(job))] = reason;
  }
  for (const int job : world_.queued) {
    if (round_.accounts().scheduled(job)) continue;
    Reason reason = round_.context(job).reason;
    const int queue = round_.tables().home_context(job);
    if (reason == Reason::kNone && queue >= 0) reason = ended_[static_cast<size_t>(queue)];
    if (reason == Reason::kNone) reason = round_.termination();
    if (reason == Reason::kNone) continue;
    context_.reasons.Explain(world_.task_of[static_cast<size_t>(job)], Shared(job, reason));
  }
  ExplainIncomplete(context_, world_);
}

void Explainer::Undone(int job) {
  muster::Reason reason{ReasonKind::kNotAdmitted};
  reason.policy = "armada";
  reason.where = "its place or its gang was lost in the same round";
  context_.reasons.Explain(world_.task_of[static_cast<size_t>(job)], std::move(reason));
}

ReasonPtr Explainer::Shared(int job, Reason reason) {
  const Job& own = round_.state().jobs[static_cast<size_t>(job)];
  // Words about a gang differ by its label, and those about a queue by the queue.
  const uint64_t part = own.gang >= 0 ? static_cast<uint64_t>(own.gang) + 1 : 0;
  const uint64_t key = (static_cast<uint64_t>(own.shape) << 5 | static_cast<uint64_t>(reason)) ^
                       (static_cast<uint64_t>(own.queue) << 34) ^ (part << 48);
  ReasonPtr& known = shared_[key];
  muster::Reason made;
  if (known == nullptr) known = std::make_shared<const muster::Reason>(ReasonOf(job, reason));
  return known;
}

std::string Explainer::TextOf(int job, Reason reason) const {
  const std::string_view message = MessageOf(reason);
  std::string text(message);
  if (!EndsInName(message)) return text;
  if (reason == Reason::kNoFloatingResources) return text + pool_;
  if (reason == Reason::kFloatingLimit) {
    const DimensionIndex lacking = FloatingShortage();
    if (lacking != kNone) text.append(context_.tables.dimensions.name(lacking));
    return text;
  }
  const int gang = round_.tables().gang(job);
  if (gang >= 0) text += round_.state().gangs[static_cast<size_t>(gang)].uniformity;
  if (reason == Reason::kLabelNotIndexed) text += " is not indexed";
  return text;
}

muster::Reason Explainer::ReasonOf(int job, Reason reason) const {
  if (ConcernsNodes(reason)) return NoNode(job, reason);
  const TaskIndex task = world_.task_of[static_cast<size_t>(job)];
  const QueueIndex queue = context_.tables.jobs.queue[context_.tables.tasks.job[task]];
  muster::Reason made{reason == Reason::kQueueCordoned ? ReasonKind::kQueueClosed
                      : reason == Reason::kQueueLimit  ? ReasonKind::kQueueLimit
                                                       : ReasonKind::kNotAdmitted};
  made.policy = "armada";
  made.queue = queue;
  made.where = TextOf(job, reason);
  if (reason == Reason::kQueueLimit) made.dimension = LimitedDimension(job);
  if (reason == Reason::kFloatingLimit) made.dimension = FloatingShortage();
  return made;
}

// The gang counted while the limit was checked; now it does not.
DimensionIndex Explainer::LimitedDimension(int job) const {
  const Tables& tables = round_.tables();
  const int queue = tables.home_context(job);
  if (queue < 0) return kNone;
  const auto place = static_cast<size_t>(tables.class_of(job));
  const Amounts& held = round_.accounts().account(queue).by_class[place];
  const Amounts& limit = tables.queue(queue).limits[place];
  const int gang = tables.gang(job);
  const int64_t members =
      gang < 0 ? 1 : round_.state().gangs[static_cast<size_t>(gang)].cardinality;
  for (size_t r = 0; r < limit.size(); ++r) {
    if (limit[r] != kUnlimited && held[r] + tables.requests(job)[r] * members > limit[r]) {
      return world_.dimensions[r];
    }
  }
  return kNone;
}

DimensionIndex Explainer::FloatingShortage() const {
  const std::optional<Amounts>& limits = round_.state().floating_limits;
  for (size_t r = 0; limits && r < limits->size(); ++r) {
    if (!round_.state().resources[r].floating) continue;
    // What is refused no longer counts, so the fullest resource is the one.
    if (round_.accounts().allocated[r] >= (*limits)[r]) return world_.dimensions[r];
  }
  return kNone;
}

void Explainer::AddRefusal(int job, size_t node, muster::Reason* reason) const {
  const Shape& shape = round_.tables().shape(job);
  const Node& own = round_.state().nodes[node];
  Refusal refusal{RefusalCode::kPolicy};
  refusal.detail = round_.tables().gang(job) < 0 ? kPassedOver : kTooFew;
  if (own.unschedulable) {
    refusal = {RefusalCode::kUnschedulable};
  } else if (const Taint* taint = FindUntolerated(own.taints, {}, shape.tolerations)) {
    refusal = {RefusalCode::kTaint};
    refusal.detail = absl::StrCat(taint->key, "=", taint->value);
  } else {
    bool suits = !shape.affinity || MatchesTerms(own.labels, *shape.affinity);
    for (const auto& [key, wanted] : shape.selector) {
      const std::string* value = FindLabel(own.labels, key);
      suits = suits && value != nullptr && *value == wanted;
    }
    const int64_t* free = round_.books().free(0, static_cast<int>(node));
    const int64_t* requests = round_.tables().node_requests(job);
    if (!suits) refusal = {RefusalCode::kNodeAffinity};
    for (size_t r = 0; suits && r < world_.dimensions.size(); ++r) {
      if (requests[r] <= free[r]) continue;
      const bool pods = world_.dimensions[r] == kPods;
      refusal = {pods ? RefusalCode::kPodLimit : RefusalCode::kInsufficient, world_.dimensions[r]};
      break;
    }
  }
  for (Refusal& known : reason->refusals) {
    if (!SameRefusal(known, refusal)) continue;
    ++known.nodes;
    return;
  }
  refusal.nodes = 1;
  reason->refusals.push_back(std::move(refusal));
}

std::optional<double> Explainer::CheapestNode(int job) const {
  std::optional<double> best;
  for (size_t n = 0; n < round_.state().nodes.size(); ++n) {
    const NodePrice own =
        PriceNode(round_.world(), round_.books(), job, static_cast<int>(n), /*gang=*/{});
    if (own.fits && (!best || own.price < *best)) best = own.price;
  }
  return best;
}

muster::Reason Explainer::NoNode(int job, Reason reason) const {
  muster::Reason made{ReasonKind::kNoNode};
  made.where = TextOf(job, reason);
  if (round_.state().options.market && round_.tables().gang(job) < 0) {
    const std::optional<double> price = CheapestNode(job);
    if (price) absl::StrAppend(&made.where, "; a node would have room from a bid of ", *price);
  }
  for (size_t n = 0; n < round_.state().nodes.size(); ++n) AddRefusal(job, n, &made);
  std::ranges::stable_sort(made.refusals, [](const Refusal& a, const Refusal& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : a.code < b.code;
  });
  return made;
}

}  // namespace muster::armada
