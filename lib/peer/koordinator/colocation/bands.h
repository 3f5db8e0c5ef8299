// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bands of priority and classes of service: which tasks run on room that others leave.
//
//   Band band = BandOf({.label = "", .priority = 5500}, Service::kBe);   // Band::kBatch
//
// Idea. Four bands divide the priorities: production, mid, batch and free. Work of the lower three
// runs on what production does not use. A class of service names how a task shares CPUs. Each is
// derived from the other where a task does not name it.
//
// Peer. Koordinator's labels and defaults. A band's label that names no band counts as no label,
// and the priority is then not read. A priority between two bands has no band, so that the class of
// service decides.
//
// Cost. O(1).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_BANDS_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_BANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::koordinator {

enum class Band : uint8_t { kNone, kProduction, kMid, kBatch, kFree };

// In the peer's words: SYSTEM, LSE (exclusive CPUs), LSR (reserved CPUs), LS (shared), BE.
enum class Service : uint8_t { kNone, kSystem, kLse, kLsr, kLs, kBe };

// Kubernetes' class, by requests and limits.
enum class KubeService : uint8_t { kGuaranteed, kBurstable, kBestEffort };

// What a task declares about its band.
struct BandMarks {
  std::optional<std::string> label = {};
  std::optional<int64_t> priority = {};
};

// Returns kNone for a name that is none of the peer's.
Band BandByName(std::string_view name);
Service ServiceByName(std::string_view name);

// Returns the class of the label, or the one that follows from Kubernetes' class.
Service ServiceOf(const std::optional<std::string>& label, KubeService kube);
// Returns the band of the label, of the priority, or of the class of service, in this order.
Band BandOf(const BandMarks& marks, Service service);

// Returns 4 for production down to 1 for free, and 0 without a band.
int ImportanceOf(Band band);

// Returns whether work of the band lives on room that other bands leave for batch work.
inline bool IsLow(Band band) { return band == Band::kBatch || band == Band::kFree; }

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_BANDS_H_
