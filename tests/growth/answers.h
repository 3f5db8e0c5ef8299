// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Growing dumps of peers that are no schedulers of Kubernetes: ads, reports, and answers that have
// many rows in one object.
//
//   std::optional<nlohmann::ordered_json> objects = GrowingAnswers("Machine", "classad", 48);
#ifndef MUSTER_TESTS_GROWTH_ANSWERS_H_
#define MUSTER_TESTS_GROWTH_ANSWERS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace muster::testing {

std::vector<std::string_view> KindsOfAnswers();
// Returns the objects of a dump with n rows of the kind, as the peer of the API group writes it.
// Nothing: the kind is none of these.
std::optional<nlohmann::ordered_json> GrowingAnswers(std::string_view kind, std::string_view group,
                                                     int n);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_ANSWERS_H_
