// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The two states of a detector, and the counts that change them.
#include "lib/peer/koordinator/rebalance/anomaly.h"

#include "lib/base/math.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kDefaultTimeout = 60'000'000'000;

}  // namespace

AnomalyBook::Detector* AnomalyBook::Find(const std::string& node, int64_t now) {
  const auto found = detectors_.find(node);
  if (found == detectors_.end() || found->second.forgotten < now) return nullptr;
  return &found->second;
}

void AnomalyBook::SetState(Detector* detector, bool is_abnormal, int64_t now) {
  if (detector->is_abnormal == is_abnormal) return;
  detector->is_abnormal = is_abnormal;
  detector->normal_rounds = detector->abnormal_rounds = 0;
  if (is_abnormal)
    detector->ends =
        SatAdd(now, detector->rules.timeout > 0 ? detector->rules.timeout : kDefaultTimeout);
}

void AnomalyBook::Settle(Detector* detector, int64_t now) {
  if (!detector->is_abnormal) return;
  if (detector->ends < now || detector->normal_rounds > detector->rules.normal_rounds) {
    SetState(detector, false, now);
  }
}

bool AnomalyBook::MarkAbnormal(const std::string& node, const AnomalyRules& rules, int64_t now) {
  if (Find(node, now) == nullptr) detectors_[node] = {.rules = rules};
  Detector& detector = detectors_[node];
  Settle(&detector, now);
  ++detector.abnormal_rounds;
  detector.normal_rounds = 0;
  if (!detector.is_abnormal && detector.abnormal_rounds > detector.rules.abnormal_rounds) {
    SetState(&detector, true, now);
  }
  Settle(&detector, now);
  detector.forgotten = now + kept_;
  return detector.is_abnormal;
}

void AnomalyBook::MarkNormal(const std::string& node, int64_t now) {
  Detector* detector = Find(node, now);
  if (detector == nullptr) return;
  Settle(detector, now);
  ++detector->normal_rounds;
  detector->abnormal_rounds = 0;
  Settle(detector, now);
}

void AnomalyBook::Reset(const std::string& node, int64_t now) {
  if (Detector* detector = Find(node, now)) SetState(detector, false, now);
}

bool AnomalyBook::IsAbnormal(const std::string& node, int64_t now) {
  Detector* detector = Find(node, now);
  if (detector == nullptr) return false;
  Settle(detector, now);
  return detector->is_abnormal;
}

}  // namespace muster::koordinator
