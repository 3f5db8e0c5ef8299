// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's HyperNode objects: a tree above the nodes, built from what each vertex selects.
//
// A member is a Node or a HyperNode. A Node is chosen by its name (exactMatch), by a pattern of
// names (regexMatch) or by labels (labelMatch); a HyperNode by its name alone. A vertex that two
// others choose belongs to the first of them by tier and name.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pattern.h"
#include "lib/import/volcano.h"

namespace muster::volcano {
namespace {

struct Vertex {
  const ApiObject* object;
  int32_t tier;
  std::string parent = {};
  std::vector<std::string> nodes = {};  // right below it
};

class TreeReader {
 public:
  TreeReader(const Dump& dump, ImportLog* log) : dump_(dump), log_(log) {}

  std::vector<Vertex> Read();

 private:
  void ReadMember(const Field& member, Vertex* vertex);
  void Adopt(const Field& member, const std::string& child, const Vertex& vertex);

  const Dump& dump_;
  ImportLog* log_;
  HashMap<std::string, std::string> parents_;
};

void TreeReader::Adopt(const Field& member, const std::string& child, const Vertex& vertex) {
  const std::string& name = vertex.object->name();
  const auto parent = parents_.find(child);
  if (child == name || (parent != parents_.end() && parent->second != name)) {
    member.Ignored(absl::StrCat("hyper node ", Quote(child), " has a parent already"));
  } else {
    parents_[child] = name;
  }
}

void TreeReader::ReadMember(const Field& member, Vertex* vertex) {
  const std::string kind = member.Text("type");
  const Field selector = member.Section("selector");
  if (kind == "Node") {
    for (std::string& name : ChosenMembers(selector, dump_.OfKind("Node"))) {
      vertex->nodes.push_back(std::move(name));
    }
  } else if (kind == "HyperNode") {
    if (!selector.Section("exactMatch").truthy()) {
      log_->Ignored(member.object(), absl::StrCat(member.Path(), ".selector"),
                    "a hyper node is a member by its name alone");
      return;
    }
    for (const std::string& name : ChosenMembers(selector, dump_.OfKind("HyperNode"))) {
      Adopt(member, name, *vertex);
    }
  } else {
    member["type"].Refuse(absl::StrCat("expected Node or HyperNode, got ", Quote(kind)));
  }
}

std::vector<Vertex> TreeReader::Read() {
  std::vector<Vertex> tree;
  for (const ApiObject* object : dump_.OfKind("HyperNode")) {
    tree.push_back({object, object->spec().Int32("tier", 1)});
  }
  std::sort(tree.begin(), tree.end(), [](const Vertex& a, const Vertex& b) {
    return std::pair(a.tier, a.object->name()) < std::pair(b.tier, b.object->name());
  });
  HashMap<std::string, int32_t> tiers;
  for (Vertex& vertex : tree) {
    tiers[vertex.object->name()] = vertex.tier;
    for (const Field& member : vertex.object->spec().Items("members")) ReadMember(member, &vertex);
  }
  for (Vertex& vertex : tree) {
    const auto parent = parents_.find(vertex.object->name());
    if (parent == parents_.end()) continue;
    if (tiers.find(parent->second)->second > vertex.tier) {
      vertex.parent = parent->second;
      continue;
    }
    log_->Ignored(absl::StrCat("HyperNode ", parent->second), "spec.tier",
                  absl::StrCat("is not above that of its member ", Quote(vertex.object->name()),
                               "; the member stands at the top"));
  }
  return tree;
}

// Puts the node below the first vertex by tier and name that has it; others are reported unless
// they are above it.
void PutIntoTree(const std::vector<Vertex>& tree, const HashMap<std::string, size_t>& by_name,
                 const std::vector<size_t>& holders, ImportLog* log, NodeSpec* node) {
  std::vector<size_t> way = {holders[0]};
  node->domain = tree[holders[0]].object->name();
  while (!tree[way.back()].parent.empty()) {
    way.push_back(by_name.find(tree[way.back()].parent)->second);
  }
  for (const size_t holder : holders) {
    if (std::find(way.begin(), way.end(), holder) != way.end()) continue;
    log->Ignored(tree[holder].object->place(), "spec.members",
                 absl::StrCat("node ", Quote(node->name), " is in hyper node ", Quote(node->domain),
                              " already"));
  }
}

}  // namespace

std::vector<std::string> ChosenMembers(const Field& selector, const Dump::Objects& candidates) {
  std::vector<std::string> found;
  HashSet<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) found.push_back(name);
  };
  if (const Field exact = selector.Section("exactMatch"); exact.truthy()) {
    const std::string name = exact.Text("name");
    const bool there = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const ApiObject* object) { return object->key() == name; });
    if (there) {
      add(name);
    } else {
      exact["name"].Ignored(absl::StrCat(Quote(name), " is not there"));
    }
  }
  if (const Field match = selector.Section("regexMatch"); match.truthy()) {
    const std::string text = match.Text("pattern");
    const absl::StatusOr<Pattern> pattern = Pattern::Parse(text);
    if (!pattern.ok()) {
      match["pattern"].Refuse(
          absl::StrCat(Quote(text), " is no pattern: ", pattern.status().message()));
      return found;
    }
    for (const ApiObject* object : candidates) {
      if (pattern->Matches(object->key())) add(object->key());
    }
  }
  // In the peer a selector without any term selects nothing.
  const Field match = selector["labelMatch"];
  if (match["matchLabels"].truthy() || match["matchExpressions"].truthy()) {
    const std::optional<Selector> labels = ReadSelector(match);
    for (const ApiObject* object : candidates) {
      if (Selects(labels, object->labels())) add(object->key());
    }
  }
  return found;
}

void AddDomains(const Dump& dump, ImportLog* log, ClusterSpec* cluster) {
  const std::vector<Vertex> tree = TreeReader(dump, log).Read();
  HashMap<std::string, std::vector<size_t>> holders;
  HashMap<std::string, size_t> by_name;
  for (size_t i = 0; i < tree.size(); ++i) {
    DomainSpec& domain = cluster->domains.emplace_back();
    domain.name = tree[i].object->name();
    by_name[domain.name] = i;
    domain.parent = tree[i].parent;
    domain.tier = tree[i].tier;
    domain.tier_name = tree[i].object->spec().Text("tierName");
    HashSet<std::string> once;
    for (const std::string& node : tree[i].nodes) {
      if (once.insert(node).second) holders[node].push_back(i);
    }
  }
  for (NodeSpec& node : cluster->nodes) {
    const auto found = holders.find(node.name);
    if (found != holders.end()) PutIntoTree(tree, by_name, found->second, log, &node);
  }
}

}  // namespace muster::volcano
