// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How groups of elastic quota trees, their tasks and their numbers are written, for questions about
// one tree and about several.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_QUOTA_JSON_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_QUOTA_JSON_H_

#include <string>

#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

NamedAmounts QuotaAmounts(const nlohmann::json& object, const char* key);
nlohmann::json Written(const NamedAmounts& amounts);
nlohmann::json NumbersOf(const ElasticTree& tree, const std::string& group);
QuotaTask QuotaTaskOf(const nlohmann::json& object);
QuotaGroup QuotaGroupOf(const nlohmann::json& object);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_QUOTA_JSON_H_
