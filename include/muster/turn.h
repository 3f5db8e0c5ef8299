// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle is to decide: everything, or a part.
//
//   muster::ScheduleOptions options;
//   options.turn = muster::NextDecisions{1};                  // the next gang, and no more
//   options.turn = muster::Heartbeats{{"node7", "node3"}};    // these nodes report, in this order
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano:actions=beat", options);
//
// Promise. Every action declares the kinds of turn that it serves (CustomAction::turns). The
// actions of all presets serve a whole cycle and the next decisions. The plan of the next decisions
// is how the plan of a whole cycle begins.
// Failure. Schedule fails with InvalidArgument if an action of the profile does not serve the kind:
// `options: turn: action "p" of profile "ray" does not serve event; it serves cycle, decisions`.
// Ownership, threads. Plain values.
// Cost. A turn takes what its list takes; a TurnSet is one number.
#ifndef MUSTER_TURN_H_
#define MUSTER_TURN_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/export.h"

namespace muster {

// Everything that the profile decides now. The default.
struct WholeCycle {
  // All values are equal: there are no fields.
  friend bool operator==(const WholeCycle&, const WholeCycle&) = default;
};

// The first `count` decisions of a whole cycle: the plan ends with the gang that reaches that
// number, and is complete. Admissions, binds, nominations and evictions count; phases do not.
struct NextDecisions {
  // How many decisions: 1 or more. Default: 1.
  int64_t count = 1;
  // Returns true if both counts are equal.
  friend bool operator==(const NextDecisions&, const NextDecisions&) = default;
};

// Nodes that report, by name, in this order; a node may report twice. Actions decide node by node
// (Cycle::heartbeats).
struct Heartbeats {
  // Names of the nodes, the first to report first.
  std::vector<std::string> nodes;
  // Returns true if both list the same nodes in the same order.
  friend bool operator==(const Heartbeats&, const Heartbeats&) = default;
};

// The oldest event that a slot of the memory has not seen: Cycle::EventsSince returns it alone, and
// the plan's memory has seen it. Where the list is not known, `everything` is that event.
struct OneEvent {
  // All values are equal: there are no fields.
  friend bool operator==(const OneEvent&, const OneEvent&) = default;
};

// What a cycle is to decide: exactly one of these. Default: a whole cycle. docs/memory.md has the
// form of each in JSON, C and Python.
using Turn = std::variant<WholeCycle, NextDecisions, Heartbeats, OneEvent>;

// The alternatives of Turn, in their order.
enum class TurnKind : uint8_t {
  // WholeCycle.
  kCycle,
  // NextDecisions.
  kDecisions,
  // Heartbeats.
  kHeartbeats,
  // OneEvent.
  kEvent,
};
// The number of kinds: valid kinds are below it.
inline constexpr int kTurnKindCount = 4;

// Returns which alternative `turn` is. O(1).
inline TurnKind KindOf(const Turn& turn) { return static_cast<TurnKind>(turn.index()); }
// Returns "cycle", "decisions", "heartbeats" or "event", for error messages. The text is a
// constant.
MUSTER_EXPORT std::string_view TurnKindName(TurnKind kind);

// A set of kinds of turn, as an action declares those that it serves.
class TurnSet {
 public:
  // Constructs the empty set.
  constexpr TurnSet() = default;
  // Constructs the set of these kinds: `TurnSet{TurnKind::kCycle, TurnKind::kEvent}`.
  // Kinds may be listed twice.
  constexpr TurnSet(std::initializer_list<TurnKind> kinds) {
    for (TurnKind kind : kinds) bits_ |= 1u << static_cast<int>(kind);
  }
  // Returns true if the set contains `kind`. O(1).
  constexpr bool has(TurnKind kind) const { return bits_ >> static_cast<int>(kind) & 1; }

 private:
  // Bit i stands for the kind of number i.
  uint32_t bits_ = 0;
};

// The kinds that an action serves if it calls ShouldStop between gangs: a whole cycle and the next
// decisions.
inline constexpr TurnSet kUsualTurns = {TurnKind::kCycle, TurnKind::kDecisions};

}  // namespace muster

#endif  // MUSTER_TURN_H_
