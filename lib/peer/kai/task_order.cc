// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/task_order.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "lib/base/go_heap.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

int PreferMaster(bool left, bool right) { return left == right ? 0 : left ? -1 : 1; }

// As strconv.Atoi: an optional sign and digits, nothing else.
std::optional<int64_t> Integer(std::string_view text) {
  const std::string_view digits =
      text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
  int64_t value = 0;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos ||
      !absl::SimpleAtoi(ToAbsl(text), &value)) {
    return std::nullopt;
  }
  return value;
}

int CompareLabels(const KaiTaskKey& left, const KaiTaskKey& right) {
  using Label = KaiTaskKey::Label;
  if (left.label == Label::kUnset || right.label == Label::kUnset) {
    return PreferMaster(left.label != Label::kUnset, right.label != Label::kUnset);
  }
  if (left.label == Label::kNoNumber) return 1;
  if (right.label == Label::kNoNumber) return -1;
  return left.priority > right.priority ? -1 : left.priority < right.priority ? 1 : 0;
}

}  // namespace

KaiTaskKey KaiTaskKeyOf(std::optional<std::string_view> job_role,
                        std::optional<std::string_view> node_type,
                        std::optional<std::string_view> task_priority) {
  KaiTaskKey key;
  key.is_kubeflow_master = job_role == "master" || job_role == "launcher";
  key.is_ray_head = node_type == "head";
  if (task_priority) {
    const std::optional<int64_t> number = Integer(*task_priority);
    key.label = number ? KaiTaskKey::Label::kNumber : KaiTaskKey::Label::kNoNumber;
    key.priority = number.value_or(0);
  }
  return key;
}

int CompareKaiTasks(KaiTaskRule rule, const KaiTaskKey& left, const KaiTaskKey& right) {
  switch (rule) {
    case KaiTaskRule::kKubeflow:
      return PreferMaster(left.is_kubeflow_master, right.is_kubeflow_master);
    case KaiTaskRule::kRay:
      return PreferMaster(left.is_ray_head, right.is_ray_head);
    case KaiTaskRule::kTaskPriority:
      return CompareLabels(left, right);
  }
  return 0;
}

bool KaiTaskBefore(std::span<const KaiTaskRule> rules, const KaiTaskKey& left,
                   const KaiTaskKey& right) {
  for (const KaiTaskRule rule : rules) {
    if (const int by = CompareKaiTasks(rule, left, right)) return by < 0;
  }
  return left.created != right.created ? left.created < right.created : left.uid < right.uid;
}

std::vector<uint32_t> OrderKaiTasks(std::span<const KaiTaskRule> rules,
                                    std::span<const KaiTaskKey> keys) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](uint32_t a, uint32_t b) {
    return KaiTaskBefore(rules, keys[a], keys[b]);
  };
  const bool is_order = std::count_if(keys.begin(), keys.end(), [](const KaiTaskKey& key) {
                          return key.label == KaiTaskKey::Label::kNoNumber;
                        }) < 2;
  if (is_order) {
    std::stable_sort(order.begin(), order.end(), before);
    return order;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return keys[a].uid < keys[b].uid; });
  GoHeap<uint32_t, decltype(before)> heap(before);
  for (const uint32_t task : order) heap.Push(task);
  for (uint32_t& task : order) task = heap.Pop();
  return order;
}

}  // namespace muster
