// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/fit_errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/node_order.h"
#include "lib/peer/kai/world.h"

namespace muster {
namespace {

using FitRule = KaiFitErrors::Rule;

// Counts the nodes of one question.
class FitCounter {
 public:
  FitCounter(const KaiWorld& world, const KaiPod& pod)
      : world_(world), pod_(pod), shape_(world.ShapeOf(pod)) {}

  void Count(uint32_t n) {
    if (!world_.nodes.FitsLater(n, shape_)) return CountResources(n);
    if (!KaiAdmits(world_, world_.facts().tasks[pod_.task].shape, n)) return CountRule(n);
    const KaiAmounts requested = {shape_.amounts[kKaiCpu], shape_.amounts[kKaiMemory],
                                  KaiGpuQuotaOn(shape_.gpu, world_.nodes.facts(n).gpu_memory)};
    const KaiJobFacts& job = world_.JobOf(pod_).facts();
    const KaiGate gate = KaiJobOverCapacity(world_.tree, job.queue, job.preemptible, requested);
    if (gate.open()) return;
    Add(FitRule::kCapacity, 0,
        absl::StrCat("Reason: ", std::string(KaiGateReason(gate)),
                     ", Details: ", KaiGateMessage(world_.tree, gate, requested)));
  }

  KaiFitErrors Take() { return std::move(errors_); }

 private:
  KaiFitErrors::Row& RowOf(FitRule rule, size_t dimension, const std::string& detail) {
    for (KaiFitErrors::Row& row : errors_.rows) {
      if (row.rule == rule && row.dimension == dimension && row.detail == detail) return row;
    }
    return errors_.rows.emplace_back(KaiFitErrors::Row{rule, dimension, detail});
  }

  void Add(FitRule rule, size_t dimension = 0, const std::string& detail = "") {
    KaiFitErrors::Row& row = RowOf(rule, dimension, detail);
    ++row.nodes;
    ++row.first;
  }

  bool Lacks(uint32_t n, size_t d) const {
    double requested = shape_.request[d];
    if (d == kKaiGpuAt) requested = KaiGpus(shape_.gpu);
    const double unused = world_.nodes.facts(n).allocatable[d] - world_.nodes.used(n)[d];
    return requested > 0 && unused < requested;
  }

  void CountResources(uint32_t n) {
    const bool slices = shape_.type == KaiRequestType::kMigInstance;
    bool counted = false;
    const auto count = [&](size_t d) {
      if (!Lacks(n, d)) return;
      KaiFitErrors::Row& row = RowOf(FitRule::kResource, d, "");
      ++row.nodes;
      if (!std::exchange(counted, true)) ++row.first;
    };
    for (size_t d = kKaiPodsAt + 1; d < shape_.request.size(); ++d) {
      if (slices && world_.facts().slice_gpus[d] != 0) count(d);
    }
    if (!slices) count(kKaiGpuAt);
    count(kKaiCpuAt);
    count(kKaiMemoryAt);
    for (size_t d = kKaiPodsAt; d < shape_.request.size(); ++d) {
      if (world_.facts().slice_gpus[d] == 0) count(d);
    }
    if (!counted) ++RowOf(FitRule::kResource, kKaiGpuAt, "").first;
  }

  void CountRule(uint32_t n) {
    const uint32_t constraints = shape_.constraints;
    const KaiNodeFacts& facts = world_.nodes.facts(n);
    if (!facts.ready) return Add(facts.cordoned ? FitRule::kCordoned : FitRule::kNotReady);
    if (world_.facts().selected[constraints][n] == 0) return Add(FitRule::kLabels);
    if (world_.facts().allowed[constraints][n] == 0) return Add(FitRule::kTaints);
    if (world_.nodes.NotAllocated(n, kKaiPodsAt) < (shape_.shares_gpu() ? 2 : 1)) {
      ++RowOf(FitRule::kResource, kKaiPodsAt, "").first;
      return;
    }
    const uint32_t number = world_.facts().tasks[pod_.task].shape;
    if (!world_.nodes.affinity().AdmitsPorts(n, number)) return Add(FitRule::kHostPort);
    if (!world_.nodes.affinity().Admits(n, number)) return Add(FitRule::kNearby);
    Add(FitRule::kKind);
  }

  const KaiWorld& world_;
  const KaiPod& pod_;
  const KaiShape& shape_;
  KaiFitErrors errors_;
};

// Returns the peer's words; empty: they depend on more than the rule.
std::string SentenceOf(const KaiFitErrors::Row& row, const KaiFacts& facts) {
  switch (row.rule) {
    case FitRule::kLabels:
      return "node(s) didn't match Pod's node affinity/selector";
    case FitRule::kHostPort:
      return "node(s) didn't have free ports for the requested pod ports";
    case FitRule::kCapacity:
      return absl::StrCat("node does not have enough capacity. ", row.detail);
    case FitRule::kResource:
      break;
    default:
      return "";
  }
  const size_t d = row.dimension;
  if (facts.slice_gpus[d] != 0) {
    return absl::StrCat("node(s) didn't have enough of mig profile: ", facts.resources[d]);
  }
  return absl::StrCat("node(s) didn't have enough resources: ", d == kKaiGpuAt   ? "GPUs"
                                                                : d == kKaiCpuAt ? "CPU cores"
                                                                : d == kKaiMemoryAt
                                                                    ? "memory"
                                                                    : facts.resources[d]);
}

}  // namespace

std::string KaiFitErrors::Message(const KaiFacts& facts) const {
  std::vector<std::string> sentences;
  for (const Row& row : rows) {
    const std::string sentence = SentenceOf(row, facts);
    if (row.nodes > 0 && !sentence.empty()) {
      sentences.push_back(absl::StrCat(row.nodes, " ", sentence));
    }
  }
  std::ranges::sort(sentences);
  std::string message = "no nodes with enough resources were found";
  if (!sentences.empty()) absl::StrAppend(&message, ": ", absl::StrJoin(sentences, ". "), ".");
  return message;
}

KaiFitErrors KaiFitErrorsOf(const KaiWorld& world, const KaiPod& pod,
                            std::span<const uint32_t> nodes) {
  FitCounter counter(world, pod);
  for (const uint32_t n : nodes) counter.Count(n);
  return counter.Take();
}

}  // namespace muster
