// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of one peer, function by function, on the plain forms of its recorded calls.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KAI_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KAI_H_

#include <functional>
#include <map>
#include <string>

#include "nlohmann/json.hpp"

namespace muster::testing {

// Of each recorded function: the answer to its arguments.
using KaiAsks =
    std::map<std::string, std::function<nlohmann::json(const std::string& function,
                                                       const nlohmann::json& arguments)>>;
const KaiAsks& KaiQueueAsks();
const KaiAsks& KaiJobAsks();
const KaiAsks& KaiNodeAsks();
const KaiAsks& KaiOrderAsks();

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KAI_H_
