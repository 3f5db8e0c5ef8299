// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How reservations, their tasks and what these state are written.
//
//   RECORD  {"uid", "node", "name", "labels": {..}, "owners": [OWNER, ...], "taints": [TAINT, ...],
//            "total": AMOUNTS, "names": [..], "kept_back": AMOUNTS, "most_tasks"?, "policy",
//            "available", "leaving", "unschedulable", "once", "order", "owners_can_be_read"}
//   OWNER   {"object"?: REFERENCE, "controller"?: REFERENCE, "selector"?: SELECTOR}
//   ASKER   {"object": REFERENCE, "labels", "controllers": [REFERENCE, ...], "ignores", "readable",
//            "wish"?: {"name", "shape": SHAPE}, "exact": [..], "request": AMOUNTS}
//   SHAPE   {"selector": {..}, "terms"?: [{"labels": [NEED, ...], "fields": [NEED, ...]}, ...],
//            "tolerations": [[key, op, value, effect], ...]}
//   NEED    [key, op, [value, ...]];  TAINT  [key, value, effect]
//   SELECTOR {"labels": {..}, "needs": [NEED, ...]}
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_RESERVATION_JSON_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_RESERVATION_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/peer/koordinator/reservation/reservation_cycle.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

// The resources of a question, numbered as they come.
class ReservedNames {
 public:
  size_t Number(const std::string& name);
  Sparse Amounts(const nlohmann::json& object, const char* key);
  uint64_t Set(const nlohmann::json& object, const char* key);
  nlohmann::json List(uint64_t set) const;
  nlohmann::json Written(const Sparse& amounts) const;

 private:
  std::vector<std::string> names_;
};

Reserved::Policy ReservedPolicyOf(const std::string& name);
nlohmann::json LacksJson(const Lacks& lacks, const ReservedNames& names);

Labels ReservationLabelsOf(const nlohmann::json& object, const char* key);
TaskShape ReservationShapeOf(const nlohmann::json& object);
ReservationBook::Record RecordOf(const nlohmann::json& object, ReservedNames& names);
ReservationAsker AskerOf(const nlohmann::json& object, ReservedNames& names);
std::vector<ReservationBook::Held> HeldOf(const nlohmann::json& list, ReservedNames& names);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_RESERVATION_JSON_H_
