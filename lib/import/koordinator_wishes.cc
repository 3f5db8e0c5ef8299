// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_wishes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/koordinator_objects.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr std::string_view kReservationAffinity = "scheduling.koordinator.sh/reservation-affinity";
constexpr std::string_view kExactMatch = "scheduling.koordinator.sh/exact-match-reservation";
constexpr std::string_view kTakeOverPriority = "pod.koordinator.sh/pre-allocatable-priority";
// Marks that change what the peer decides, and that nothing here reads.
struct OtherMark {
  std::string_view kind, key, text;
};
constexpr OtherMark kOtherMarks[] = {
    {"Pod", "internal.scheduling.koordinator.sh/scheduling-hint",
     "preferred nodes are not tried first"},
    {"Pod", "gang.scheduling.koordinator.sh/network-topology-spec",
     "gangs are not gathered in topologies"},
    {"PodGroup", "gang.scheduling.koordinator.sh/network-topology-spec",
     "gangs are not gathered in topologies"}};
// Of annotations that are no JSON: what becomes of their pods.
struct UnreadableMark {
  std::string_view key, label, text;
};
constexpr std::string_view kNoNode = "cannot be read: as at the peer, the pod gets no node";
constexpr std::string_view kNoDevice =
    "cannot be read: as at the peer, the pod gets no node if it requests devices";
constexpr UnreadableMark kUnreadableMarks[] = {
    {kReservationAffinity, "koordinator/reservation-unreadable", kNoNode},
    {kExactMatch, "koordinator/reservation-unreadable", kNoNode},
    {"scheduling.koordinator.sh/resource-spec", "koordinator/cpu-unreadable", kNoNode},
    {"scheduling.koordinator.sh/numa-topology-spec", "koordinator/cpu-unreadable", kNoNode},
    {"scheduling.koordinator.sh/device-allocate-hint", "koordinator/device-unreadable", kNoDevice},
    {"scheduling.koordinator.sh/device-joint-allocate", "koordinator/device-unreadable", kNoDevice},
    {"scheduling.koordinator.sh/gpu-partition-spec", "koordinator/device-unreadable", kNoDevice}};
constexpr std::string_view kRequiredWish = "requiredDuringSchedulingIgnoredDuringExecution";

std::string RequirementText(const Requirement& requirement) {
  const std::string values = absl::StrJoin(requirement.values, ",");
  switch (requirement.op) {
    case RequirementOp::kIn:
      return absl::StrCat(requirement.key, " in (", values, ")");
    case RequirementOp::kNotIn:
      return absl::StrCat(requirement.key, " notin (", values, ")");
    case RequirementOp::kGt:
      return absl::StrCat(requirement.key, ">", values);
    case RequirementOp::kLt:
      return absl::StrCat(requirement.key, "<", values);
    case RequirementOp::kDoesNotExist:
      return absl::StrCat("!", requirement.key);
    case RequirementOp::kUnset:
    case RequirementOp::kExists:
      break;
  }
  return requirement.key;
}

// The selector holds together with each of the terms.
std::string TermsOf(const Field& affinity) {
  std::vector<std::string> always;
  for (const auto& [key, value] : affinity.TextMap("reservationSelector")) {
    always.push_back(RequirementText({key, RequirementOp::kIn, {value}}));
  }
  const Field required = affinity.Section(kRequiredWish);
  if (!required.given()) return always.empty() ? "*" : absl::StrJoin(always, ",");
  std::vector<std::string> terms;
  for (const Field& term : required.Items("reservationSelectorTerms")) {
    std::vector<std::string> all;
    for (const Requirement& one : ReadRequirements(term, "matchExpressions")) {
      all.push_back(RequirementText(one));
    }
    if (!all.empty()) all.insert(all.end(), always.begin(), always.end());
    terms.push_back(absl::StrJoin(all, ","));
  }
  return absl::StrJoin(terms, ";");
}

std::string TolerationsOf(const Field& affinity) {
  std::vector<std::string> texts;
  for (const Field& item : affinity.Items("tolerations")) {
    const std::string key = item.Text("key"), effect = item.Text("effect");
    const bool is_any = item.Text("operator") == "Exists";
    std::string text = key.empty() ? "*" : key;
    if (!is_any) absl::StrAppend(&text, "=", item.Text("value"));
    if (key.empty() && (!is_any || !effect.empty())) {
      item.Ignored("a toleration without a key is left out, unless it tolerates all taints");
      continue;
    }
    if (!effect.empty()) absl::StrAppend(&text, ":", effect);
    texts.push_back(text);
  }
  return absl::StrJoin(texts, ",");
}

// A pod that is marked for it may be taken over by any reservation.
void ReadTakeOverPriority(const ApiObject& pod, Labels* labels) {
  const std::string* text = pod.Annotation(kTakeOverPriority);
  if (text == nullptr || text->empty()) return;
  if (const std::optional<int64_t> priority = WholeNumber(*text)) {
    labels->emplace_back("koordinator/pre-allocatable-priority", absl::StrCat(*priority));
    return;
  }
  pod.log()->Ignored(pod.place(),
                     absl::StrCat("metadata.annotations", JsonPathStep(kTakeOverPriority)),
                     absl::StrCat(Quote(*text), " is no whole number; 0 counts"));
}

// Returns whether the annotation is JSON, if there is one.
bool IsReadable(const ApiObject& pod, std::string_view key) {
  const std::string* text = pod.Annotation(key);
  Budget budget;
  return text == nullptr || text->empty() || ReadJsonValue(*text, "annotation", &budget).ok();
}

void ReadWishes(const ApiObject& pod, Labels* labels) {
  ReadTakeOverPriority(pod, labels);
  for (const UnreadableMark& mark : kUnreadableMarks) {
    if (IsReadable(pod, mark.key)) continue;
    pod.log()->Note(pod.place(), absl::StrCat("metadata.annotations", JsonPathStep(mark.key)),
                    mark.text);
    if (FindLabel(*labels, mark.label) == nullptr) labels->emplace_back(mark.label, "true");
  }
  if (FindLabel(*labels, "koordinator/reservation-unreadable") != nullptr) return;
  WithWishes(pod, kReservationAffinity, [&](const Field& affinity) {
    const std::string name = affinity.Text("name"), tolerations = TolerationsOf(affinity);
    labels->emplace_back("koordinator/reservation-affinity", TermsOf(affinity));
    if (!name.empty()) labels->emplace_back("koordinator/reservation-name", name);
    if (!tolerations.empty()) {
      labels->emplace_back("koordinator/reservation-tolerations", tolerations);
    }
  });
  WithWishes(pod, kExactMatch, [&](const Field& exact) {
    const std::vector<std::string> names = exact.Texts("resourceNames");
    if (!names.empty()) {
      labels->emplace_back("koordinator/reservation-exact", absl::StrJoin(names, ","));
    }
  });
}

}  // namespace

bool IsWishOfPods(std::string_view key) {
  for (const UnreadableMark& mark : kUnreadableMarks) {
    if (mark.key == key) return true;
  }
  return false;
}

void ReportOtherMarks(const Dump& dump) {
  for (const OtherMark& mark : kOtherMarks) {
    for (const ApiObject* object : dump.OfKind(mark.kind)) {
      const std::string* const label = object->Label(mark.key);
      const std::string* const note = object->Annotation(mark.key);
      if ((label == nullptr || label->empty()) && note == nullptr) continue;
      object->log()->Ignored(
          object->place(),
          absl::StrCat(note == nullptr ? "metadata.labels" : "metadata.annotations",
                       JsonPathStep(mark.key)),
          mark.text);
    }
  }
}

void ReadReservationWishes(const Dump::Objects& pods, ClusterSpec* cluster) {
  for (size_t i = 0; i < pods.size(); ++i) ReadWishes(*pods[i], &cluster->tasks[i].shape.labels);
}

}  // namespace muster
