// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Volcano's queues have beside their weight.
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/json_text.h"
#include "lib/import/kubernetes.h"
#include "lib/import/volcano.h"
#include "lib/plan/json_text.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kRoot = "root";
constexpr std::string_view kGroupLimits = "volcano.sh/nodegroup-resource-limits";
// No group of nodes has this name; a queue that refuses it and desires nothing goes nowhere.
constexpr char kUnreadable[] = "(limits that cannot be read)";

class Tree {
 public:
  explicit Tree(const Dump::Objects& queues) {
    for (const ApiObject* queue : queues) {
      std::string parent = queue->spec().Text("parent");
      parents_[queue->name()] = parent.empty() ? std::string(kRoot) : std::move(parent);
    }
  }
  bool Has(std::string_view name) const { return parents_.contains(name); }
  // Returns whether the way up from the queue comes back to it.
  bool IsAboveItself(std::string_view name) const {
    HashSet<std::string> seen;
    std::string above = parents_.find(name)->second;
    while (above != kRoot && Has(above) && seen.insert(above).second) {
      if (above == name) return true;
      above = parents_.find(above)->second;
    }
    return false;
  }

 private:
  HashMap<std::string, std::string> parents_;
};

// Returns false if the queue cannot have the parent that it names.
bool ReadParent(const ApiObject& object, const Tree& tree, QueueSpec* queue) {
  const std::string parent = object.spec().Text("parent");
  if (parent.empty()) {
    if (tree.Has(kRoot) && object.name() != kRoot) queue->parent = kRoot;
    return true;
  }
  if (object.name() == kRoot) {
    object.log()->Ignored(object.place(), "spec.parent", "the root has none");
    return true;
  }
  const bool loop = tree.Has(parent) && tree.IsAboveItself(object.name());
  if (tree.Has(parent) && !loop) {
    queue->parent = parent;
    return true;
  }
  object.log()->Ignored(object.place(), "spec.parent",
                        absl::StrCat(Quote(parent), " would put the queue ",
                                     loop ? "above itself" : "under a queue that is not there",
                                     "; it stands at the top"));
  return false;
}

NodeGroupWish ReadNodeGroups(const ApiObject& object) {
  const Field affinity = object.spec().Section("affinity");
  const Field toward = affinity.Section("nodeGroupAffinity");
  const Field against = affinity.Section("nodeGroupAntiAffinity");
  constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
  return {toward.Texts(kRequired), toward.Texts(kPreferred), against.Texts(kRequired),
          against.Texts(kPreferred)};
}

// The allowed number of objects is a matter of quotas, not of scheduling.
AmountMap WithoutCounts(const AmountMap& amounts) {
  AmountMap out;
  for (const auto& entry : amounts) {
    if (!entry.first.starts_with("count/")) out.push_back(entry);
  }
  return out;
}

// Limits by group of nodes, from the JSON of an annotation.
void ReadGroupLimits(const ApiObject& object, QueueSpec* queue) {
  const std::string* text = object.Annotation(kGroupLimits);
  if (text == nullptr || text->empty()) return;
  const std::string field = absl::StrCat("metadata.annotations", JsonPathStep(kGroupLimits));
  // A refusal here does not end the import.
  ImportLog log;
  Budget budget;
  const absl::StatusOr<JsonRow> row = ReadJsonValue(*text, field, &budget);
  std::vector<NodeGroupLimit> limits;
  if (row.ok()) {
    const FieldSource source{object.place(), &*row, &log};
    const Field groups(&source);
    if (groups.given() && groups.kind() != JsonKind::kObject) groups.RefuseKind("an object");
    if (!groups.given()) groups.Refuse("null");
    for (const Field& group : groups.Children()) {
      const AmountMap known = WithoutCounts(ReadAmounts(group));
      if (!log.ok()) break;
      const std::string path = absl::StrCat(field, JsonPathStep(group.key()));
      limits.push_back(
          {std::string(group.key()), ToResources(Dimensions(known, object, path, true))});
    }
  }
  if (row.ok() && log.ok()) {
    queue->node_group_limits = std::move(limits);
    return;
  }
  queue->node_groups = NodeGroupWish{.anti_required = {kUnreadable}};
  object.log()->Ignored(object.place(), field, "cannot be read; the queue's tasks go nowhere");
}

// A queue's way down the tree of shares, the root left out. A weight that is none, or is below 1,
// counts as 1.
std::vector<PathStep> ReadSharePath(const ApiObject& object) {
  const auto parts_of = [&](std::string_view name) {
    const std::string* text = object.Annotation(name);
    std::vector<std::string> parts = absl::StrSplit(text == nullptr ? "" : *text, '/');
    parts.erase(parts.begin());
    return parts;
  };
  const std::vector<std::string> names = parts_of("volcano.sh/hierarchy");
  const std::vector<std::string> weights = parts_of("volcano.sh/hierarchy-weights");
  std::vector<PathStep> path;
  for (size_t i = 0; i < names.size(); ++i) {
    PathStep& step = path.emplace_back();
    step.name = names[i];
    double weight = 1;
    if (i >= weights.size() || !absl::SimpleAtod(weights[i], &weight)) continue;
    if (!(weight > 1 && weight < 1e12)) continue;
    std::string text;
    AppendJson(weight, &text);
    const std::optional<ExactAmount> amount = ParseAmount(text);
    if (amount.has_value()) step.weight = ToQuantity("weight", *amount);
  }
  return path;
}

void AddToQueue(const ApiObject& object, QueueSpec* queue) {
  const Field spec = object.spec();
  const std::string state = object.status().Text("state");
  if (state != "Open") queue->state = QueueState::kClosed;
  if (state.empty()) {
    object.log()->Note(object.place(), "status.state",
                       "missing, so the queue is closed; Volcano's controller makes it \"Open\"");
  }
  queue->priority = spec.Int32("priority", 0);
  queue->reclaimable = spec.Bool("reclaimable", true);
  const auto amounts = [&](const Field& field) -> std::optional<Resources> {
    if (!field.given()) return std::nullopt;
    return ReadSpecAmounts(object, field);
  };
  queue->guaranteed = amounts(spec.Section("guarantee")["resource"]);
  queue->deserved = amounts(spec["deserved"]);
  queue->limit = amounts(spec["capability"]);
  if (spec["affinity"].given()) queue->node_groups = ReadNodeGroups(object);
  ReadGroupLimits(object, queue);
  if (const Field order = spec["dequeueStrategy"]; order.truthy() && !order.Is("traverse")) {
    order.Ignored("not considered");
  }
  if (const Field clusters = spec["extendClusters"]; clusters.truthy()) {
    clusters.Ignored("not considered");
  }
  queue->share_path = ReadSharePath(object);
}

}  // namespace

Resources ReadSpecAmounts(const ApiObject& object, const Field& amounts) {
  return ToResources(Dimensions(WithoutCounts(ReadAmounts(amounts)), object, amounts.Path(), true));
}

const ApiObject* AddToQueues(const Dump::Objects& objects, ClusterSpec* cluster) {
  const Tree tree(objects);
  const ApiObject* orphan = nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    QueueSpec& queue = cluster->queues[i];
    AddToQueue(*objects[i], &queue);
    if (!ReadParent(*objects[i], tree, &queue) && orphan == nullptr) orphan = objects[i];
  }
  return orphan;
}

}  // namespace muster::volcano
