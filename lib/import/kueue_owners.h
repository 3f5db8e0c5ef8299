// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Conditions of workloads, and which pods belong to which.
//
//   const Owners owners(dump);
//   if (IsTrue(*workload, "QuotaReserved")) ...
//   std::string key = owners.WorkloadOf(*pod);   // "namespace/name"
#ifndef MUSTER_IMPORT_KUEUE_OWNERS_H_
#define MUSTER_IMPORT_KUEUE_OWNERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/import/kubernetes.h"

namespace muster::kueue {

inline constexpr std::string_view kWorkloadOfPod = "kueue.x-k8s.io/workload";

// Returns the condition of the type; absent where there is none.
inline std::optional<Field> ConditionOf(const ApiObject& object, std::string_view type) {
  for (const Field& condition : object.status().Items("conditions")) {
    if (condition["type"].Is(type)) return condition;
  }
  return std::nullopt;
}
inline bool IsTrue(const ApiObject& object, std::string_view type) {
  const std::optional<Field> condition = ConditionOf(object, type);
  return condition.has_value() && (*condition)["status"].Is("True");
}

// The workloads of a dump by what their pods refer to.
class Owners {
 public:
  explicit Owners(const Dump& dump) {
    for (const ApiObject* workload : dump.OfKind("Workload")) {
      for (const Field& owner : workload->metadata().Items("ownerReferences")) {
        const std::string uid = owner.Text("uid");
        // Of several slices of one job the one with quota has the pods.
        const bool is_known = by_owner_.contains(uid) && !IsTrue(*workload, "QuotaReserved");
        if (uid.empty() || is_known) continue;
        by_owner_[uid] = workload->key();
      }
    }
  }
  // The key of the pod's workload; empty: it has none.
  std::string WorkloadOf(const ApiObject& pod) const {
    if (const std::string* name = pod.Annotation(kWorkloadOfPod)) {
      return absl::StrCat(pod.name_space(), "/", *name);
    }
    for (const Field& owner : pod.metadata().Items("ownerReferences")) {
      const auto known = by_owner_.find(owner.Text("uid"));
      if (known != by_owner_.end()) return known->second;
    }
    const auto itself = by_owner_.find(pod.metadata().Text("uid"));
    return itself == by_owner_.end() ? std::string() : itself->second;
  }

 private:
  HashMap<std::string, std::string> by_owner_;  // uid of the owner: key of the workload
};

}  // namespace muster::kueue

#endif  // MUSTER_IMPORT_KUEUE_OWNERS_H_
