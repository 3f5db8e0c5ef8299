// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bands and classes of tasks, from their marks: {"label": "koord-batch", "priority": 5500,
// "service": "BE", "kube": "BestEffort"}; marks that a task lacks are null.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_BANDS_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_BANDS_H_

#include <string>

#include "lib/peer/koordinator/colocation/bands.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

inline koordinator::KubeService KubeServiceOfMarks(const nlohmann::json& marks) {
  if (marks["kube"] == "Guaranteed") return koordinator::KubeService::kGuaranteed;
  return marks["kube"] == "Burstable" ? koordinator::KubeService::kBurstable
                                      : koordinator::KubeService::kBestEffort;
}

inline koordinator::Service ServiceOfMarks(const nlohmann::json& marks) {
  std::optional<std::string> label;
  if (!marks["service"].is_null()) label = marks["service"].get<std::string>();
  return koordinator::ServiceOf(label, KubeServiceOfMarks(marks));
}

inline koordinator::Band BandOfMarks(const nlohmann::json& marks) {
  koordinator::BandMarks band;
  if (!marks["label"].is_null()) band.label = marks["label"].get<std::string>();
  if (!marks["priority"].is_null()) band.priority = marks["priority"].get<int64_t>();
  return koordinator::BandOf(band, ServiceOfMarks(marks));
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_BANDS_H_
