// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The texts in which settings and options of profile mesos are written. They are the peer's own
// forms, as its agents and its master take them:
//
//   resources     cpus(eng):4;cpus{REV}:2;ports:[31000-32000];disk(eng)[v]<SHARED>:5
//   sets          cpus:0.01|mem:32                  any of the sets is enough
//   names         gpus|ports                        of resources
//   constraints   os=linux;rack!=r1|@hostname=a1    any of the groups
//
// The constraint `gpu` requires that the attribute exists, `!gpu` that it does not.
// In parentheses stand the queues that an amount is reserved for, the last of them the one that
// counts. {REV}: may be taken back. <SHARED>: several may use it at once. <WHOLE>: indivisible.
//
// Each Parse returns the rule that the text breaks, for the end of an error; empty: none.
#ifndef MUSTER_PEER_MESOS_SETTINGS_H_
#define MUSTER_PEER_MESOS_SETTINGS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/mesos/allocator.h"

namespace muster::mesos {

// Bounds of a role's weight.
inline constexpr double kLeastWeight = 1e-6, kMostWeight = 1e9;

// What a job sets of itself.
struct JobSettings {
  Capabilities capabilities;
  bool suppressed = false;
  double refuse_seconds = -1;  // below 0: the option's
  std::vector<NamedAmounts> least_offer;
  std::vector<ConstraintGroup> constraints;
};

// Kind::reservations are queues as they are written.
std::string ParseResources(std::string_view text, std::vector<Resource>* resources);
std::string ParseSets(std::string_view text, std::vector<NamedAmounts>* sets);
std::string ParseNames(std::string_view text, std::set<std::string>* names);
std::string ParseConstraints(std::string_view text, std::vector<ConstraintGroup>* groups);
std::string ParseCapabilities(std::string_view text, Capabilities* capabilities);

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_SETTINGS_H_
