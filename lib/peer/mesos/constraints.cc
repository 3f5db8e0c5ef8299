// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/constraints.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::mesos {
namespace {

// What a selector finds. Without text an attribute that is there is no text.
struct Found {
  bool there = false;
  std::optional<std::string_view> text;
};

Found Of(const std::optional<std::string>& text) { return text ? Found{true, *text} : Found{}; }

Found Select(const Constraint& constraint, const Traits& traits) {
  switch (constraint.selector) {
    case Selector::kHostname:
      return {true, traits.hostname};
    case Selector::kRegion:
      return Of(traits.region);
    case Selector::kZone:
      return Of(traits.zone);
    case Selector::kAttribute:
      break;
  }
  const auto found = std::ranges::find(traits.attributes, constraint.attribute, &Attribute::name);
  if (found == traits.attributes.end()) return {};
  return found->text ? Found{true, *found->text} : Found{true, std::nullopt};
}

bool Holds(const Constraint& constraint, const Traits& traits) {
  const Found found = Select(constraint, traits);
  switch (constraint.match) {
    case Match::kExists:
      return found.there;
    case Match::kNotExists:
      return !found.there;
    case Match::kTextEquals:
      return found.there && (!found.text || *found.text == constraint.text);
    case Match::kTextNotEquals:
      return !found.there || !found.text || *found.text != constraint.text;
  }
  return false;
}

}  // namespace

absl::Status CheckConstraints(const OfferConstraints& constraints) {
  for (const auto& [role, groups] : constraints) {
    const std::string place = absl::StrCat("offer_constraints of role ", Quote(role));
    if (groups.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(place, ": no group; at least one"));
    }
    for (const ConstraintGroup& group : groups) {
      if (!group.empty()) continue;
      return absl::InvalidArgumentError(absl::StrCat(place, ": an empty group; no group is empty"));
    }
  }
  return absl::OkStatus();
}

bool Excludes(const OfferConstraints& constraints, const std::string& role, const Traits& traits) {
  if (constraints.empty()) return false;
  const auto found = constraints.find(role);
  if (found == constraints.end()) return false;
  return std::ranges::none_of(found->second, [&](const ConstraintGroup& group) {
    return std::ranges::all_of(
        group, [&](const Constraint& constraint) { return Holds(constraint, traits); });
  });
}

}  // namespace muster::mesos
