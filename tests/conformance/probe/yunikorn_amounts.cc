// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's arithmetic on resources and shares: one recorded call a question.
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "lib/peer/yunikorn/preemption_round.h"
#include "lib/peer/yunikorn/shares.h"
#include "lib/peer/yunikorn/victim_orders.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

using yunikorn::Quantity;
using yunikorn::Resource;

// The arguments of one call. The receiver of a method is the argument before the first.
class AmountCall {
 public:
  explicit AmountCall(const json& step) : step_(step) {}

  Resource On() { return ResourceOf(step_.value("on", json()), names_); }
  const json& Raw(size_t i) const { return step_["args"][i]; }
  Resource Arg(size_t i) { return ResourceOf(Raw(i), names_); }
  Quantity Number(size_t i) const { return Raw(i).get<Quantity>(); }
  json Text(const Resource& resource) const { return TextOf(resource, names_); }
  yunikorn::TypeNames& names() { return names_; }

 private:
  const json& step_;
  yunikorn::TypeNames names_;
};

// JSON has no infinities; records write them as texts.
json NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return value;
}

double NumberOf(const json& value) {
  if (!value.is_string()) return value.get<double>();
  return value == "NaN" ? std::nan("") : value == "-Inf" ? -HUGE_VAL : HUGE_VAL;
}

yunikorn::ShareList ShareListOf(const json& values) {
  yunikorn::ShareList list;
  if (values.is_null()) return list;
  for (const json& value : values) {
    list.values[static_cast<size_t>(list.count++)] = NumberOf(value);
  }
  return list;
}

json SharesText(const yunikorn::ShareList& list) {
  json texts = json::array();
  for (int i = 0; i < list.count; ++i) {
    texts.push_back(NumberText(list.values[static_cast<size_t>(i)]));
  }
  return texts;
}

json QuantityText(const absl::StatusOr<Quantity>& quantity) {
  return json::array({quantity.value_or(0), TextOf(quantity.status())});
}

using AnswerAmount = json (*)(AmountCall& call);
using AmountAnswers = std::map<std::string, AnswerAmount, std::less<>>;

template <Resource (*kFunction)(const Resource&, const Resource&)>
json OfTwo(AmountCall& call) {
  return json::array({call.Text(kFunction(call.Arg(0), call.Arg(1)))});
}

template <bool (*kFunction)(const Resource&, const Resource&)>
json Compared(AmountCall& call) {
  return json::array({kFunction(call.Arg(0), call.Arg(1))});
}

template <bool (*kFunction)(const Resource&, const Resource&)>
json ComparedOn(AmountCall& call) {
  return json::array({kFunction(call.On(), call.Arg(0))});
}

template <bool (*kFunction)(const Resource&)>
json OfOne(AmountCall& call) {
  return json::array({kFunction(call.Arg(0))});
}

template <Quantity (*kFunction)(Quantity, Quantity)>
json OfNumbers(AmountCall& call) {
  return json::array({kFunction(call.Number(0), call.Number(1))});
}

json SubNegative(AmountCall& call, bool with_error) {
  bool negative = false;
  const json text = call.Text(SubNonNegative(call.Arg(0), call.Arg(1), &negative));
  if (!with_error) return json::array({text});
  return json::array({text, negative ? TextOf(absl::OutOfRangeError("below zero")) : json()});
}

int CompareFairShares(AmountCall& call) {
  const double left = FairShare(call.Arg(0), call.Arg(1), call.Arg(2));
  const double right = FairShare(call.Arg(3), call.Arg(4), call.Arg(5));
  return left < right ? -1 : left > right ? 1 : 0;
}

json ReadConfigured(AmountCall& call) {
  const absl::StatusOr<Resource> read = ReadResource(TextsOf(call.Raw(0)), call.names());
  return json::array({read.ok() ? call.Text(*read) : json(), TextOf(read.status())});
}

const AmountAnswers& Sums() {
  static const AmountAnswers kSums = {
      {"Add", OfTwo<yunikorn::Add>},
      {"AddOnlyExisting", OfTwo<yunikorn::AddOnlyExisting>},
      {"ComponentWiseMax", OfTwo<yunikorn::Max>},
      {"ComponentWiseMin", OfTwo<yunikorn::Min>},
      {"ComponentWiseMinOnlyExisting", OfTwo<yunikorn::MinOnlyExisting>},
      {"MergeIfNotPresent", OfTwo<yunikorn::MergeIfNotPresent>},
      {"Sub", OfTwo<yunikorn::Sub>},
      {"SubOnlyExisting", OfTwo<yunikorn::SubOnlyExisting>},
      {"SubEliminateNegative", [](AmountCall& call) { return SubNegative(call, false); }},
      {"SubErrorNegative", [](AmountCall& call) { return SubNegative(call, true); }},
      {"Multiply",
       [](AmountCall& call) {
         return json::array({call.Text(Multiply(call.Arg(0), call.Number(1)))});
       }},
      {"MultiplyBy",
       [](AmountCall& call) {
         return json::array({call.Text(MultiplyBy(call.Arg(0), NumberOf(call.Raw(1))))});
       }},
      {"CalculateAbsUsedCapacity",
       [](AmountCall& call) {
         return json::array({call.Text(UsedPercent(call.Arg(0), call.Arg(1)))});
       }},
      {"addVal", OfNumbers<yunikorn::AddSaturating>},
      {"subVal", OfNumbers<yunikorn::SubSaturating>},
      {"mulVal", OfNumbers<yunikorn::MulSaturating>},
      {"mulValRatio",
       [](AmountCall& call) {
         return json::array({yunikorn::MulRatio(call.Number(0), NumberOf(call.Raw(1)))});
       }},
      {"NewResourceFromConf", ReadConfigured},
      {"ParseQuantity",
       [](AmountCall& call) {
         return QuantityText(yunikorn::ReadQuantity(call.Raw(0).get<std::string>(), false));
       }},
      {"ParseVCore",
       [](AmountCall& call) {
         return QuantityText(yunikorn::ReadQuantity(call.Raw(0).get<std::string>(), true));
       }},
  };
  return kSums;
}

const AmountAnswers& Comparisons() {
  static const AmountAnswers kComparisons = {
      {"DeepEquals", Compared<yunikorn::DeepEquals>},
      {"Equals", Compared<yunikorn::Equals>},
      {"EqualsOrEmpty", Compared<yunikorn::EqualsOrEmpty>},
      {"StrictlyGreaterThan", Compared<yunikorn::Above>},
      {"StrictlyGreaterThanOrEquals", Compared<yunikorn::AtLeast>},
      {"Resource.FitIn", ComparedOn<yunikorn::FitsIn>},
      {"Resource.FitInActual", ComparedOn<yunikorn::FitsInActual>},
      {"Resource.FitInMaxUndef", ComparedOn<yunikorn::FitsInLimits>},
      {"Resource.MatchAny", ComparedOn<yunikorn::MatchAny>},
      {"Resource.StrictlyGreaterThanOnlyExisting", ComparedOn<yunikorn::AboveOnlyExisting>},
      {"Resource.StrictlyGreaterThanOrEqualsOnlyExisting",
       ComparedOn<yunikorn::AtLeastOnlyExisting>},
      {"IsZero", OfOne<yunikorn::IsZero>},
      {"StrictlyGreaterThanZero", OfOne<yunikorn::AboveZero>},
      {"Resource.HasNegativeValue",
       [](AmountCall& call) { return json::array({HasNegative(call.On())}); }},
      {"Resource.IsEmpty", [](AmountCall& call) { return json::array({call.On().empty()}); }},
      {"Resource.TypeMatching",
       [](AmountCall& call) { return json::array({TypeMatching(call.On(), call.Arg(0))}); }},
  };
  return kComparisons;
}

const AmountAnswers& ShareRules() {
  static const AmountAnswers kShares = {
      {"CompUsageRatio",
       [](AmountCall& call) {
         return json::array({CompareUsage(call.Arg(0), call.Arg(1), call.Arg(2))});
       }},
      {"CompUsageRatioSeparately",
       [](AmountCall& call) { return json::array({CompareFairShares(call)}); }},
      {"CompUsageRatioSpecificTypes",
       [](AmountCall& call) {
         return json::array({CompareUsageOf(call.Arg(0), call.Arg(1), call.Arg(2), call.Arg(3))});
       }},
      {"compareShares",
       [](AmountCall& call) {
         return json::array({CompareShares(ShareListOf(call.Raw(0)), ShareListOf(call.Raw(1)))});
       }},
      {"FairnessRatio",
       [](AmountCall& call) {
         return json::array({NumberText(FairnessRatio(call.Arg(0), call.Arg(1), call.Arg(2)))});
       }},
      {"isAskQueueUnderGuaranteed",
       [](AmountCall& call) {
         return json::array({!yunikorn::AboveGuarantee(call.Arg(0), call.Arg(1))});
       }},
      {"isVictimQueueOverGuaranteed",
       [](AmountCall& call) {
         return json::array({yunikorn::AboveGuarantee(call.Arg(0), call.Arg(1))});
       }},
      {"getFairShare",
       [](AmountCall& call) {
         return json::array({NumberText(FairShare(call.Arg(0), call.Arg(1), call.Arg(2)))});
       }},
      {"GetShares",
       [](AmountCall& call) {
         return json::array({SharesText(SharesOf(call.Arg(0), call.Arg(1)))});
       }},
      {"Resource.FitInScore",
       [](AmountCall& call) {
         return json::array({NumberText(FitScore(call.On(), call.Arg(0)))});
       }},
  };
  return kShares;
}

}  // namespace

absl::StatusOr<json> AnswerAmount(const json& step) {
  const std::string op = step["op"];
  for (const AmountAnswers* answers : {&Sums(), &Comparisons(), &ShareRules()}) {
    if (const auto found = answers->find(op); found != answers->end()) {
      AmountCall call(step);
      return found->second(call);
    }
  }
  return absl::InvalidArgumentError("no such rule: " + op);
}

absl::StatusOr<json> AnswerVictimOrder(const json& step) {
  yunikorn::TypeNames names;
  std::vector<yunikorn::Allocation> pods;
  std::vector<yunikorn::Index> order;
  for (const json& recorded : step["args"][0]) {
    yunikorn::Allocation pod;
    pod.key = recorded["allocationKey"];
    pod.resource = ResourceOf(recorded["resource"], names);
    pod.priority = ValueOf(recorded, "priority", 0);
    pod.originator = ValueOf(recorded, "originator", false);
    pod.may_be_preempted = ValueOf(recorded, "allowPreemptSelf", false);
    pod.create_time =
        static_cast<yunikorn::Nanos>(ValueOf(recorded, "createTime", 0.0) * yunikorn::kSecond);
    order.push_back(static_cast<yunikorn::Index>(pods.size()));
    pods.push_back(std::move(pod));
  }
  const yunikorn::Resource total = ResourceOf(step["args"][1], names);
  yunikorn::SortQuotaVictims(pods, total, ResourceOf(step["args"][2], names), order);
  json keys = json::array();
  for (const yunikorn::Index pod : order) keys.push_back(pods[pod].key);
  return keys;
}

}  // namespace muster::testing::yunikorn_probe
