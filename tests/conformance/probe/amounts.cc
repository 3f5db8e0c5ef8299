// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The twins' resource vectors: the arithmetic that shares and victims of the engine are compared
// with.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/reference/amount.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;
using reference::Amount;

// The dimensions of one request: those that always are, and every scalar that one of its amounts
// names.
class Dimensions {
 public:
  explicit Dimensions(const json& request) {
    std::set<std::string> scalars;
    for (const auto& [key, value] : request.items()) {
      if (!value.is_object() || !value.contains("scalars")) continue;
      for (const auto& [name, amount] : value["scalars"].items()) scalars.insert(name);
    }
    scalars.erase("pods");
    names_.insert(names_.end(), scalars.begin(), scalars.end());
  }

  Amount Read(const json& value) const {
    Amount amount(names_.size());
    amount.value[kCpu] = value.value("milliCPU", 0.0);
    amount.value[kMemory] = value.value("memory", 0.0);
    if (const auto scalars = value.find("scalars"); scalars != value.end()) {
      amount.map = true;
      for (size_t d = kPods; d < names_.size(); ++d) {
        if (scalars->contains(names_[d])) amount.set(d, (*scalars)[names_[d]].get<double>());
      }
    }
    return amount;
  }

  json Write(const Amount& amount) const {
    json out = {{"milliCPU", amount.value[kCpu]}, {"memory", amount.value[kMemory]}};
    if (amount.map) out["scalars"] = json::object();
    for (size_t d = kPods; d < names_.size(); ++d) {
      if (amount.present[d]) out["scalars"][names_[d]] = amount.value[d];
    }
    return out;
  }

  const std::string& name(size_t d) const { return names_[d]; }
  size_t size() const { return names_.size(); }

  // kube-batch's: 10 of everything but memory, of which it is 10 MiB.
  std::vector<double> KubeBatchTolerance() const {
    std::vector<double> tolerance(names_.size(), 10.0);
    tolerance[kMemory] = 10.0 * 1024 * 1024;
    return tolerance;
  }

 private:
  std::vector<std::string> names_ = {"cpu", "memory", "pods"};
};

}  // namespace

absl::StatusOr<json> AskAmounts(const json& request) {
  const std::string op = request.value("amount", "");
  const Dimensions dimensions(request);
  const auto amount = [&](const char* key) {
    return dimensions.Read(request.contains(key) ? request[key] : json::object());
  };
  const Amount l = amount("l"), r = amount("r");
  if (op == "plus") return dimensions.Write(reference::Plus(l, r));
  if (op == "minus") return dimensions.Write(reference::Minus(l, r));
  if (op == "max") return dimensions.Write(reference::MaxOf(l, r));
  if (op == "min_dimension") {
    const bool zero = request.value("missing", "") == "zero";
    return dimensions.Write(reference::MinDimension(
        l, r, zero ? reference::Missing::kZero : reference::Missing::kInfinite));
  }
  if (op == "difference") {
    const auto [more, less] = reference::Difference(l, r);
    return json{dimensions.Write(more), dimensions.Write(less)};
  }
  if (op == "less_equal") return reference::LessEqual(l, r);
  if (op == "within_requested") return reference::WithinRequested(l, r, amount("request"));
  if (op == "is_empty") return reference::IsEmpty(l);
  const auto named = [&](const std::vector<size_t>& list) {
    json names = json::array();
    for (size_t d : list) names.push_back(dimensions.name(d));
    return names;
  };
  if (op == "positive") return named(reference::PositiveDimensions(l));
  if (op == "common") return named(reference::CommonDimensions(l, r));
  const Amount asked = amount("request");
  if (op == "requested_within") return named(reference::RequestedWithin(l, r, asked));
  if (op == "requested_beyond") return named(reference::RequestedBeyond(l, r, asked));
  if (op == "used_within") {
    return named(reference::RequestedWithin(l, r, reference::WithoutUnused(asked, l, r)));
  }
  if (op == "named_beyond") {
    return named(reference::RequestedBeyond(l, r, reference::OnlyNamed(asked, r)));
  }
  const std::vector<double> tolerance = dimensions.KubeBatchTolerance();
  if (op == "kube_batch_less_equal") return reference::TolerantLessEqual(l, r, tolerance);
  if (op == "kube_batch_less") return reference::TolerantLess(l, r, tolerance);
  if (op == "kube_batch_is_empty") return reference::TolerantIsEmpty(l, tolerance);
  return absl::InvalidArgumentError(absl::StrCat("no question about amounts: \"", op, "\""));
}

}  // namespace muster::testing
