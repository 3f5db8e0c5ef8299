// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/reasons.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

ReasonPtr Reasons::NoNode(ClassIndex c) {
  if (!wanted_) {
    if (none_ == nullptr) none_ = Share(Reason{ReasonKind::kNoNode});
    return none_;
  }
  OfBooks& known = no_node_[c];
  const uint64_t content = ledger_.moment().content;
  if (known.content != content) {
    known.content = content;
    Reason reason{ReasonKind::kNoNode};
    reason.refusals = search_.Refusals(c);
    known.reason = Share(std::move(reason));
  }
  return known.reason;
}

ReasonPtr Reasons::GangReason(ReasonKind kind, int64_t placed, int64_t needed,
                              const ReasonPtr& failure) {
  if (!wanted_) return nullptr;
  OfGangs& known = of_gangs_[failure.get()];
  if (known.reason == nullptr || known.reason->kind != kind || known.reason->placed != placed ||
      known.reason->needed != needed) {
    Reason reason{kind};
    reason.placed = placed;
    reason.needed = needed;
    if (failure != nullptr) reason.refusals = failure->refusals;
    known = {failure, Share(std::move(reason))};
  }
  return known.reason;
}

Reason Reasons::GangUndone(JobIndex job, std::string_view action) const {
  Reason reason{ReasonKind::kGangUndone};
  if (!wanted_) return reason;
  reason.policy = std::string(action);
  reason.placed = ledger_.job(job).ready() + ledger_.job(job).nominated();
  reason.needed = ledger_.tables().jobs.spec[job].min_available;
  return reason;
}

Reason Reasons::QueueReason(ReasonKind kind, QueueIndex queue, const Verdict& verdict) const {
  Reason reason{kind};
  if (!wanted_) return reason;
  reason.policy = std::string(verdict.policy);
  reason.queue = queue;
  reason.dimension = verdict.dimension;
  if (verdict.cause == Cause::kSpending) {
    reason.where = std::string(verdict.binding);
  } else if (!verdict.binding.empty()) {
    reason.where = absl::StrCat("binding \"", std::string(verdict.binding), "\"");
  } else if (verdict.queue != kNone) {
    reason.where = absl::StrCat("queue \"", ledger_.tables().queues.spec[verdict.queue].name, "\"");
  }
  return reason;
}

}  // namespace muster
