// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/network_overhead.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

namespace muster::scheduler_plugins {
namespace {

constexpr std::string_view kApplication = "appgroup.diktyo.x-k8s.io";
constexpr std::string_view kWorkload = "appgroup.diktyo.x-k8s.io.workload";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

std::string_view ValueOf(const Labels& labels, std::string_view key) {
  const auto found = std::ranges::find(labels, key, &Labels::value_type::first);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

// Calls add(words, cost) for each entry of `names` names and a cost. Returns the rule that the text
// breaks.
template <class Add>
std::string ReadEntries(std::string_view what, std::string_view text, size_t names, Add add) {
  if (text.empty()) return {};
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), '+')) {
    std::vector<std::string> words = absl::StrSplit(part, ':');
    int64_t cost = 0;
    const bool named =
        words.size() == names + 1 &&
        std::none_of(words.begin(), words.end(), [](const auto& word) { return word.empty(); });
    if (!named || !absl::SimpleAtoi(words.back(), &cost) || cost < 0 || cost > 1'000'000'000) {
      return absl::StrCat(ToAbsl(what), ": ", Quote(std::string(part)), " is not ", names,
                          " names and a cost of 0 to 1000000000, with : between them");
    }
    add(words, cost);
  }
  return {};
}

}  // namespace

std::string NetworkSettings::Read(std::string_view dependencies_text, std::string_view zone_costs,
                                  std::string_view region_costs) {
  std::string wrong =
      ReadEntries("dependencies", dependencies_text, 3, [&](auto& words, int64_t c) {
        dependencies[{words[0], words[1]}].push_back({words[2], c});
      });
  if (!wrong.empty()) return wrong;
  wrong = ReadEntries("zone_costs", zone_costs, 2,
                      [&](auto& words, int64_t c) { costs.SetZones(words[0], words[1], c); });
  if (!wrong.empty()) return wrong;
  return ReadEntries("region_costs", region_costs, 2,
                     [&](auto& words, int64_t c) { costs.SetRegions(words[0], words[1], c); });
}

std::string_view NetworkOverhead::LabelOf(TaskIndex t, std::string_view key) const {
  return ValueOf(world_->classes().shape(world_->class_of(t)).labels, key);
}

void NetworkOverhead::Open(const kube::World* world) {
  world_ = world;
  if (settings_.weight == 0 || settings_.dependencies.empty()) return;
  const NodeTable& nodes = world->tables().nodes;
  for (NodeIndex n = 0; n < nodes.spec.size(); ++n) {
    const NodeSpec& spec = nodes.spec[n];
    nodes_.push_back({spec.name, std::string(ValueOf(spec.labels, kRegion)),
                      std::string(ValueOf(spec.labels, kZone))});
  }
  const TaskTable& tasks = world->tables().tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t] || tasks.status[t] == TaskStatus::kWaiting) continue;
    const std::string_view application = LabelOf(t, kApplication);
    if (!application.empty()) pods_[std::string(application)].push_back(t);
  }
}

void NetworkOverhead::PreFilter(TaskIndex t) {
  dependencies_ = nullptr;
  placed_.clear();
  if (settings_.weight == 0 || settings_.dependencies.empty()) return;
  const std::string application(LabelOf(t, kApplication));
  const auto found = settings_.dependencies.find({application, std::string(LabelOf(t, kWorkload))});
  if (application.empty() || found == settings_.dependencies.end()) return;
  dependencies_ = &found->second;
  const auto pods = pods_.find(application);
  if (pods == pods_.end()) return;
  for (const TaskIndex other : pods->second) {
    const NodeIndex n = world_->node_of(other);
    if (n == kNone || other == t) continue;
    placed_.push_back({std::string(LabelOf(other, kWorkload)), nodes_[n]});
  }
}

NetworkAnswer NetworkOverhead::AnswerOf(NodeIndex n) const {
  return NetworkCostOf(nodes_[n], *dependencies_, placed_, settings_.costs);
}

}  // namespace muster::scheduler_plugins
