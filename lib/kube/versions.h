// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The filters and scores of Kubernetes by version, as data.
//
//   const KubernetesRules& rules = RulesOfKubernetes(options.text("kubernetes"));
//   if (rules.network_must_be_there && spec.network_unavailable) ...
//
// Each difference between versions is one named field. The constants list the versions that peers
// use; the defaults are those of 1.37.
#ifndef MUSTER_KUBE_VERSIONS_H_
#define MUSTER_KUBE_VERSIONS_H_

#include <cstdint>
#include <string_view>

namespace muster {

struct KubernetesRules {
  // Filters of the node.
  bool ready_always = false;            // the ready condition counts, whatever the options say
  bool network_must_be_there = false;   // the network condition counts
  bool unschedulable_tolerated = true;  // a toleration lets a task onto an unschedulable node

  // Filters and scores between tasks.
  bool spread = true;               // topology spread constraints
  bool namespace_selectors = true;  // affinity terms select namespaces by labels
  bool bare_selectors = false;    // those of the newcomer's terms match all if they match no labels
  bool sees_all_tasks = true;     // else: tasks of jobs that stay, on nodes that are not overfull
  bool terms_apart = true;        // tasks match affinity terms one by one, else all at once
  bool first_needs_keys = true;   // the first task of a group needs the topology keys
  bool scores_all_nodes = true;   // affinity scores count tasks on nodes that are no candidates
  int64_t required_weight = 0;    // of required affinity of other tasks in the affinity score
  bool scores_from_zero = false;  // affinity scores scale from 0 where no node is below 0

  // Scores.
  bool image_scores = true;
  bool taint_scores = true;
  bool init_containers_score = true;  // resource scores count what init containers request
  bool balance_is_change = true;      // else: the balance that the placement leaves
  bool old_priorities = false;        // resource scores are the integer priorities of old
  int32_t top_score = 100;
};

inline constexpr KubernetesRules kKubernetes116 = {.ready_always = true,
                                                   .network_must_be_there = true,
                                                   .unschedulable_tolerated = false,
                                                   .spread = false,
                                                   .namespace_selectors = false,
                                                   .sees_all_tasks = false,
                                                   .terms_apart = false,
                                                   .first_needs_keys = false,
                                                   .scores_all_nodes = false,
                                                   .required_weight = 1,
                                                   .scores_from_zero = true,
                                                   .image_scores = false,
                                                   .taint_scores = false,
                                                   .init_containers_score = false,
                                                   .old_priorities = true,
                                                   .top_score = 10};
inline constexpr KubernetesRules kKubernetes135 = {.bare_selectors = true,
                                                   .balance_is_change = false};
inline constexpr KubernetesRules kKubernetes136 = {.bare_selectors = true};
inline constexpr KubernetesRules kKubernetes137 = {};

// Returns the rules of "1.16", "1.35", "1.36" or "1.37", the choices of option `kubernetes`.
inline const KubernetesRules& RulesOfKubernetes(std::string_view version) {
  if (version == "1.16") return kKubernetes116;
  if (version == "1.35") return kKubernetes135;
  return version == "1.36" ? kKubernetes136 : kKubernetes137;
}

}  // namespace muster

#endif  // MUSTER_KUBE_VERSIONS_H_
