// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Single rules of scheduler-plugins: a list of operations, each answered by itself.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/exemption.h"
#include "lib/peer/scheduler_plugins/load/load_scores.h"
#include "lib/peer/scheduler_plugins/load/risk.h"
#include "lib/peer/scheduler_plugins/node_scores.h"
#include "tests/conformance/probe/plugin_pods.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_scores {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

ResourceLoad LoadOf(const json& row) {
  return {row["capacity"], row["request"], row["mean"], row["deviation"]};
}
std::optional<ResourceLoad> LoadIn(const json& op, const char* key) {
  if (!op.contains(key) || op[key].is_null()) return std::nullopt;
  return LoadOf(op[key]);
}
template <class T>
std::optional<T> Given(const json& op, const char* key) {
  if (!op.contains(key) || op[key].is_null()) return std::nullopt;
  return op[key].get<T>();
}

json Scores(const json& op) {
  const std::string name = op["op"];
  if (name == "costs") return ScoresOfCosts(op["costs"].get<std::vector<int64_t>>());
  if (name == "min_max") return MinMaxScores(op["scores"].get<std::vector<int64_t>>());
  if (name == "marks") {
    std::vector<std::optional<int64_t>> marks;
    for (const json& mark : op["marks"]) {
      marks.push_back(mark.is_null() ? std::nullopt : std::optional<int64_t>(mark.get<int64_t>()));
    }
    return MarkScores(marks);
  }
  if (name == "number_mark") {
    const std::optional<int64_t> mark = NumberMark(op["text"].get<std::string>(), op["lowest"]);
    return mark.has_value() ? json(*mark) : json(false);
  }
  if (name == "time_mark") return TimeMark(op["at"], op["now"], op["newest"]);
  if (name != "allocatable") return {};
  std::vector<WeightedAmount> amounts;
  for (const json& one : op["amounts"]) amounts.push_back({one[0], one[1]});
  return AllocatableScore(amounts, op["least"]);
}

// What is wrong with settings of a plug-in; empty: nothing.
json Checks(const json& op) {
  absl::Status status;
  if (op["op"] == "check_marks") {
    status = CheckMarks({op["key"], op["source"], op["type"], op["preference"]});
  } else if (op["op"] == "check_allocatable") {
    std::vector<NamedWeight> weights;
    for (const json& row : op["weights"]) weights.push_back({row[0], row[1]});
    status = CheckAllocatable(weights);
  } else {
    return {};
  }
  return std::string(status.message());
}

json Loads(const json& op) {
  const std::string name = op["op"];
  if (name == "moments") {
    const Moments moments = MomentsOf(LoadOf(op["load"]));
    return {moments.mean, moments.deviation};
  }
  if (name == "variation") {
    return VariationScore(LoadOf(op["load"]), {op["margin"], op["sensitivity"]});
  }
  if (name == "expected_cpu") {
    return ExpectedCpu(Given<int64_t>(op, "limit"), Given<int64_t>(op, "request"), op["factor"],
                       op["otherwise"]);
  }
  if (name != "power_jump") return {};
  const PowerModel model{op["model"]["K0"], op["model"]["K1"], op["model"]["K2"]};
  return PowerJump(model, op["before"], op["after"]);
}

json Risks(const json& op) {
  const std::string name = op["op"];
  if (name == "max_variance") return MaxVariance(op["mean"]);
  if (name == "fit_beta") {
    const std::optional<Beta> beta = FitBeta(op["mean"], op["square"]);
    return beta ? json{beta->alpha, beta->beta} : json();
  }
  if (name == "beta") return ProbabilityUpTo(op["x"], {op["alpha"], op["beta"]});
  if (name == "low_risk") return LowRiskScore(op["cpu"], op["memory"]);
  if (name != "risk") return {};
  const RiskBooks books{op["capacity"], op["request"], op["limit"], op["request_without"],
                        op["limit_without"]};
  return RiskOf(books, LoadIn(op, "load"), {op["weight"], op["window"]});
}

QueuedPod PodIn(const json& row) {
  return {row["priority"], static_cast<ServiceClass>(row["service"].get<int>()), row["queued"]};
}

json Others(const json& op) {
  const std::string name = op["op"];
  if (name == "before") return IsBeforeByService(PodIn(op["a"]), PodIn(op["b"]));
  if (name != "exempt" && name != "read_exemption") return {};
  std::optional<Exemption> exemption;
  if (!op["class"].is_null()) {
    const json& row = op["class"];
    const auto minimum = Given<std::string>(row, "minimum");
    const auto seconds = Given<std::string>(row, "seconds");
    exemption = ReadExemption(minimum ? std::optional<std::string_view>(*minimum) : std::nullopt,
                              seconds ? std::optional<std::string_view>(*seconds) : std::nullopt,
                              row["value"]);
  }
  if (name == "exempt") {
    return IsExempt(exemption, {op["priority"], op["never"]}, Given<double>(op, "scheduled"),
                    op["now"]);
  }
  return exemption ? json{{"minimum", exemption->minimum}, {"seconds", exemption->seconds}}
                   : json();
}

}  // namespace plugin_scores

absl::StatusOr<nlohmann::json> AskPluginScores(const nlohmann::json& request) {
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["plugin_scores"]) {
    nlohmann::json answer;
    for (const auto ask : {plugin_scores::Scores, plugin_scores::Checks, plugin_scores::Loads,
                           plugin_scores::Risks, plugin_scores::Others, AnswerPluginLoad}) {
      if (answer.is_null()) answer = ask(op);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
