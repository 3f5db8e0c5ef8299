// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A pod's rules of affinity: to nodes, and to and against other pods.
#include "absl/strings/str_cat.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";

NodeTerm ReadNodeTerm(const Field& term) {
  return {ReadRequirements(term, "matchExpressions"), ReadRequirements(term, "matchFields")};
}

AffinityTerm ReadAffinityTerm(const ApiObject& pod, const Field& term) {
  AffinityTerm out;
  out.topology_key = term.Text("topologyKey");
  out.selector = ReadSelector(term["labelSelector"]);
  const std::vector<std::string> same = term.Texts("matchLabelKeys");
  const std::vector<std::string> other = term.Texts("mismatchLabelKeys");
  if (out.selector) {
    AddOwnLabels(pod, same, RequirementOp::kIn, &*out.selector);
    AddOwnLabels(pod, other, RequirementOp::kNotIn, &*out.selector);
  }
  out.namespaces = term.Texts("namespaces");
  out.namespace_selector = ReadSelector(term["namespaceSelector"]);
  return out;
}

void ReadPodTerms(const ApiObject& pod, const Field& part, std::vector<AffinityTerm>* required,
                  std::vector<PreferredAffinityTerm>* preferred) {
  for (const Field& term : part.Items(kRequired)) required->push_back(ReadAffinityTerm(pod, term));
  for (const Field& term : part.Items(kPreferred)) {
    preferred->push_back(
        {term.Int32("weight", 0), ReadAffinityTerm(pod, term.Section("podAffinityTerm"))});
  }
}

}  // namespace

void ReadAffinity(const ApiObject& pod, TaskShape* shape) {
  const Field affinity = pod.spec().Section("affinity");
  const Field node = affinity.Section("nodeAffinity");
  if (const Field required = node.Section(kRequired); required.given()) {
    shape->required_node_affinity.emplace();
    for (const Field& term : required.Items("nodeSelectorTerms")) {
      shape->required_node_affinity->push_back(ReadNodeTerm(term));
    }
  }
  for (const Field& term : node.Items(kPreferred)) {
    shape->preferred_node_affinity.push_back(
        {term.Int32("weight", 0), ReadNodeTerm(term.Section("preference"))});
  }
  ReadPodTerms(pod, affinity.Section("podAffinity"), &shape->required_affinity,
               &shape->preferred_affinity);
  ReadPodTerms(pod, affinity.Section("podAntiAffinity"), &shape->required_anti_affinity,
               &shape->preferred_anti_affinity);
}

}  // namespace muster
