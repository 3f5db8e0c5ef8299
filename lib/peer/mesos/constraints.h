// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Offer constraints: which agents a framework is never offered, by their attributes.
//
//   Constraint linux{.attribute = "os", .match = Match::kTextEquals, .text = "linux"};
//   OfferConstraints constraints = {{"eng", {{linux}}}};
//   if (Excludes(constraints, "eng", traits)) ...
//
// A role has groups; an agent is excluded if no group holds of it, and a group holds if all its
// constraints do. A role without an entry excludes nothing. Tests of text pass for attributes that
// are no text, and fail, or pass if negated, where the attribute is missing.
//
// Left out: matches of regular expressions.
#ifndef MUSTER_PEER_MESOS_CONSTRAINTS_H_
#define MUSTER_PEER_MESOS_CONSTRAINTS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace muster::mesos {

struct Attribute {
  std::string name;
  std::optional<std::string> text;  // nothing: a scalar, a set or ranges
};

// What constraints look at.
struct Traits {
  std::vector<Attribute> attributes;  // of a name the first one counts
  std::string hostname;
  std::optional<std::string> region;
  std::optional<std::string> zone;
};

enum class Selector { kAttribute, kHostname, kRegion, kZone };
enum class Match { kExists, kNotExists, kTextEquals, kTextNotEquals };

struct Constraint {
  Selector selector = Selector::kAttribute;
  std::string attribute;  // of Selector::kAttribute
  Match match = Match::kExists;
  std::string text;
};

using ConstraintGroup = std::vector<Constraint>;
using OfferConstraints = std::map<std::string, std::vector<ConstraintGroup>>;

// Fails if a role has no group, or a group no constraint.
absl::Status CheckConstraints(const OfferConstraints& constraints);

bool Excludes(const OfferConstraints& constraints, const std::string& role, const Traits& traits);

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_CONSTRAINTS_H_
