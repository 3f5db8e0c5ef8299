// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Evaluations that allocate and remember nothing: most of a pool's are a few comparisons of
// attributes. Views of values stand for the values, so no text is copied.
//
// It gives up at lists and most functions, and beyond kQuickRun. Then the full evaluation begins
// anew. A loop of attributes goes beyond kQuickRun, as each turn of it evaluates the same again, so
// what is settled here is what the full evaluation returns.
#include "lib/peer/htcondor/ad_functions.h"
#include "lib/peer/htcondor/class_ad.h"

namespace muster::condor {

bool AdExpression::Quick(uint32_t number, const ClassAd& my, const ClassAd* target, QuickRun* run,
                         AdView* view) const {
  if (--run->steps < 0) return false;
  const Node& node = nodes_[number];
  switch (node.op) {
    case Op::kValue:
      *view = AdView(values_[node.number]);
      return true;
    case Op::kName:
    case Op::kMyName:
    case Op::kTargetName:
      return QuickName(node, my, target, run, view);
    case Op::kOr:
    case Op::kAnd:
    case Op::kNot:
    case Op::kChoose:
      return QuickLogic(node, my, target, run, view);
    case Op::kCall:
      return QuickCall(node, my, target, run, view);
    case Op::kList:
      return false;
    case Op::kNegate:
      if (!Quick(operand(node, 0), my, target, run, view)) return false;
      *view = Arithmetic('-', AdScalar::Of(int64_t{0}), *view);
      return true;
    default:
      break;
  }
  AdView first;
  if (!Quick(operand(node, 0), my, target, run, &first)) return false;
  if (!Quick(operand(node, 1), my, target, run, view)) return false;
  *view = Binary(node.op, first, *view);
  return true;
}

bool AdExpression::QuickName(const Node& node, const ClassAd& my, const ClassAd* target,
                             QuickRun* run, AdView* view) const {
  const ClassAd* owner = &my;
  const ClassAd::Entry* entry = node.op == Op::kTargetName ? nullptr : my.Find(node.number);
  if (entry == nullptr && node.op != Op::kMyName && target != nullptr) {
    owner = target;
    entry = target->Find(node.number);
  }
  if (entry == nullptr) {
    *view = AdView();
    return true;
  }
  const AdExpression* expression = entry->expression.get();
  if (expression == nullptr) {
    *view = AdView(entry->value);
    return true;
  }
  if (run->references-- == 0) return false;
  const ClassAd* other = owner == &my ? target : &my;
  const bool settled = expression->Quick(expression->root_, *owner, other, run, view);
  ++run->references;
  return settled;
}

bool AdExpression::QuickLogic(const Node& node, const ClassAd& my, const ClassAd* target,
                              QuickRun* run, AdView* view) const {
  if (!Quick(operand(node, 0), my, target, run, view)) return false;
  const AdScalar first = Truth(*view);
  const bool is_bool = first.kind == AdScalar::Kind::kBool;
  if (node.op == Op::kChoose && is_bool) {
    return Quick(operand(node, first.integer != 0 ? 1 : 2), my, target, run, view);
  }
  if (node.op == Op::kNot && is_bool) {
    *view = AdScalar::Of(first.integer == 0);
  } else if (Decides(node.op, first)) {
    *view = first;
  } else {
    if (!Quick(operand(node, 1), my, target, run, view)) return false;
    *view = Joined(node.op, first, Truth(*view));
  }
  return true;
}

bool AdExpression::QuickCall(const Node& node, const ClassAd& my, const ClassAd* target,
                             QuickRun* run, AdView* view) const {
  const auto function = static_cast<AdFunction>(node.number);
  const bool asks = function == AdFunction::kIsUndefined || function == AdFunction::kIsError;
  if (!asks && function != AdFunction::kIfThenElse) return false;
  if (!Quick(operand(node, 0), my, target, run, view)) return false;
  const bool is_error = view->kind == AdScalar::Kind::kError;
  if (asks) {
    *view = AdScalar::Of(function == AdFunction::kIsError ? is_error : view->is_undefined());
    return true;
  }
  if (view->kind == AdScalar::Kind::kText) {
    *view = AdScalar::Error();
    return true;
  }
  if (is_error || view->is_undefined()) return true;
  return Quick(operand(node, view->IsTrue() ? 1 : 2), my, target, run, view);
}

}  // namespace muster::condor
