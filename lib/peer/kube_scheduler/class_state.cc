// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/class_state.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "lib/kube/selectors.h"
#include "lib/model/key.h"

namespace muster::kube {
namespace {

// Returns whether the name is one of an extended resource: no other can be ignored.
bool IsExtendedName(std::string_view name) {
  return name.find('/') != name.npos && name.find("kubernetes.io/") == name.npos &&
         !name.starts_with("requests.");
}

bool IsIgnored(const Settings& settings, std::string_view name) {
  if (!IsExtendedName(name)) return false;
  const auto listed = [](const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  return listed(settings.ignored_resources, name) ||
         listed(settings.ignored_groups, name.substr(0, name.find('/')));
}

// A resource of this kind is scored only if the pod requests it.
bool IsScalar(DimensionIndex d, std::string_view name) {
  return d != kCpu && d != kMemory && name != "ephemeral-storage";
}

NodeAnswer AnswerOf(const TaskShape& shape, const NodeSpec& node, PluginSet off) {
  if (node.unschedulable && !off.has(Plugin::kNodeUnschedulable) &&
      !ToleratesUnschedulable(shape)) {
    return NodeAnswer::kUnschedulable;
  }
  if (!node.taints.empty() && !off.has(Plugin::kTaintToleration) &&
      FirstUntolerated(shape, node) != nullptr) {
    return NodeAnswer::kTaint;
  }
  if (off.has(Plugin::kNodeAffinity)) return NodeAnswer::kFits;
  if (shape.pod && shape.pod->added_affinity) {
    const std::vector<NodeTerm>& terms = *shape.pod->added_affinity;
    const auto matches = [&](const NodeTerm& term) { return Matches(term, node); };
    if (std::none_of(terms.begin(), terms.end(), matches)) return NodeAnswer::kAddedAffinity;
  }
  if (shape.node_selector.empty() && !shape.required_node_affinity) return NodeAnswer::kFits;
  return MatchesNode(shape, node) ? NodeAnswer::kFits : NodeAnswer::kNodeAffinity;
}

int64_t UntoleratedOf(const TaskShape& shape, const NodeSpec& node) {
  int64_t untolerated = 0;
  for (const Taint& taint : node.taints) {
    if (taint.effect != TaintEffect::kPreferNoSchedule) continue;
    const auto tolerates = [&](const Toleration& t) { return Tolerates(t, taint); };
    untolerated += std::none_of(shape.tolerations.begin(), shape.tolerations.end(), tolerates);
  }
  return untolerated;
}

int64_t PreferredOf(const TaskShape& shape, const NodeSpec& node) {
  int64_t sum = 0;
  for (const PreferredNodeTerm& preferred : shape.preferred_node_affinity) {
    if (Matches(preferred.term, node)) sum += preferred.weight;
  }
  return sum;
}

std::shared_ptr<const NodeAnswers> Ask(const World& world, const TaskShape& shape, PluginSet off) {
  auto answers = std::make_shared<NodeAnswers>();
  const size_t nodes = world.tables().nodes.alive.size();
  answers->answer.assign(nodes, NodeAnswer::kFits);
  if (!shape.preferred_node_affinity.empty()) answers->preferred.assign(nodes, 0);
  for (const NodeIndex n : world.order()) {
    const NodeSpec& node = world.spec(n);
    answers->answer[n] = AnswerOf(shape, node, off);
    answers->all_fit &= answers->answer[n] == NodeAnswer::kFits;
    if (!answers->preferred.empty()) answers->preferred[n] = PreferredOf(shape, node);
    const int64_t untolerated = UntoleratedOf(shape, node);
    if (untolerated == 0) continue;
    answers->untolerated.resize(nodes, 0);
    answers->untolerated[n] = untolerated;
  }
  return answers;
}

}  // namespace

const RefusalWords& WordsOf(const World& world, const TaskShape& shape, const NodeAnswers& answers,
                            NodeAnswer answer) {
  const bool taints = answer == NodeAnswer::kTaint;
  std::optional<RefusalWords>& words = taints ? answers.taints : answers.unmatched;
  if (words) return *words;
  std::map<std::string, int64_t> counts;
  for (const NodeIndex n : world.order()) {
    if (answers.answer[n] != answer) continue;
    const NodeSpec& node = world.spec(n);
    ++counts[taints ? TaintText(*FirstUntolerated(shape, node)) : UnmatchedText(shape, node)];
  }
  words.emplace(counts.begin(), counts.end());
  return *words;
}

namespace {

std::string ConstraintsOf(const TaskShape& shape) {
  Key key;
  key.Add(shape.tolerations);
  key.AddSorted(shape.node_selector);
  key.Add(shape.required_node_affinity);
  key.Add(shape.preferred_node_affinity);
  const bool added = shape.pod && shape.pod->added_affinity;
  key.Add(int64_t{added});
  if (added) key.Add(*shape.pod->added_affinity);
  return key.Take();
}

// Resources of the list that a score of the class looks at; `own` has what the class adds.
std::vector<ScoredResource> ScoredOf(const Tables& tables,
                                     const std::vector<WeightedResource>& list,
                                     std::span<const int64_t> own) {
  std::vector<ScoredResource> scored;
  for (const WeightedResource& resource : list) {
    const auto d = tables.dimensions.Find(resource.name);
    if (!d || *d == kPods || (own[*d] == 0 && IsScalar(*d, resource.name))) continue;
    scored.push_back({*d, own[*d], resource.weight});
  }
  return scored;
}

}  // namespace

ClassState::ClassState(World& world, const Settings& settings, ClassIndex c)
    : affinity(world, c, settings.off.has(Plugin::kInterPodAffinity)),
      spread(world, c, settings.off.has(Plugin::kPodTopologySpread)),
      affinity_scores(world, c, settings),
      spread_scores(world, c),
      position(world.journal().size()) {
  const Tables& tables = world.tables();
  const PodClass& pod = world.classes().at(c);
  checks_fit = !settings.off.has(Plugin::kNodeResourcesFit);
  for (DimensionIndex d = 0; checks_fit && d < pod.request.size(); ++d) {
    if (d == kPods || pod.request[d] <= 0) continue;
    if (!IsIgnored(settings, tables.dimensions.name(d))) requested.push_back(d);
  }
  fit = ScoredOf(tables, settings.fit_resources, world.classes().Scored(c));
  balance_is_change = settings.balance_is_change;
  balanced = ScoredOf(tables, settings.balanced_resources, pod.request);
  for (const WeightedResource& resource : settings.balanced_resources) {
    const auto d = tables.dimensions.Find(resource.name);
    scores_balance |= d && pod.request[*d] != 0;
  }
  if (!pod.shape->required_node_affinity) return;
  for (const NodeTerm& term : *pod.shape->required_node_affinity) {
    names_nodes |= !term.match_fields.empty() && !settings.off.has(Plugin::kNodeAffinity);
  }
}

std::shared_ptr<const NodeAnswers> ClassStates::AnswersFor(ClassIndex c) {
  const TaskShape& shape = world_.classes().shape(c);
  std::weak_ptr<const NodeAnswers>& known = answers_[ConstraintsOf(shape)];
  std::shared_ptr<const NodeAnswers> answers = known.lock();
  if (answers == nullptr) known = answers = Ask(world_, shape, settings_.off);
  return answers;
}

std::shared_ptr<ClassState> ClassStates::At(ClassIndex c) {
  ++calls_;
  const auto it = place_of_.find(c);
  if (it != place_of_.end()) {
    Kept& kept = kept_[it->second];
    kept.asked = calls_;
    ClassState& state = *kept.state;
    const std::span<const WorldChange> changes =
        std::span(world_.journal()).subspan(state.position);
    state.affinity.Follow(changes);
    state.spread.Follow(changes);
    state.affinity_scores.Follow(changes);
    state.spread_scores.Follow(changes);
    state.position = world_.journal().size();
    return kept.state;
  }
  auto state = std::make_shared<ClassState>(world_, settings_, c);
  state->nodes = AnswersFor(c);
  uint32_t place = static_cast<uint32_t>(kept_.size());
  if (kept_.size() < kMostStates) {
    kept_.emplace_back();
  } else {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.asked < b.asked; });
    place = static_cast<uint32_t>(oldest - kept_.begin());
    place_of_.erase(oldest->pod_class);
  }
  kept_[place] = {c, calls_, state};
  place_of_[c] = place;
  return state;
}

}  // namespace muster::kube
