// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Importers: whole dumps, which come and go as text because the order of keys counts, and single
// rules of theirs. An amount is written as whole units and billionths.
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
      : row(ReadJsonValue(value.dump(), "the call", &budget).value()),
        source{"the call", &row, &log} {}
  Field field() const { return Field(&source); }

  Budget budget;
  ImportLog log;
  JsonRow row;
  FieldSource source;
};

// Objects of any kinds, read.
struct Objects {
  explicit Objects(const json& objects)
      : dump(ReadJsonObjects(objects.dump(), &budget).value(), &log) {}

  Dump::Objects all() const {
    Dump::Objects out;
    for (const auto& object : dump.all()) out.push_back(object.get());
    return out;
  }

  Budget budget;
  ImportLog log;
  Dump dump;
};

// All amounts, or those of dimensions.
json Written(const AmountMap& amounts, bool all, bool ephemeral_storage) {
  json out = json::object();
  for (const auto& [name, amount] : amounts) {
    if (!all && !IsDimension(name, ephemeral_storage)) continue;
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

absl::StatusOr<json> Rule(const std::string& rule, const json& asked) {
  if (rule == "requests") {
    const Objects pod(json::array({asked["pod"]}));
    const bool modern = asked.value("modern", true);
    const PodRules rules{.modern = modern, .ephemeral_storage = modern, .separate_init = !modern};
    const PodAmounts amounts = ReadRequests(*pod.all()[0], rules);
    if (!pod.log.ok()) return pod.log.status();
    const bool all = !asked.value("known", false);
    return json{{"held", Written(amounts.held, all, modern)},
                {"needed", Written(amounts.needed, all, modern)}};
  }
  if (rule == "amounts") {
    const Value given(asked["amounts"]);
    const AmountMap amounts = ReadAmounts(given.field());
    if (!given.log.ok()) return given.log.status();
    return Written(amounts, false, asked.value("modern", true));
  }
  if (rule == "match_values") {
    const Value labels(json{{"labels", asked["labels"]}});
    return json(
        volcano::MatchValues(Value(asked["policy"]).field(), labels.field().TextMap("labels")));
  }
  if (rule == "sub_group_name") {
    return json(volcano::SubGroupName(asked["policy"].get<std::string>(), asked["values"]));
  }
  if (rule == "members") {
    const Objects nodes(asked["nodes"]);
    return json(volcano::ChosenMembers(Value(asked["selector"]).field(), nodes.all()));
  }
  if (rule == "window") {
    const auto window = WindowMinutes(asked["text"].get<std::string>());
    return window.has_value() ? json{window->first, window->second} : json();
  }
  return absl::InvalidArgumentError(absl::StrCat("no importer has the rule ", rule));
}

}  // namespace

absl::StatusOr<json> AskImport(const json& request) {
  const json& asked = request["import"];
  if (!asked.contains("rule")) return WholeDump(asked);
  return Rule(asked["rule"], asked);
}

}  // namespace muster::testing
