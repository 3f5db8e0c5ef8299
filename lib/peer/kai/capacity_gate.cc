// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sentences are the peer's, with its roundings: amounts are cut off behind the third digit, GPUs
// that a non-preemptible job requests are written in full.
#include "lib/peer/kai/capacity_gate.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/decimal.h"

namespace muster {
namespace {

constexpr double kMilliPerCore = 1000, kBytesPerGigabyte = 1e9;

// The words of a resource in both sentences.
struct Wording {
  double unit;
  absl::string_view full, amount, requested;
};
constexpr Wording kWordings[kKaiResources] = {
    {kMilliPerCore, "CPU cores", "cores", "CPU cores"},
    {kBytesPerGigabyte, "memory", "GB", "GB memory"},
    {1, "GPUs", "GPUs", "GPUs"},
};

// The first resource with most < held + requested; kKaiResources if there is none.
size_t FirstExceeded(const KaiShares& shares, double KaiShare::*most, double KaiShare::*held,
                     const KaiAmounts& requested) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (shares[r].*most == kKaiUnlimited || requested[r] == 0) continue;
    if (shares[r].*most < shares[r].*held + requested[r]) return r;
  }
  return kKaiResources;
}

KaiGate FirstClosed(const KaiQueueTree& tree, uint32_t queue, KaiGate::Rule rule,
                    const KaiAmounts& requested) {
  const bool limit = rule == KaiGate::Rule::kOverLimit;
  for (; queue != kKaiNone; queue = tree.queues[queue].parent) {
    const size_t r = limit ? FirstExceeded(tree.share[queue], &KaiShare::max_allowed,
                                           &KaiShare::allocated, requested)
                           : FirstExceeded(tree.share[queue], &KaiShare::deserved,
                                           &KaiShare::allocated_not_preemptible, requested);
    if (r < kKaiResources) return {rule, queue, r};
  }
  return {};
}

// Shortest text that reads back as the value, as the peer prints a plain number.
std::string Plain(double value) {
  char text[kMostDecimal];
  return std::string(text, WriteShortest(text, value, DecimalForm::kGeneral));
}

}  // namespace

KaiGate KaiOverLimit(const KaiQueueTree& tree, uint32_t queue, const KaiAmounts& requested) {
  return FirstClosed(tree, queue, KaiGate::Rule::kOverLimit, requested);
}

KaiGate KaiOverQuota(const KaiQueueTree& tree, uint32_t queue, bool preemptible,
                     const KaiAmounts& requested) {
  if (preemptible) return {};
  return FirstClosed(tree, queue, KaiGate::Rule::kNonPreemptibleOverQuota, requested);
}

KaiGate KaiJobOverCapacity(const KaiQueueTree& tree, uint32_t queue, bool preemptible,
                           const KaiAmounts& requested) {
  const KaiGate gate = KaiOverLimit(tree, queue, requested);
  return gate.open() ? KaiOverQuota(tree, queue, preemptible, requested) : gate;
}

std::string_view KaiGateReason(const KaiGate& gate) {
  switch (gate.rule) {
    case KaiGate::Rule::kOverLimit:
      return "OverLimit";
    case KaiGate::Rule::kNonPreemptibleOverQuota:
      return "NonPreemptibleOverQuota";
    case KaiGate::Rule::kNone:
      break;
  }
  return "";
}

std::string KaiGateMessage(const KaiQueueTree& tree, const KaiGate& gate,
                           const KaiAmounts& requested) {
  if (gate.open()) return "";
  const Wording& words = kWordings[gate.resource];
  const KaiShare& share = tree.share[gate.queue][gate.resource];
  const std::string& name = tree.queues[gate.queue].name;
  const auto human = [&](double value) { return KaiHumanized(value, words.unit); };
  const double wanted = requested[gate.resource];
  if (gate.rule == KaiGate::Rule::kOverLimit) {
    return absl::StrCat(name, " quota has reached the allowable limit of ", words.full,
                        ". Limit is ", human(share.max_allowed), " ", words.amount, ", currently ",
                        human(share.allocated), " ", words.amount,
                        " allocated and workload requested ", human(wanted), " ", words.amount);
  }
  return absl::StrCat("Non-preemptible workload is over quota. Workload requested ",
                      gate.resource == kKaiGpu ? Plain(wanted) : human(wanted), " ",
                      words.requested, ", but ", name, " quota is ", human(share.deserved), " ",
                      words.amount, ", while ", human(share.allocated_not_preemptible), " ",
                      words.amount,
                      " are already allocated for non-preemptible pods. Use a preemptible workload "
                      "to go over quota.");
}

std::string KaiHumanized(double value, double unit) {
  if (value == kKaiUnlimited) return "Unlimited";
  std::string text = absl::StrFormat("%.6f", value / unit);
  text.resize(text.size() - 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace muster
