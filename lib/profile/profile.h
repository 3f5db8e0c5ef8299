// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a spec string to a resolved profile.
//
//   absl::StatusOr<ProfileConfig> config = ResolveProfile("muster:binpack(weight=5),-preempt");
//
//   SPEC = NAME [":" ITEM {"," ITEM}]
//   ITEM = "-" WORD                        without that action or policy
//        | "+" WORD ["(" OPTIONS ")"]      with it: actions go last, policies into the last tier
//        | WORD "(" OPTIONS ")"            options of one that is there
//        | "actions=" A {"+" A}            these actions, in this order
//        | "tiers=" TIER {"/" TIER}        these policies
//        | "lone_tasks=" QUEUE             tasks without a job are jobs of one in that queue;
//                                          unset: they only occupy their nodes
//        | KIND "_ties=" RULE              queue, job or node; insertion, name, seed, least-recent
//        | KEY "=" VALUE                   an option of the first action that has it
//   TIER = P {"+" P}
//   P = WORD ["(" OPTIONS ")"]
//   OPTIONS = KEY "=" VALUE {"," KEY "=" VALUE}
//
// Every policy has the option `without=POINT{|POINT}`: extension points at which it does not
// answer. Errors name the unknown word and the nearest valid one.
//
// An item replaces what the profile, or a list before it, sets. What two items set, or one item
// twice, is refused.
#ifndef MUSTER_PROFILE_PROFILE_H_
#define MUSTER_PROFILE_PROFILE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/session/config.h"
#include "lib/session/preset.h"
#include "muster/policy.h"

namespace muster {

// Fails with InvalidArgument for a spec that does not resolve, and if a policy or an action of
// `extensions` has the name of another one or a name with marks of the grammar. Policies of
// `extensions` that the spec does not name go into the last tier, in their order. One that answers
// only at points that no action of the profile evaluates is refused.
absl::StatusOr<ProfileConfig> ResolveProfile(std::string_view spec,
                                             const Extensions* extensions = nullptr);

// Returns the words for a name that no preset has, `unknown profile "x"`, with what may be meant:
// the nearest name, names that contain it, a spec that adds the policy or action of that name, or
// all names.
std::string UnknownProfile(std::string_view name);

// Every preset, in the order in which lists show them, and every policy.
std::vector<Preset> Presets();
std::vector<PolicyDecl> PolicyCatalogue();
// Returns the preset of the name, without making all others: a cycle on a snapshot resolves its
// profile anew.
std::optional<Preset> FindPreset(std::string_view name);

}  // namespace muster

#endif  // MUSTER_PROFILE_PROFILE_H_
