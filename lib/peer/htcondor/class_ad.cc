// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/class_ad.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "lib/base/strings.h"
#include "lib/peer/htcondor/ad_functions.h"

namespace muster::condor {
namespace {

using Kind = AdValue::Kind;

// What takes no more nodes is not remembered.
constexpr int64_t kFewSteps = 32;

bool IsExceptional(const AdScalar& value) {
  return value.kind == Kind::kUndefined || value.kind == Kind::kError;
}

// What an operator returns if one of its operands is undefined or an error.
AdScalar Exception(const AdScalar& a, const AdScalar& b) {
  return a.kind == Kind::kError || b.kind == Kind::kError ? AdScalar::Error() : AdScalar();
}

bool Identical(const AdView& a, const AdView& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kUndefined:
    case Kind::kError:
      return true;
    case Kind::kReal:
      return a.real == b.real;
    case Kind::kText:
      return *a.text == *b.text;
    default:
      return a.integer == b.integer;
  }
}

// Less, equal, greater, whatever their case: -1, 0, 1.
int CompareTexts(const std::string& a, const std::string& b) {
  const size_t shorter = std::min(a.size(), b.size());
  for (size_t i = 0; i < shorter; ++i) {
    const auto x =
        static_cast<unsigned char>(absl::ascii_tolower(static_cast<unsigned char>(a[i])));
    const auto y =
        static_cast<unsigned char>(absl::ascii_tolower(static_cast<unsigned char>(b[i])));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size();
}

// Less, equal, greater: -1, 0, 1. Returns false if the two do not compare.
bool Compare(const AdView& a, const AdView& b, int* order) {
  if (a.kind == Kind::kText && b.kind == Kind::kText) {
    *order = CompareTexts(*a.text, *b.text);
    return true;
  }
  double x = 0, y = 0;
  if (!a.ToNumber(&x) || !b.ToNumber(&y)) return false;
  if (a.kind != Kind::kReal && b.kind != Kind::kReal) {
    *order = a.integer < b.integer ? -1 : a.integer > b.integer;
  } else {
    *order = x < y ? -1 : x > y;
  }
  return !std::isnan(x) && !std::isnan(y);
}

template <class T>
void AppendBytes(const T& value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendValue(const AdValue& value, std::string* key) {
  AppendBytes(value.kind, key);
  if (value.kind == Kind::kReal) AppendBytes(value.real, key);
  if (value.kind == Kind::kInteger || value.kind == Kind::kBool) AppendBytes(value.integer, key);
  if (value.kind != Kind::kText) return;
  AppendBytes(value.text.size(), key);
  key->append(value.text);
}

}  // namespace

AdName AdNames::Of(std::string_view name) {
  return names_.Intern(absl::AsciiStrToLower(ToAbsl(name)));
}

// Without branches, because no search of many is like the one before.
size_t ClassAd::PlaceOf(AdName name) const {
  const AdName* base = names_.data();
  size_t left = names_.size();
  if (left == 0) return 0;
  for (; left > 1; left -= left / 2) base += base[left / 2 - 1] < name ? left / 2 : 0;
  return static_cast<size_t>(base - names_.data()) + (*base < name ? 1 : 0);
}

const ClassAd::Entry* ClassAd::Search(AdName name) const {
  const size_t at = PlaceOf(name);
  return at == names_.size() || names_[at] != name ? nullptr : &entries_[at];
}

ClassAd::Entry& ClassAd::Make(AdName name) {
  const size_t at = PlaceOf(name);
  if (at == names_.size() || names_[at] != name) {
    names_.insert(names_.begin() + static_cast<std::ptrdiff_t>(at), name);
    entries_.emplace(entries_.begin() + static_cast<std::ptrdiff_t>(at));
    filter_ |= BitOf(name);
  }
  return entries_[at];
}

void ClassAd::Set(AdName name, AdValue value) {
  Entry& entry = Make(name);
  entry.value = std::move(value);
  entry.expression = nullptr;
}

void ClassAd::Set(AdName name, AdExpression expression) {
  Make(name).expression = std::make_shared<const AdExpression>(std::move(expression));
}

void ClassAd::Set(AdName name, std::shared_ptr<const AdExpression> expression) {
  Make(name).expression = std::move(expression);
}

void ClassAd::Remove(AdName name) {
  if (!has(name)) return;
  const auto at = static_cast<std::ptrdiff_t>(PlaceOf(name));
  names_.erase(names_.begin() + at);
  entries_.erase(entries_.begin() + at);
  filter_ = 0;
  for (const AdName left : names_) filter_ |= BitOf(left);
}

AdValue ClassAd::Get(AdName name, const ClassAd* target) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) return AdValue::Undefined();
  return entry->expression == nullptr ? entry->value : entry->expression->Evaluate(*this, target);
}

AdScalar ClassAd::GetScalar(AdName name, const ClassAd* target) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) return {};
  if (entry->expression == nullptr) return entry->value;
  return entry->expression->EvaluateScalar(*this, target);
}

std::string ClassAd::GetText(AdName name, const ClassAd* target) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) return {};
  if (entry->expression == nullptr) {
    return entry->value.kind == Kind::kText ? entry->value.text : std::string();
  }
  AdValue value = entry->expression->Evaluate(*this, target);
  return value.kind == Kind::kText ? std::move(value.text) : std::string();
}

AdValue ClassAd::Refer(AdName name, const ClassAd* target, AdExpression::Run* run) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) return AdValue::Undefined();
  if (run->active.size() >= AdExpression::kMostReferences) {
    run->failed = true;
    return AdValue::Error();
  }
  const AdExpression* expression = entry->expression.get();
  if (expression == nullptr) {
    ++run->steps;
    return entry->value;
  }
  if (std::ranges::find(run->active, expression) != run->active.end()) {
    run->in_loop = true;
    run->known.clear();
    return {};
  }
  return EvaluateOnce(name, *expression, target, run);
}

// Without a loop an attribute has one value, whatever the way to it. The limits are those of an
// evaluation that remembers nothing.
AdValue ClassAd::EvaluateOnce(AdName name, const AdExpression& expression, const ClassAd* target,
                              AdExpression::Run* run) const {
  for (const AdExpression::Known& known : run->known) {
    if (known.ad != this || known.name != name) continue;
    run->steps += known.steps;
    run->failed |= run->steps > AdExpression::kMostSteps ||
                   run->depth + known.depth > AdExpression::kMostDepth ||
                   run->active.size() + known.references > AdExpression::kMostReferences;
    run->deepest = std::max(run->deepest, run->depth + known.depth);
    run->most_active = std::max(run->most_active, run->active.size() + known.references);
    return run->failed ? AdValue::Error() : known.value;
  }
  const int64_t steps = run->steps;
  const int deepest = std::exchange(run->deepest, run->depth);
  run->active.push_back(&expression);
  const size_t most_active = std::exchange(run->most_active, run->active.size());
  AdValue value = expression.ValueOf(expression.root_, *this, target, run);
  run->active.pop_back();
  if (run->steps - steps > kFewSteps && !run->in_loop && !run->failed) {
    run->known.push_back({this, name, run->steps - steps, run->deepest - run->depth,
                          run->most_active - run->active.size(), value});
  }
  run->deepest = std::max(run->deepest, deepest);
  run->most_active = std::max(run->most_active, most_active);
  return value;
}

void ClassAd::AddNames(AdNameSet* names) const {
  for (const Entry& entry : entries_) {
    if (entry.expression != nullptr) entry.expression->AddNames(names);
  }
}

bool ClassAd::AppendKey(AdNameSet* names, std::string* key) const {
  bool grew = false;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!names->Has(names_[i])) continue;
    const Entry& entry = entries_[i];
    AppendBytes(names_[i], key);
    AppendBytes(entry.expression != nullptr, key);
    if (entry.expression == nullptr) {
      AppendValue(entry.value, key);
    } else {
      entry.expression->AppendKey(key);
      grew |= entry.expression->AddNames(names);
    }
  }
  return grew;
}

void ClassAd::AppendSharedKey(const AdNameSet& names, std::string* key) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!names.Has(names_[i])) continue;
    AppendBytes(names_[i], key);
    AppendBytes(entries_[i].expression.get(), key);
    if (entries_[i].expression == nullptr) AppendValue(entries_[i].value, key);
  }
}

bool AdExpression::AddNames(AdNameSet* names) const {
  bool grew = false;
  for (const Node& node : nodes_) {
    const bool has_name =
        node.op == Op::kName || node.op == Op::kMyName || node.op == Op::kTargetName;
    if (has_name) grew |= names->Add(node.number);
  }
  return grew;
}

void AdExpression::AppendKey(std::string* key) const {
  AppendBytes(nodes_.size(), key);
  AppendBytes(root_, key);
  for (const Node& node : nodes_) {
    AppendBytes(node.op, key);
    AppendBytes(node.number, key);
    AppendBytes(node.count, key);
    for (const uint32_t place : operands(node)) AppendBytes(place, key);
  }
  for (const AdValue& value : values_) AppendValue(value, key);
}

AdValue AdExpression::Evaluate(const ClassAd& my, const ClassAd* target) const {
  QuickRun run = kQuickRun;
  AdView view;
  return Quick(root_, my, target, &run, &view) ? view.ToValue() : EvaluateFully(my, target);
}

AdScalar AdExpression::EvaluateScalar(const ClassAd& my, const ClassAd* target) const {
  QuickRun run = kQuickRun;
  AdView view;
  if (Quick(root_, my, target, &run, &view)) return view;
  return EvaluateFully(my, target);
}

AdValue AdExpression::EvaluateFully(const ClassAd& my, const ClassAd* target) const {
  Run run;
  AdValue value = ValueOf(root_, my, target, &run);
  return run.failed ? AdValue::Error() : value;
}

AdValue AdExpression::ValueOf(uint32_t number, const ClassAd& my, const ClassAd* target,
                              Run* run) const {
  const int64_t most = run->in_loop ? kMostStepsOfLoops : kMostSteps;
  if (++run->steps > most || run->depth >= kMostDepth) run->failed = true;
  if (run->failed) return AdValue::Error();
  ++run->depth;
  run->deepest = std::max(run->deepest, run->depth);
  AdValue value = Compute(nodes_[number], my, target, run);
  --run->depth;
  return value;
}

// Returns the value of a node that is one, or names an attribute that is one; null: it does not.
const AdValue* AdExpression::Plain(const Node& node, const ClassAd& my,
                                   const ClassAd* target) const {
  if (node.op == Op::kValue) return &values_[node.number];
  if (node.op != Op::kName && node.op != Op::kMyName && node.op != Op::kTargetName) return nullptr;
  const ClassAd::Entry* entry = node.op == Op::kTargetName ? nullptr : my.Find(node.number);
  if (entry == nullptr && node.op != Op::kMyName && target != nullptr) {
    entry = target->Find(node.number);
  }
  return entry == nullptr || entry->expression != nullptr ? nullptr : &entry->value;
}

const AdValue& AdExpression::Operand(uint32_t number, const ClassAd& my, const ClassAd* target,
                                     Run* run, AdValue* kept) const {
  const Node& node = nodes_[number];
  const AdValue* plain = Plain(node, my, target);
  const bool is_limited = run->in_loop || run->failed || run->steps + 2 > kMostSteps ||
                          run->depth >= kMostDepth || run->active.size() >= kMostReferences;
  if (plain == nullptr || is_limited) return *kept = ValueOf(number, my, target, run);
  run->steps += node.op == Op::kValue ? 1 : 2;
  run->deepest = std::max(run->deepest, run->depth + 1);
  return *plain;
}

AdValue AdExpression::Compute(const Node& node, const ClassAd& my, const ClassAd* target,
                              Run* run) const {
  switch (node.op) {
    case Op::kValue:
      return values_[node.number];
    case Op::kName:
      if (target == nullptr || my.has(node.number)) return my.Refer(node.number, target, run);
      return target->Refer(node.number, &my, run);
    case Op::kMyName:
      return my.Refer(node.number, target, run);
    case Op::kTargetName:
      return target == nullptr ? AdValue::Undefined() : target->Refer(node.number, &my, run);
    case Op::kList:
      return AdValue::Error();  // a list is an operand of functions alone
    case Op::kCall:
      return Call(node, my, target, run);
    case Op::kOr:
    case Op::kAnd:
    case Op::kNot:
    case Op::kChoose:
      return Logic(node, my, target, run);
    case Op::kNegate:
      return Arithmetic('-', AdValue::Of(int64_t{0}), ValueOf(operand(node, 0), my, target, run));
    default:
      break;
  }
  AdValue kept_first, kept_second;
  const AdValue& first = Operand(operand(node, 0), my, target, run, &kept_first);
  const AdValue& second = Operand(operand(node, 1), my, target, run, &kept_second);
  return Binary(node.op, AdView(first), AdView(second));
}

AdScalar AdExpression::Binary(Op op, const AdView& a, const AdView& b) {
  switch (op) {
    case Op::kIs:
      return AdScalar::Of(Identical(a, b));
    case Op::kIsNot:
      return AdScalar::Of(!Identical(a, b));
    case Op::kPlus:
      return Arithmetic('+', a, b);
    case Op::kMinus:
      return Arithmetic('-', a, b);
    case Op::kTimes:
      return Arithmetic('*', a, b);
    case Op::kDivide:
      return Arithmetic('/', a, b);
    case Op::kRemainder:
      return Arithmetic('%', a, b);
    default:
      return Comparison(op, a, b);
  }
}

AdScalar AdExpression::Comparison(Op op, const AdView& a, const AdView& b) {
  if (IsExceptional(a) || IsExceptional(b)) return Exception(a, b);
  int order = 0;
  if (!Compare(a, b, &order)) return AdScalar::Error();
  switch (op) {
    case Op::kEqual:
      return AdScalar::Of(order == 0);
    case Op::kUnequal:
      return AdScalar::Of(order != 0);
    case Op::kLess:
      return AdScalar::Of(order < 0);
    case Op::kLessEqual:
      return AdScalar::Of(order <= 0);
    case Op::kGreater:
      return AdScalar::Of(order > 0);
    default:
      return AdScalar::Of(order >= 0);
  }
}

// An operand that decides alone makes the other one's trouble harmless: false && undefined is
// false.
AdValue AdExpression::Logic(const Node& node, const ClassAd& my, const ClassAd* target,
                            Run* run) const {
  const AdScalar first = Truth(ValueOf(operand(node, 0), my, target, run));
  if (node.op == Op::kChoose && first.kind == Kind::kBool) {
    return ValueOf(operand(node, first.integer != 0 ? 1 : 2), my, target, run);
  }
  if (node.op == Op::kNot && first.kind == Kind::kBool) return AdValue::Of(first.integer == 0);
  if (Decides(node.op, first)) return first;
  return Joined(node.op, first, Truth(ValueOf(operand(node, 1), my, target, run)));
}

AdScalar AdExpression::Truth(const AdScalar& value) {
  if (value.is_number()) return AdScalar::Of(value.IsTrue());
  return value.kind == Kind::kText ? AdScalar::Error() : value;
}

bool AdExpression::Decides(Op op, const AdScalar& first) {
  if (op == Op::kNot || op == Op::kChoose || first.kind == Kind::kError) return true;
  return first.kind == Kind::kBool && (first.integer != 0) == (op == Op::kOr);
}

AdScalar AdExpression::Joined(Op op, const AdScalar& first, const AdScalar& second) {
  if (second.kind == Kind::kError || first.kind == Kind::kBool) return second;
  const bool settled = second.kind == Kind::kBool && (second.integer != 0) == (op == Op::kOr);
  return settled ? second : first;
}

AdValue AdExpression::Call(const Node& node, const ClassAd& my, const ClassAd* target,
                           Run* run) const {
  const AdFunction function = static_cast<AdFunction>(node.number);
  const auto value = [&](uint32_t place) { return ValueOf(place, my, target, run); };
  if (function == AdFunction::kIfThenElse) {
    const AdValue condition = value(operand(node, 0));
    if (IsExceptional(condition)) return condition;
    if (condition.kind == Kind::kText) return AdValue::Error();
    return value(operand(node, condition.IsTrue() ? 1 : 2));
  }
  std::vector<AdValue> arguments;
  std::optional<std::vector<AdValue>> list;  // the argument that is one
  for (const uint32_t place : operands(node)) {
    if (nodes_[place].op == Op::kList) {
      list.emplace();
      for (const uint32_t item : operands(nodes_[place])) list->push_back(value(item));
    } else {
      arguments.push_back(value(place));
    }
  }
  return CallAdFunction(function, arguments, list ? &*list : nullptr);
}

}  // namespace muster::condor
