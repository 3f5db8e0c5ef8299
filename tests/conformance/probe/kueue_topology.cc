// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places in the topology of a flavor: whole searches, and the tree that they look at.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/topology.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using kueue::NamedPlaces;
using kueue::TopologyBooks;
using kueue::TopologyFinder;
using kueue::TopologyTree;
using nlohmann::json;

Labels LabelsOf(const json& object) {
  Labels labels;
  for (const auto& [key, value] : object.items()) labels.emplace_back(key, value);
  return labels;
}

TaintEffect EffectOf(const json& object) {
  const std::string effect = object.value("effect", "");
  return effect == "NoSchedule"         ? TaintEffect::kNoSchedule
         : effect == "PreferNoSchedule" ? TaintEffect::kPreferNoSchedule
         : effect == "NoExecute"        ? TaintEffect::kNoExecute
                                        : TaintEffect::kUnset;
}

std::vector<Toleration> TolerationsOf(const json& list) {
  std::vector<Toleration> tolerations;
  for (const json& one : list) {
    tolerations.push_back(
        {one.value("key", ""),
         one.value("operator", "") == "Exists" ? TolerationOp::kExists : TolerationOp::kEqual,
         one.value("value", ""), EffectOf(one)});
  }
  return tolerations;
}

std::vector<Requirement> RequirementsOf(const json& term, const char* key) {
  static const std::map<std::string, RequirementOp> kOps = {
      {"In", RequirementOp::kIn},         {"NotIn", RequirementOp::kNotIn},
      {"Exists", RequirementOp::kExists}, {"DoesNotExist", RequirementOp::kDoesNotExist},
      {"Gt", RequirementOp::kGt},         {"Lt", RequirementOp::kLt}};
  std::vector<Requirement> requirements;
  for (const json& one : term.value(key, json::array())) {
    const auto op = kOps.find(one.value("operator", ""));
    requirements.push_back({one["key"], op == kOps.end() ? RequirementOp::kUnset : op->second,
                            one.value("values", std::vector<std::string>())});
  }
  return requirements;
}

NodeTerm TermOf(const json& term) {
  return {RequirementsOf(term, "matchExpressions"), RequirementsOf(term, "matchFields")};
}

// A world of one flavor, or of two with the same nodes.
struct TopologyWorld {
  std::vector<std::string> names;
  std::vector<NodeSpec> specs;
  std::vector<std::vector<int64_t>> allocatable;
  std::vector<std::shared_ptr<const TopologyTree>> trees;
  std::vector<std::unique_ptr<TopologyBooks>> books;
  std::vector<std::unique_ptr<TopologyFinder>> finders;

  uint32_t ResourceOf(const std::string& name) const {
    uint32_t r = 0;
    while (r < names.size() && names[r] != name) ++r;
    return r;
  }
  kueue::PodRequest PodOf(const json& amounts) const {
    kueue::PodRequest pod;
    for (const auto& [name, amount] : amounts.items()) {
      pod.push_back({ResourceOf(name), amount.get<int64_t>()});
    }
    return pod;
  }
  NamedPlaces PlacesOf(const json& list) const {
    NamedPlaces places;
    for (const json& one : list) places.push_back({one["values"], one["count"]});
    return places;
  }
};

void Read(const json& asked, TopologyWorld* world) {
  world->names = asked["resources"].get<std::vector<std::string>>();
  std::vector<bool> usable;
  for (const json& node : asked["nodes"]) {
    NodeSpec spec;
    spec.name = node["name"];
    spec.labels = LabelsOf(node["labels"]);
    for (const json& taint : node["taints"]) {
      spec.taints.push_back({taint.value("key", ""), taint.value("value", ""), EffectOf(taint)});
    }
    world->specs.push_back(std::move(spec));
    usable.push_back(node["usable"]);
    std::vector<int64_t> amounts(world->names.size());
    for (const auto& [name, amount] : node["allocatable"].items()) {
      amounts[world->ResourceOf(name)] = amount.get<int64_t>();
    }
    world->allocatable.push_back(std::move(amounts));
  }
  std::vector<kueue::TopologyNode> nodes;
  for (size_t n = 0; n < usable.size(); ++n) {
    nodes.push_back({&world->specs[n], world->allocatable[n], usable[n]});
  }
  kueue::TopologyGates gates;
  const json& on = asked["gates"];
  gates.mixed_profile = on.value("TASProfileMixed", gates.mixed_profile);
  gates.balanced_placement = on.value("TASBalancedPlacement", gates.balanced_placement);
  gates.respect_preferred_affinity =
      on.value("TASRespectNodeAffinityPreferred", gates.respect_preferred_affinity);
  gates.cache_node_matches = on.value("TASCacheNodeMatchResults", gates.cache_node_matches);
  gates.overlapping_flavors = on.value("TASHandleOverlappingFlavors", gates.overlapping_flavors);
  gates.skip_pod_owned = on.value("SkipReassignmentForPodOwnedWorkloads", gates.skip_pod_owned);
  gates.elastic_slices = on.value("ElasticJobsViaWorkloadSlicesWithTAS", gates.elastic_slices);
  for (const json& flavor : asked["flavors"]) {
    FlavorSpec spec;
    spec.name = flavor["name"];
    spec.node_labels = LabelsOf(flavor["node_labels"]);
    spec.tolerations = TolerationsOf(flavor["tolerations"]);
    spec.topology = FlavorTopology{flavor["topology"], flavor["levels"]};
    world->trees.push_back(
        std::make_shared<const TopologyTree>(spec, kueue::TopologyResources(world->names), nodes));
    world->books.push_back(std::make_unique<TopologyBooks>(world->trees.back()));
    TopologyBooks& books = *world->books.back();
    for (const json& other : asked["others"]) {
      const uint32_t leaf = books.tree().leaf_of_node(other["node"].get<size_t>());
      if (leaf != kNone) books.TakeOther(leaf, world->PodOf(other["amounts"]));
    }
    for (const json& used : flavor["used"]) {
      const std::vector<std::string> name = used["values"];
      const auto leaf = books.tree().FindLeaf(name);
      if (leaf) books.Use(*leaf, world->PodOf(used["pod"]), used["count"].get<int64_t>());
    }
    world->finders.push_back(std::make_unique<TopologyFinder>(&books, gates));
  }
}

std::optional<std::string> TextOf(const json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return std::nullopt;
  return object[key].get<std::string>();
}

kueue::TopologyRequest RequestOf(const json& object) {
  kueue::TopologyRequest request{TextOf(object, "required"), TextOf(object, "preferred")};
  if (object.contains("unconstrained") && !object["unconstrained"].is_null()) {
    request.unconstrained = object["unconstrained"].get<bool>();
  }
  for (const json& slice : object["slices"]) {
    request.slices.push_back({slice["level"], slice["size"]});
  }
  return request;
}

// Pod sets with all that they point to.
struct PodSets {
  std::vector<kueue::TopologyRequest> requests;
  std::vector<TaskShape> shapes;
  std::vector<NamedPlaces> previous, existing;
  std::vector<kueue::TopologyPodSet> rows;
};

TaskShape ShapeOf(const json& object) {
  TaskShape shape;
  shape.node_selector = LabelsOf(object["node_selector"]);
  shape.tolerations = TolerationsOf(object["tolerations"]);
  if (!object["required_terms"].is_null()) {
    shape.required_node_affinity.emplace();
    for (const json& term : object["required_terms"]) {
      shape.required_node_affinity->push_back(TermOf(term));
    }
  }
  for (const json& one : object["preferred_terms"]) {
    shape.preferred_node_affinity.push_back({one["weight"], TermOf(one["preference"])});
  }
  return shape;
}

void ReadPodSets(const json& list, const TopologyWorld& world, PodSets* sets) {
  for (const json& one : list) {
    const bool has_request = !one["request"].is_null();
    sets->requests.push_back(has_request ? RequestOf(one["request"]) : kueue::TopologyRequest());
    sets->shapes.push_back(ShapeOf(one));
    sets->previous.push_back(world.PlacesOf(one["previous"].is_null() ? json() : one["previous"]));
    sets->existing.push_back(world.PlacesOf(one["existing"].is_null() ? json() : one["existing"]));
  }
  for (uint32_t i = 0; i < list.size(); ++i) {
    const json& one = list[i];
    sets->rows.push_back({.request = one["request"].is_null() ? nullptr : &sets->requests[i],
                          .shape = &sets->shapes[i],
                          .pod = world.PodOf(one["pod"]),
                          .count = one["count"],
                          .implied = one["implied"],
                          .group = one["group"],
                          .previous = one["previous"].is_null() ? nullptr : &sets->previous[i],
                          .existing = one["existing"].is_null() ? nullptr : &sets->existing[i],
                          .index = i});
  }
}

json ToJson(const NamedPlaces& places) {
  json list = json::array();
  for (const kueue::NamedPlace& place : places) {
    list.push_back({{"values", place.leaf}, {"count", place.count}});
  }
  return list;
}

json FindOf(const json& op, TopologyWorld* world) {
  PodSets sets;
  ReadPodSets(op["pod_sets"], *world, &sets);
  const std::string unhealthy = op.value("unhealthy", "");
  const auto answer = world->finders[0]->Find({.pod_sets = sets.rows,
                                               .empty = op.value("empty", false),
                                               .unhealthy = unhealthy,
                                               .owned_by_single_pod = op.value("single_pod", false),
                                               .workload = op.value("workload", uint64_t{0})});
  json answers = json::array();
  for (size_t i = 0; i < sets.rows.size(); ++i) {
    const auto& placement = answer.pod_sets[i];
    if (!placement) {
      answers.push_back(nullptr);
    } else if (!placement->failure.empty()) {
      answers.push_back({{"failure", placement->failure}});
    } else {
      answers.push_back(
          {{"places", ToJson(placement->kept ? sets.existing[i]
                                             : NamesOf(*world->trees[0], placement->places))}});
    }
  }
  return answers;
}

json TreeOf(const TopologyTree& tree) {
  json levels = json::array();
  for (uint32_t level = 0; level < tree.levels(); ++level) {
    json domains = json::array();
    for (uint32_t d = 0; d < tree.size(level); ++d) {
      json row = {{"path", tree.path(level, d)}, {"children", json::array()}};
      if (level < tree.lowest()) {
        for (uint32_t c = tree.first_child(level, d); c < tree.last_child(level, d); ++c) {
          row["children"].push_back(tree.path(level + 1, c));
        }
      } else {
        row["capacity"] = std::vector<int64_t>(tree.capacity(d).begin(), tree.capacity(d).end());
        row["host"] = tree.leaves_are_hosts() ? tree.host(d).name : "";
      }
      domains.push_back(std::move(row));
    }
    levels.push_back(std::move(domains));
  }
  return levels;
}

json BooksOf(const TopologyBooks& books, const TopologyWorld& world) {
  json leaves = json::array();
  for (uint32_t leaf = 0; leaf < books.tree().leaves(); ++leaf) {
    json row = {{"leaf", books.tree().leaf_name(leaf)}};
    for (uint32_t r = 0; r < world.names.size(); ++r) {
      row["free"][world.names[r]] = books.free(leaf, r);
      row["used"][world.names[r]] = books.used(leaf, r);
    }
    leaves.push_back(std::move(row));
  }
  return leaves;
}

absl::StatusOr<json> AnswerOf(const json& op, TopologyWorld* world) {
  const std::string what = op["op"];
  const TopologyTree& tree = *world->trees[0];
  if (what == "find") return FindOf(op, world);
  if (what == "tree") return TreeOf(tree);
  if (what == "books") return BooksOf(*world->books[0], *world);
  if (what == "has_levels") return json(world->finders[0]->HasLevels(RequestOf(op["request"])));
  if (what == "gone") {
    std::string gone;
    const bool whole = kueue::LeavesOf(tree, world->PlacesOf(op["places"]), &gone).has_value();
    return json{{"whole", whole}, {"gone", gone}};
  }
  if (what == "merge") {
    const auto a = kueue::LeavesOf(tree, world->PlacesOf(op["a"]));
    const auto b = kueue::LeavesOf(tree, world->PlacesOf(op["b"]));
    if (!a || !b) return absl::InvalidArgumentError("a leaf is gone");
    return ToJson(kueue::NamesOf(tree, kueue::MergePlaces(*a, *b)));
  }
  if (what == "of_flavor") {
    const std::vector<std::string> levels = op["levels"];
    json found = json::array();
    for (const NodeSpec& spec : world->specs) {
      found.push_back(kueue::IsOfFlavor(spec.labels, LabelsOf(op["node_labels"]), levels));
    }
    return found;
  }
  if (what == "truncate") {
    return ToJson(kueue::TruncatePlaces(world->PlacesOf(op["places"]), op["count"]));
  }
  if (what == "pods") return json(kueue::PodsIn(world->PlacesOf(op["places"])));
  return absl::InvalidArgumentError(absl::StrCat("no question about a topology: ", what));
}

}  // namespace

absl::StatusOr<json> AskKueueTopology(const json& request) {
  TopologyWorld world;
  Read(request["kueue_topology"], &world);
  json answers = json::array();
  for (const json& op : request["ops"]) {
    absl::StatusOr<json> answer = AnswerOf(op, &world);
    if (!answer.ok()) return answer.status();
    answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace muster::testing
