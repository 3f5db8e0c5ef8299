// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Properties of queues: texts by which a configuration sets a queue's rules.
//
//   QueueRules rules = ReadRules({{"priority.offset", "5"}}, /*leaf=*/true);
//
// A value that cannot be read leaves the default, as do unknown keys.
#ifndef MUSTER_PEER_YUNIKORN_PROPERTIES_H_
#define MUSTER_PEER_YUNIKORN_PROPERTIES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/objects.h"

namespace muster::yunikorn {

QueueRules ReadRules(const Texts& properties, bool leaf);
// The keys that ReadRules knows.
std::span<const std::string_view> RuleKeys();

// What a child inherits of a property: priorities and fences stay with the parent.
std::string InheritedValue(const std::string& key, const std::string& value);

// A span of time as Go writes it: "1h30m", "1.5s", "10ms". Nothing for anything else.
std::optional<Nanos> ReadDuration(std::string_view text);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_PROPERTIES_H_
