// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Importers: whole dumps, which come and go as text because the order of keys counts, and single rules of theirs. An
// amount is written as whole units and billionths.
#include "lib/import/import.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/import/amounts.h"
#include "lib/import/api_object.h"
#include "lib/import/kubernetes.h"
#include "lib/import/times.h"
#include "lib/import/volcano.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// A value as an importer sees it.
struct Value {
  explicit Value(const json& value)
      : row(ReadJsonValue(value.dump(), "the call").value()), source{"the call", &row, &log} {}
  Field field() const { return Field(&source); }

  ImportLog log;
  JsonRow row;
  FieldSource source;
};

// Objects of any kinds, read.
struct Objects {
  explicit Objects(const json& objects)
      : dump(ReadJsonObjects(objects.dump()).value(), &log) {}

  Dump::Objects all() const {
    Dump::Objects out;
    for (const auto& object : dump.all()) out.push_back(object.get());
    return out;
  }

  ImportLog log;
  Dump dump;
};

json Written(const AmountMap& amounts) {
  json out = json::object();
  for (const auto& [name, amount] : amounts) {
    out[name] = {static_cast<int64_t>(amount / kAmountUnit),
                 static_cast<int64_t>(amount % kAmountUnit)};
  }
  return out;
}

absl::StatusOr<json> WholeDump(const json& asked) {
  ImportOptions options;
  options.profile = asked.value("profile", "");
  options.configuration = asked.value("configuration", "");
  options.unset_switches_on = asked.value("unset_switches_on", true);
  options.default_queue = asked.value("default_queue", "default");
  options.now = asked.value("now", int64_t{0});
  options.binding = asked.value("binding", std::vector<std::string>());
  const absl::StatusOr<Import> import = ImportObjects(asked["objects"].get<std::string>(), options);
  if (!import.ok()) return import.status();
  return json{{"scenario", WriteScenario(import->scenario)},
              {"report", WriteReport(import->report)}};
}

json Rule(const std::string& rule, const json& asked) {
  if (rule == "requests") {
    const Objects pod(json::array({asked["pod"]}));
    const bool modern = asked.value("modern", true);
    const PodRules rules{
        .modern = modern, .ephemeral_storage = modern, .separate_init = !modern};
    const PodAmounts amounts = ReadRequests(*pod.all()[0], rules);
    const auto known = [&](const AmountMap& all) {
      return Written(Dimensions(all, *pod.all()[0], "spec", modern));
    };
    return {{"held", known(amounts.held)}, {"needed", known(amounts.needed)}};
  }
  if (rule == "amounts") return Written(ReadAmounts(Value(asked["amounts"]).field()));
  if (rule == "match_values") {
    const Value labels(json{{"labels", asked["labels"]}});
    return volcano::MatchValues(Value(asked["policy"]).field(), labels.field().TextMap("labels"));
  }
  if (rule == "sub_group_name") return volcano::SubGroupName(asked["policy"].get<std::string>(), asked["values"]);
  if (rule == "members") {
    return volcano::ChosenMembers(Value(asked["selector"]).field(), Objects(asked["nodes"]).all());
  }
  if (rule == "window") {
    const auto window = WindowMinutes(asked["text"].get<std::string>());
    return window.has_value() ? json{window->first, window->second} : json();
  }
  return {{"error", absl::StrCat("no importer has the rule ", rule)}};
}

}  // namespace

absl::StatusOr<json> AskImport(const json& request) {
  const json& asked = request["import"];
  if (!asked.contains("rule")) return WholeDump(asked);
  const json answer = Rule(asked["rule"], asked);
  if (answer.is_object() && answer.contains("error")) {
    return absl::InvalidArgumentError(answer["error"].get<std::string>());
  }
  return answer;
}

}  // namespace muster::testing
