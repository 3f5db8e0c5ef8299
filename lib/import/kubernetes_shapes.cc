// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What decides where a pod may run, as a task's shape.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/model/words.h"

namespace muster {
namespace {

std::vector<Toleration> ReadTolerations(const ApiObject& pod) {
  std::vector<Toleration> out;
  for (const Field& item : pod.spec().Items("tolerations")) {
    Toleration toleration;
    const std::string op = item.Text("operator");
    const std::optional<TolerationOp> known = ParseWord<TolerationOp>(op.empty() ? "Equal" : op);
    if (!known.has_value()) {
      item.Ignored(absl::StrCat("a toleration with operator ", Quote(op), " is left out"));
      continue;
    }
    toleration.op = *known;
    toleration.key = item.Text("key");
    toleration.value = item.Text("value");
    toleration.effect = item["effect"].AsWord<TaintEffect>();
    // The API server has no such object; a dump that was written by hand may.
    if (toleration.key.empty() && *known == TolerationOp::kEqual) {
      item.Ignored("a toleration with an empty key is left out; its operator must be \"Exists\"");
      continue;
    }
    out.push_back(std::move(toleration));
  }
  return out;
}

// What the API server requires of a constraint beside the others of the pod.
void CheckSpread(const Field& item, const SpreadConstraint& constraint,
                 const std::vector<SpreadConstraint>& others) {
  if (!item["whenUnsatisfiable"].given()) {
    item.Ignored("has no whenUnsatisfiable; DoNotSchedule counts");
  }
  if (!constraint.required && item["minDomains"].given()) {
    item["minDomains"].Refuse(absl::StrCat("Invalid value: ", item["minDomains"].Describe(),
                                           ": can only use minDomains if whenUnsatisfiable="
                                           "DoNotSchedule, not ScheduleAnyway"));
  }
  for (const SpreadConstraint& other : others) {
    if (other.topology_key != constraint.topology_key || other.required != constraint.required) {
      continue;
    }
    item.Refuse(absl::StrCat("Duplicate value: \"{", constraint.topology_key, ", ",
                             constraint.required ? "DoNotSchedule" : "ScheduleAnyway", "}\""));
  }
}

std::vector<SpreadConstraint> ReadSpread(const ApiObject& pod) {
  std::vector<SpreadConstraint> out;
  for (const Field& item : pod.spec().Items("topologySpreadConstraints")) {
    SpreadConstraint constraint;
    constraint.topology_key = item.Text("topologyKey");
    constraint.max_skew = item.Int32("maxSkew", 1);
    constraint.required = ReadUnsatisfiable(item["whenUnsatisfiable"]);
    constraint.selector = ReadSelector(item["labelSelector"]);
    const std::vector<std::string> keys = item.Texts("matchLabelKeys");
    if (constraint.selector.has_value()) {
      AddOwnLabels(pod, keys, RequirementOp::kIn, &*constraint.selector);
    }
    if (item["minDomains"].given()) constraint.min_domains = item.Int32("minDomains", 0);
    constraint.honor_node_affinity = ReadInclusion(item["nodeAffinityPolicy"], true);
    constraint.honor_taints = ReadInclusion(item["nodeTaintsPolicy"], false);
    CheckSpread(item, constraint, out);
    out.push_back(std::move(constraint));
  }
  return out;
}

std::vector<HostPort> ReadHostPorts(const ApiObject& pod, bool sidecars) {
  std::vector<Field> containers = pod.spec().Items("containers");
  if (sidecars) {
    for (const Field& container : pod.spec().Items("initContainers")) {
      if (IsSidecar(container)) containers.push_back(container);
    }
  }
  std::vector<HostPort> out;
  for (const Field& container : containers) {
    for (const Field& port : container.Items("ports")) {
      HostPort host;
      host.port = port.Int32("hostPort", 0);
      if (host.port <= 0) continue;
      if (std::string ip = port.Text("hostIP"); !ip.empty()) host.ip = std::move(ip);
      host.protocol = port["protocol"].AsWord<Protocol>();
      out.push_back(std::move(host));
    }
  }
  return out;
}

void ReportWhatNoShapeHolds(const ApiObject& pod, const PodRules& rules) {
  for (const Field& volume : pod.spec().Items("volumes")) {
    if (volume["persistentVolumeClaim"].exists() || volume["ephemeral"].exists()) {
      volume.Ignored("the volume's own placement rules are not considered");
    }
  }
  if (const Field claims = pod.spec()["resourceClaims"]; claims.truthy() && !rules.claims) {
    claims.Ignored("devices claimed by the pod are not considered");
  }
}

}  // namespace

bool ReadInclusion(const Field& word, bool honors) {
  if (!word.given()) return honors;
  const bool honor = word.Is("Honor");
  if (!honor && !word.Is("Ignore")) {
    word.Refuse(absl::StrCat("Unsupported value: ", word.Describe(),
                             ": supported values: \"Honor\", \"Ignore\""));
  }
  return honor;
}

bool ReadNeverPreempts(const Field& word) {
  const bool never = word.Is("Never");
  if (word.truthy() && !never && !word.Is("PreemptLowerPriority")) {
    word.Refuse(absl::StrCat("Unsupported value: ", word.Describe(),
                             ": supported values: \"Never\", \"PreemptLowerPriority\""));
  }
  return never;
}

bool ReadUnsatisfiable(const Field& word) {
  if (!word.given() || word.Is("DoNotSchedule")) return true;
  if (!word.Is("ScheduleAnyway")) {
    word.Refuse(absl::StrCat("Unsupported value: ", word.Describe(),
                             ": supported values: \"DoNotSchedule\", \"ScheduleAnyway\""));
  }
  return false;
}

TaskShape ReadShape(const ApiObject& pod, const PodRules& rules) {
  const auto known = [&](const AmountMap& amounts) {
    AmountMap kept = Dimensions(amounts, pod, "spec.containers", rules.ephemeral_storage);
    kept.erase(std::remove_if(kept.begin(), kept.end(),
                              [](const auto& entry) { return entry.first == "pods"; }),
               kept.end());
    return kept;
  };
  const PodAmounts amounts = ReadRequests(pod, rules);
  const AmountMap held = known(amounts.held);
  TaskShape shape;
  shape.request = ToResources(held);
  Resources needed = ToResources(known(amounts.needed));
  if (rules.separate_init && !SameResources(needed, shape.request)) {
    shape.initial_request = std::move(needed);
  }
  // One plain container holds nothing that the request does not.
  const std::vector<ContainerAmounts>& containers = amounts.containers;
  if (rules.images || containers.size() != 1 || containers[0].init ||
      !SameAmounts(known(containers[0].requests), held)) {
    for (const ContainerAmounts& c : containers) {
      ContainerSpec& entry = shape.containers.emplace_back();
      entry.request = ToResources(known(c.requests));
      entry.sidecar = c.init && rules.modern && IsSidecar(c.container);
      entry.init = c.init && !entry.sidecar;
      const Field image = c.container["image"];
      if (rules.images && image.given() && image.kind() == JsonKind::kString) {
        entry.image = image.AsText();
      }
    }
  }
  shape.name_space = pod.name_space();
  shape.labels = pod.labels();
  shape.node_selector = pod.spec().TextMap("nodeSelector");
  ReadAffinity(pod, &shape);
  shape.tolerations = ReadTolerations(pod);
  shape.spread = ReadSpread(pod);
  shape.host_ports = ReadHostPorts(pod, rules.modern);
  ReportWhatNoShapeHolds(pod, rules);
  return shape;
}

}  // namespace muster
